"""Takes out of a page what its reader does not see, before anything else looks at it.

A style that the page fetches is not known: what only such a style hides stays. A page can't hide all that it says in
this way; the element that holds nearly all of its text is taken to be seen, and flagged.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote_to_bytes

from factscope.evidence.page.computed_style import Look, look, own_ground, settle
from factscope.evidence.page.selectors import Rules, Spent
from factscope.evidence.page.stylesheet import Declaration, Rule, declarations, holds, plain_escapes, read_sheet
from factscope.evidence.page.visibility import covers, vanishes

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MOST_OF_PAGE = 0.8
"""An element that holds a larger share of the text is the page itself, which scripts often fade in."""
SMALL_PART = 0.3
"""What is kept from screen readers (`aria-hidden`) is taken out if it is a smaller share of the text."""
FEW_WORDS = 3
"""Fewer words, or only links, are labels and menus: every page hides some of these."""
KEPT_CHARACTERS = 200_000
"""So much of what is taken out is kept, to see whether it gives orders."""

_UNSEEN_NAMES = """
    script style noscript template iframe object embed applet svg canvas video audio datalist select
    optgroup option progress meter noembed noframes frameset param rp textarea mphantom annotation annotation-xml
    title desc
"""
UNSEEN = frozenset(_UNSEEN_NAMES.split())
"""Elements whose text no reader sees as such: what stands in them is for machines, or for want of something else."""
_AT_HAND = frozenset({"nav", "menu", "header", "footer", "form", "dialog", "aside", "button", "label", "a", "select"})
_MACHINERY = re.compile(
    r"(?:^|[\s_-])(?:nav|menu|submenu|dropdown|modal|popup|popover|overlay|tooltip|cookie|consent|drawer|skip|toast"
    r"|lightbox|carousel|slider|sr-only|visually-hidden|screen-reader)", re.IGNORECASE
)  # fmt: skip
# Classes that hide by themselves in the style sheets that pages fetch most (Bootstrap, Tailwind, WordPress, …).
_HIDING_NAMES = """
    hidden hide invisible d-none is-hidden u-hidden sr-only visually-hidden visuallyhidden screen-reader-text
    screen-reader-only element-invisible a11y-hidden offscreen display-none
"""
_HIDING_CLASSES = frozenset(_HIDING_NAMES.split())
_SHOWN_AGAIN = re.compile(r"(?:^|\s)(?:\w+:(?:block|flex|inline|grid|table|not-sr-only|visible)|d-\w+-(?:block|flex))")
_ATTRIBUTES = {"color": "color", "text": "color", "bgcolor": "background-color", "width": "width", "height": "height"}


_MOST_DOUBTS = 20
_MOST_OF_A_NAME = 5
_IMPORT = re.compile(r"@import\s+(?:url\()?\s*[\"']?([^\"')\s;][^\"')\s]*)", re.IGNORECASE)
_INERT = frozenset({"noscript", "template"})


class Removed(NamedTuple):
    """What was taken out of a page."""

    prose: str
    """What is no label or menu; at most `KEPT_CHARACTERS`."""
    labels: str
    """The rest of it, up to the same length."""
    unsure: bool
    """Whether some of what is left may not be seen either."""
    folded: bool
    """Whether some of what is left shows only once a reader unfolds it."""


class _Gone(NamedTuple):
    prose: list[str]
    labels: list[str]


class _Found(NamedTuple):
    doomed: list[HtmlElement]
    """To be taken out whole."""
    mute: list[HtmlElement]
    """Their own text is to be taken out, not that of the elements in them."""
    covered: list[HtmlElement]
    """Something lies over all of what they hold."""
    placed: set[HtmlElement]
    unsure: list[str]
    """Why some of what stays may not be seen."""


def strip_hidden(tree: HtmlElement) -> Removed:
    """Take out what is not shown; the tree is changed. `<head>` stays, as metadata is read from it."""
    sheet_rules, ends, external, whole = _sheets(tree)
    rules = Rules(sheet_rules)
    found = _Found([], [], [], set(), [] if whole else ["sheet"])
    size = max(1, len(_text(tree)))
    _walk(tree, rules, ends, external, size, found)
    gone = _Gone([], [])
    for element in found.doomed:
        _note(element, gone)
    for element in found.covered[:_MOST_DOUBTS]:
        if len(_text(element)) < MOST_OF_PAGE * size:
            _uncover(element, found, gone)
        else:
            found.unsure.append("cover")
    for element in found.mute:
        _mute(element, gone)
    folded = any(element.get("open") is None and len(element) > 1 for element in tree.iter("details"))
    for element in found.doomed:
        if element.getparent() is not None:
            element.drop_tree()
    prose, labels = ("\n".join(said)[:KEPT_CHARACTERS] for said in gone)
    return Removed(prose, labels, bool(found.unsure), folded)


def _sheets(tree: HtmlElement) -> tuple[list[Rule], dict[str, tuple[Declaration, ...]], bool, bool]:
    """Rules and last frames of all sheets in the page, whether it fetches others, whether all were read."""
    rules: list[Rule] = []
    ends: dict[str, tuple[Declaration, ...]] = {}
    external, whole = False, True
    for element in tree.iter("style", "link"):
        if element.tag == "style":
            if (element.get("type") or "text/css").strip().lower() != "text/css":
                continue
            source = element.text or ""
            for address in _IMPORT.findall(source):
                inline = _data(address)
                external = external or inline is None
                source = (inline or "") + source
        elif "stylesheet" not in (element.get("rel") or "").lower():
            continue
        elif (inline := _data(element.get("href") or "")) is not None:
            source = inline
        else:
            external = True
            continue
        inert = not _INERT.isdisjoint(other.tag for other in element.iterancestors())
        if holds(element.get("media") or "") and not inert:
            sheet = read_sheet(source)
            rules += sheet.rules
            ends |= sheet.ends
            whole = whole and sheet.whole
    return rules, ends, external, whole


def _walk(
    tree: HtmlElement, rules: Rules, ends: dict[str, tuple[Declaration, ...]], external: bool, size: int, found: _Found
) -> None:
    """Sort the elements into `found`."""
    # What lies behind the text is not certain while other sheets may say so.
    stack: list[tuple[HtmlElement, Look]] = [(tree, Look(pictured=external))]
    use_rules = bool(rules)
    while stack:
        element, around = stack.pop()
        tag = element.tag
        if not isinstance(tag, str) or tag == "head":
            continue
        if _is_shadowed(element):
            found.doomed.append(element)
            continue
        if tag in UNSEEN:
            if not _states_metadata(element):
                found.doomed.append(element)
            continue
        stated: list[Declaration] = []
        if use_rules:
            try:
                stated = _cascade(element, rules)
            except Spent:
                use_rules = False
                found.unsure.append("rules")
        elif element.get("style"):
            stated = list(declarations(plain_escapes(element.get("style"))))
        base = _by_attributes(element, external)
        own = around
        if stated or base:
            values, variables = settle([*base, *stated], around)
            if (end := ends.get(_animation(values, ends))) is not None:
                values |= settle(end, around)[0]
            own = look(values, around, variables)
            if _gone(element, values, own, around, size, found):
                found.doomed.append(element)
                continue
        if not own.readable or own.blends_in:
            _unread(element, own, found)
        if (element.get("aria-hidden") == "true" or element.get("inert") is not None) and len(
            found.unsure
        ) < _MOST_DOUBTS:
            if len(_text(element)) < SMALL_PART * size:
                found.doomed.append(element)
                continue
            found.unsure.append("aria")
        stack.extend((child, own) for child in element)


def _cascade(element: HtmlElement, rules: Rules) -> list[Declaration]:
    """What holds for an element, the least first (CSS Cascading and Inheritance, section 6)."""
    ranked = [
        (one.important, False, weight, order, number, one)
        for weight, order, stated in rules.of(element)
        for number, one in enumerate(stated)
    ]
    if style := element.get("style"):
        own = declarations(plain_escapes(style))
        ranked += [(one.important, True, (True, 0, 0, 0), 0, number, one) for number, one in enumerate(own)]
    strongest: list[Declaration] = []
    count: Counter[str] = Counter()
    for *_, one in sorted(ranked, key=lambda rank: rank[:5], reverse=True):
        count[one.name] += 1
        # More than one, as the strongest may turn out to mean nothing.
        if count[one.name] <= _MOST_OF_A_NAME:
            strongest.append(one)
    return strongest[::-1]


def _by_attributes(element: HtmlElement, external: bool) -> list[Declaration]:
    """What attributes say of an element's look, which any style overrides."""
    if not element.attrib:
        return []
    hides = element.get("hidden") is not None or element.get("popover") is not None
    hides = hides or (element.tag == "dialog" and element.get("open") is None)
    hides = hides or (element.tag == "input" and element.get("type") == "hidden")
    classes = element.get("class")
    if classes and external and not hides:
        hides = not _HIDING_CLASSES.isdisjoint(classes.split()) and not _SHOWN_AGAIN.search(classes)
    found = [Declaration("display", "none", False)] if hides else []
    if element.tag in {"font", "body", "table", "tr", "td", "th"}:
        for name, stands_for in _ATTRIBUTES.items():
            if (value := element.get(name)) and name not in {"width", "height"}:
                bare = re.fullmatch(r"[0-9a-fA-F]{6}", value)
                found.append(Declaration(stands_for, f"#{value}" if bare else value, False))
    return found


def _gone(element: HtmlElement, values: dict[str, str], own: Look, around: Look, size: int, found: _Found) -> bool:
    """Whether an element is out of sight with all that is in it; notes what it covers."""
    if values.get("position", "static") not in {"static", ""}:
        found.placed.add(element)
    parent = element.getparent()
    if parent in found.placed and values.get("position") == "absolute" and covers(values, own_ground(values)):
        found.covered.append(parent)
    if not vanishes(values, around.font):
        return False
    if element.tag in {"html", "body"}:
        return False
    doubts = values.get("display") != "none" and len(found.unsure) < _MOST_DOUBTS
    if doubts and len(_text(element)) > MOST_OF_PAGE * size:
        found.unsure.append("page")
        return False
    return True


def _unread(element: HtmlElement, own: Look, found: _Found) -> None:
    """Note an element whose own text can't be read, or may not be."""
    if not _own_text(element).strip():
        return
    if own.readable and own.pictured:
        if len(_own_text(element).split()) >= FEW_WORDS:
            found.unsure.append("colour")
    elif element.tag != "html":
        found.mute.append(element)


def _uncover(element: HtmlElement, found: _Found, gone: _Gone) -> None:
    """What lies under the cover in an element is to go."""
    _mute(element, gone)
    for child in element:
        if child not in found.placed and isinstance(child.tag, str):
            _note(child, gone)
            found.doomed.append(child)


def _mute(element: HtmlElement, gone: _Gone) -> None:
    """Take out the text of an element, not that of the elements in it."""
    said = _own_text(element)
    (gone.prose if len(said.split()) >= FEW_WORDS else gone.labels).append(said)
    element.text = None
    for child in element:
        child.tail = " " if child.tail else child.tail


def _note(element: HtmlElement, gone: _Gone) -> None:
    """Keep what an element says that is to go: as prose, or with the labels, links and menus."""
    if element.tag in UNSEEN:
        return
    said = " ".join(
        text for text, owner in _texts(element) if not any(other.tag in _AT_HAND for other in _up_to(owner, element))
    )
    prose = len(said.split()) >= FEW_WORDS and not any(
        _is_machinery(other) for other in (element, *element.iterancestors())
    )
    (gone.prose if prose else gone.labels).append(" ".join((said if prose else _text(element)).split()))


def _is_machinery(element: HtmlElement) -> bool:
    if element.tag in {"html", "body", "main", "article"}:
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return (
        element.tag in _AT_HAND
        or element.get("role") in {"dialog", "navigation", "menu"}
        or bool(_MACHINERY.search(names))
    )


def _up_to(element: HtmlElement, top: HtmlElement) -> Iterator[HtmlElement]:
    while element is not None and element is not top:
        yield element
        element = element.getparent()


def _texts(element: HtmlElement) -> Iterator[tuple[str, HtmlElement]]:
    """Pieces of text in an element, each with the element that it is in."""
    for inner in element.iter():
        if isinstance(inner.tag, str) and inner.tag not in UNSEEN and inner.text:
            yield inner.text, inner
        if inner is not element and inner.tail:
            yield inner.tail, inner.getparent()


def _text(element: HtmlElement) -> str:
    return " ".join("".join(text for text, _ in _texts(element)).split())


def _is_shadowed(element: HtmlElement) -> bool:
    """Whether a shadow tree stands in the place of an element, and has no slot for it."""
    parent = element.getparent()
    if parent is None or element.tag == "template":
        return False
    first = next(iter(parent), None)
    roots = first is not None and first.tag == "template" and first.get("shadowrootmode") is not None
    return roots and first is not None and next(first.iter("slot"), None) is None


def _own_text(element: HtmlElement) -> str:
    return (element.text or "") + "".join(child.tail or "" for child in element)


def _states_metadata(element: HtmlElement) -> bool:
    return bool(element.tag == "script" and "ld+json" in (element.get("type") or ""))


def _animation(values: dict[str, str], ends: dict[str, tuple[Declaration, ...]]) -> str:
    """The animation of an element whose last frame is known."""
    return next((name for name in re.split(r"[\s,]+", values.get("animation-name", "")) if name in ends), "")


def _data(address: str) -> str | None:
    """The content of a `data:` address; `None` for any other."""
    match = re.match(r"\s*data:([^,]*),(.*)", address, re.DOTALL | re.IGNORECASE)
    if not match:
        return None
    content = unquote_to_bytes(match[2])
    if match[1].lower().rstrip().endswith(";base64"):
        with suppress(ValueError):
            content = base64.b64decode(content, validate=False)
    return content.decode("utf-8", "replace")
