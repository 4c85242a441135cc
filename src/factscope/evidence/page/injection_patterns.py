"""Signs of text that gives orders to the model that reads it, read from `injection_patterns.toml`.

Their families follow what is published on prompt injection: BIPIA (Yi et al. 2023), AgentDojo (Debenedetti et al.
2024), JudgeDeceiver (Shi et al. 2024), PoisonedRAG (Zou et al. 2024), and pages found in the wild. Each of the strong
ones is enough. Features are for orders in any wording: these speak to someone (a model, a judge, "you"), want
something done (answer, mark, ignore), and name what a judge deals with (the claim, its label, its instructions).
Prose has one or two of these in a sentence, seldom more.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

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


class _Patterns:
    """The data file, with the fragments put in the place of their names."""

    def __init__(self) -> None:
        self._values = tomllib.loads(files(__package__).joinpath("injection_patterns.toml").read_text("utf-8"))
        self._fragments: Mapping[str, str] = self._values["fragments"]

    def text(self, value: str) -> str:
        """Fill the fragments into a pattern."""
        return re.sub(r"%([A-Z_]+)%", lambda name: self.text(self._fragments[name[1]]), value)

    def any_of(self, expressions: Sequence[str]) -> str:
        """Join several into one that matches where any of them does."""
        return "|".join(f"(?:{self.text(expression)})" for expression in expressions)

    def one(self, name: str) -> _LazyPattern:
        """Return the pattern of this name."""
        return _LazyPattern(self.text(self._values[name]["pattern"]))

    def all(self, kind: str) -> list[dict[str, Any]]:
        """Return all entries of a kind."""
        entries: list[dict[str, Any]] = self._values[kind]
        return entries


_READ = _Patterns()
STRONG = tuple(
    InjectionPattern(
        _READ.any_of(entry["patterns"]),
        entry["family"],
        tuple(_READ.text(entry["words"]).split("|")),
        entry.get("asks", False),
    )
    for entry in _READ.all("strong")
)
"""Signs of which each is enough."""
INGREDIENTS = tuple(
    InjectionFeature(_READ.any_of(entry["patterns"]), entry["weight"], entry.get("needed", False))
    for entry in _READ.all("feature")
)
"""Features whose weights are added up, sentence by sentence."""
REQUESTED = _READ.one("asked")
"""Words that lead up to an order."""
TOPIC = _READ.one("topic")
"""Words of texts that speak *about* such orders."""
MENTION = _READ.one("mention")
"""Words that lead up to an order that is only mentioned."""
