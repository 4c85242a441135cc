"""The style sheets that a page contains, read for rules that may hide its text."""

from __future__ import annotations

import base64
import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote_to_bytes

from factscope.evidence.page.stylesheet import Declaration, StyleRule, holds, read_sheet

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_IMPORT = re.compile(r"@import\s+(?:url\()?\s*[\"']?([^\"')\s;][^\"')\s]*)", re.IGNORECASE)
_INERT = frozenset({"noscript", "template"})


class PageStyles(NamedTuple):
    """The style sheets in a page."""

    rules: list[StyleRule]
    ends: dict[str, tuple[Declaration, ...]]
    external: bool
    """Whether the page fetches further style sheets."""
    complete: bool
    """Whether all style sheets in the page were read."""


def read_styles(tree: HtmlElement) -> PageStyles:
    """Read the style sheets in the page."""
    sources, external = _sources(tree)
    if not sources:
        return PageStyles([], {}, external, complete=True)
    names = frozenset(name for value in tree.xpath("//@class | //@id") for name in value.split())
    rules: list[StyleRule] = []
    ends: dict[str, tuple[Declaration, ...]] = {}
    complete = True
    for source in sources:
        sheet = read_sheet(source, names)
        rules += sheet.rules
        ends |= sheet.ends
        complete = complete and sheet.complete
    return PageStyles(rules, ends, external, complete)


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
