"""Regular expressions in a TOML file, an alternative on each line, so that a language or a wording is a line more.

A pattern is a table with `patterns`, and `before` for what all of them begin with; `%NAME%` stands for one of the
`fragments`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any


class PatternFile:
    """A file of patterns in a package."""

    def __init__(self, package: str, name: str) -> None:
        self.values: dict[str, Any] = tomllib.loads(files(package).joinpath(name).read_text("utf-8"))
        self._fragments: Mapping[str, str] = self.values.get("fragments", {})

    def text(self, value: str) -> str:
        """Fill the fragments into a pattern."""
        return re.sub(r"%([A-Z_]+)%", lambda name: self.text(self._fragments[name[1]]), value)

    def any_of(self, expressions: Sequence[str]) -> str:
        """Join several into one that matches where any of them does."""
        return "|".join(map(self.text, expressions))

    def compiled(self, name: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
        """Compile the pattern of this name."""
        entry = self.values[name]
        joined = self.any_of(entry["patterns"])
        return re.compile(f"{self.text(entry['before'])}(?:{joined})" if "before" in entry else joined, flags)
