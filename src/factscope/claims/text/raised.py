"""Figures set above or below the line, written so that they do not join the number before them: 10⁶ is not 106."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

_ABOVE = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_BELOW = str.maketrans("0123456789+-−–", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋")
_FIGURE = re.compile(r"[+−–-]?\d{1,4}[+−–-]?")
_NOTES = re.compile(r"\d{1,3}(?:[,–-]\s?\d{1,3})*")
# From 1100 on, because 1000 and 1024 are raised to powers more often than they are years with a footnote.
_TAKES_NOTE = re.compile(r"(?:(?<![\d.,])(?:1[1-9]|20)\d\d|[.,;:!?…%\"'”’»]|[^\W\d_]{5})\s*\Z")
_TAKES_POWER = re.compile(r"[\d)\]]\Z")


def on_the_line(words: str, before: str, *, below: bool = False) -> str:
    """Return raised or lowered (`below`) words as they are written in plain text after the text `before`.

    Figures after a number get their small forms, and the number of a note after a year, a mark or a long word goes.
    After a letter they stay as they are, since km2 and CO2 are read as what they mean.
    """
    content = words.strip()
    if not below and _NOTES.fullmatch(content) and _TAKES_NOTE.search(before):
        return ""
    if not _TAKES_POWER.search(before):
        return words
    if _FIGURE.fullmatch(content):
        return content.translate(_BELOW if below else _ABOVE)
    return f"{'_' if below else '^'}{content}" if content[:1].isdigit() else words


def joined_runs(runs: Iterable[tuple[str, int]]) -> str:
    """Join runs of text, each with a number above zero if it is raised, and below zero if it is lowered."""
    text = ""
    for height, group in groupby(runs, lambda run: run[1]):
        words = "".join(run_text for run_text, _ in group)
        text += on_the_line(words, text, below=height < 0) if height else words
    return text
