"""HTML → the text that a reader of the page sees. Runs in the child process: the markup is hostile."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from factscope.evidence.decode import decode

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_PAGE_BYTES = 20_000_000
"""Larger pages are not read: their tree would take many times as much memory."""
MAX_TAGS = 20_000
"""Pages with more elements skip main-text extraction, whose time grows faster than the page."""
LEAST_MAIN = 0.2
"""Main text that is a smaller share of the visible text than this, on a short page, has lost something."""
SHORT_PAGE = 2_000
"""Visible characters below which a page is short."""

_CHARSET = re.compile(
    rb"""<(?:meta\b[^>]{0,300}?\bcharset|\?xml\b[^>]{0,100}?\bencoding)\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE
)
_UNSEEN = ("script", "style", "noscript", "template", "head", "svg", "iframe", "object", "datalist", "select")
# Declarations that hide an element from a reader; in `style` attributes and in the page's own sheets.
_HIDING = re.compile(
    r"(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|content-visibility\s*:\s*hidden"
    r"|opacity\s*:\s*0*\.?0+%?\s*(?:[;!}]|$)|font(?:-size)?\s*:\s*0*\.?0+(?:px|pt|r?em|%)?\s*(?:[;!}/]|$)"
    r"|text-indent\s*:\s*-\d{3,}|(?:left|right|top|bottom|margin-left|margin-top)\s*:\s*-\d{4,}"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)"
    r"|clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0|polygon\(\s*\))|transform\s*:\s*scale\(\s*0\s*\)"
    r"|color\s*:\s*transparent)",
    re.IGNORECASE,
)
_NO_ROOM = re.compile(r"(?:^|[;\s])(?:max-)?(?:width|height)\s*:\s*[01](?:px)?\s*(?:[;!]|$)", re.IGNORECASE)
_CLIPPED = re.compile(r"overflow(?:-[xy])?\s*:\s*(?:hidden|clip)", re.IGNORECASE)
_COLOUR = re.compile(r"(?:^|[;\s])(background(?:-color)?|color)\s*:\s*([^;!]+)", re.IGNORECASE)
_SELECTOR = re.compile(r"([a-z][a-z0-9]*|\*)?((?:[.#][\w-]+)?)")
_BLOCK_NAMES = """
    address article aside blockquote body br caption center dd details div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol p pre section summary table tbody tfoot thead tr ul
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_SPACE = re.compile(r"[ \t\n\f\u00a0]+")


class Page(NamedTuple):
    """What a page says."""

    text: str
    title: str | None
    published: str | None
    flags: tuple[str, ...]
    complaint: str | None
    """What of the page could not be used, for a person."""


def read_page(data: bytes) -> Page:
    """Main text of a page, with paragraphs apart by empty lines; all its visible text when the main one can't be told.

    Raises NotTextError for bytes that are no text.
    """
    from lxml import etree, html

    declared = _CHARSET.search(data, 0, 4096)
    decoded = decode(data, declared[1].decode("ascii", "replace") if declared else None)
    flags = list(decoded.flags)
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True)
    # An encoding that the page states is for its bytes; these are characters by now.
    source = re.sub(r"^\s*<\?xml[^>]*\?>", "", decoded.text)
    try:
        tree = html.document_fromstring(source, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        if any(entry.type_name == "ERR_NO_MEMORY" for entry in parser.error_log):
            raise MemoryError from None
        return Page("", None, None, tuple(flags), None)
    complaint = None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        flags.append("truncated")
        complaint = (
            "is read in part: its tags are nested too deeply, and what comes after that is left out. Save the page as "
            "plain text"
        )
    title = next((_flat(element.text_content()) for element in tree.iter("title")), None) or None
    if _strip_hidden(tree):
        flags.append("hidden_text_removed")
    seen = visible_text(tree)
    if sum(1 for _ in tree.iter()) > MAX_TAGS:
        complaint = complaint or (
            f"is read whole, with its menus: it has more than {MAX_TAGS:,} tags, too many to tell its main text. Save "
            "the part that matters as a page of its own"
        )
        return Page(seen, title, None, tuple(flags), complaint)
    main, stated, published = _main_text(tree)
    if not main or (len(seen) < SHORT_PAGE and len(main) < LEAST_MAIN * len(seen)):
        main = seen
    return Page(main, stated or title, published, tuple(flags), complaint)


def visible_text(tree: HtmlElement) -> str:
    """Text of all elements in reading order, blocks apart by empty lines, table cells by a bar."""
    from lxml import etree

    parts: list[str] = []
    muted = 0
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        tag = element.tag if isinstance(element.tag, str) else ""
        if event == "start":
            muted += tag in _UNSEEN
            if not muted:
                parts += ["\n" if tag in _BLOCKS else "", _SPACE.sub(" ", element.text or "")]
            continue
        muted -= tag in _UNSEEN
        if not muted:
            parts += [
                "\n" if tag in _BLOCKS else " | " if tag in {"td", "th"} else "",
                _SPACE.sub(" ", element.tail or "") if element is not tree else "",
            ]
    lines = (_flat(line).removesuffix(" |") for line in "".join(parts).split("\n"))
    return "\n\n".join(line for line in lines if line)


def _main_text(tree: HtmlElement) -> tuple[str, str | None, str | None]:
    """Main text, title and date of publication, by trafilatura; its downloader is never used."""
    from trafilatura import bare_extraction

    found = bare_extraction(
        tree,
        include_comments=False,
        include_tables=True,
        favor_recall=True,
        with_metadata=True,
        date_extraction_params={"extensive_search": False, "original_date": True},
    )
    if found is None or isinstance(found, dict):
        return "", None, None
    lines = (line.strip() for line in (found.text or "").split("\n"))
    return "\n\n".join(line for line in lines if line), found.title or None, found.date or None


def _strip_hidden(tree: HtmlElement) -> bool:
    """Take out what is not shown. Whether any of it, beyond the usual scripts and styles, had text."""
    rules = _hidden_selectors(tree)
    doomed = [element for element in tree.iter() if isinstance(element.tag, str) and _is_hidden(element, rules)]
    had_text = False
    for element in doomed:
        usual = element.tag in _UNSEEN
        had_text = had_text or (not usual and bool("".join(element.itertext()).strip()))
        if element.getparent() is not None:
            element.drop_tree()
    for element in list(tree.iter(*_UNSEEN)):
        # The head holds the title and date that metadata is read from.
        if element.tag != "head" and element.getparent() is not None and not _states_metadata(element):
            element.drop_tree()
    return had_text


def _states_metadata(element: HtmlElement) -> bool:
    return bool(element.tag == "script" and element.get("type") == "application/ld+json")


def _is_hidden(element: HtmlElement, rules: frozenset[str]) -> bool:
    if element.get("hidden") is not None or (element.tag == "dialog" and element.get("open") is None):
        return True
    style = element.get("style")
    if style and (_HIDING.search(style) or _invisible(style)):
        return True
    if not rules:
        return False
    names = [f"#{element.get('id')}", *(f".{name}" for name in (element.get("class") or "").split()[:50]), ""]
    return any(tag + name in rules for name in names for tag in ("", element.tag) if tag + name)


def _invisible(style: str) -> bool:
    """No room for its text, or text in the colour of its ground."""
    if _NO_ROOM.search(style) and _CLIPPED.search(style):
        return True
    colours = {name.lower().removesuffix("-color"): _colour(value) for name, value in _COLOUR.findall(style)}
    return "color" in colours and colours["color"] == colours.get("background", "unset")


def _colour(value: str) -> str:
    value = {"white": "#fff", "black": "#000"}.get(value.strip().lower(), value.strip().lower())
    return f"#{value[1] * 2}{value[2] * 2}{value[3] * 2}" if re.fullmatch(r"#[0-9a-f]{3}", value) else value


def _hidden_selectors(tree: HtmlElement) -> frozenset[str]:
    """Simple selectors (`.a`, `#a`, `p`, `p.a`) that the page's own sheets hide on a screen.

    Rules inside `@media` and the like are left alone: whether they hold depends on the reader's device.
    """
    found: set[str] = set()
    for sheet in tree.iter("style"):
        text = re.sub(r"/\*.*?\*/", "", sheet.text or "", flags=re.DOTALL)
        for selectors, declarations in _rules(text):
            if _HIDING.search(declarations) or _invisible(declarations):
                found.update(part.strip() for part in selectors.split(",") if _SELECTOR.fullmatch(part.strip()))
    return frozenset(found - {"", "*", "html", "body"})


def _rules(sheet: str) -> list[tuple[str, str]]:
    """Rules at the top level of a sheet: their selectors and declarations."""
    found, depth, start, selectors = [], 0, 0, ""
    for match in re.finditer(r"[{};]", sheet):
        if match[0] == "{":
            if depth == 0:
                selectors, start = sheet[start : match.start()], match.end()
            depth += 1
        elif match[0] == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                if not selectors.lstrip().startswith("@"):
                    found.append((selectors, sheet[start : match.start()]))
                start = match.end()
        elif depth == 0:
            start = match.end()
    return found


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
