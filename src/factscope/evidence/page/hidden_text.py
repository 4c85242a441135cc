"""Removal of text that a page's reader does not see, before anything else reads the page.

Style sheets that the page fetches are not read, so text that only they hide stays. A page can't hide all of its text in
this way; an element with nearly all of the text counts as visible, and is flagged.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from factscope.evidence.page.computed_style import InheritedStyle, computed_style, own_background, settle
from factscope.evidence.page.matched_rules import StyleCascade
from factscope.evidence.page.stylesheet import (
    Declaration,
    PageStyles,
    StyleRule,
    declarations,
    may_matter,
    read_styles,
    rules_for,
)
from factscope.evidence.page.suspects import COLOURS, HidingRules, Role, covers, strikes, vanishes
from factscope.evidence.page.visible_lines import ancestors_up_to, own_text, spaced_text, text_length, text_pieces

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MOST_OF_PAGE = 0.8
"""Share of the text from which a hidden element counts as the page itself, which scripts often fade in."""
SMALL_PART = 0.3
"""Share of the text below which text withheld from screen readers (`aria-hidden`) is removed."""
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
_MACHINERY = re.compile(
    r"(?:^|[\s_-])(?:nav|menu|submenu|dropdown|modal|popup|popover|overlay|tooltip|cookie|consent|drawer|skip|toast"
    r"|lightbox|carousel|slider|sr-only|visually-hidden|screen-reader)", re.IGNORECASE
)  # fmt: skip
# Classes that hide an element in the most common external style sheets (Bootstrap, Tailwind, WordPress, …).
_HIDING_NAMES = """
    hidden hide invisible d-none is-hidden u-hidden sr-only visually-hidden visuallyhidden screen-reader-text
    screen-reader-only element-invisible a11y-hidden offscreen display-none
"""
_HIDING_CLASSES = re.compile(rf"(?:^|\s)(?:{'|'.join(_HIDING_NAMES.split())})(?=\s|$)")
_HIDING_ATTRIBUTES = (
    "//*[@hidden or @popover or @inert or @aria-hidden='true' or (self::dialog and not(@open))"
    " or (self::input and @type='hidden')]"
)
_SHOWN_AGAIN = re.compile(r"(?:^|\s)(?:\w+:(?:block|flex|inline|grid|table|not-sr-only|visible)|d-\w+-(?:block|flex))")
_ATTRIBUTES = {"color": "color", "text": "color", "bgcolor": "background-color"}
_COLOURED = ("font", "body", "table", "tr", "td", "th")
"""Elements whose colours attributes may set."""

_MOST_DOUBTS = 20  # uncertain elements that are reported
_MAX_COVERED = 3
"""Most ancestors that an element without text is compared with as a possible cover."""


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


class _HiddenElement(NamedTuple):
    prose: list[str]
    labels: list[str]


class _HiddenFound(NamedTuple):
    doomed: list[HtmlElement]
    """Elements to remove with all their content."""
    mute: list[HtmlElement]
    """Elements whose own text is removed, but not that of their children."""
    covered: list[HtmlElement]
    """Elements whose whole content is covered by another element."""
    struck: set[HtmlElement]
    """Visible elements that are struck out."""
    placed: set[HtmlElement]
    """Elements inside these that are positioned separately, and may lie above the cover."""
    unsure: list[str]
    """Reasons why some of the remaining text may be invisible."""


def strip_hidden(tree: HtmlElement) -> RemovedText:
    """Remove hidden elements from the tree. `<head>` stays, as metadata is read from it."""
    styles = read_styles(tree)
    _drop_silent(tree)
    hidden = _HiddenFound([], [], [], set(), set(), [] if styles.complete else ["sheet"])
    size = max(1, text_length(tree))
    removed = _HiddenElement([], [])
    _HiddenSearch(tree, styles, size, hidden).run()
    for element in hidden.doomed:
        _note(element, removed)
    for element in hidden.covered[:_MOST_DOUBTS]:
        if text_length(element) < MOST_OF_PAGE * size:
            _uncover(element, hidden, removed)
        else:
            hidden.unsure.append("cover")
    for element in hidden.mute:
        _mute(element, removed)
    folded = any(element.get("open") is None and len(element) > 1 for element in tree.iter("details"))
    for element in hidden.doomed:
        if element.getparent() is not None:
            element.drop_tree()
    for element in tree.iterfind(".//*[@style]"):
        # Trafilatura removes elements by their style, even visible ones.
        del element.attrib["style"]
    prose, labels = ("\n".join(texts)[:KEPT_CHARACTERS] for texts in removed)
    return RemovedText(prose, labels, bool(hidden.unsure), folded, frozenset(hidden.struck))


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
    """Searches for hidden elements where an attribute or a rule may hide something, and below these."""

    def __init__(self, tree: HtmlElement, styles: PageStyles, size: int, hidden: _HiddenFound) -> None:
        self._tree = tree
        self._external = styles.external
        self._ends = styles.ends
        self._size = size
        self._hidden = hidden
        # The background is uncertain if external style sheets may set it.
        self._styles_of: dict[HtmlElement, InheritedStyle] = {}
        self._outside = InheritedStyle(pictured=styles.external)
        self._visited: set[HtmlElement] = set()
        self._candidates: set[HtmlElement] = set()
        self._cascade = self._compile(styles.rules)

    def run(self) -> None:
        """Sort the elements into those to remove and those to keep."""
        if not self._candidates:
            return
        for element in self._tree.iter():
            if element in self._candidates and element not in self._visited:
                parent = element.getparent()
                self._visit(element, self._outside if parent is None else self._look_of(parent))

    def _compile(self, rules: list[StyleRule]) -> StyleCascade:
        """Find the candidates, and compile the rules that are needed to judge them."""
        styled = [element for element in self._tree.xpath("//*[@style]") if may_matter(element.get("style"))]
        inline = [(element, declarations(element.get("style"))) for element in styled]
        declared = [declaration for rule in rules for declaration in rule.declarations]
        suspects = HidingRules(
            [*declared, *(declaration for _, inline_style in inline for declaration in inline_style)]
        )
        roles: dict[HtmlElement, set[Role]] = defaultdict(set)
        for element, inline_style in inline:
            roles[element] |= suspects.roles(inline_style)
        role_of = {rule: role for rule in rules if (role := suspects.roles(rule.declarations))}
        body = self._tree.find("body")
        elements = (body if body is not None else self._tree).iter() if role_of else ()
        for element, rule in StyleCascade(self._tree, role_of).matching(elements):
            roles[element] |= role_of[rule]
        for element in self._tree.iter(*_COLOURED):
            if _by_attributes(element, False):
                roles[element] |= {"blends", "foreground", "background"}
        blending = {element for element, element_roles in roles.items() if _blends(element, element_roles, roles)}
        hidden = {element for element, element_roles in roles.items() if "hides" in element_roles}
        hidden.update(self._tree.xpath(_HIDING_ATTRIBUTES))
        if self._external:
            classed = self._tree.xpath("//*[@class]")
            hidden |= {element for element in classed if _HIDING_CLASSES.search(element.get("class"))}
        blending = {*filter(_has_text, blending)}
        self._candidates = {*blending, *filter(_has_text, hidden)}
        if not self._candidates:
            return StyleCascade(self._tree, [])
        if not blending:
            rules = [
                rule for rule in rules if any(declaration.name not in COLOURS for declaration in rule.declarations)
            ]
        cascade = StyleCascade(self._tree, rules_for(rules, self._reach()))
        if not cascade.complete:
            self._hidden.unsure.append("rules")
        return cascade

    def _reach(self) -> set[HtmlElement]:
        """Return the candidates with all their ancestors and descendants, whose style may be needed."""
        reach: set[HtmlElement] = set()
        for element in self._candidates:
            if element not in reach:
                reach.update(element.iter())
            for other in element.iterancestors():
                if other in reach:
                    break
                reach.add(other)
        return reach

    def _look_of(self, element: HtmlElement) -> InheritedStyle:
        """Return the style that a visible element passes on to its children."""
        trail = []
        other: HtmlElement | None = element
        while other is not None and other not in self._styles_of:
            trail.append(other)
            other = other.getparent()
        inherited = self._outside if other is None else self._styles_of[other]
        for inner in reversed(trail):
            inherited = self._styles_of[inner] = self._styled(inner, inherited)[0]
        return inherited

    def _styled(self, element: HtmlElement, around: InheritedStyle) -> tuple[InheritedStyle, dict[str, str]]:
        declarations = [*_by_attributes(element, self._external), *self._cascade.of(element)]
        if not declarations:
            return around, {}
        values, variables = settle(declarations, around)
        if (end := self._ends.get(_animation(values, self._ends))) is not None:
            values |= settle(end, around)[0]
        return computed_style(values, around, variables), values

    def _visit(self, top: HtmlElement, around: InheritedStyle) -> None:
        """Check an element, and its descendants as long as inherited style may hide them."""
        stack = [(top, around)]
        while stack:
            element, inherited = stack.pop()
            if element in self._visited:
                continue
            self._visited.add(element)
            style, values = self._styled(element, inherited)
            self._styles_of[element] = style
            hidden = bool(values) and _hides(element, values, inherited, self._size, self._hidden)
            if hidden or self._is_aside(element):
                self._hidden.doomed.append(element)
                self._visited.update(element.iter())
                continue
            if strikes(values):
                self._hidden.struck.add(element)
            if covers(values, own_background(values)):
                self._note_cover(element.getparent())
            if not style.readable or style.blends_in:
                _note_unreadable(element, style, self._hidden)
                stack.extend((child, style) for child in element)

    def _note_cover(self, parent: HtmlElement | None) -> None:
        """Note that an element covers its whole parent, if its position does that."""
        if parent is None or not self._is_placed(parent):
            return
        self._hidden.covered.append(parent)
        self._hidden.placed.update(child for child in parent if self._is_placed(child))

    def _is_placed(self, element: HtmlElement) -> bool:
        return self._styled(element, self._outside)[1].get("position", "static") not in {"static", ""}

    def _is_aside(self, element: HtmlElement) -> bool:
        """Return whether an element is a small part of the page, withheld from screen readers or the keyboard."""
        if element.get("aria-hidden") != "true" and element.get("inert") is None:
            return False
        if len(self._hidden.unsure) < _MOST_DOUBTS and text_length(element) < SMALL_PART * self._size:
            return True
        self._hidden.unsure.append("aria")
        return False


def _by_attributes(element: HtmlElement, external: bool) -> list[Declaration]:
    """Return the declarations from an element's attributes, which any style overrides."""
    if not element.attrib and element.tag != "dialog":
        return []
    hides = element.get("hidden") is not None or element.get("popover") is not None
    hides = hides or (element.tag == "dialog" and element.get("open") is None)
    hides = hides or (element.tag == "input" and element.get("type") == "hidden")
    if external and not hides and (classes := element.get("class")):
        hides = bool(_HIDING_CLASSES.search(classes)) and not _SHOWN_AGAIN.search(classes)
    declarations = [Declaration("display", "none", False)] if hides else []
    if element.tag in _COLOURED:
        for name, stands_for in _ATTRIBUTES.items():
            if value := element.get(name):
                is_plain_hex = re.fullmatch(r"[0-9a-fA-F]{6}", value)
                declarations.append(Declaration(stands_for, f"#{value}" if is_plain_hex else value, False))
    return declarations


def _hides(
    element: HtmlElement, values: dict[str, str], around: InheritedStyle, size: int, hidden: _HiddenFound
) -> bool:
    """Return whether an element is hidden with all its content."""
    if not vanishes(values, around.font):
        return False
    if element.tag in {"html", "body"}:
        return False
    doubts = values.get("display") != "none" and len(hidden.unsure) < _MOST_DOUBTS
    if doubts and text_length(element) > MOST_OF_PAGE * size:
        hidden.unsure.append("page")
        return False
    return True


def _note_unreadable(element: HtmlElement, inherited_style: InheritedStyle, hidden: _HiddenFound) -> None:
    """Note an element whose own text is, or may be, unreadable."""
    if not own_text(element).strip():
        return
    if inherited_style.readable and inherited_style.pictured:
        if len(own_text(element).split()) >= FEW_WORDS:
            hidden.unsure.append("colour")
    elif element.tag != "html":
        hidden.mute.append(element)


def _uncover(element: HtmlElement, hidden: _HiddenFound, element_hidden: _HiddenElement) -> None:
    """Mark the text under the cover of an element for removal."""
    _mute(element, element_hidden)
    for child in element:
        if child not in hidden.placed and isinstance(child.tag, str):
            _note(child, element_hidden)
            hidden.doomed.append(child)


def _mute(element: HtmlElement, element_hidden: _HiddenElement) -> None:
    """Remove the text of an element, but not that of its children."""
    text = own_text(element)
    (element_hidden.prose if len(text.split()) >= FEW_WORDS else element_hidden.labels).append(text)
    element.text = None
    for child in element:
        child.tail = " " if child.tail else child.tail


def _note(element: HtmlElement, element_hidden: _HiddenElement) -> None:
    """Record the text of an element before it is removed: as prose, or with the labels, links and menus."""
    text = " ".join(
        text
        for text, owner in text_pieces(element)
        if not any(other.tag in _AT_HAND for other in ancestors_up_to(owner, element))
    )
    prose = len(text.split()) >= FEW_WORDS and not any(
        _is_machinery(other) for other in (element, *element.iterancestors())
    )
    (element_hidden.prose if prose else element_hidden.labels).append(
        " ".join((text if prose else spaced_text(element)).split())
    )


def _is_machinery(element: HtmlElement) -> bool:
    if element.tag in {"html", "body", "main", "article"}:
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return (
        element.tag in _AT_HAND
        or element.get("role") in {"dialog", "navigation", "menu"}
        or bool(_MACHINERY.search(names))
    )


def _blends(element: HtmlElement, element_roles: set[Role], roles: Mapping[HtmlElement, set[Role]]) -> bool:
    """Return whether letters in an element may have the colour of their background."""
    if "blends" in element_roles:
        return True
    other: Role
    for role, other in (("foreground", "background"), ("background", "foreground")):
        around = (roles.get(ancestor, ()) for ancestor in element.iterancestors())
        if role in element_roles and (other in element_roles or any(other in each for each in around)):
            return True
    return False


def _has_text(element: HtmlElement) -> bool:
    """Return whether an element, or its parent beside it, has text that could be covered."""
    parent = element.getparent()
    return bool(element.xpath("normalize-space() != ''")) or (parent is not None and len(parent) <= _MAX_COVERED)


def _animation(values: dict[str, str], ends: dict[str, tuple[Declaration, ...]]) -> str:
    """Return the animation of an element whose last frame is known."""
    return next((name for name in re.split(r"[\s,]+", values.get("animation-name", "")) if name in ends), "")
