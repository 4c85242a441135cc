"""Signs of text that gives orders to the model that reads it, read from `injection_patterns.toml`.

Their families follow what is published on prompt injection: BIPIA (Yi et al. 2023), AgentDojo (Debenedetti et al.
2024), JudgeDeceiver (Shi et al. 2024), PoisonedRAG (Zou et al. 2024), and pages found in the wild. Each of the strong
ones is enough. Features are for orders in any wording: these speak to someone (a model, a judge, "you"), want
something done (answer, mark, ignore), and name what a judge deals with (the claim, its label, its instructions).
Prose has one or two of these in a sentence, seldom more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from factscope.core.pattern_file import PatternFile

# Set by hand, with the weights, on the orders of the tests, and checked on 15 MB of evidence texts and manuals: less
# than one sentence in a megabyte is flagged there.
ENOUGH = 4.5
"""Weight from which a sentence is taken for an order."""
ENOUGH_FOR_TWO = 5.0
"""Weight from which two sentences, one after the other, are."""


@dataclass(frozen=True)
class _LazyPattern:
    """A regular expression compiled when it is first tried: most texts call for few of them."""

    expression: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled expression."""
        return re.compile(self.expression)


@dataclass(frozen=True)
class InjectionPattern(_LazyPattern):
    """A way to give an order."""

    family: str
    words: tuple[str, ...]
    """Pieces of text of which one must be there before the pattern is tried, which takes longer."""
    asks: bool
    """Whether it counts only where an order can stand: at the start of a sentence, or after "please" or "must"."""


@dataclass(frozen=True)
class InjectionFeature(_LazyPattern):
    """A feature of sentences that give orders to a model."""

    weight: float
    needed: bool
    """Whether a sentence without any of those that are needed is none."""


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
"""Signs of which each is enough."""
INGREDIENTS = tuple(
    InjectionFeature(_READ.any_of(entry["patterns"]), entry["weight"], entry.get("needed", False))
    for entry in _READ.values["feature"]
)
"""Features whose weights are added up, sentence by sentence."""
REQUESTED = _one("asked")
"""Words that lead up to an order."""
TOPIC = _one("topic")
"""Words of texts that speak *about* such orders."""
MENTION = _one("mention")
"""Words that lead up to an order that is only mentioned."""
