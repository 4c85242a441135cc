"""The style rules that apply to each element of a page, matched by cssselect2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cssselect2 import ElementWrapper, Matcher, compile_selector_list
from cssselect2.compiler import split_whitespace

from factscope.evidence.page.stylesheet import Declaration, StyleRule, declarations

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MAX_OF_A_NAME = 5
"""Declarations of one property that are kept, since the strongest may turn out to be invalid."""


class StyleCascade:
    """Rules compiled for the elements of one page."""

    def __init__(self, tree: HtmlElement, rules: Sequence[StyleRule], layers: Sequence[str] = ()) -> None:
        """`layers` are the names of layers in the order in which they are first mentioned."""
        self.complete = True
        """Whether all selectors could be compiled."""
        self._matcher = Matcher()
        self._ranks = _layer_ranks([*layers, *(rule.layer for rule in rules)])
        self._wrapped: dict[HtmlElement, ElementWrapper] = {}
        """All elements as cssselect2 needs them; empty without rules, since wrapping them takes half of the time."""
        if rules:
            root = ElementWrapper.from_html_root(tree)
            self._wrapped = {wrapper.etree_element: wrapper for wrapper in root.iter_subtree()}
        for rule in rules:
            try:
                compiled = _compiled(rule.selectors)
            except Exception as error:  # noqa: BLE001 - SelectorError, and Python's own on selectors nested too deeply
                self.complete = self.complete and not isinstance(error, MemoryError | RecursionError | SyntaxError)
                continue
            for selector in compiled:
                if selector.pseudo_element is None:
                    self._matcher.add_selector(selector, rule)

    def of(self, element: HtmlElement) -> list[Declaration]:
        """Return the declarations for an element, the weakest first (CSS Cascading and Inheritance, section 6)."""
        style, may_match = element.get("style"), self._wrapped and self._may_match(element)
        if not (style or may_match):
            return []
        matches = self._matcher.match(self._wrapped[element]) if may_match else ()
        ranked = [
            ((declaration.important, False, layer, specificity, order, number), declaration)
            for specificity, order, _, rule in matches
            for number, declaration in enumerate(rule.declarations)
            # Important declarations of the first layer are the strongest.
            for layer in [-self._ranks[rule.layer] if declaration.important else self._ranks[rule.layer]]
        ]
        if style:
            inline = enumerate(declarations(style))
            ranked += [
                ((declaration.important, True, 0, (0, 0, 0), 0, number), declaration) for number, declaration in inline
            ]
        if not ranked:
            return []
        strongest: list[Declaration] = []
        count: Counter[str] = Counter()
        for _, declaration in sorted(ranked, key=lambda pair: pair[0], reverse=True):
            count[declaration.name] += 1
            if count[declaration.name] <= _MAX_OF_A_NAME:
                strongest.append(declaration)
        return strongest[::-1]

    def _may_match(self, element: HtmlElement) -> bool:
        """Return whether a selector ends with the element's name, its id or one of its classes, or with none of these.

        Most elements have none, and cssselect2 takes ten times as long to say so.
        """
        matcher = self._matcher
        return bool(
            element.tag in matcher.lower_local_name_selectors
            or element.get("id") in matcher.id_selectors
            or not matcher.class_selectors.keys().isdisjoint(split_whitespace(element.get("class") or ""))
            or matcher.other_selectors
            or matcher.lang_attr_selectors
            or matcher.namespace_selectors
        )


def _layer_ranks(names: Sequence[str]) -> dict[str, int]:
    """Return the rank of each layer: one that is mentioned later is stronger, and what is in no layer the strongest.

    A layer's own rules are stronger than those of the layers in it.
    """
    pieces = {name: name.split(".") if name else [] for name in names}
    paths = {name: [".".join(each[: end + 1]) for end in range(len(each))] for name, each in pieces.items()}
    first = {path: at for at, path in enumerate(dict.fromkeys(path for each in paths.values() for path in each))}
    ordered = sorted(paths, key=lambda name: [*(first[path] for path in paths[name]), len(first)])
    return {name: rank for rank, name in enumerate(ordered)}


@lru_cache(maxsize=20_000)
def _compiled(selectors: str) -> list[Any]:
    # cssselect2 compiles by `eval` of its own code, which contains text of the page only as quoted strings.
    compiled: list[Any] = compile_selector_list(selectors)
    return compiled
