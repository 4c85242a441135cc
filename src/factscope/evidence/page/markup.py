"""A page in HTML → its main text, its metadata, and the kind of page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from factscope.evidence.page.hidden_text import strip_hidden
from factscope.evidence.page.main_text import main_text
from factscope.evidence.page.metadata import PageMetadata, about, byline_date
from factscope.evidence.page.page_type import Kind, kind_of_page, page_signs
from factscope.evidence.page.visible_lines import visible_lines

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_TAGS = 20_000
"""Pages with more elements are read line by line, because trafilatura's time is more than linear."""
MAX_SOURCE = 3_000_000
"""Characters of markup; larger pages are read line by line, too."""
LEAST_MAIN = 0.2
"""On a short page, a main text with a smaller share of all text has lost something."""
SHORT_PAGE = 2_000
"""Characters below which a page is short."""


_LONG_TAG = re.compile(r"<([a-zA-Z][\w:-]*)\s([^<>]{20000,})>")
_ATTRIBUTE = re.compile(r"""([\w:-]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
_ATTRIBUTE_NAMES = """
    style class id hidden popover open aria-hidden inert role rel type href name property itemprop content lang
    datetime media color bgcolor text charset
"""
_LOOKED_AT = frozenset(_ATTRIBUTE_NAMES.split())

MOST_CHARACTERS = 1_500_000
"""Characters of a page's text that are examined."""


class ParsedMarkup(NamedTuple):
    """Parsed page in HTML."""

    text: str
    about: PageMetadata
    kind: Kind
    flags: tuple[str, ...]
    prose: str
    """Prose that was removed because readers do not see it."""
    labels: str
    """Labels and menus that were removed."""
    large: bool
    """Whether it is so large that it was read line by line."""


def read_markup(source: str, url: str) -> ParsedMarkup:
    """Read a page. Raises MemoryError when there is not enough for its tree."""
    tree, flags = _tree(source)
    if tree is None:
        return ParsedMarkup("", _NO_METADATA, "empty", tuple(flags), "", "", False)
    signs = page_signs(tree, source)
    metadata = about(tree, url)
    removed = strip_hidden(tree)
    lines = visible_lines(tree, MOST_CHARACTERS)
    size = sum(len(line.text) for line in lines)
    if size > MOST_CHARACTERS:
        flags.append("truncated")
    large = len(source) > MAX_SOURCE or sum(1 for _ in tree.iter()) > MAX_TAGS
    main = "" if large else main_text(tree)
    kind, more = kind_of_page(metadata.title, lines, main, metadata.free, signs)
    if metadata.published is None:
        metadata = metadata._replace(published=byline_date(lines, metadata.title))
    text = main
    if len(text) < LEAST_MAIN * size < LEAST_MAIN * SHORT_PAGE or not text:
        text = "\n\n".join(line.text for line in lines)
    flags += [name for name, is_so in (("possibly_hidden", removed.unsure), ("folded_text", removed.folded)) if is_so]
    return ParsedMarkup(text, metadata, kind, (*flags, *more), removed.prose, removed.labels, large)


def _tree(source: str) -> tuple[HtmlElement | None, list[str]]:
    """Return the page's elements without comments, `None` when there are none; and flags for missing parts."""
    from lxml import etree, html

    parser = html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True)
    # An encoding that the page states is for its bytes; these are characters by now.
    source = _LONG_TAG.sub(_shortened, re.sub(r"^\s*<\?xml[^>]*\?>", "", source))
    try:
        tree = html.document_fromstring(source, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        if any(entry.type_name == "ERR_NO_MEMORY" for entry in parser.error_log):
            raise MemoryError from None
        return None, []
    cut = any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log)
    return tree, ["truncated"] if cut else []


def _shortened(match: re.Match[str]) -> str:
    """Return a tag with only the attributes that are used; parsing time is quadratic in their number."""
    replacements: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(match[2]):
        if name.lower() in _LOOKED_AT:
            replacements.setdefault(name.lower(), value)
    return f"<{match[1]} " + " ".join(f"{name}={value or name}" for name, value in replacements.items()) + ">"


_NO_METADATA = PageMetadata(None, None, None, None, None, (), True)
