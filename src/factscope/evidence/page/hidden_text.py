"""Removal of text that a page's reader does not see, before anything else reads the page.

Style sheets that the page fetches are not read, so text that only they hide stays. A page can't hide all of its text in
this way; an element with nearly all of the text counts as visible, and is flagged, and so do transparent elements that
have it together.
"""

from __future__ import annotations

import re
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from factscope.evidence.page.computed_style import InheritedStyle, computed_style, settle
from factscope.evidence.page.hiding_styles import covers, strikes, vanishes
from factscope.evidence.page.matched_rules import StyleCascade
from factscope.evidence.page.stylesheet import Declaration, StyleSheet, read_styles
from factscope.evidence.page.visible_lines import own_text, spaced_text, text_length

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MOST_OF_PAGE = 0.8
"""Share of the text from which a hidden element counts as the page itself, which scripts often fade in."""
SMALL_PART = 0.3
"""Share of the text below which text withheld from screen readers (`aria-hidden`), or transparent, is removed."""
FEW_WORDS = 3
"""Hidden text with fewer words, or with only links, is a label or menu: every page hides some."""
KEPT_CHARACTERS = 200_000
"""Characters of removed text that are kept, to see whether it contains instructions to a model."""

_UNSEEN_NAMES = """
    script style noscript template iframe object embed applet svg canvas video audio datalist select
    optgroup option progress meter noembed noframes frameset param rp textarea mphantom annotation annotation-xml
    title desc
"""
UNSEEN = frozenset(_UNSEEN_NAMES.split())
"""Elements whose content is not shown as text: it is for machines, or a fallback."""
_AT_HAND = frozenset({"nav", "menu", "header", "footer", "form", "dialog", "aside", "button", "label", "a", "select"})
_AROUND = ("nav", "header", "footer")
"""The elements around what a page is about."""
_MACHINERY = re.compile(
    r"(?:^|[\s_-])(?:nav|menu|submenu|dropdown|modal|popup|popover|overlay|tooltip|cookie|consent|drawer|skip|toast"
    r"|lightbox|carousel|slider|sr-only|visually-hidden|screen-reader)", re.IGNORECASE
)  # fmt: skip
# Classes that hide an element in the most common external style sheets (Bootstrap, Tailwind, WordPress, …).
_HIDING_NAMES = """
    hidden hide invisible d-none is-hidden u-hidden sr-only visually-hidden visuallyhidden screen-reader-text
    screen-reader-only element-invisible a11y-hidden offscreen display-none
"""
_HIDING_CLASSES = frozenset(_HIDING_NAMES.split())
_SHOWN_AGAIN = re.compile(r"(?:^|\s)(?:\w+:(?:block|flex|inline|grid|table|not-sr-only|visible)|d-\w+-(?:block|flex))")
_ATTRIBUTES = {"color": "color", "text": "color", "bgcolor": "background-color"}
_STATING = frozenset({"hidden", "popover", "type", "class", *_ATTRIBUTES})
"""Attributes that may hide an element or set its colours."""
_COLOURED = ("font", "body", "table", "tr", "td", "th")
"""Elements whose colours attributes may set."""

_MOST_DOUBTS = 20  # uncertain elements that are reported
_MAX_COVERED = 3
"""Most children of an element that one of them without text may cover; among more, it is decoration."""


class RemovedText(NamedTuple):
    """Text removed from a page."""

    prose: str
    """Text that is not a label or menu; at most `KEPT_CHARACTERS`."""
    labels: str
    """Labels and menus among it, up to the same length."""
    unsure: bool
    """Whether some of the remaining text may be invisible too."""
    folded: bool
    """Whether some of the remaining text is visible only after a reader unfolds it."""
    struck: frozenset[HtmlElement]
    """Elements that remain, and that a style strikes out."""


def strip_hidden(tree: HtmlElement) -> RemovedText:
    """Remove hidden elements from the tree. `<head>` stays, as metadata is read from it."""
    styles = read_styles(tree)
    _drop_silent(tree)
    search = _HiddenSearch(tree, styles)
    search.run()
    search.remove()
    folded = any(element.get("open") is None and len(element) > 1 for element in tree.iter("details"))
    for element in tree.iterfind(".//*[@style]"):
        # Trafilatura removes elements by their style, even visible ones.
        del element.attrib["style"]
    prose, labels = ("\n".join(texts)[:KEPT_CHARACTERS] for texts in (search.prose, search.labels))
    return RemovedText(prose, labels, bool(search.unsure), folded, frozenset(search.struck))


def _drop_silent(tree: HtmlElement) -> None:
    """Remove elements whose text is for machines, or is replaced by a shadow tree."""
    silent = [
        element
        for element in tree.iter(*UNSEEN)
        if element.tag != "script" or "ld+json" not in (element.get("type") or "")  # such a script states metadata
    ]
    for template in tree.iter("template"):
        if template.get("shadowrootmode") is not None and next(template.iter("slot"), None) is None:
            parent = template.getparent()
            if parent is not None and parent[0] is template:
                silent += parent
                parent.text = None
    for element in silent:
        if element.getparent() is not None:
            element.drop_tree()


class _HiddenSearch:
    """Search for hidden elements, from the root of a page down to those that are hidden with all their content."""

    def __init__(self, tree: HtmlElement, styles: StyleSheet) -> None:
        self._tree = tree
        self._external, self._ends = styles.external, styles.ends
        self._size = max(1, text_length(tree))
        self._cascade = StyleCascade(tree, styles.rules, styles.layers)
        # The background is uncertain if external style sheets may set it.
        self._outside = InheritedStyle(pictured=styles.external)
        self._doomed: list[HtmlElement] = []
        """Elements to remove with all their content."""
        self._mute: list[HtmlElement] = []
        """Elements whose own text is removed, but not that of their children."""
        self._faded: list[HtmlElement] = []
        """Elements among them that are transparent."""
        self._shows_faded = False
        """Whether transparent elements are not removed, as scripts fade them in."""
        self._has_visible = False
        """Whether any text is visible."""
        self._covered: dict[HtmlElement, None] = {}
        """Elements whose whole content is covered by another element."""
        self._placed: set[HtmlElement] = set()
        """Elements inside these that are positioned separately, and may lie above the cover."""
        self.struck: set[HtmlElement] = set()
        """Visible elements that are struck out."""
        self.prose: list[str] = []
        self.labels: list[str] = []
        """The text that was removed."""
        self.unsure = ["sheet"] * (not styles.complete) + ["rules"] * (not self._cascade.complete)
        """Reasons why some of the remaining text may be invisible."""

    def run(self) -> None:
        """Sort the elements into those to remove and those to keep."""
        self._search(self._tree, self._outside)
        n_around = sum(text_length(element) for element in self._tree.iter(*_AROUND) if not _is_inside(element))
        n_faded = sum(text_length(each) for each in self._faded if each.tag not in _AROUND and not _is_inside(each))
        if n_faded > max(MOST_OF_PAGE * (self._size - n_around), SMALL_PART * self._size):
            self._shows_faded = True
            self._forget()
            self._search(self._tree, self._outside)
        body = self._tree.find("body")
        if body is None or self._has_visible or not self._mute:
            return
        # Without what html and body say, which scripts change when the page is complete.
        self._forget()
        for child in body:
            self._search(child, self._outside)

    def _forget(self) -> None:
        """Prepare for another search, after one that hid the page itself."""
        for elements in (self._doomed, self._faded, self._mute, self._covered, self._placed, self.struck):
            elements.clear()
        self.unsure.append("page")

    def _search(self, top: HtmlElement, around: InheritedStyle) -> None:
        stack = [(top, around)]
        while stack:
            element, inherited = stack.pop()
            style, values = self._styled(element, inherited)
            if self._hides(element, values, inherited.font) or self._is_aside(element):
                self._doomed.append(element)
                continue
            if values:
                if strikes(values):
                    self.struck.add(element)
                if covers(values):
                    self._note_cover(element)
            if not style.readable or style.blends_in:
                self._note_unreadable(element, style)
            elif not self._has_visible:
                self._has_visible = bool(own_text(element).strip())
            # Nothing in the head is drawn, in whatever style.
            is_top = element is self._tree
            stack.extend([(child, style) for child in element[::-1] if not (is_top and child.tag == "head")])

    def remove(self) -> None:
        """Remove the hidden text, and record it."""
        for element in self._doomed:
            self._record(element)
        for element in islice(self._covered, _MOST_DOUBTS):
            if text_length(element) < MOST_OF_PAGE * self._size:
                self._uncover(element)
            else:
                self.unsure.append("cover")
        for element in self._mute:
            self._remove_own_text(element)
        for element in self._doomed:
            if element.getparent() is not None:
                element.drop_tree()

    def _styled(self, element: HtmlElement, around: InheritedStyle) -> tuple[InheritedStyle, dict[str, str]]:
        """Return the style that an element passes on to its children, and its own values."""
        declarations = [*_by_attributes(element, self._external), *self._cascade.of(element)]
        if not declarations:
            return around, {}
        values, variables = settle(declarations, around)
        if (end := self._ends.get(_animation(values, self._ends))) is not None:
            values |= settle(end, around)[0]
        return computed_style(values, around, variables), values

    def _hides(self, element: HtmlElement, values: dict[str, str], font: float) -> bool:
        """Return whether an element is hidden with all its content."""
        if not values or element.tag in {"html", "body"} or not vanishes(values, font):
            return False
        is_faded = not vanishes({name: value for name, value in values.items() if name != "opacity"}, font)
        if is_faded and self._shows_faded:
            return False
        doubts = values.get("display") != "none" and len(self.unsure) < _MOST_DOUBTS
        if doubts and text_length(element) > MOST_OF_PAGE * self._size:
            self.unsure.append("page")
            return False
        if is_faded:
            self._faded.append(element)
        return True

    def _is_aside(self, element: HtmlElement) -> bool:
        """Return whether an element is a small part of the page, withheld from screen readers or the keyboard."""
        if element.get("aria-hidden") != "true" and element.get("inert") is None:
            return False
        if len(self.unsure) < _MOST_DOUBTS and text_length(element) < SMALL_PART * self._size:
            return True
        self.unsure.append("aria")
        return False

    def _note_cover(self, cover: HtmlElement) -> None:
        """Note that an element covers its whole parent, if its position does that."""
        parent = cover.getparent()
        if parent is None or parent in self._covered or (len(parent) > _MAX_COVERED and not text_length(cover)):
            return
        if not self._is_placed(parent):
            return
        self._covered[parent] = None
        self._placed.update(child for child in parent if self._is_placed(child))

    def _is_placed(self, element: HtmlElement) -> bool:
        return self._styled(element, self._outside)[1].get("position", "static") not in {"static", ""}

    def _note_unreadable(self, element: HtmlElement, style: InheritedStyle) -> None:
        """Note an element whose own text is, or may be, unreadable."""
        n_words = len(own_text(element).split())
        if style.readable and style.pictured:
            self._has_visible = self._has_visible or n_words > 0
            if n_words >= FEW_WORDS:
                self.unsure.append("colour")
        elif n_words and element.tag != "html":
            self._mute.append(element)

    def _uncover(self, element: HtmlElement) -> None:
        """Mark the text under the cover of an element for removal."""
        self._remove_own_text(element)
        for child in element:
            if child not in self._placed:
                self._record(child)
                self._doomed.append(child)

    def _remove_own_text(self, element: HtmlElement) -> None:
        """Remove the text of an element, but not that of its children."""
        text = own_text(element)
        (self.prose if len(text.split()) >= FEW_WORDS else self.labels).append(text)
        element.text = None
        for child in element:
            child.tail = " " if child.tail else child.tail

    def _record(self, element: HtmlElement) -> None:
        """Record the text of an element before it is removed: as prose, or with the labels, links and menus."""
        from lxml.etree import strip_elements

        prose = deepcopy(element)
        strip_elements(prose, *_AT_HAND, with_tail=False)
        words = " ".join(prose.itertext()).split()
        if len(words) >= FEW_WORDS and not any(map(_is_machinery, (element, *element.iterancestors()))):
            self.prose.append(" ".join(words))
        else:
            self.labels.append(spaced_text(element))


def _by_attributes(element: HtmlElement, external: bool) -> list[Declaration]:
    """Return the declarations from an element's attributes, which any style overrides."""
    if _STATING.isdisjoint(element.keys()) and element.tag != "dialog":
        return []
    hides = element.get("hidden") is not None or element.get("popover") is not None
    hides = hides or (element.tag == "dialog" and element.get("open") is None)
    hides = hides or (element.tag == "input" and element.get("type") == "hidden")
    if external and not hides and (classes := element.get("class")):
        hides = not (_HIDING_CLASSES.isdisjoint(classes.split()) or _SHOWN_AGAIN.search(classes))
    declarations = [Declaration("display", "none", False)] if hides else []
    if element.tag in _COLOURED:
        for name, stands_for in _ATTRIBUTES.items():
            if value := element.get(name):
                is_plain_hex = re.fullmatch(r"[0-9a-fA-F]{6}", value)
                declarations.append(Declaration(stands_for, f"#{value}" if is_plain_hex else value, False))
    return declarations


def _is_inside(element: HtmlElement) -> bool:
    return next(element.iterancestors(*_AROUND), None) is not None


def _is_machinery(element: HtmlElement) -> bool:
    if element.tag in {"html", "body", "main", "article"}:
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return (
        element.tag in _AT_HAND
        or element.get("role") in {"dialog", "navigation", "menu"}
        or bool(_MACHINERY.search(names))
    )


def _animation(values: dict[str, str], ends: dict[str, tuple[Declaration, ...]]) -> str:
    """Return the animation of an element whose last frame is known."""
    return next((name for name in re.split(r"[\s,]+", values.get("animation-name", "")) if name in ends), "")
