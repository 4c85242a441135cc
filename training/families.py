"""Families: passage templates with contrastive claims, written by hand for this project, and their filling."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .labelled import Label, Pair, is_held_out
from .names import NAMES, make_name
from .numerals import in_words, ordinal, ordinal_word

FOLDER = Path(__file__).parent / "data"
"""Families that the shipped networks were trained on: `earlier` by the first stages, `later` too by the others."""
_LABELS: dict[str, Label] = {"s": "supported", "c": "contradicted", "n": "not_enough"}
_FIELD = re.compile(r"\{([^{}]*)\}")
_WORD = re.compile(r"\w[\w'-]*")
_TERM = re.compile(r"([+*-])|(\w+)")


def read_families(folder: Path = FOLDER) -> list[dict[str, Any]]:
    """Read all families in the JSON Lines files under a folder. Raises OSError, ValueError."""
    texts = [file.read_text("utf-8") for file in sorted(folder.rglob("*.jsonl"))]
    return [json.loads(line) for text in texts for line in text.splitlines() if line.strip()]


def fill(family: Mapping[str, Any], chance: random.Random) -> list[Pair]:
    """Fill the slots of a family once: one pair a claim. Raises KeyError for an unknown slot."""
    values = draw(family.get("slots", {}), chance)
    passage = render(family["evidence"], values)
    held_out = is_held_out(family["evidence"])
    return [
        Pair(f"family:{family['kind']}", _capital(render(text, values)), _capital(passage), _LABELS[label], held_out)
        for label, text in family["claims"]
    ]


def fill_beside(family: Mapping[str, Any], chance: random.Random) -> list[Pair]:
    """Fill a family twice and put both passages together: one pair for each claim that names what it is about.

    The second passage says the same of other people or places with other numbers, so a claim with a name that it lacks
    keeps its label. Returns nothing for a family without names.
    """
    slots = family.get("slots", {})
    if not any(kind in NAMES for kind in slots.values() if isinstance(kind, str)):
        return []
    mine, theirs = draw(slots, chance), draw(slots, chance)
    names = [str(mine[name]) for name, kind in slots.items() if isinstance(kind, str) and kind in NAMES]
    passages = [_capital(render(family["evidence"], values)) for values in (mine, theirs)]
    words = {word for name in names for word in name.split() if word[0].isupper() and word not in passages[1]}
    first, second = passages if chance.random() < 0.5 else passages[::-1]
    held_out = is_held_out(family["evidence"])
    claims = [(_capital(render(text, mine)), _LABELS[label]) for label, text in family["claims"]]
    return [
        Pair(f"family:{family['kind']}", claim, f"{first} {second}", label, held_out)
        for claim, label in claims
        if words.intersection(_WORD.findall(claim))
    ]


def draw(slots: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
    """Draw a value for each slot; names of one type, and slots declared `same:`, all differ."""
    values: dict[str, Any] = {}
    kinds: dict[str, Any] = {}
    for name, kind in slots.items():
        if isinstance(kind, str) and kind.startswith("more:"):
            base = values[kind[5:]]
            values[name] = base + max(1, round(base * chance.uniform(0.05, 0.4)))
            continue
        kinds[name] = kinds[kind[5:]] if isinstance(kind, str) and kind.startswith("same:") else kind
        taken = [value for other, value in values.items() if kinds.get(other) == kinds[name]]
        values[name] = _draw_one(kinds[name], taken, chance)
    return values


def _draw_one(kind: Any, taken: list[Any], chance: random.Random) -> Any:
    for _ in range(200):
        if isinstance(kind, list) and kind and all(isinstance(end, int) for end in kind):
            value: Any = chance.randrange(kind[0], kind[1] + 1, kind[2] if len(kind) > 2 else 1)
        elif isinstance(kind, list):
            value = chance.choice(kind)
        elif kind in NAMES:
            value = make_name(kind, chance)
        else:
            raise KeyError(f"unknown slot type {kind!r}")
        if not any(_clashes(value, other, is_person=kind in ("person", "woman", "man")) for other in taken):
            return value
    raise KeyError(f"no further value for slot type {kind!r}")


def _clashes(value: Any, other: Any, *, is_person: bool) -> bool:
    """Tell whether two values can't be in one filling; two people may not share a first or last name either."""
    return bool(set(value.split()) & set(other.split())) if is_person else value == other


def render(text: str, values: Mapping[str, Any]) -> str:
    """Put values into a template. Raises KeyError for an unknown slot."""
    return _FIELD.sub(lambda match: _field(match[1], values), text)


def _field(field: str, values: Mapping[str, Any]) -> str:
    expression, _, form = field.partition(":")
    name, dot, part = expression.partition(".")
    if dot:
        words = str(values[name]).split()
        return words[0] if part == "first" else words[-1]
    if expression in values and not isinstance(values[expression], int):
        return str(values[expression])
    value = _evaluate(expression, values)
    if form == "w":
        return in_words(value)
    if form == "o":
        return ordinal(value)
    if form == "ow":
        return ordinal_word(value)
    is_year = expression.lstrip().startswith("y")
    return str(value) if is_year else f"{value:,}"


def _evaluate(expression: str, values: Mapping[str, Any]) -> int:
    """Evaluate sums, differences and products of slots and whole numbers; products bind tighter."""
    total, sign = 0, 1
    product: int | None = None
    for match in _TERM.finditer(expression):
        operator, operand = match.groups()
        if operator in ("+", "-"):
            total += sign * (product or 0)
            sign, product = (1 if operator == "+" else -1), None
        elif operand:
            value = int(operand) if operand.isdigit() else int(values[operand])
            product = value if product is None else product * value
    return total + sign * (product or 0)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
