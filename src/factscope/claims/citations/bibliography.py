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
_DEFINITION = re.compile(r"[ ]{0,3}\[(?P<label>\^?[^\[\]\n]{1,60})\]:[ \t]*(?P<rest>\S.*)$")
_NUMBERED_LINE = re.compile(r"[ ]{0,3}\[(?P<label>\d{1,3})\][ \t]+(?P<rest>\S.*)$")
_LINKED_TO = re.compile(r"<?(?P<url>[^\s<>]+)>?(?:\s+[\"'(](?P<title>.*)[\"')])?\s*$")
_ANCHOR = re.compile(r"<a\b[^<>]*\bhref=[\"']([^\"']+)[\"'][^<>]*>(.*?)</a>", re.IGNORECASE | re.DOTALL)
_ID = re.compile(r"\b(?:id|name)=[\"']([^\"'\s>]+)[\"']", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)
_FEWEST_WORDS = 3


class Line(NamedTuple):
    """A line of the text without its end."""

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
    """Definitions of link labels, in small letters."""
    taken: tuple[Span, ...]
    """Where headings, entries and definitions stand: no statements."""


def find_bibliography(text: str) -> Bibliography:
    """All entries and definitions of a text in Markdown or HTML, or plain; `text` without its code."""
    lines = list(_lines(text))
    entries: list[Reference] = []
    links: dict[str, Reference] = {}
    taken: list[Span] = []
    at = 0
    while at < len(lines):
        if end := _section(lines, at):
            found = list(_entries(lines[at + 1 : end]))
            entries += found
            taken.append(Span(start=lines[at].start, end=lines[end - 1].end))
            at = end
            continue
        last, one = _defined(lines, at)
        if one is not None:
            label = (one.key or "").casefold()
            if label.isdigit() or label.startswith("^"):
                entries.append(one)
            else:
                links.setdefault(label, one)
            taken.append(Span(start=lines[at].start, end=lines[last].end))
        at = last + 1
    links |= {(one.key or "").casefold(): one for one in entries if one.key and one.url and one.key not in links}
    return Bibliography(tuple(entries), links, tuple(taken))


def _lines(text: str) -> Iterator[Line]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield Line(at, line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"))
        at += len(line)


def _section(lines: list[Line], at: int) -> int:
    """The line behind a section of entries that begins at this line; 0 when none does."""
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
    """Whether a line may be an entry."""
    said = read_entry(line)
    return bool(_BEGINS.match(line) or said.url or said.doi or said.arxiv or (said.year and said.authors))


def _is_prose(lines: list[Line], at: int) -> bool:
    """Whether, behind a heading that is only a line, an empty line is followed by what is not an entry."""
    return (
        at > 0 and not lines[at - 1].text.strip() and bool(lines[at].text.strip()) and not _looks_listed(lines[at].text)
    )


def _entries(lines: list[Line]) -> Iterator[Reference]:
    """The entries of a section: each begins with a mark, behind an empty line, or with a line that is not indented."""
    marked = any(_BEGINS.match(line.text) for line in lines)
    group: list[Line] = []
    groups: list[list[Line]] = []
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


def _entry(group: list[Line], begins: re.Match[str] | None, number: int) -> Reference:
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
    said = read_entry(f"{words} {anchor[1]}" if anchor and "://" in anchor[1] else body, key, span)
    title = " ".join(_TAG.sub("", anchor[2]).split()) if anchor and not said.title else said.title
    return said._replace(entry=" ".join(words.split()), title=title, anchor=ids[1] if ids else None)


def _defined(lines: list[Line], at: int) -> tuple[int, Reference | None]:
    """The last line of a definition that begins at this line, and what it defines; None when none does."""
    line = lines[at]
    found = _DEFINITION.match(line.text) or _NUMBERED_LINE.match(line.text)
    if not found:
        return at, None
    label, last = found["label"], at
    while last + 1 < len(lines) and re.match(r"(?: {2,}|\t)\S", lines[last + 1].text):
        last += 1
    rest = " ".join([found["rest"], *(one.text.strip() for one in lines[at + 1 : last + 1])])
    target = _LINKED_TO.match(rest)
    span = Span(start=line.start + len(line.text) - len(line.text.lstrip()), end=lines[last].end)
    if found.re is _DEFINITION and not label.startswith("^") and target is not None:
        said = read_entry(target["url"], label, span)
        url = said.url or _local(target["url"], said)
        return last, said._replace(title=target["title"], authors=(), url=url, entry=rest)
    if found.re is _NUMBERED_LINE and len(rest.split()) < _FEWEST_WORDS and not read_entry(rest).url:
        return at, None
    return last, read_entry(rest, label, span)


def _local(target: str, said: Reference) -> str | None:
    """A target that is a path of a file, where it is not an address of any kind."""
    return None if said.doi or said.arxiv or target.startswith("#") else target
