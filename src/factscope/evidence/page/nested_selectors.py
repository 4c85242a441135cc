"""Selectors of nested and scoped rules, written so that they stand alone (CSS Nesting; CSS Cascading, level 6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import tinycss2

from factscope.evidence.page.css_values import split

_MAX_NESTED = 100  # selectors of a rule inside of another
_LONGEST = 20_000  # characters of a selector, which may double with each rule inside of another
_STRING = r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'"
_PARENT, _ROOT = re.compile(rf"{_STRING}|&"), re.compile(rf"{_STRING}|&|:scope\b", re.IGNORECASE)
_COMBINATOR = re.compile(r"\s*[>+~]")


class StyleScope(NamedTuple):
    """The part of a page for which the rules of a `@scope` hold, as selectors."""

    root: str
    """The elements with which it begins."""
    inside: str
    """All elements in it."""


def scope_of(prelude: Sequence[Any]) -> StyleScope | None:
    """Return the scope that `(root) to (limit)` states; None when it states no root, which then is around its sheet."""
    tokens = [token for token in prelude if token.type != "whitespace"]
    if not tokens or tokens[0].type != "() block":
        return None
    root = f":is({tinycss2.serialize(tokens[0].content)})"
    inside = f":where({root}, {root} *)"  # as a scope adds nothing to the weight of a rule
    if len(tokens) > 1 and tokens[-1].type == "() block":
        limit = _relative(tinycss2.serialize(tokens[-1].content), root, _ROOT)
        inside += f":where(:not({limit}, :is({limit}) *))"
    return StyleScope(root, inside)


def nested(outer: Sequence[str], inner: str, scope: StyleScope | None = None) -> str:
    """Return the selectors of a rule for the elements of the rule around it, or for those in a scope."""
    if outer:
        return _relative(inner, f":is({outer[0]})", _PARENT)
    if scope:
        pieces = split(inner, ",")[:_MAX_NESTED]
        return ", ".join(_with_parent(piece, scope.root, _ROOT) + scope.inside for piece in pieces)
    return _with_parent(inner, ":root", _PARENT) if "&" in inner else inner


def _relative(selectors: str, around: str, parent: re.Pattern[str]) -> str:
    pieces = split(selectors, ",")[:_MAX_NESTED]
    expanded = ((piece, _with_parent(piece, around, parent)) for piece in pieces)
    return ", ".join(nested if nested != piece else f"{around} {piece}" for piece, nested in expanded)


def _with_parent(selector: str, around: str, parent: re.Pattern[str]) -> str:
    """Return a selector with `around` in place of the `parent`, and before a combinator at its start.

    Raises ValueError for one that would be too long.
    """
    if len(around) * (1 + len(parent.findall(selector))) > _LONGEST:
        raise ValueError("a selector is too long")
    replaced = parent.sub(lambda match: match[0] if match[0][0] in "\"'" else around, selector)
    return f"{around} {replaced}" if _COMBINATOR.match(replaced) else replaced
