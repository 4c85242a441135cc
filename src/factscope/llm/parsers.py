"""Readers of the plain-text forms that the papers ask for. Pure functions; what is not clear is refused, never guessed.

Each returns what was said or raises UnreadableError with a reason that a model can act on. Allowed labels are given
by the caller, from the same list that the prompt and the records use.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .failures import UnreadableError
from .structured import after_thoughts

_NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|no|cannot|without|instead|rather|wrong|incorrect|unlikely|hardly|except)\b|n['’]t\b",
    re.IGNORECASE,
)
_EMPHASIS = "*_`"


class Unit(NamedTuple):
    """A unit of a response and its type."""

    text: str
    kind: str


def typed_units(text: str, kinds: Sequence[str]) -> list[Unit]:
    """VERIFY's `- unit: type` lines (FactBench, extraction prompt): the type stands after the last `: `, in any case.

    A unit may run over lines. Text before the first unit and after an empty line is no unit. One without an allowed
    type makes the whole reply unreadable: a unit that vanished would go missing from the score.
    """
    allowed = {kind.casefold(): kind for kind in kinds}
    units = []
    for block in re.split(r"\n\s*\n", after_thoughts(text)):
        for item in re.split(r"^- ", "\n" + block, flags=re.MULTILINE)[1:]:
            words, colon, kind = item.strip().rpartition(": ")
            found = allowed.get(kind.strip().casefold())
            if not colon or found is None or not words.strip():
                raise UnreadableError(
                    f"the unit {item.strip()[:80]!r} does not end in `: ` and one of {', '.join(kinds)}."
                )
            units.append(Unit(words.strip(), found))
    if not units:
        raise UnreadableError("it holds no line of the form `- unit: type`.")
    return units


def fenced(text: str) -> str:
    """What stands in the fenced code block of a reply; of several equal ones, once."""
    found: list[str] = []
    lines = after_thoughts(text).splitlines()
    inside: list[str] | None = None
    for line in lines:
        bare = line.strip()
        one_line = re.fullmatch(r"```([^`]+)```", bare)
        if inside is None and one_line:
            found.append(one_line[1].strip())
        elif inside is None and re.fullmatch(r"```[\w+-]*", bare):
            inside = []
        elif inside is not None and bare == "```":
            found.append("\n".join(inside).strip())
            inside = None
        elif "```" in line:
            raise UnreadableError("its code fence does not stand on a line by itself.")
        elif inside is not None:
            inside.append(line)
    if inside is not None:
        raise UnreadableError("its code block is not closed.")
    if len(set(found)) > 1:
        raise UnreadableError("it holds more than one code block.")
    if not found or not found[0]:
        raise UnreadableError("it holds no text in a code block.")
    return found[0]


def bracketed_label(text: str, labels: Sequence[str]) -> str:
    """The label in square brackets that ends a reply (FactBench, labelling prompt), such as `Final label: [Supported]`.

    It must be one of `labels` (in any case) and stand on the last line, alone or after a few words and a colon.
    Brackets and labels in the reasoning before it do not count.
    """
    line = _last_line(text)
    found = re.findall(r"\[([^\[\]]*)\]", line)
    if len(found) != 1:
        raise UnreadableError(f"its last line is not one of {_menu(labels)}.")
    lead, _, tail = line.partition(f"[{found[0]}]")
    return _label(found[0], lead, tail, labels)


def marked_label(text: str, marker: str, labels: Sequence[str]) -> str:
    """The label after `marker` and a colon, such as `Final Verdict: yes` (Facts&Evidence) or `Final Answer: …` (FACTS).

    The marker must begin a line. When it comes more than once, what follows must be the same each time.
    """
    begins = re.compile(rf"{re.escape(marker)}\s*:(.*)", re.IGNORECASE)
    lines = [_plain(line) for line in after_thoughts(text).splitlines()]
    found = set()
    for number, line in enumerate(lines):
        if match := begins.fullmatch(line):
            rest = match[1].strip(f" {_EMPHASIS}") or next(filter(None, lines[number + 1 :]), "")
            value = re.sub(r"^\[(.*?)\](\.?)$", r"\1\2", rest)
            found.add(_label(value.strip(f" {_EMPHASIS}").removesuffix("."), "", "", labels))
    if len(found) != 1:
        reason = "contradicts itself" if found else f"has no line `{marker}: …`"
        raise UnreadableError(f"it {reason}; the label is one of {', '.join(labels)}.")
    return found.pop()


NO_CLAIMS = "NO_CLAIMS"


def claim_lines(text: str) -> list[str]:
    """The claims of `Claim_1: text` lines (Facts&Evidence, section 3.4), numbered from 1 without a gap.

    None for the one line `NO_CLAIMS`, by which our prompts have a sentence that states nothing say so.
    """
    claims: list[str] = []
    lines = [line.strip() for line in after_thoughts(text).splitlines() if line.strip()]
    if len(lines) == 1 and _plain(lines[0]) == NO_CLAIMS:
        return claims
    for line in lines:
        match = re.fullmatch(r"(?:[-*]\s+)?\**Claim[_ ](\d{1,4})\**\s*:\**\s*(.*)", line)
        if not match:
            raise UnreadableError(f"the line {line[:80]!r} is not of the form `Claim_1: text`.")
        if int(match[1]) != len(claims) + 1:
            raise UnreadableError(f"Claim_{len(claims) + 1} is missing, or the claims are out of order.")
        if not match[2].strip():
            raise UnreadableError(f"Claim_{match[1]} is empty.")
        claims.append(match[2].strip())
    if not claims:
        raise UnreadableError("it holds no claim.")
    return claims


def wrong_ids(text: str, count: int) -> frozenset[int]:
    """FELM's `Answer: 1,3` or `Answer: ALL_CORRECT` (FELM, detection prompt): which of `count` units are wrong.

    Ids are 1 to `count`; 0, a higher one, words among them, or ids beside ALL_CORRECT are refused: the published
    parser takes the last unit for id 0, counts digits of explanations, and lets ALL_CORRECT win.
    """
    lines = [_plain(line) for line in after_thoughts(text).splitlines()]
    answers = {
        match[1].strip().rstrip(".").strip() for line in lines if (match := re.fullmatch(r"Answer\s*:(.*)", line))
    }
    if len(answers) != 1:
        raise UnreadableError("it contradicts itself." if answers else "it has no line `Answer: …`.")
    answer = answers.pop()
    if answer == "ALL_CORRECT":
        return frozenset()
    if not re.fullmatch(r"[0-9]{1,6}(?:\s*,\s*[0-9]{1,6})*", answer):
        raise UnreadableError(
            "after `Answer:` there must be ids with commas between them and nothing else, or ALL_CORRECT."
        )
    ids = frozenset(int(part) for part in answer.split(","))
    if out := [number for number in ids if not 1 <= number <= count]:
        raise UnreadableError(f"there is no id {min(out)}: they go from 1 to {count}.")
    return ids


def _last_line(text: str) -> str:
    lines = [plain for line in after_thoughts(text).splitlines() if (plain := _plain(line))]
    if not lines:
        raise UnreadableError("it is empty.")
    return lines[-1]


def _plain(line: str) -> str:
    """A line without the marks of emphasis and headings around it. Those of a quotation stay: it is not the model's."""
    return line.strip().lstrip("#").strip(f" {_EMPHASIS}").replace("**", "").replace("__", "")


def _label(value: str, lead: str, tail: str, labels: Sequence[str]) -> str:
    allowed = {label.casefold(): label for label in labels}
    found = allowed.get(value.strip().casefold())
    before = lead.strip(f" {_EMPHASIS}")
    clear = not before or (before.endswith((":", " is")) and len(before) <= 60 and not _NEGATION.search(before))
    if found is None or not clear or tail.strip(f" {_EMPHASIS}") not in ("", ".", "!"):
        raise UnreadableError(f"its last line is not one of {_menu(labels)}.")
    return found


def _menu(labels: Sequence[str]) -> str:
    return ", ".join(f"[{label}]" for label in labels)
