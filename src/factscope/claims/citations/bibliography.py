"""The entries that a text lists: under a heading, as definitions of footnotes and links, or as numbered lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from factscope.claims.citations.reference import Reference, read_entry
from factscope.core.records import Span

_NAMES = (
    r"references?(?: list| cited)?|list of references|bibliography|works cited|(?:list of )?sources?(?: cited)?"
    r"|literature(?: cited)?|citations|(?:foot|end)?notes|further reading|quellen(?:verzeichnis)?"
    r"|literatur(?:verzeichnis)?|einzelnachweise|r[ée]f[ée]rences|bibliographie|referencias|bibliograf[íi]a|fuentes"
)
_HEADING = re.compile(
    rf"[ ]{{0,3}}(?:(?P<hashes>#{{1,6}})[ \t]*|<h(?P<level>[1-6])[^<>]*>)?(?:\d+\.?[ \t]*)?[*_]{{0,2}}(?:{_NAMES})"
    rf"(?P<colon>:?)[*_]{{0,2}}(?P<late>:?)[ \t]*(?:#*|</h[1-6]>)[ \t]*$",
    re.IGNORECASE,
)
_ANY_HEADING = re.compile(r"[ ]{0,3}(?:(?P<hashes>#{1,6})[ \t]|<h(?P<level>[1-6])[^<>]*>)", re.IGNORECASE)
_BEGINS = re.compile(
    r"[ \t]*(?:>[ \t]*)?(?:\[(?P<label>\^?[^\[\]\n]{1,60})\](?!\()(?P<colon>:?)|(?P<number>\d{1,3})[.)](?=\s)"
    r"|(?P<bullet>[-*+•])(?=\s)|<li(?:[^<>]*?\bid=[\"']?(?P<id>[^\"'\s>]+))?[^<>]*>)[ \t]*"
)
"""The mark with which an entry begins: a number, a label in brackets, a bullet or a list item."""
_DEFINITION = re.compile(r"[ ]{0,3}\[(?P<label>\^?[^\[\]\n]{1,60})\]:[ \t]*(?P<rest>\S.*)$")
_NUMBERED_LINE = re.compile(r"[ ]{0,3}\[(?P<label>\d{1,3})\][ \t]+(?P<rest>\S.*)$")
_LINKED_TO = re.compile(r"<?(?P<url>[^\s<>]+)>?(?:\s+[\"'(](?P<title>.*)[\"')])?\s*$")
_ANCHOR = re.compile(r"<a\b[^<>]*\bhref=[\"']([^\"']+)[\"'][^<>]*>(.*?)</a>", re.IGNORECASE | re.DOTALL)
_ID = re.compile(r"\b(?:id|name)=[\"']([^\"'\s>]+)[\"']", re.IGNORECASE)
_TAG = re.compile(r"</?(?!https?:)[a-z][^<>]*>", re.IGNORECASE)  # `<https://…>` is an address
_FEWEST_WORDS = 3  # a numbered line with fewer words is an item of a list


class ListLine(NamedTuple):
    """A line of the text without its line break."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The offset after its last character."""
        return self.start + len(self.text)


class Bibliography(NamedTuple):
    """Entries of a text's list."""

    entries: tuple[Reference, ...]
    """In the order of the text."""
    links: dict[str, Reference]
    """Definitions of link labels, by label in lower case."""
    taken: tuple[Span, ...]
    """Positions of headings, entries and definitions, which state nothing themselves."""


def find_bibliography(text: str) -> Bibliography:
    """Return all entries and definitions of a text in Markdown or HTML, or plain; `text` without its code."""
    lines = list(_lines(text))
    entries: list[Reference] = []
    links: dict[str, Reference] = {}
    used: list[Span] = []
    at = 0
    while at < len(lines):
        if end := _section(lines, at):
            results = list(_entries(lines[at + 1 : end]))
            entries += results
            used.append(Span(start=lines[at].start, end=lines[end - 1].end))
            at = end
            continue
        last, item = _defined(lines, at)
        if item is not None:
            label = (item.key or "").casefold()
            if label.isdigit() or label.startswith("^"):
                entries.append(item)
            else:
                links.setdefault(label, item)
            used.append(Span(start=lines[at].start, end=lines[last].end))
        at = last + 1
    links |= {
        (entry.key or "").casefold(): entry for entry in entries if entry.key and entry.url and entry.key not in links
    }
    return Bibliography(tuple(entries), links, tuple(used))


def _lines(text: str) -> Iterator[ListLine]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield ListLine(at, line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"))
        at += len(line)


def _section(lines: list[ListLine], at: int) -> int:
    """Return the number of the line after a bibliography that begins at this line; 0 when none does."""
    heading = _HEADING.match(lines[at].text)
    if not heading:
        return 0
    marked = heading["hashes"] or heading["level"]
    bold = re.match(r"\s*[*_]{2}", lines[at].text)
    below = next((line.text for line in lines[at + 1 :] if line.text.strip()), "")
    if not (marked or bold or heading["colon"] or heading["late"] or _looks_listed(below)):
        return 0
    level = _level(heading) or 7
    end = at + 1
    while end < len(lines):
        other = _ANY_HEADING.match(lines[end].text)
        if other and _level(other) <= level and not _HEADING.match(lines[end].text):
            break
        if level == 7 and not marked and _is_prose(lines, end):
            break
        end += 1
    return end if end > at + 1 and any(_looks_listed(line.text) for line in lines[at + 1 : end]) else 0


def _level(heading: re.Match[str]) -> int:
    return len(heading["hashes"] or "") or int(heading["level"] or 0)


def _looks_listed(line: str) -> bool:
    """Return whether a line may be an entry."""
    text = read_entry(line)
    return bool(_BEGINS.match(line) or text.url or text.doi or text.arxiv or (text.year and text.authors))


def _is_prose(lines: list[ListLine], at: int) -> bool:
    """Return whether a one-line heading is followed by an empty line and then by anything but an entry."""
    return (
        at > 0 and not lines[at - 1].text.strip() and bool(lines[at].text.strip()) and not _looks_listed(lines[at].text)
    )


def _entries(lines: list[ListLine]) -> Iterator[Reference]:
    """Yield the entries of a bibliography.

    Each begins with a marker, after an empty line, or with a line that is not indented.
    """
    marked = any(_BEGINS.match(line.text) for line in lines)
    group: list[ListLine] = []
    groups: list[list[ListLine]] = []
    for line in lines:
        if not line.text.strip() or (_TAG.sub("", line.text).strip() == "" and "<li" not in line.text):
            group = []
            continue
        fresh = bool(_BEGINS.match(line.text)) if marked else not line.text.startswith((" ", "\t"))
        if fresh or not group:
            group = []
            groups.append(group)
        group.append(line)
    for number, group in enumerate(groups, 1):
        yield _entry(group, _BEGINS.match(group[0].text), number)


def _entry(group: list[ListLine], begins: re.Match[str] | None, number: int) -> Reference:
    span = Span(start=group[0].start + len(group[0].text) - len(group[0].text.lstrip()), end=group[-1].end)
    raw = "\n".join(line.text for line in group)
    body = raw[begins.end() :] if begins else raw
    key: str | None = None
    if begins and begins["label"]:
        key = begins["label"]
    elif begins and (begins["number"] or "<li" in begins[0]):
        key = begins["number"] or str(number)
    ids = _ID.search(raw)
    anchor = _ANCHOR.search(body)
    words = _TAG.sub("", body)
    text = read_entry(f"{words} {anchor[1]}" if anchor and "://" in anchor[1] else words, key, span)
    title = " ".join(_TAG.sub("", anchor[2]).split()) if anchor and not text.title else text.title
    return text._replace(entry=" ".join(words.split()), title=title, anchor=ids[1] if ids else None)


def _defined(lines: list[ListLine], at: int) -> tuple[int, Reference | None]:
    """Return the last line of a definition that begins at this line, with its entry; None if none begins here."""
    line = lines[at]
    result = _DEFINITION.match(line.text) or _NUMBERED_LINE.match(line.text)
    if not result:
        return at, None
    label, last = result["label"], at
    while last + 1 < len(lines) and re.match(r"(?: {2,}|\t)\S", lines[last + 1].text):
        last += 1
    remainder = " ".join([result["rest"], *(line.text.strip() for line in lines[at + 1 : last + 1])])
    target = _LINKED_TO.match(remainder)
    span = Span(start=line.start + len(line.text) - len(line.text.lstrip()), end=lines[last].end)
    if result.re is _DEFINITION and not label.startswith("^") and target is not None:
        statement = read_entry(target["url"], label, span)
        url = statement.url or _local(target["url"], statement)
        return last, statement._replace(title=target["title"], authors=(), url=url, entry=remainder)
    entry = read_entry(remainder, label, span)
    if result.re is _NUMBERED_LINE and len(remainder.split()) < _FEWEST_WORDS and not (entry.url or entry.file):
        return at, None
    return last, entry


def _local(target: str, text: Reference) -> str | None:
    """Return a target that is the path of a file, and not an address of any kind."""
    return None if text.doi or text.arxiv or target.startswith("#") else target
