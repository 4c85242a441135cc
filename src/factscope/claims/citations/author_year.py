"""Citations by author and year, "(Kern, 2004)" and "Kern and Low (2004)", recognised by the entries that they name.

Any text has names next to years: "(Marlow 1931)" may be a place, "May (2004)" a month. So a pair counts when an entry
of the bibliography matches it. Without an entry, it counts only if the text cites in this style and the form is
unambiguous, as in "(Kern et al., 2004)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factscope.claims.citations.reference import Marker, Reference
from factscope.core.records import Span

_WORD = r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*[\w’]"
_NAME = rf"(?:(?:van|von|de|der|den|del|della|la|le|di|da|dos|ten|ter|al|el|bin|Mc|Mac|O['’])\s?){{0,3}}{_WORD}"
_OTHERS = r"(?:,?\s+et\s+al\.?|\s+and\s+(?:others|colleagues))"
_AND = r"(?:&|\band\b|\bund\b|\bet\b)"
_PEOPLE = rf"{_NAME}(?:\s+{_WORD}){{0,4}}(?:(?:\s*,\s*{_NAME}){{0,4}},?\s*{_AND}\s*{_NAME}(?:\s+{_WORD}){{0,3}})?"
_YEARS = r"(?:(?:1[5-9]|20)\d\d[a-z]?|n\.d\.|forthcoming|in press)"
_YEAR = re.compile(_YEARS)
_WHERE = r"(?:\s*[,:]\s*(?:pp?\.|ch\.|chap\.|chapter|sec\.|§|para\.|fig\.|table|Table)?\s*[\d–—\-]+(?:\.\d+)*)?"
_BRACKET = re.compile(r"[(\[](?P<in>[^()\[\]]{0,400}?\b(?:1[5-9]|20)\d\d[a-z]?\b[^()\[\]]{0,60})[)\]]")
_ITEM = re.compile(
    rf"(?P<lead>(?:see(?:\s+also)?|e\.g\.,?|cf\.|also|as\s+in|for\s+example,?|quoted\s+in|cited\s+in)\s+)*"
    rf"(?P<people>{_PEOPLE}){_OTHERS}?(?P<comma>,)?\s*(?P<years>{_YEARS}(?:\s*,\s*{_YEARS})*){_WHERE}",
)
_NARRATIVE = re.compile(
    rf"(?P<people>{_PEOPLE}){_OTHERS}?(?:['’]s?)?\s*(?P<outer>[(\[](?P<years>{_YEARS}(?:\s*,\s*{_YEARS})*)(?P<where>{_WHERE})[)\]])"
)
_MONTH_WORDS = """
    january february march april may june july august september october november december spring summer autumn fall
    winter since until from before after circa about around between during
"""
_MONTHS = frozenset(_MONTH_WORDS.split())
_LEADS = frozenset(
    ["In", "The", "As", "According", "Both", "While", "Although", "But", "And", "By", "See", "Per", "When"]
)
_LEAD = re.compile(rf"(?:(?:{'|'.join(sorted(_LEADS))})[\s,]+)+")


def author_years(view: str, references: Sequence[Reference]) -> Iterator[Marker]:
    """Yield the citations of `view` by author and year."""
    dated = [reference for reference in references if reference.authors and reference.year]
    if not dated:
        return
    used: list[Span] = []
    for bracket in _BRACKET.finditer(view):
        results = list(_in_bracket(view, bracket, dated))
        if results:
            outer = Span(start=bracket.start(), end=bracket.end())
            used.append(outer)
            for span, key, names in results:
                yield Marker(outer if len(results) == 1 else span, outer, "author_year", key, names)
    for match in _NARRATIVE.finditer(view):
        outer = Span(start=match.start("outer"), end=match.end("outer"))
        if any(outer.overlaps(item) for item in used):
            continue
        people = _names(match["people"])
        while people and people[0] in _LEADS:
            people.pop(0)
        lead = _LEAD.match(match["people"])
        start = match.start("people") + (lead.end() if lead else 0)
        for year in _YEAR.findall(match["years"]):
            item = _entry(people, year, dated)
            if item is not None:
                where = match["where"].strip(" ,:") or None
                span = Span(start=start, end=match.end("outer"))
                yield Marker(span, outer, "author_year", item.key, item, locator=where)


def _in_bracket(
    view: str, bracket: re.Match[str], dated: Sequence[Reference]
) -> Iterator[tuple[Span, str | None, Reference | None]]:
    at = bracket.start("in")
    for piece in re.finditer(r"[^;]+", bracket["in"]):
        words = piece[0].strip()
        start = at + piece.start() + len(piece[0]) - len(piece[0].lstrip())
        item = _ITEM.fullmatch(words)
        if item is None:
            continue
        multiple = re.search(_OTHERS, words) is not None
        people = _names(item["people"])
        span = Span(start=start, end=start + len(words))
        for year in _YEAR.findall(item["years"]):
            entry = _entry(people, year, dated)
            if entry is not None:
                yield span, entry.key, entry
            elif _beyond_doubt(item, people, multiple=multiple):
                yield span, f"{' and '.join(people[:2])} {year}", None


def _beyond_doubt(item: re.Match[str], people: list[str], *, multiple: bool) -> bool:
    """Return whether a bracket that matches no entry is certainly a citation."""
    if not people or people[0].casefold() in _MONTHS:
        return False
    return multiple or item["comma"] is not None or "&" in item["people"]


def _names(people: str) -> list[str]:
    pieces = re.split(r"\s*(?:,|&|\band\b|\bund\b|\bet\b)\s*", people)
    return [" ".join(piece.split()) for piece in pieces if piece.strip(" .")]


def _entry(people: Sequence[str], year: str, dated: Sequence[Reference]) -> Reference | None:
    """Return the entry that a citation names.

    Year and first author must match, and the second author where the citation names one.
    """
    same_year = [item for item in dated if item.year == year]
    same_year = same_year or [item for item in dated if item.year and item.year[:4] == year[:4]]
    for first in _readings(people[0] if people else ""):
        fitting = [item for item in same_year if _is_named(item.authors[0], first)]
        if len(people) > 1 and len(fitting) > 1:
            fitting = [
                item for item in fitting if len(item.authors) > 1 and _is_named(item.authors[1], people[1])
            ] or fitting
        if fitting:
            return fitting[0]
    return None


def _readings(name: str) -> Iterator[str]:
    """Yield a name, and the rest of it without leading words: "In Kern", "Later Kern"."""
    words = name.split()
    for at in range(len(words)):
        yield " ".join(words[at:])


def _is_named(author: str, name: str) -> bool:
    author, name = author.casefold().strip(" ."), re.sub(r"['’]s$", "", name.casefold()).strip(" .")
    words = author.split()
    initials = "".join(word[0] for word in words if word not in ("of", "the", "and", "for", "de", "der"))
    return name == author or bool(words and name == words[-1]) or (len(words) > 2 and name == initials)
