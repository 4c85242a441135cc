"""Patterns of text that instructs the model reading it, from `injection_patterns.toml`.

Their families follow publications on prompt injection: BIPIA (Yi et al. 2023), AgentDojo (Debenedetti et al. 2024),
JudgeDeceiver (Shi et al. 2024), PoisonedRAG (Zou et al. 2024), and pages found in the wild. Each of the strong patterns
is enough on its own. Features detect instructions in other words: they address someone (a model, a judge, "you"),
demand an action (answer, mark, ignore), and name the judge's task (the claim, its label, its instructions). Prose has
one or two of these in a sentence, seldom more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from factscope.core.pattern_file import PatternFile

# Set by hand, with the weights, on the orders of the tests, and checked on 15 MB of evidence texts and manuals: less
# than one sentence in a megabyte is flagged there.
ENOUGH = 4.5
"""Total weight from which a sentence counts as an instruction."""
ENOUGH_FOR_TWO = 5.0
"""Total weight from which two consecutive sentences do."""


@dataclass(frozen=True)
class _LazyPattern:
    """A regular expression compiled on first use: most texts need few of them."""

    expression: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled expression."""
        return re.compile(self.expression)


@dataclass(frozen=True)
class InjectionPattern(_LazyPattern):
    """A pattern of text that gives an instruction."""

    family: str
    words: tuple[str, ...]
    """Pieces of text, one of which must occur before the slower pattern is tried."""
    asks: bool
    """Whether it counts only where an instruction can be: at the start of a sentence, or after "please" or "must"."""


@dataclass(frozen=True)
class InjectionFeature(_LazyPattern):
    """A feature of sentences that give instructions to a model."""

    weight: float
    needed: bool
    """Whether a sentence needs at least one feature with this mark."""


_READ = PatternFile(__package__, "injection_patterns.toml")


def _one(name: str) -> _LazyPattern:
    return _LazyPattern(_READ.text(_READ.values[name]["pattern"]))


STRONG = tuple(
    InjectionPattern(
        _READ.any_of(entry["patterns"]),
        entry["family"],
        tuple(_READ.text(entry["words"]).split("|")),
        entry.get("asks", False),
    )
    for entry in _READ.values["strong"]
)
"""Patterns that each suffice by themselves."""
INGREDIENTS = tuple(
    InjectionFeature(_READ.any_of(entry["patterns"]), entry["weight"], entry.get("needed", False))
    for entry in _READ.values["feature"]
)
"""Features whose weights are added up for each sentence."""
REQUESTED = _one("asked")
"""Words that introduce an instruction."""
TOPIC = _one("topic")
"""Words of texts that are *about* such instructions."""
MENTION = _one("mention")
"""Words that introduce an instruction that is only mentioned."""
