"""Regular expressions in a TOML file, one alternative a line, so that a new language or wording is one more line.

A pattern is a table with `patterns`, `before` and `after` (put around each of them), and `flags`, which may also be set
once for the whole file. `%NAME%` stands for one of the `fragments`, or for any word of a list in `words`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from factscope.core.pattern_gate import PatternGate


class PatternFile:
    """A file of patterns in a package; each is compiled when it is first used."""

    def __init__(self, package: str, name: str) -> None:
        self.values: dict[str, Any] = tomllib.loads(files(package).joinpath(name).read_text("utf-8"))
        words: Mapping[str, str] = self.values.get("words", {})
        self._fragments: dict[str, str] = {name: "|".join(text.split()) for name, text in words.items()}
        self._fragments |= self.values.get("fragments", {})
        self._compiled: dict[str, re.Pattern[str]] = {}
        self._gates: dict[str, PatternGate] = {}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        if name not in self._compiled:
            entry = self.values[name]
            flags = entry.get("flags", self.values.get("flags"))
            self._compiled[name] = re.compile((f"(?{flags})" if flags else "") + self._joined(entry))
        return self._compiled[name]

    def matches(self, name: str, text: str) -> bool:
        """Return whether a pattern matches somewhere in a text; faster than `search` if few texts match."""
        if name not in self._gates:
            self._gates[name] = PatternGate([self[name].pattern])
        return bool(self._gates[name].numbers(text)) and self[name].search(text) is not None

    def text(self, value: str) -> str:
        """Replace the `%NAME%` fragments of a pattern."""
        return re.sub(r"%([A-Z_]+)%", lambda name: self.text(self._fragments[name[1]]), value)

    def any_of(self, expressions: Sequence[str]) -> str:
        """Join several expressions into one that matches where any of them matches."""
        return "|".join(map(self.text, expressions))

    def _joined(self, entry: Mapping[str, Any]) -> str:
        joined = self.any_of(entry["patterns"])
        if entry.keys().isdisjoint({"before", "after"}):
            return joined
        return f"{self.text(entry.get('before', ''))}(?:{joined}){self.text(entry.get('after', ''))}"
