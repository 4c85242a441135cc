"""The style rules that apply to each element of a page, matched by cssselect2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cssselect2 import ElementWrapper, Matcher, compile_selector_list

from factscope.evidence.page.stylesheet import Declaration, StyleRule, declarations

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MAX_OF_A_NAME = 5
"""Declarations of one property that are kept, since the strongest may turn out to be invalid."""


class StyleCascade:
    """Rules compiled for the elements of one page."""

    def __init__(self, tree: HtmlElement, rules: Iterable[StyleRule]) -> None:
        self.complete = True
        """Whether all selectors could be compiled."""
        self._matcher = Matcher()
        self._wrapped: dict[HtmlElement, Any] = {tree: ElementWrapper.from_html_root(tree)}
        for rule in rules:
            try:
                compiled = _compiled(rule.selectors)
            except Exception as error:  # noqa: BLE001 - SelectorError, and Python's own on selectors nested too deeply
                self.complete = self.complete and not isinstance(error, MemoryError | RecursionError | SyntaxError)
                continue
            for selector in compiled:
                if selector.pseudo_element is None:
                    self._matcher.add_selector(selector, rule)
        matcher = self._matcher
        self._for_any = bool(matcher.other_selectors or matcher.lang_attr_selectors or matcher.namespace_selectors)

    def matching(self, elements: Iterable[HtmlElement]) -> Iterator[tuple[HtmlElement, StyleRule]]:
        """Yield each element with each of the rules that apply to it."""
        return ((element, rule) for element in elements for *_, rule in self._rules_of(element))

    def of(self, element: HtmlElement) -> list[Declaration]:
        """Return the declarations for an element, the weakest first (CSS Cascading and Inheritance, section 6)."""
        ranked = [
            ((declaration.important, False, not rule.layered, specificity, order, number), declaration)
            for specificity, order, _, rule in self._rules_of(element)
            for number, declaration in enumerate(rule.declarations)
        ]
        if style := element.get("style"):
            inline = enumerate(declarations(style))
            ranked += [
                ((declaration.important, True, True, (0, 0, 0), 0, number), declaration)
                for number, declaration in inline
            ]
        strongest: list[Declaration] = []
        count: Counter[str] = Counter()
        for _, declaration in sorted(ranked, key=lambda pair: pair[0], reverse=True):
            count[declaration.name] += 1
            if count[declaration.name] <= _MAX_OF_A_NAME:
                strongest.append(declaration)
        return strongest[::-1]

    def _rules_of(self, element: HtmlElement) -> list[tuple[Any, int, None, StyleRule]]:
        matcher = self._matcher
        if not (
            self._for_any
            or element.tag in matcher.lower_local_name_selectors
            or element.get("id") in matcher.id_selectors
            or not matcher.class_selectors.keys().isdisjoint((element.get("class") or "").split())
        ):
            return []
        matches: list[tuple[Any, int, None, StyleRule]] = matcher.match(self._wrapper(element))
        return matches

    def _wrapper(self, element: HtmlElement) -> Any:
        """Wrap an element and its siblings for cssselect2, only when needed because it is slow."""
        trail = []
        while element not in self._wrapped:
            trail.append(element)
            element = element.getparent()
        for inner in reversed(trail):
            for child in self._wrapped[inner.getparent()].iter_children():
                self._wrapped[child.etree_element] = child
        return self._wrapped[trail[0] if trail else element]


@lru_cache(maxsize=20_000)
def _compiled(selectors: str) -> list[Any]:
    # cssselect2 compiles by `eval` of its own code, which contains text of the page only as quoted strings.
    compiled: list[Any] = compile_selector_list(selectors)
    return compiled
