"""The only table of states: their looks and names in every rendering.

A state is shown in four ways: by its word, its glyph, the style of its underline and its colour. No two states share
any of them, so that they can be read without colours, and no state is shown by colour alone (WCAG 2.2, 1.4.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from factscope.core import Label, Outcome, Verdict
from factscope.scoring.verdicts.roll_up import worst

State = Literal[
    "supported", "mostly", "mixed", "contradicted", "undecided", "no_evidence", "failed", "excluded", "not_checkable"
]
"""State of a segment: one of the outcomes, or one of two shades between supported and contradicted."""

ConfidenceBand = Literal["low", "medium", "high"]


class LabelWords(NamedTuple):
    """A judge's label in words."""

    state: State
    grounding: str
    """For a sentence that should be grounded in a document."""
    relation: str
    """For the relation of evidence to a claim."""


LABELS: dict[Label, LabelWords] = {
    "supported": LabelWords("supported", "supported", "supports it"),
    "contradicted": LabelWords("contradicted", "contradicted", "contradicts it"),
    "not_enough_evidence": LabelWords("undecided", "unsupported", "does not settle it"),
    "not_supported": LabelWords("undecided", "unsupported", "does not support it"),
    "irrelevant": LabelWords("not_checkable", "needs no grounding", "does not bear on it"),
}


class Colours(NamedTuple):
    """Colours in one theme, as `#rrggbb`."""

    ink: str
    """Of the underline, the glyph and the word."""
    tint: str
    """Behind the marked text."""


class Theme(NamedTuple):
    """Colours that all states share in one theme."""

    page: str
    """Behind everything."""
    card: str
    """Behind a card."""
    text: str
    """Of running text, also on every tint."""
    muted: str
    """Of less important text."""
    link: str
    """Of links, and of the ring around the focused element."""
    quote: str
    """Behind the words of a passage that a judgement rests on."""
    rule: str
    """Of lines that only decorate."""


class StateMark(NamedTuple):
    """Mark of one state."""

    word: str
    """Its name."""
    glyph: str
    """One character, one column wide in every terminal."""
    meaning: str
    """One line for the legend."""
    line: str
    """CSS `text-decoration`, without its colour."""
    light: Colours
    dark: Colours
    style: str
    """Style in the terminal, from the sixteen colours that a person's theme sets."""


LIGHT = Theme("#fbfaf7", "#ffffff", "#1d1c1a", "#5c5954", link="#1f4f8f", quote="#fdeeb0", rule="#e2ded5")
DARK = Theme("#161719", "#1e2023", "#ebe8e2", "#a8a49c", link="#9cc3f5", quote="#544511", rule="#34373c")

MARKS: dict[State, StateMark] = {
    "supported": StateMark(
        "supported", "✓", "the evidence supports it",
        "underline solid 2px", Colours("#11694a", "#e4f3ea"), Colours("#6fd0a2", "#17332a"), "green",
    ),
    "mostly": StateMark(
        "mostly supported", "≃", "the evidence supports more than half of it and contradicts none",
        "underline double 2px", Colours("#55680a", "#eff3d8"), Colours("#bccf5f", "#2b3113"), "cyan",
    ),
    "mixed": StateMark(
        "mixed", "⇄", "some of it is supported and some of it contradicted",
        "underline overline dashed 1px", Colours("#6b3fa0", "#f0e9f8"), Colours("#c5a5f0", "#2f2540"), "magenta",
    ),
    "contradicted": StateMark(
        "contradicted", "✗", "the evidence contradicts it",
        "underline wavy 2px", Colours("#b3241c", "#fce8e4"), Colours("#ff9b8e", "#46201d"), "bold red",
    ),
    "undecided": StateMark(
        "undecided", "?", "the evidence does not settle it",
        "underline dashed 2px", Colours("#875200", "#fdf0d3"), Colours("#edb85c", "#3a2c11"), "yellow",
    ),
    "no_evidence": StateMark(
        "no evidence", "∅", "no relevant evidence was found",
        "underline dotted 3px", Colours("#1c5c9c", "#e5eff9"), Colours("#8dbff0", "#1a2d41"), "blue",
    ),
    "failed": StateMark(
        "failed", "!", "an error occurred, so there is no verdict",
        "underline solid 5px", Colours("#9a1a68", "#fae5f1"), Colours("#f598cf", "#431d35"), "bold magenta reverse",
    ),
    "excluded": StateMark(
        "excluded", "⊘", "all of its evidence was excluded by a person",
        "line-through solid 1px", Colours("#4b5563", "#eceef1"), Colours("#b4bdc9", "#2a2f36"), "strike",
    ),
    "not_checkable": StateMark(
        "not checkable", "⋯", "it makes no claim that can be checked",
        "none", Colours("#5c5954", "#fbfaf7"), Colours("#a8a49c", "#161719"), "dim",
    ),
}  # fmt: skip

PROBLEMS: tuple[State, ...] = ("contradicted", "mixed", "failed", "undecided", "no_evidence")
"""States that a reader should look at, worst first."""


def segment_state(verdict: Verdict | None, claims: Sequence[Outcome]) -> State:
    """Return the state of a segment, from its verdict and the outcomes of its claims alone.

    `mixed` when at least one claim is supported and one contradicted. `mostly` when more than half of the claims to
    judge are supported and the others are undecided or without evidence: a contradicted or failed one rules it out.
    Else the outcome of the verdict, or without one that of the worst claim.
    """
    weighed = [outcome for outcome in claims if outcome not in ("not_checkable", "excluded")]
    if {"supported", "contradicted"} <= set(weighed):
        return "mixed"
    n_supported = weighed.count("supported")
    if set(weighed) <= {"supported", "undecided", "no_evidence"} and len(weighed) / 2 < n_supported < len(weighed):
        return "mostly"
    return worst(claims) if verdict is None else verdict.outcome


def confidence_band(confidence: float) -> ConfidenceBand:
    """Grade a confidence in three steps, because its second digit is not meaningful.

    It is low below 0.6, and high from 0.85 (our choice).
    """
    return "low" if confidence < 0.6 else "medium" if confidence < 0.85 else "high"
