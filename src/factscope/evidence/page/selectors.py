"""CSS selectors: which rules of a sheet hold for an element. Bounded: a page can't make it look for ever."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from factscope.evidence.page.css_values import split
from factscope.evidence.page.stylesheet import Declaration, Rule, marked

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_STEPS = 500_000
"""Comparisons of an element with a part of a selector, for one page."""
_LONGEST = 1_000
_MOST_PARTS = 12
_NAME = r"(?:[\w-]|[^\x00-\x7f])+"
_PART = re.compile(
    rf"\s*([>+~])\s*|(\s+)|\#({_NAME})|\.({_NAME})|\[\s*({_NAME})\s*(?:([~|^$*]?=)\s*(\"[^\"]*\"|'[^']*'|[^\]\s]+)"
    rf"\s*([is])?\s*)?\]|(::?)({_NAME})(\((?:[^()]|\([^()]*\))*\))?|(\*|{_NAME})(?!\|)"
)
# States that come with the reader's hand, and parts of elements: not what one sees of an element at first.
_SIMPLE_SIBLING = {
    "first-child": (1, False, False), "last-child": (1, True, False),
    "first-of-type": (1, False, True), "last-of-type": (1, True, True),
}  # fmt: skip


class Test(NamedTuple):
    """One condition on an element."""

    kind: str
    """`tag`, `id`, `class`, `attribute` or the name of a pseudo-class."""
    name: str
    relation: str = ""
    value: str = ""


class Selector(NamedTuple):
    """Conditions on an element and on those around it."""

    parts: tuple[tuple[str, tuple[Test, ...]], ...]
    """The last first: how the part stands to the one after it (` `, `>`, `+`, `~`), and its conditions."""
    weight: tuple[int, int, int]
    """Specificity: ids; classes, attributes and pseudo-classes; tags."""
    is_name: bool
    """Whether it is an id, a class or a tag, and nothing else."""


class Spent(Exception):  # noqa: N818 - no error: the page gets no more of our time
    """The comparisons for this page are used up."""


class Rules:
    """The rules of a page, found by what an element is called."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.steps = 0
        self._by_name: dict[str, list[tuple[Selector, int, Rule]]] = defaultdict(list)
        for order, rule in enumerate(rules):
            selector = parse(rule.selector)
            if selector is not None:
                self._by_name[_key(selector)].append((selector, order, rule))
        self._places: dict[tuple[HtmlElement, bool], dict[HtmlElement, tuple[int, int]]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_name)

    def of(self, element: HtmlElement) -> list[tuple[tuple[bool, int, int, int], int, tuple[Declaration, ...]]]:
        """Weight, order and declarations of the rules that hold. Raises Spent."""
        names = [element.tag, "*"]
        if own := element.get("id"):
            names.append(f"#{own}")
        if classes := element.get("class"):
            names += [f".{name}" for name in dict.fromkeys(classes.split()[:100])]
        found = []
        for name in names:
            rules = self._by_name.get(name, ())
            self.steps += len(rules)
            if self.steps > MAX_STEPS:
                raise Spent
            for selector, order, rule in rules:
                # For most the name that they were found by is all there is.
                if selector.is_name or self._matches(element, selector, 0):
                    found.append(((not rule.layered, *selector.weight), order, rule.declarations))
        return found

    def _matches(self, element: HtmlElement, selector: Selector, at: int) -> bool:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Spent
        relation, tests = selector.parts[at]
        if not all(self._holds(element, test) for test in tests):
            return False
        if at + 1 == len(selector.parts):
            return True
        return any(self._matches(other, selector, at + 1) for other in _around(element, relation))

    def _holds(self, element: HtmlElement, test: Test) -> bool:
        match test.kind:
            case "tag":
                return test.name == "*" or element.tag == test.name
            case "id":
                return bool(element.get("id") == test.name)
            case "class":
                return test.name in (element.get("class") or "").split()
            case "attribute":
                return _compares(element.get(test.name), test.relation, test.value)
            case "root":
                return element.getparent() is None
            case "lang":
                around = (element, *element.iterancestors())
                stated = next((tag for other in around if (tag := other.get("lang"))), "").lower()
                return stated == test.value or stated.startswith(f"{test.value}-")
            case "empty":
                return len(element) == 0 and not element.text
            case "not":
                return not self._any(element, test.value)
            case "is" | "where" | "matches" | "any":
                return self._any(element, test.value)
            case "nth":
                return self._nth(element, test)
            case "has":
                return any(self._has(element, source) for source in split(test.value, ","))
        return False

    def _has(self, element: HtmlElement, source: str) -> bool:
        """Whether one of the elements in it, or after it where `source` begins with `+` or `~`, is as `source` says."""
        selector = parse(source.lstrip(">+~ "))
        if selector is None:
            return False
        others = (
            element.itersiblings() if source[0] in "+~" else element if source[0] == ">" else element.iterdescendants()
        )
        if source[0] == "+":
            others = islice(others, 1)
        return any(isinstance(other.tag, str) and self._matches(other, selector, 0) for other in others)

    def _any(self, element: HtmlElement, sources: str) -> bool:
        return any(
            selector is not None and self._matches(element, selector, 0) for selector in map(parse, split(sources, ","))
        )

    def _nth(self, element: HtmlElement, test: Test) -> bool:
        """`test.value`: step and offset; `test.relation`: counted from the `last`, among those of one `type`."""
        parent = element.getparent()
        if parent is None:
            return False
        typed = "type" in test.relation
        known = self._places.get((parent, typed))
        if known is None:
            self.steps += len(parent)
            known = self._places[parent, typed] = _places(parent, typed)
        first, last = known[element]
        step, offset = (int(part) for part in test.value.split())
        distance = (last if "last" in test.relation else first) - offset
        return distance == 0 if step == 0 else distance % step == 0 and distance // step >= 0


@cache
def parse(source: str) -> Selector | None:
    """A selector; `None` for one that is not understood, or that holds for no element as it is first shown."""
    source = source.strip()
    parts: list[tuple[str, list[Test]]] = [("", [])]
    weight = [0, 0, 0]
    place = 0
    while place < len(source) <= _LONGEST:
        match = _PART.match(source, place)
        if not match or len(parts) > _MOST_PARTS:
            return None
        place = match.end()
        if match[1] or match[2]:
            parts.append((match[1] or " ", []))
            continue
        test, counts = _test(match)
        if test is None:
            return None
        parts[-1][1].append(test)
        if counts is not None:
            weight[counts] += 1
    if not parts[-1][1] or len(source) > _LONGEST:
        return None
    named = len(parts) == 1 and len(parts[0][1]) == 1 and parts[0][1][0].kind in {"id", "class", "tag"}
    # Each part is kept with how it stands to the part before it, which is looked for next.
    kept = tuple((relation, tuple(tests)) for relation, tests in reversed(parts))
    return Selector(kept, (weight[0], weight[1], weight[2]), named)


def _test(match: re.Match[str]) -> tuple[Test | None, int | None]:
    """The condition that a part of a selector states, and where it counts in the specificity."""
    _, _, own, name, attribute, relation, value, folded, colons, pseudo, given, tag = match.groups()
    if own:
        return Test("id", marked(own)), 0
    if name:
        return Test("class", marked(name)), 1
    if attribute:
        plain = marked((value or "").strip("\"'"))
        return Test("attribute", attribute.lower(), (relation or "") + ("i" if folded == "i" else ""), plain), 1
    if tag:
        return Test("tag", tag.lower()), None if tag == "*" else 2
    pseudo, given = pseudo.lower(), (given or "")[1:-1].strip()
    if colons == "::" or pseudo in {"before", "after", "first-line", "first-letter"}:
        return None, None
    return _pseudo(pseudo, given), None if pseudo == "where" else 1


def _pseudo(name: str, given: str) -> Test | None:
    if name in {"root", "empty"}:
        return Test(name, name)
    if name in {"not", "is", "where", "matches", "any", "has"} and given:
        return Test(name, name, value=given)
    if name == "lang":
        return Test(name, name, value=given.strip("\"'").lower())
    if name in {"only-child", "only-of-type"}:
        typed = "type" if name.endswith("type") else ""
        return Test(
            "is", name, value=f":first-{'of-type' if typed else 'child'}:last-{'of-type' if typed else 'child'}"
        )
    if name in _SIMPLE_SIBLING:
        offset, last, typed_too = _SIMPLE_SIBLING[name]
        return Test("nth", name, f"{'last' * last} {'type' * typed_too}", f"0 {offset}")
    counted = re.fullmatch(r"nth-(last-)?(child|of-type)", name)
    if counted:
        formula = _formula(given.lower())
        return Test("nth", name, f"{counted[1] or ''} {counted[2]}", formula) if formula else None
    # Links are shown as not yet visited; `:hover`, `:target` and the like wait for the reader.
    return Test("tag", "*") if name in {"link", "any-link", "enabled", "defined", "read-only"} else None


def _formula(given: str) -> str | None:
    given = {"odd": "2n+1", "even": "2n"}.get(given, given).replace(" ", "")
    match = re.fullmatch(r"([+-]?\d{0,6})n([+-]\d{1,6})?|([+-]?\d{1,6})", given)
    if not match:
        return None
    if match[3]:
        return f"0 {int(match[3])}"
    step = {"": 1, "+": 1, "-": -1}.get(match[1])
    return f"{int(match[1]) if step is None else step} {int(match[2] or 0)}"


def _around(element: HtmlElement, relation: str) -> Iterator[HtmlElement]:
    """Elements that stand in a relation to this one: ancestors, the parent, earlier siblings, the one before."""
    if relation == " ":
        yield from element.iterancestors()
    elif relation == "~":
        yield from element.itersiblings(preceding=True)
    else:
        other = element.getparent() if relation == ">" else element.getprevious()
        if other is not None:
            yield other


def _compares(own: str | None, relation: str, value: str) -> bool:
    if own is None or not relation:
        return own is not None
    if relation.endswith("i"):
        own, value, relation = own.lower(), value.lower(), relation[:-1]
    match relation:
        case "=":
            return own == value
        case "~=":
            return value in own.split()
        case "|=":
            return own == value or own.startswith(f"{value}-")
        case "^=":
            return bool(value) and own.startswith(value)
        case "$=":
            return bool(value) and own.endswith(value)
        case "*=":
            return bool(value) and value in own
    return bool(own)


def _places(parent: HtmlElement, typed: bool) -> dict[HtmlElement, tuple[int, int]]:
    """For each child its place from the first and from the last, among all or among those of its tag."""
    seen: dict[object, list[HtmlElement]] = defaultdict(list)
    for child in parent:
        seen[child.tag if typed else ""].append(child)
    return {child: (place + 1, len(group) - place) for group in seen.values() for place, child in enumerate(group)}


def _key(selector: Selector) -> str:
    """What an element must be called for the selector to hold: its rarest name."""
    names = {test.kind: test.name for test in selector.parts[0][1] if test.kind in {"id", "class", "tag"}}
    if "id" in names:
        return f"#{names['id']}"
    if "class" in names:
        return f".{names['class']}"
    return names.get("tag", "*")
