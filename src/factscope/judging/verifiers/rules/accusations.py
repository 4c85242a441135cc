"""The conditions on which the network alone may call a claim contradicted.

Accusing a true claim costs more than missing a false one, and a network is bad at telling a different statement from an
opposite one. So its contradiction counts only where all of these are true:

1. The passage is about the claim: it holds enough of its words (`RELATED`) and one of its names, and it is not a row of
   a table, which differs from the other rows in everything.
2. The sum gives it a probability of at least `EVEN`.

How sure such a contradiction is decides whether it counts for a claim: the default `--strictness normal` has a floor.
Where the quoted sentence states nothing, it is at most `WEAK` sure, and decides a claim only where all contradictions
do.

Rules (`plain_cases`) need none of this: they find the same clause with exactly one thing that differs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from factscope.claims.text.titles import is_title
from factscope.judging.verifiers.wording.features import SIGNS

WEAK = 0.55
"""Confidence of a contradiction by a sentence that states nothing; the floor of `normal` is higher."""
EVEN = 0.5
"""Probability of a contradiction by the sum: more likely than all else together."""
RELATED = 0.2
"""Share of the claim's words, weighted by rarity, that a passage must hold to contradict it. In use most passages are
about something else: perf/README.md, "From search to verdict"."""
_FEWEST_WORDS = 3
"""Words of a statement; fewer are a signature or a label."""
_NUMERIC = {"number_conflict", "year_conflict"}
"""Features that indicate another number."""
_CELL = r"[\w ()/%£€$&'’.-]{1,40}: [^;]*"
_ROW = re.compile(rf"(?:{_CELL}; ){{2}}|[^;:\n]{{1,60}}; {_CELL}(?:; {_CELL})+(?<!\.)\Z|\|(?:[^|\n]*\|){{2}}")
"""A table row, with its column names or between bars, at its beginning; the first column may have no name."""


def is_about(inputs: Mapping[str, float]) -> bool:
    """Tell whether a passage is about the claim; `inputs` are those of the sums."""
    return inputs["cover_window"] >= RELATED and bool(inputs["name_match"] or not inputs["name_any"])


def is_row(sentence: str) -> bool:
    """Tell whether a sentence is a row of a table."""
    return bool(_ROW.match(sentence))


def states_nothing(sentence: str) -> bool:
    """Tell whether a sentence is a heading, a title, a bare name or a question."""
    is_heading = sentence.startswith("#") or is_title(sentence) or len(sentence.split()) < _FEWEST_WORDS
    return is_heading or sentence.rstrip("*_ ").endswith("?")


def has_no_other_sign(inputs: Mapping[str, float]) -> bool:
    """Tell whether nothing but numbers and years can be named as a difference, or nothing at all."""
    return {name for name in SIGNS if inputs[name] > 0} <= _NUMERIC
