"""Metadata that a page states: title, author, publisher, date, language, kind of source. Any of it may be false."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from html import unescape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from factscope.core import Category
from factscope.evidence.page.dates import iso_date, without_dates
from factscope.evidence.page.visible_lines import VisibleLine

if TYPE_CHECKING:
    from lxml.html import HtmlElement

LONGEST = 300
"""Characters of a title or a name; more is cut off."""
MOST_DATA = 1_000_000
"""Longer structured data are not read."""
_MOST_ITEMS = 500  # items of structured data that are read
_MOST_NAMES = 10  # authors that are named

_LISTS: dict[str, Any] = tomllib.loads(files(__package__).joinpath("metadata.toml").read_text("utf-8"))
_TITLES, _AUTHORS, _PUBLISHERS, _DATES, _ARTICLES, _LEADING = (
    _LISTS[name].split() for name in ("titles", "authors", "publishers", "dates", "articles", "leading")
)
_CATEGORIES, _GENERATORS = (
    {name: category for category, names in _LISTS[table].items() for name in names.split()}
    for table in ("categories", "generators")
)
_FROM_ADDRESS = re.compile(r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?:/|-|$)")
_PARTED = re.compile(r"\s+[|–—·•»:\-/]+\s+|\s*[|_]\s*|：")
_BY = re.compile(
    r"^(?:by|von|par|por|di|da|door|autor|author|text|words by|written by|كتبت?|автор)\b[:\s]+", re.IGNORECASE
)
_LABEL = re.compile(r"\W*[^\W\d][^\d:]{0,30}[:：]")
_BYLINE_DISTANCE = 3
"""Lines after the headline in which author and date usually are."""
_LONGEST_BYLINE = 160
"""Characters of such a line."""
_BYLINE_WORDS = 6
"""Most words besides the date in such a line; a sentence has more."""
_OTHER_TAGS = frozenset({"nav", "menu", "footer", "aside"})
_OTHER_NAMES = re.compile(
    r"(?:^|[\s_-])(?:comment|related|recommend|side(?:bar)?\b|widget|popular|trending|promo|advert|ads?\b|footer|menu|nav\b)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://|@\w|www\.", re.IGNORECASE)


class PageMetadata(NamedTuple):
    """Metadata that a page states."""

    title: str | None
    author: str | None
    """Several are separated by commas."""
    publisher: str | None
    published: str | None
    """Date in ISO 8601."""
    language: str | None
    """Two or three letters, as in ISO 639."""
    hints: tuple[Category, ...]
    """Kinds of source that it states, the most reliable first."""
    free: bool
    """Whether it states that it can be read without paying."""


def about(tree: HtmlElement, url: str) -> PageMetadata:
    """Read the metadata from structured data, `<meta>` elements and marked-up text, in this order."""
    metas = _metas(tree)
    items = list(_items(tree))
    # The questions on a FAQ page do not describe the page.
    page_hints = {"question"} if any("faqpage" in _types(item) for item in items) else set()
    articles = sorted(
        (item for item in items if _types(item) & {*_ARTICLES} - page_hints),
        key=lambda item: _types(item).issubset(_LEADING),
    )
    publisher = _publisher(articles, items, metas)
    return PageMetadata(
        title=_title(tree, articles, metas, publisher),
        author=_author(tree, articles, metas, publisher),
        publisher=publisher,
        published=_published(tree, articles, metas, url),
        language=_language(tree, articles, metas),
        hints=_hints(items, metas, url),
        free=not any(str(item.get("isAccessibleForFree")).lower() == "false" for item in articles),
    )


def _metas(tree: HtmlElement) -> dict[str, list[str]]:
    metas: dict[str, list[str]] = {}
    for element in tree.iter("meta"):
        content = _flat(element.get("content"))
        name = element.get("property") or element.get("name") or element.get("itemprop") or element.get("http-equiv")
        if content and name:
            metas.setdefault(name.lower()[:100], []).append(content)
    return metas


def _items(tree: HtmlElement) -> Iterator[dict[str, Any]]:
    """Yield the items described by the page's JSON-LD, however deeply they are nested."""
    count = 0
    for script in tree.iter("script"):
        source = script.text or ""
        if "ld+json" not in (script.get("type") or "") or len(source) > MOST_DATA:
            continue
        try:
            stack = [json.loads(source, strict=False)]
        except (ValueError, RecursionError):
            continue
        while stack and count < _MOST_ITEMS:
            node = stack.pop()
            count += 1
            if isinstance(node, list):
                stack.extend(reversed(node[:_MOST_ITEMS]))
            elif isinstance(node, dict):
                yield node
                stack.extend(node[key] for key in ("mainEntity", "@graph") if isinstance(node.get(key), dict | list))


def _types(item: dict[str, Any]) -> set[str]:
    declared = item.get("@type")
    return {str(name).rsplit("/", 1)[-1].lower() for name in (declared if isinstance(declared, list) else [declared])}


def _title(
    tree: HtmlElement, articles: list[dict[str, Any]], metas: dict[str, list[str]], publisher: str | None
) -> str | None:
    """Return the title: from the structured data, `<meta>`, the first heading that `<title>` contains, or `<title>`."""
    # Pictures in SVG have titles, too.
    full_title = next((_flat(element.text_content()) for element in tree.xpath("//title[not(ancestor::svg)]")), None)
    heads = [
        text.rstrip(" ¶#")
        for element in tree.iter("h1")
        if not _in_part(element) and (text := _flat(element.text_content()))
    ]
    declared = [
        _unescaped(item.get("headline") or (item.get("name") if item is articles[0] else None)) for item in articles[:3]
    ]
    meta_titles = [metas[name][0] for name in _TITLES if name in metas]
    for title in [*declared, *meta_titles]:
        if title:
            return _without_site(title, publisher, heads)
    if full_title:
        matching = [head for head in heads if len(head) > 3 and head.casefold() in full_title.casefold()]
        return max(matching, key=len) if matching else _without_site(full_title, publisher, heads)
    return heads[0] if heads else None


def _without_site(title: str, publisher: str | None, heads: list[str]) -> str:
    """Return a title without the name of the site after or before it."""
    if title in heads:
        return title
    pieces = [piece for piece in _PARTED.split(title) if piece]
    if len(pieces) > 1:
        for piece in (pieces[0], pieces[-1]):
            if publisher and piece.casefold() == publisher.casefold() and piece != title:
                remainder = pieces[1:] if piece is pieces[0] else pieces[:-1]
                start = title.find(remainder[0])
                return title[start : title.rfind(remainder[-1]) + len(remainder[-1])]
        if any(piece in heads for piece in pieces):
            return next(piece for piece in pieces if piece in heads)
        if publisher is None and len(pieces[0]) >= 2 * len(pieces[-1]):
            return title[: title.rfind(pieces[-1])].rstrip(" |–—·•»:-/_")
    return title


def _author(
    tree: HtmlElement, articles: list[dict[str, Any]], metas: dict[str, list[str]], publisher: str | None
) -> str | None:
    for item in articles:
        if names := _names(item.get("author") or item.get("creator")):
            return _joined(names, publisher)
    for key in _AUTHORS:
        if names := [name for name in metas.get(key, ()) if not _ADDRESS.search(name)]:
            return _joined(names, publisher)
    for path in (
        ".//*[@itemprop='author']//*[@itemprop='name']", ".//*[@itemprop='author']", ".//a[@rel='author']",
        ".//*[contains(concat(' ', @class, ' '), ' author ')]//a", ".//*[contains(concat(' ', @class, ' '), ' "
        "byline ')]",
    ):  # fmt: skip
        for element in tree.xpath(path):
            name = _BY.sub("", _flat(element.text_content()) or "")
            # Three letters are initials or a label; 60 letters or five words are exceeded by sentences, not by names.
            if 3 < len(name) <= 60 and not re.search(r"\d|[:/@]", name) and len(name.split()) <= 5:
                return _joined([name], publisher)
    return None


def _joined(names: list[str], publisher: str | None) -> str | None:
    names_left = [name for name in dict.fromkeys(_BY.sub("", name) for name in names) if name and name != publisher]
    return ", ".join(names_left[:_MOST_NAMES])[:LONGEST] or None


def _names(value: object) -> list[str]:
    if isinstance(value, list):
        return [name for entry in value[:_MOST_NAMES] for name in _names(entry)]
    if isinstance(value, dict):
        return _names(value.get("name"))
    name = _unescaped(value)
    return [name] if name and not _ADDRESS.search(name) else []


def _publisher(articles: list[dict[str, Any]], items: list[dict[str, Any]], metas: dict[str, list[str]]) -> str | None:
    for item in articles:
        if names := _names(item.get("publisher")):
            return names[0]
    for key in _PUBLISHERS:
        if key in metas and not _ADDRESS.search(metas[key][0]):
            return metas[key][0]
    sites = [item for item in items if _types(item) & {"website", "newsmediaorganization"}]
    return next((names[0] for item in sites if (names := _names(item.get("name")))), None)


def _published(tree: HtmlElement, articles: list[dict[str, Any]], metas: dict[str, list[str]], url: str) -> str | None:
    for item in articles:
        for key in ("datePublished", "dateCreated", "datePosted", "uploadDate"):
            if (date := iso_date(str(item.get(key) or ""))) is not None:
                return date
    for name in (*_DATES, *(key for key in metas if key.endswith("first-published-at"))):
        if name in metas and (date := iso_date(metas[name][0])) is not None:
            return date
    for path in (".//*[@itemprop='datePublished']", ".//*[@itemprop='dateCreated']", ".//time[@pubdate]", ".//time"):
        for element in tree.xpath(path):
            if _in_part(element):
                continue
            text = element.get("datetime") or element.get("content") or _flat(element.text_content()) or ""
            if (date := iso_date(text)) is not None:
                return date
            break
    match = _FROM_ADDRESS.search(urlsplit(url).path) if url else None
    return iso_date("-".join(group.zfill(2) for group in match.groups())) if match else None


def byline_date(lines: Sequence[VisibleLine], title: str | None) -> str | None:
    """Return the date in the line about author and time that follows the headline."""
    start = next((number for number, line in enumerate(lines) if line.heading and line.text == title), len(lines))
    for line in lines[start + 1 : start + 1 + _BYLINE_DISTANCE]:
        remainder = without_dates(line.text)
        label = _LABEL.match(line.text) and not _BY.match(line.text)
        if len(line.text) <= _LONGEST_BYLINE and not label and len(remainder.split()) <= _BYLINE_WORDS:
            return iso_date(line.text)
    return None


def _in_part(element: HtmlElement) -> bool:
    """Return whether an element belongs to a comment, a menu or another page."""
    return any(
        other.tag in _OTHER_TAGS or _OTHER_NAMES.search(f"{other.get('class') or ''} {other.get('id') or ''}"[:500])
        for other in element.iterancestors()
        if other.tag not in {"article", "main", "body", "html"}
    )


def _language(tree: HtmlElement, articles: list[dict[str, Any]], metas: dict[str, list[str]]) -> str | None:
    root = tree if tree.tag == "html" else next(tree.iter("html"), tree)
    declared = [root.get("lang"), root.get("{http://www.w3.org/XML/1998/namespace}lang"), root.get("xml:lang")]
    declared += [str(item.get("inLanguage") or "") for item in articles]
    declared += [
        metas[name][0] for name in ("content-language", "og:locale", "dc.language", "language") if name in metas
    ]
    for tag in declared:
        if match := re.match(r"([A-Za-z]{2,3})(?:[-_]|$)", tag or ""):
            return match[1].lower()
    return None


def _hints(items: list[dict[str, Any]], metas: dict[str, list[str]], url: str) -> tuple[Category, ...]:
    hints: list[Category] = [
        _CATEGORIES[name] for item in items for name in sorted(_types(item)) if name in _CATEGORIES
    ]
    if any(name.startswith("citation_") for name in metas):
        hints.insert(0, "scientific_medical")
    generator = (metas.get("generator") or [""])[0].lower()
    hints += [category for name, category in _GENERATORS.items() if name in generator]
    host = (urlsplit(url).hostname or "") if url else ""
    if re.search(r"\.gov(?:\.[a-z]{2})?$|\.gouv\.|\.gob\.|\.mil$|\.gov\.|(?:^|\.)europa\.eu$", host):
        hints.insert(0, "government")
    if re.search(r"(?:^|\.)wikipedia\.org$|(?:^|\.)fandom\.com$", host):
        hints.insert(0, "wiki")
    return tuple(dict.fromkeys(hints))


def _unescaped(value: object) -> str | None:
    """Return a name from structured data, in which many sites write the entities of HTML."""
    return _flat(unescape(value)) if isinstance(value, str) else None


def _flat(value: object) -> str | None:
    return " ".join(value.split())[:LONGEST] or None if isinstance(value, str) else None
