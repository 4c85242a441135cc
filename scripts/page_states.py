"""The page's table of states and their colours, written from `factscope.report.states`.

Only Python gives a state its word, glyph, line and colours; `scripts/page_types.py` writes both files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from factscope.core.labels import OUTCOMES
from factscope.report.states import DARK, LIGHT, MARKS, PROBLEMS
from factscope.scoring.verdicts.roll_up import WORST_FIRST

NOTICE = "Written by scripts/page_types.py from `factscope.report.states`; do not change it by hand."


def state_table() -> str:
    """Write the TypeScript of all states: order, glyphs, English words."""
    glyphs = [f"  {state}: {text(mark.glyph)}," for state, mark in MARKS.items()]
    words = [
        f"  {state}: {{ word: {text(mark.word)}, meaning: {text(mark.meaning)} }}," for state, mark in MARKS.items()
    ]
    return "\n".join(
        [
            f"// The states of a sentence. {NOTICE}\n",
            f"export const OUTCOMES = {listed(OUTCOMES)} as const;\n",
            "/** Outcomes, the one that decides over all others first. */",
            f"export const WORST_FIRST = {listed(WORST_FIRST)} as const;\n",
            f"export const STATES = {listed(MARKS)} as const;",
            "export type State = (typeof STATES)[number];\n",
            "/** States that need review, worst first. */",
            f"export const PROBLEMS: readonly State[] = {listed(PROBLEMS)};\n",
            "export const STATE_GLYPHS: Record<State, string> = {",
            *glyphs,
            "};\n",
            "/** In English. */",
            "export const STATE_WORDS: Record<State, { word: string; meaning: string }> = {",
            *words,
            "};\n",
        ]
    )


def state_styles() -> str:
    """Write the CSS of both themes and of all states."""
    theme = [f"  --{name}: light-dark({light}, {getattr(DARK, name)});" for name, light in LIGHT._asdict().items()]
    rules = [
        f".s-{state} {{\n"
        f"  --ink: light-dark({mark.light.ink}, {mark.dark.ink});\n"
        f"  --tint: light-dark({mark.light.tint}, {mark.dark.tint});\n"
        f"  --line: {mark.line};\n}}"
        for state, mark in MARKS.items()
    ]
    return "\n".join([f"/* Colours and lines of the states. {NOTICE} */", ":root {", *theme, "}", *rules, ""])


def listed(names: Iterable[str]) -> str:
    """Write names as a TypeScript array."""
    return f"[{', '.join(text(name) for name in names)}]"


def text(value: str) -> str:
    """Write a TypeScript string."""
    return json.dumps(value, ensure_ascii=False)
