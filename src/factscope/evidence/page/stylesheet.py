"""Style sheets in a page → the rules that may hide something. What is not in the page itself is never fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from factscope.evidence.page.css_values import SCREEN, length, split

MAX_CHARACTERS = 2_000_000
"""Of the sheets of a page no more is read."""
MAX_RULES = 50_000
"""Nor more rules than this that may hide something."""
_MOST_NESTED = 100
_DEEPEST = 16

_TELLING_NAMES = """
    display visibility content-visibility opacity font font-size color text-fill-color background
    background-color background-image background-clip text-indent position left right top bottom inset
    inset-inline-start inset-block-start margin margin-left margin-top margin-inline-start transform translate
    scale rotate clip clip-path width height max-width max-height inline-size block-size max-inline-size
    max-block-size overflow overflow-x overflow-y grid-template-rows text-security z-index filter mask
    mask-image letter-spacing backface-visibility line-height zoom animation animation-name
"""
TELLING = frozenset(_TELLING_NAMES.split())
"""Properties that can hide text. Custom properties (`--x`) are read besides, as these may refer to them."""
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_LONGEST_BLOCK = 100_000
_PREFIX = re.compile(r"-(?:webkit|moz|ms|o)-")
# Strings and brackets are passed over whole: what they hold is no structure.
_MARKS = re.compile(r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\([^()"'{}]*\)|[{};]""", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n]?|([^\n]))")
_MEDIA = re.compile(r"\(([^()]*)\)")
_PLAIN = 0xE000


class Declaration(NamedTuple):
    """`name: value`, and whether it is important."""

    name: str
    value: str
    important: bool


class Rule(NamedTuple):
    """One selector of a rule, with its declarations that may hide something."""

    selector: str
    declarations: tuple[Declaration, ...]
    layered: bool = False
    """Whether it stands in a layer, so that any rule outside of layers is stronger."""


class Sheet(NamedTuple):
    """What of the sheets of a page may hide something."""

    rules: list[Rule]
    """In the order in which they stand."""
    ends: dict[str, tuple[Declaration, ...]]
    """What the last frame of each animation states."""
    whole: bool
    """Whether all was read."""


class _Block(NamedTuple):
    kind: str
    """`rule`, `group` (its rules hold), `frames`, `frame` or `skip`."""
    selectors: tuple[str, ...]
    declarations: list[Declaration]
    layered: bool = False


def read_sheet(source: str) -> Sheet:
    """Rules that hold on a screen, with nested ones written out. Never raises."""
    text = plain_escapes(re.sub(r"/\*.*?(?:\*/|\Z)|<!--|-->", " ", source[:MAX_CHARACTERS], flags=re.DOTALL))
    sheet = Sheet([], {}, len(source) <= MAX_CHARACTERS)
    open_blocks = [_Block("group", (), [])]
    start = 0
    for match in _MARKS.finditer(text):
        mark = match[0]
        if mark not in "{};":
            continue
        said = text[start : match.start()].strip()
        start = match.end()
        inner = open_blocks[-1]
        if mark == "{":
            open_blocks.append(_opened(said, open_blocks))
            continue
        if inner.kind in {"rule", "frame"}:
            inner.declarations.extend(declarations(said))
        if mark == "}" and len(open_blocks) > 1:
            open_blocks.pop()
            _close(inner, sheet)
            if len(sheet.rules) > MAX_RULES:
                return sheet._replace(whole=False)
    # A browser closes what a sheet leaves open.
    for block in reversed(open_blocks):
        if block.kind == "rule" and block is open_blocks[-1]:
            block.declarations.extend(declarations(text[start:]))
        _close(block, sheet)
    return sheet


def declarations(source: str) -> Iterator[Declaration]:
    """The declarations in a block or a `style` attribute that may hide something."""
    for part in split(_COMMENT.sub(" ", source[:_LONGEST_BLOCK]), ";"):
        name, colon, value = part.partition(":")
        name = name.strip()
        if not name.startswith("--"):
            name = _PREFIX.sub("", name.lower(), count=1) if name.startswith("-") else name.lower()
        if colon and (name in TELLING or name.startswith("--")):
            value, important, _ = value.strip().partition("!")
            yield Declaration(name, value.strip()[:2_000], bool(important))


def plain_escapes(text: str) -> str:
    r"""The text with `\64` as the letter it is, and escaped marks as letters of the private use area (`marked`)."""

    def letter(match: re.Match[str]) -> str:
        code = int(match[1], 16) if match[1] else ord(match[2])
        if 32 <= code < 127 and not chr(code).isalnum() and chr(code) not in "-_":
            return chr(_PLAIN + code)
        return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"

    return _ESCAPE.sub(letter, text) if "\\" in text else text


def marked(name: str) -> str:
    """A name from a sheet with the marks that were escaped in it."""
    return "".join(chr(ord(char) - _PLAIN) if _PLAIN <= ord(char) < _PLAIN + 127 else char for char in name)


def holds(query: str) -> bool:
    """Whether a media query holds on a screen of `SCREEN` that prefers nothing. What is not known does not."""
    return any(_holds(part) for part in split(query.lower(), ",")) if query.strip() else True


def _opened(prelude: str, around: list[_Block]) -> _Block:
    outer = around[-1]
    if outer.kind == "skip" or len(around) > _DEEPEST:
        return _Block("skip", (), [])
    if outer.kind == "frames":
        return _Block("frame", (*outer.selectors, prelude.lower()), [])
    if prelude.startswith("@"):
        layered = outer.layered or prelude.startswith("@layer")
        return _Block(*_at_rule(prelude, outer), [], layered)
    selectors = tuple(split(prelude, ","))
    if outer.kind == "rule":
        selectors = tuple(_nested(one, inside) for one in outer.selectors for inside in selectors)[:_MOST_NESTED]
    return _Block("rule", selectors, [], outer.layered)


def _at_rule(prelude: str, outer: _Block) -> tuple[str, tuple[str, ...]]:
    name, _, query = prelude[1:].partition(" ")
    name = name.partition("(")[0].lower()
    if _PREFIX.sub("", name).endswith("keyframes"):
        return "frames", (query.strip().strip("\"'"),)
    if name in {"media", "container"}:
        query = prelude[1 + len(name) :]
        applies = holds(query if name == "media" else query[query.find("(") :])
    elif name == "supports":
        applies = not query.strip().lower().startswith("not")
    else:
        applies = name in {"layer", "scope"}
    # A condition inside a rule is about that rule.
    return ("skip", ()) if not applies else (outer.kind, outer.selectors)


def _close(block: _Block, sheet: Sheet) -> None:
    if not block.declarations:
        return
    if block.kind == "rule":
        kept = tuple(block.declarations)
        sheet.rules.extend(Rule(selector, kept, block.layered) for selector in block.selectors)
    elif block.kind == "frame" and any(step.strip() in {"to", "100%"} for step in block.selectors[1].split(",")):
        sheet.ends[block.selectors[0]] = tuple(block.declarations)


def _nested(outer: str, inner: str) -> str:
    if "&" in inner:
        return inner.replace("&", outer)
    return f"{outer} {inner}"


def _holds(query: str) -> bool:
    query = query.strip()
    negated = query.startswith("not ")
    query = re.sub(r"^(?:not|only)\s+", "", query)
    kind = re.match(r"[a-z-]+", query)
    right = kind is None or kind[0] in {"all", "screen"}
    if " or " in query:
        return (right and any(_feature(found) for found in _MEDIA.findall(query))) != negated
    return (right and all(_feature(found) for found in _MEDIA.findall(query))) != negated


def _feature(condition: str) -> bool:
    """Whether one feature of a query, such as `min-width: 600px`, holds."""
    condition = condition.strip()
    between = re.fullmatch(r"(?:(\S+)\s*(<=?)\s*)?(width|height)\s*(?:(<=?|>=?|=)\s*(\S+))?", condition)
    if between and (between[1] or between[5]):
        size = SCREEN[between[3] == "height"]
        low, high = length(between[1] or ""), length(between[5] or "")
        below = high is None or {"<": size <= high, ">": size >= high, "=": size == high}[(between[4] or "=")[0]]
        return (low is None or low <= size) and below
    name, _, value = (part.strip() for part in condition.partition(":"))
    bound = re.fullmatch(r"(min|max)-(?:device-)?(width|height)", name)
    if bound:
        size, limit = SCREEN[bound[2] == "height"], length(value)
        return limit is not None and (size >= limit if bound[1] == "min" else size <= limit)
    known = {
        "orientation": "landscape", "hover": "hover", "any-hover": "hover", "pointer": "fine", "any-pointer": "fine",
        "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference", "scripting": "enabled",
        "update": "fast", "display-mode": "browser", "prefers-contrast": "no-preference",
    }  # fmt: skip
    if name in known:
        return value in {"", known[name]}
    return name in {"color", "min-color", "width", "height"}
