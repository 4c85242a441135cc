"""A filter of regular expressions by RE2, which answers in one pass over a text which of them may match it.

Python's `re` tries one alternative after the other at each character. On texts of pages it takes three times as long to
search for the patterns of `injection.py` without this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any

_SYMBOLS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[=!]|\{(?:\d+,?|,)\d*\}|.", re.DOTALL)
_ANCHORS = frozenset({"^", "$", r"\b", r"\B", r"\A", r"\Z"})
_LOOKAROUNDS = frozenset({"(?=", "(?!", "(?<=", "(?<!"})
_OTHERS = re.compile(r"\\[WDS]|^\[\^")
_SHORT = re.compile(r"\\[wds]")
_MORE = r"\v\x1c-\x1f\x{80}-\x{10ffff}"  # RE2's own classes are for ASCII only


class PatternGate:
    """Regular expressions, compiled by RE2 on first use in a form that matches wherever they do, and elsewhere too."""

    def __init__(self, expressions: Iterable[str]) -> None:
        self._expressions = [_loosened(_cased(expression)) for expression in expressions]

    def numbers(self, text: str) -> set[int]:
        """Return the numbers of the expressions that may match somewhere in a text."""
        content = _cased(text).lower().encode("utf-8", "replace")
        by_words, others, of_others = self._compiled
        possible = {*(by_words.Match(content, True) or ())}
        possible.difference_update(of_others)
        return possible.union(of_others[number] for number in others.Match(content) or ())

    @cached_property
    def _compiled(self) -> tuple[Any, Any, list[int]]:
        """A filter by the words that expressions need, a set of those without such words, and their numbers.

        A set of all would build new states for each text, which takes longer unless it has read the same text before.
        """
        import re2

        by_words, others = re2.Filter(), re2.Set.SearchSet()
        for expression in self._expressions:
            by_words.Add(expression)
        by_words.Compile()
        of_others = sorted(by_words.Match(b"", True) or ())
        for number in of_others:
            others.Add(f"(?i:{self._expressions[number]})")
        others.Compile()
        return by_words, others, of_others


def _loosened(expression: str) -> str:
    """Return an expression for RE2 that matches wherever a given one does: without anchors, counts and lookarounds."""
    pieces: list[str] = []
    depth = 0  # of brackets in a lookaround
    for symbol in _SYMBOLS.findall(expression):
        if depth or symbol in _LOOKAROUNDS:
            depth += symbol[0] == "("
            depth -= symbol == ")"
        elif symbol[0] == "{" and len(symbol) > 1:
            pieces.append("*")
        elif _OTHERS.search(symbol):
            pieces.append("(?s:.)")
        elif symbol not in _ANCHORS:
            wider = _SHORT.sub(lambda name: name[0] + _MORE, symbol)
            pieces.append(f"[{wider}]" if symbol[0] == "\\" and wider != symbol else wider)
    return "".join(pieces)


def _cased(text: str) -> str:
    """Replace letters that Python takes for another case of i or s, but whose lower case is another letter."""
    return text.replace("İ", "i").replace("ı", "i").replace("ſ", "s")
