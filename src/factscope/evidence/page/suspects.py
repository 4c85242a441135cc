"""A fast first test for declarations that may hide text, so that other rules and elements need no check.

Each is tried with the declarations that usually accompany it (a position, clipped overflow), so that none is missed
that hides text only in combination.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from factscope.evidence.page.computed_style import (
    InheritedStyle,
    blends,
    computed_style,
    fill_variables,
    longhands,
    own_ground,
)
from factscope.evidence.page.css_values import BLACK, WHITE, Colour, colour
from factscope.evidence.page.stylesheet import Declaration
from factscope.evidence.page.visibility import vanishes

Role = Literal["hides", "blends", "ink", "ground"]
"""How declarations may hide text: `hides` by themselves; `blends` by a colour like the default before or behind it;
`ink` by the letters' colour, inside an element with such a background; `ground` by a background inside an element with
such letters."""
COLOURS = frozenset(
    {"color", "text-fill-color", "background", "background-color", "background-image", "background-clip"}
)
"""Properties that can hide text by its colour."""
_COMPANIONS = (
    {"position": "absolute", "overflow": "hidden", "backface-visibility": "hidden"},
    {"position": "fixed", "overflow": "hidden"},
)
_PLACED = frozenset({"absolute", "fixed"})
_MAX_DEFINITIONS = 20
"""Definitions of one custom property that are tried."""
_RELATIVE_FONT = 0.75
"""Relative font size below which letters count as shrunk, since shrinking may be done step by step."""


class HidingRules:
    """Declarations of a page that may hide text."""

    def __init__(self, declarations: Iterable[Declaration]) -> None:
        self._variables: dict[str, list[str]] = {}
        declarations = list(declarations)
        for name, value, _ in declarations:
            if name.startswith("--"):
                self._variables.setdefault(name, []).append(value)
        inks, grounds = {BLACK}, {WHITE}
        for declaration in declarations:
            if declaration.name in COLOURS:
                for value in self._values(declaration.value):
                    ink, ground = _colours(declaration.name, value)
                    inks |= {ink} if ink else set()
                    grounds |= {ground} if ground else set()
        pairs = [(ink, ground) for ink in inks for ground in grounds if blends(ink, ground)]
        self._inks = {ink for ink, _ in pairs}
        self._grounds = {ground for _, ground in pairs}

    def roles(self, declarations: Sequence[Declaration]) -> frozenset[Role]:
        """Return the ways in which declarations may hide text, alone or together with others."""
        roles: set[Role] = {"hides"} if self.may_vanish(declarations) else set()
        inked = any(declaration.name in {"color", "text-fill-color"} for declaration in declarations)
        for name, raw, _ in declarations:
            if name == "background-clip" and "text" in raw:
                roles |= {"ink", "blends"}
            for value in self._values(raw) if name in COLOURS else ():
                ink, ground = _colours(name, value)
                if ink in self._inks:
                    roles |= {"ink", "blends"} if blends(ink, WHITE) else {"ink"}
                if ground in self._grounds and ground is not None:
                    roles |= {"ground", "blends"} if blends(BLACK, ground) and not inked else {"ground"}
        return frozenset(roles)

    def may_vanish(self, declarations: Sequence[Declaration]) -> bool:
        """Return whether declarations may hide text other than by colour, or put an element on top of it."""
        placed = any(name == "position" and value.strip().lower() in _PLACED for name, value, _ in declarations)
        return any(map(self.may_hide, declarations)) or (placed and any(name in COLOURS for name, _, _ in declarations))

    def may_hide(self, declaration: Declaration) -> bool:
        """Return whether a declaration may hide text other than by colour."""
        name = declaration.name
        if name in COLOURS or name == "position" or name.startswith(("--", "overflow")):
            return False
        if name.startswith("animation"):
            return True
        return any(_hides(name, value) for value in self._values(declaration.value))

    def _values(self, value: str) -> Iterator[str]:
        """Yield a value with each definition of its custom properties in turn."""
        if "var(" not in value:
            yield value
            return
        yield fill_variables(value, {})
        last: Mapping[str, str] = {name: values[-1] for name, values in self._variables.items()}
        for name, values in self._variables.items():
            if name in value or len(self._variables) <= _MAX_DEFINITIONS:
                yield from (
                    fill_variables(value, {**last, name: definition}) for definition in values[:_MAX_DEFINITIONS]
                )


@lru_cache(maxsize=5_000)
def _hides(name: str, value: str) -> bool:
    values = longhands(name, value.strip().lower())
    size = values.get("font-size", "")
    if (
        size
        and ("em" in size or "%" in size)
        and computed_style({"font-size": size}, InheritedStyle(), {}).font < _RELATIVE_FONT * 16
    ):
        return True
    if any(vanishes({**companion, **values}, 16.0) for companion in _COMPANIONS):
        return True
    return not computed_style({"overflow": "hidden", **values}, InheritedStyle(), {}).readable


@lru_cache(maxsize=5_000)
def _colours(name: str, value: str) -> tuple[Colour | None, Colour | None]:
    """Return the colours that a declaration gives to letters and to their background."""
    value = value.strip().lower()
    if name in {"color", "text-fill-color"}:
        return colour(value), None
    values = longhands(name, value)
    ground = own_ground(values)
    pictured = values.get("background-image", "none") != "none"
    return None, computed_style(values, InheritedStyle(), {}).ground if pictured or (
        ground and ground.opacity > 0
    ) else None
