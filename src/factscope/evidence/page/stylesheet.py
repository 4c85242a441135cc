"""The style sheets that a page contains, read by tinycss2 for rules that may hide its text.

Sheets are first reduced by patterns, since tinycss2 reads 5 MB a second and most rules of a sheet are for other pages
of the site. Style sheets that the page fetches are not read.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_to_bytes

import tinycss2
from tinycss2.ast import ascii_lower

from factscope.evidence.page.css_values import split
from factscope.evidence.page.media_queries import holds
from factscope.evidence.page.nested_selectors import StyleScope, nested, scope_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_CHARACTERS = 2_000_000
"""Characters of all sheets of a page that are read: with several times as many, a page would take too long."""
MAX_RULES = 5_000
"""Rules of a page that are read."""
_MAX_DEPTH = 16  # rules inside rules

_TELLING_NAMES = """
    display visibility content-visibility opacity font font-size color text-fill-color background
    background-color background-image background-clip text-indent position left right top bottom inset
    inset-inline-start inset-block-start margin margin-left margin-top margin-inline-start transform translate
    scale rotate clip clip-path width height max-width max-height inline-size block-size max-inline-size
    max-block-size overflow overflow-x overflow-y grid-template-rows text-security z-index filter mask
    mask-image letter-spacing backface-visibility line-height zoom animation animation-name text-decoration
    text-decoration-line
"""
TELLING = frozenset(_TELLING_NAMES.split())
"""Properties that can hide or strike out text. Custom properties (`--x`) are read too, as these may refer to them."""
_LONGEST_STYLE = 100_000  # characters of a `style` attribute
_LONGEST_VALUE = 2_000  # characters of a value
_PREFIX = re.compile(r"-(?:webkit|moz|ms|o)-")
_NAMES = re.compile(r"[.#]([\w-]+)")
# Comments, and strings with structural characters; without them blocks can be recognised by their braces.
_COMMENTS = re.compile(r"/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'", re.DOTALL)
_MEDIA_BLOCK = re.compile(r"(?<![^{};])\s*+@media\b([^{};]*+)\{((?:[^{}]*+\{[^{}]*+\})*+[^{}]*+)\}", re.IGNORECASE)
_BLOCK = re.compile(r"(?<![^{};])([^{};]*+)\{([^{}]*+)\}")
# In the place of a block, so that what is stray before it, as in `};.a {}`, does not spoil the next rule.
_REMOVED = "{}"
_REMOVED_BLOCKS = re.compile(r"\{\}(?:\s*+\{\})++")
_ANY_TELLING = rf"(?:{'|'.join(sorted(TELLING, key=len, reverse=True))})\s*:"
_TELLING_PROPERTY = re.compile(rf"\s*(?:--|(?:-(?:webkit|moz|ms|o)-)?{_ANY_TELLING})", re.IGNORECASE)
_STATE = r"::?(?:hover|active|focus(?:-within|-visible)?|visited|before|after)\b(?!-)"
_PASSING = re.compile(_STATE)
_COMPOUND = rf"(?=[\w.#:*])(?:\*|[a-zA-Z][\w-]*)?+(?:[.#][a-zA-Z_][\w-]*+|{_STATE})*+"
_PLAIN_SELECTOR = re.compile(rf"\s*{_COMPOUND}(?:\s*[>+~\s]\s*{_COMPOUND})*\s*", re.ASCII)
_RULE = re.compile(r"\s*+([^{};@]*+)\{([^{}]*+)\}")
_AT_RULE = re.compile(
    r"\s*+@(-?[a-z][a-z-]*+)(?![\w\\])([^{};]*+)(?:;|\{((?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+)\})", re.IGNORECASE
)
# Declarations that tinycss2 would return as they are written.
_WORD = (
    r"(?:#[\w-]++|-?(?:\d*\.)?\d++(?:%|[a-df-zA-DF-Z][a-zA-Z]*+|e[mx])?"
    r"|-{0,2}[a-zA-Z_][\w-]*+(?:\.[a-zA-Z][\w-]*+)*+)"
)
_ITEM = rf"(?:(?!url\b)[a-zA-Z-]++\( *+{_WORD}(?:[ ,]++{_WORD})*+ *+\)|{_WORD})"
_SIMPLE_DECLARATION = re.compile(
    rf"\s*+(--[\w-]++|-?[a-zA-Z_][\w-]*+)\s*+:\s*+({_ITEM}(?:[ ,]++{_ITEM})*+)\s*+(!\s*+important\s*+)?",
    re.ASCII | re.IGNORECASE,
)
_STRINGS = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'", re.DOTALL)
_INNERMOST = re.compile(r"\([^()\[\]{}\"'\\]*+\)|\[[^()\[\]{}\"'\\]*+\]")
_OPEN = re.compile(r"[()\[\]\"'\\]")
_ODD = re.compile(r"\\|<!--|-->")
# Characters that would end a block, or begin a comment.
_STRUCTURE = re.compile(r"[{};]|/\*")


class Declaration(NamedTuple):
    """`name: value`, and whether it is important."""

    name: str
    value: str
    important: bool


class StyleRule(NamedTuple):
    """A list of selectors with the declarations that may hide something."""

    selectors: str
    declarations: tuple[Declaration, ...]
    layer: str = ""
    """Name of its layer, below those of the layers around it: "base.links"; empty outside of layers."""


class StyleSheet(NamedTuple):
    """The parts of a sheet, or of all sheets in a page, that may hide something."""

    rules: list[StyleRule]
    """In their order in the sheet."""
    ends: dict[str, tuple[Declaration, ...]]
    """Declarations of the last frame of each animation."""
    complete: bool
    """Whether all of it was read."""
    layers: list[str]
    """Names of layers, in the order in which they are first mentioned."""
    external: bool = False
    """Whether the page fetches further style sheets."""
    containers: bool = True
    """Whether an element may be a container, so that queries about containers may be true."""


def read_sheet(
    source: str, names: frozenset[str] | None = None, most: int = MAX_CHARACTERS, containers: bool = True
) -> StyleSheet:
    """Parse the rules that apply on a screen to elements with one of `names`. Never raises.

    `names` are classes and ids of the page; `None` reads all rules. At most `most` characters are read.
    """
    sheet = StyleSheet([], {}, len(source) <= most, layers=[], containers=containers)
    reduced = reduce_sheet(source[:most], names)
    if not reduced.strip():
        return sheet
    try:
        for piece in _pieces(reduced):
            if isinstance(piece, StyleRule):
                sheet.rules.append(piece)
            else:
                nodes = tinycss2.parse_stylesheet(piece, skip_comments=True, skip_whitespace=True)
                _add_rules(nodes, (), sheet, layer="", depth=0)
    except (RecursionError, ValueError):
        return sheet._replace(complete=False)
    complete = sheet.complete and len(sheet.rules) <= MAX_RULES
    return sheet._replace(rules=sheet.rules[:MAX_RULES], complete=complete)


def _pieces(source: str) -> Iterator[StyleRule | str]:
    """Yield the simple rules of a sheet, which tinycss2 would take a long time to read, and the text of others.

    What follows a bracket or string that is left open is one piece, as it belongs to that.
    """
    at = 0
    while match := _RULE.match(source, at) or _AT_RULE.match(source, at):
        if not _is_closed(match[0]):
            break
        rules = None
        if match.re is _RULE:
            rules = _simple_rules(match[0])
        elif match[1].lower() == "media" and match[3] is not None:
            rules = _simple_rules(match[3]) if holds(match[2]) else []
        yield from [match[0]] if rules is None else rules
        at = match.end()
    yield source[at:]


def _is_closed(text: str) -> bool:
    """Return whether each bracket and string of a text ends in it, as far as a few levels of brackets show."""
    text = _STRINGS.sub("", text)
    for _ in range(_MAX_DEPTH):
        if not _OPEN.search(text):
            return True
        text = _INNERMOST.sub("", text)
    return False


def _simple_rules(source: str) -> list[StyleRule] | None:
    """Return the rules of a text; None when it does not consist of simple ones."""
    rules: list[StyleRule] = []
    at = 0
    while match := _RULE.match(source, at):
        pieces = [_SIMPLE_DECLARATION.fullmatch(piece) for piece in match[2].split(";") if piece.strip()]
        if not all(pieces) or _ODD.search(match[1]):
            return None
        telling = (_if_telling(piece[1], piece[2], bool(piece[3])) for piece in pieces if piece)
        if declarations := tuple(chain.from_iterable(telling)):
            rules.append(StyleRule(nested((), match[1].strip()), declarations))
        at = match.end()
    return None if source[at:].strip() else rules


def reduce_sheet(source: str, names: frozenset[str] | None) -> str:
    """Remove what can't hide text: properties outside `TELLING`, and selectors of other pages or of passing states."""
    source = _COMMENTS.sub(_without_structure, source)
    source = _MEDIA_BLOCK.sub(lambda media: media[0] if holds(media[1]) else _REMOVED, source)
    source = _BLOCK.sub(lambda block: _reduced_block(block[1], block[2], names) or _REMOVED, source)
    return _REMOVED_BLOCKS.sub(_REMOVED, source)


@lru_cache(maxsize=2_000)  # the elements of a page often have the same style
def declarations(source: str) -> tuple[Declaration, ...]:
    """Parse the declarations in a `style` attribute that may hide something."""
    try:
        nodes = tinycss2.parse_blocks_contents(source[:_LONGEST_STYLE], skip_comments=True, skip_whitespace=True)
        return tuple(_telling(nodes))
    except (RecursionError, ValueError):
        return ()


def _without_structure(match: re.Match[str]) -> str:
    text = match[0]
    if text[0] == "/":  # within a selector, as in `p/**/.a`, it separates nothing
        return "" if match.string[match.end() : match.end() + 1] in {".", "#", ":", "["} else " "
    return text if not _STRUCTURE.search(text) else '""'


def _reduced_block(prelude: str, body: str, names: frozenset[str] | None) -> str:
    """Return a block with only the selectors and declarations that may matter; "" if there are none."""
    is_clear = not any(map(body.__contains__, "()[]\"'\\"))
    can_cut = is_clear or ("\\" not in _STRINGS.sub("", body) and _is_balanced(body))
    if not can_cut or _ODD.search(prelude) or not _is_balanced(prelude):
        return f"{prelude}{{{body}}}"
    if "@" in prelude and prelude.lstrip().lower().startswith("@font-face"):
        return ""
    if names is not None and "(" not in prelude and "[" not in prelude:
        selectors = prelude.split(",")
        matching = {selector for selector in selectors if _may_match(selector, names)}
        if not matching:
            return ""
        # One invalid selector invalidates the whole list, so only valid ones are left out.
        prelude = ",".join(
            selector for selector in selectors if selector in matching or not _PLAIN_SELECTOR.fullmatch(selector)
        )
    pieces = body.split(";")
    if is_clear or all(map(_is_balanced, pieces)):  # no semicolon is inside of brackets
        body = ";".join(filter(_TELLING_PROPERTY.match, pieces))
    return f"{prelude}{{{body}}}" if body else ""


def _may_match(selector: str, names: frozenset[str]) -> bool:
    """Return whether a selector has only names of the page, and no passing state such as `:hover`."""
    return names.issuperset(_NAMES.findall(selector)) and (":" not in selector or not _PASSING.search(selector))


def _is_balanced(text: str) -> bool:
    """Return whether no bracket or string is open at the end of a text."""
    return (
        text.count("(") == text.count(")")
        and text.count("[") == text.count("]")
        and not text.count('"') % 2
        and not text.count("'") % 2
    )


def _add_rules(
    nodes: Iterable[Any],
    outer: Sequence[str],
    sheet: StyleSheet,
    *,
    layer: str,
    depth: int,
    scope: StyleScope | None = None,
) -> None:
    """Add the rules among parsed nodes to a sheet, with nested ones expanded."""
    if depth > _MAX_DEPTH:
        raise RecursionError
    for node in nodes:
        if node.type == "qualified-rule":
            selectors = nested(outer, tinycss2.serialize(node.prelude).strip(), scope)
            inner = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
            declarations = tuple(_telling(inner))
            if declarations:
                sheet.rules.append(StyleRule(selectors, declarations, layer))
            _add_rules(inner, (selectors,), sheet, layer=layer, depth=depth + 1)
        elif node.type == "at-rule":
            _add_at_rule(node, outer, sheet, layer=layer, depth=depth, scope=scope)


def _add_at_rule(
    node: Any, outer: Sequence[str], sheet: StyleSheet, *, layer: str, depth: int, scope: StyleScope | None
) -> None:
    name = _PREFIX.sub("", node.lower_at_keyword)
    query = tinycss2.serialize(node.prelude).strip()
    if name == "layer":
        names = [f"{layer}.{each}".lstrip(".") for each in split(query, ",") or [str(len(sheet.layers))]]
        sheet.layers.extend(names)
        layer = names[0]
    if node.content is None:
        return
    if name == "keyframes":
        for frame in tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True):
            steps = tinycss2.serialize(frame.prelude).lower() if frame.type == "qualified-rule" else ""
            if {"to", "100%"} & {step.strip() for step in steps.split(",")}:
                inner = tinycss2.parse_blocks_contents(frame.content, skip_comments=True, skip_whitespace=True)
                sheet.ends[query.strip("\"'")] = tuple(_telling(inner))
        return
    if name == "scope":
        scope = scope_of(node.prelude)
        applies = scope is not None
    elif name == "media":
        applies = holds(query)
    elif name == "container":
        applies = sheet.containers and holds(query[query.find("(") :])
    elif name == "supports":
        applies = not query.lower().startswith("not")
    else:
        applies = name == "layer"
    if not applies:
        return
    parse = tinycss2.parse_blocks_contents if outer else tinycss2.parse_rule_list
    inner = parse(node.content, skip_comments=True, skip_whitespace=True)
    # A condition nested in a rule applies to that rule.
    if outer and name != "scope" and (declarations := tuple(_telling(inner))):
        sheet.rules.append(StyleRule(outer[0], declarations, layer))
    _add_rules(inner, outer if name != "scope" else (), sheet, layer=layer, depth=depth + 1, scope=scope)


def _telling(nodes: Iterable[Any]) -> Iterator[Declaration]:
    for node in nodes:
        if node.type == "declaration":
            value = tinycss2.serialize([token for token in node.value if token.type != "comment"])
            yield from _if_telling(node.name, value, node.important)


def _if_telling(name: str, value: str, important: bool) -> Iterator[Declaration]:
    """Yield a declaration if its property is one of those that are read."""
    name = name if name.startswith("--") else _PREFIX.sub("", ascii_lower(name), count=1)
    if name in TELLING or name.startswith("--"):
        yield Declaration(name, value.strip()[:_LONGEST_VALUE], important)


_CONTAINER = re.compile(r"\bcontainer(?:-type)?\s*:", re.IGNORECASE)
_IMPORT = re.compile(r"@import\s+(?:url\()?\s*[\"']?([^\"')\s;][^\"')\s]*)", re.IGNORECASE)
_INERT = frozenset({"noscript", "template"})


def read_styles(tree: HtmlElement) -> StyleSheet:
    """Read the style sheets in the page."""
    sources, external = _sources(tree)
    names = frozenset(name for value in tree.xpath("//@class | //@id") for name in value.split()) if sources else None
    sheets: list[StyleSheet] = []
    left = MAX_CHARACTERS
    may_contain = (*sources, *map(str, tree.xpath("//@style"))) if sources else ()
    containers = external or any(map(_CONTAINER.search, may_contain))
    for source in sources:
        sheets.append(read_sheet(source, names, left, containers))
        left = max(0, left - len(source))
    return StyleSheet(
        [rule for sheet in sheets for rule in sheet.rules],
        {name: end for sheet in sheets for name, end in sheet.ends.items()},
        all(sheet.complete for sheet in sheets),
        [name for sheet in sheets for name in sheet.layers],
        external,
    )


def _sources(tree: HtmlElement) -> tuple[list[str], bool]:
    """Return the style sheets in the page that apply to it, and whether it fetches others."""
    sources = []
    external = False
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
            sources.append(source)
    return sources, external


def _data(address: str) -> str | None:
    """Return the content of a `data:` address; `None` for any other."""
    match = re.match(r"\s*data:([^,]*),(.*)", address, re.DOTALL | re.IGNORECASE)
    if not match:
        return None
    content = unquote_to_bytes(match[2])
    if match[1].lower().rstrip().endswith(";base64"):
        with suppress(ValueError):
            content = base64.b64decode(content, validate=False)
    return content.decode("utf-8", "replace")
