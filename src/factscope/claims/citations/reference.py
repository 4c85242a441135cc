"""One entry of a bibliography → its details of the source; and a test whether two entries name the same source."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple
from urllib.parse import unquote

from factscope.core.records import CitationForm, Span

DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`\]]+", re.IGNORECASE)
ARXIV = r"(?:\d{4}\.\d{4,5}|[a-z][a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?"
ARXIV_ID = re.compile(rf"\barxiv:\s?({ARXIV})", re.IGNORECASE)
URL = re.compile(r"(?:https?://|(?<![\w/@.])www\.)[^\s<>\"`|\\]+", re.IGNORECASE)
_DOI_URL = re.compile(r"https?://(?:dx\.)?doi\.org/(10\.\d{4,9}/\S+)", re.IGNORECASE)
_ARXIV_URL = re.compile(rf"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/({ARXIV})(?:\.pdf)?", re.IGNORECASE)
_TRACKING = re.compile(r"(?<=[?&])(?:utm_\w+|fbclid|gclid|ref|source)=[^&]*&?")
_MONTHS = tuple(
    names.split()
    for names in (
        "january januar jänner janvier enero", "february februar février febrero", "march märz mars marzo",
        "april avril abril", "may mai mayo", "june juni juin junio", "july juli juillet julio", "august août agosto",
        "september septembre septiembre", "october oktober octobre octubre", "november novembre noviembre",
        "december dezember décembre diciembre",
    )
)  # fmt: skip
_MONTH = r"[^\W\d_]{3,10}\.?"
_DATE = (
    r"(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\s?\d{1,2}\.\s?\d{4}"
    rf"|\d{{1,2}}(?:\.|er|st|nd|rd|th)? (?:de )?{_MONTH},? (?:de )?\d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}})"
)
_ACCESSED = re.compile(
    rf"\b(?:accessed|retrieved|visited|last (?:checked|accessed|visited)|read|viewed|abgerufen(?: am)?|zugriff(?: am)?"
    rf"|consult[ée](?:e)? le|consultado(?: el)?)(?: on)?:?\s*({_DATE})",
    re.IGNORECASE,
)
"""The day on which an entry says that its source was read."""
_YEAR_IN_BRACKETS = re.compile(r"[(\[](?:[^()\[\]]{0,20}?\b)?((?:1[5-9]|20)\d\d)([a-z]?)\b[^()\[\]]{0,20}[)\]]")
_YEAR = re.compile(r"(?<![\d/.-])((?:1[5-9]|20)\d\d)([a-z]?)(?![\w/-])")
"""A year, with the letter that tells two works of one year apart: "2004b"."""
_QUOTED = re.compile(r"[“\"„«]([^“”\"„«»]{3,300})[”\"“»]")
_LINKED = re.compile(r"\[([^\[\]]{3,300})\]\(")
_SLANTED = re.compile(r"(?<![\w*_])[*_]([^*_\n]{3,300})[*_](?![\w*_])")
"""A title in italics."""
_BY_INITIALS = re.compile(r"([^\W\d_][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)?),\s*(?:[A-ZÀ-Þ]\.[\s-]?)+")
"""A family name before initials: "Kern, I."."""
_PERSON = r"(?:[A-ZÀ-Þ][\w'’.-]*\s+){1,3}[A-ZÀ-Þ][\w'’-]+"
_PEOPLE = re.compile(rf"\W*(?:\[\^?[^\]]*\]:?\s*)?{_PERSON}(?:(?:,|;|,? and|,? &)\s+{_PERSON})*(?:,? et al)?")
_BETWEEN = re.compile(r"\s*(?:,|;|&|\band\b|\bund\b|\bet\b(?! al))\s*")
_FEWEST_TITLE = 3  # characters
_FILE_ENDING = re.compile(
    r"\w\.(?:txt|text|rst|md|markdown|x?html?|pdf|jsonl|ndjson|[ct]sv|docx|pptx|xlsx|epub)\b", re.IGNORECASE
)
"""The end of the name of a file that can be read as evidence."""
_AROUND_FILE = re.compile(r"[/\\\n\"“”„«»`()\[\]<>*|,;:]")


class Reference(NamedTuple):
    """Details of a source from a bibliography entry."""

    key: str | None = None
    entry: str | None = None
    """The entry as it is written."""
    span: Span | None = None
    """Its position in the text."""
    title: str | None = None
    authors: tuple[str, ...] = ()
    """Family names; for an organisation its whole name."""
    year: str | None = None
    """With the letter that distinguishes two works of one year."""
    url: str | None = None
    doi: str | None = None
    arxiv: str | None = None
    accessed: str | None = None
    """ISO 8601."""
    file: str | None = None
    """A file that the entry gives as its text, perhaps after other words."""
    anchor: str | None = None
    """Its anchor for links within the text."""


class Marker(NamedTuple):
    """One citation, before its source is known."""

    span: Span
    outer: Span
    """Span to leave out when the text is read without citations, such as the brackets around several of them."""
    form: CitationForm
    key: str | None = None
    """Key of an entry; None when the marker names its source itself."""
    names: Reference | None = None
    """Its statements about the source."""
    words: str = ""
    """Its words that stay in the sentence, such as the text of a link."""
    locator: str | None = None


def read_entry(text: str, key: str | None = None, span: Span | None = None) -> Reference:
    """Read one entry of a bibliography, in any style; details that it does not state stay empty."""
    url, doi, arxiv = address(text)
    without_text = URL.sub(" ", DOI.sub(" ", text))
    accessed = _ACCESSED.search(without_text)
    dated = without_text[: accessed.start()] + without_text[accessed.end() :] if accessed else without_text
    year = _YEAR_IN_BRACKETS.search(dated) or next(iter(reversed(list(_YEAR.finditer(dated)))), None)
    title, lead = _title(text, dated, year if year and year.re is _YEAR_IN_BRACKETS else None)
    return Reference(
        key=key,
        entry=" ".join(text.split()),
        span=span,
        title=title,
        authors=_authors(lead),
        year=f"{year[1]}{year[2]}" if year else None,
        url=url,
        doi=doi,
        arxiv=arxiv,
        accessed=read_date(accessed[1]) if accessed else None,
        file=_file(without_text),
    )


def _file(text: str) -> str | None:
    """Return the first name of a file, with the words before it, which may belong to it."""
    ending = _FILE_ENDING.search(text)
    return _AROUND_FILE.split(text[: ending.end()])[-1].strip() if ending else None


def address(text: str) -> tuple[str | None, str | None, str | None]:
    """Return the first web address, DOI and arXiv id that a text names, if any."""
    match = URL.search(text)
    url = trimmed(match[0]) if match else None
    doi = next((trimmed(match[0]) for match in [DOI.search(unquote(url or "")) or DOI.search(text)] if match), None)
    arxiv = next((match[1] for match in [_ARXIV_URL.search(url or ""), ARXIV_ID.search(text)] if match), None)
    if url and (_DOI_URL.match(url) or _ARXIV_URL.match(url)):
        url = None  # the DOI or the id identifies the source
    elif url and doi and DOI.search(unquote(url)):
        doi = None  # an address of a publisher that holds a DOI is the address
    return (f"https://{url}" if url and url.lower().startswith("www.") else url), doi, arxiv


def read_date(words: str) -> str | None:
    """Return the date in a bibliography entry in ISO 8601; None if it is not a date.

    Months are those of English, German, French and Spanish, also abbreviated: the languages of the words before it.
    """
    plain = " ".join(words.casefold().split())
    if not re.fullmatch(_DATE, plain):
        return None
    numbers = re.findall(r"\d+", plain)
    if name := re.search(r"[^\W\d_]{3,}", plain):
        month = next((n for n, names in enumerate(_MONTHS, 1) if any(full.startswith(name[0]) for full in names)), 0)
        day, year = map(int, numbers)
    else:
        year, month, day = map(int, numbers if "-" in plain else reversed(numbers))
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def trimmed(result: str) -> str:
    """Return an address without the punctuation of the surrounding sentence."""
    while result:
        last = result[-1]
        opened = {")": "(", "]": "[", "}": "{"}.get(last)
        if last in ".,;:!?'\"*_’”" or (opened and result.count(last) > result.count(opened)):
            result = result[:-1]
        else:
            break
    return result


def identity(url: str | None, doi: str | None = None, arxiv: str | None = None) -> str | None:
    """Return a key that is equal for citations of the same source; None when nothing identifies it."""
    if doi:
        return f"doi:{doi.lower()}"
    if arxiv:
        return f"arxiv:{re.sub(r'v[0-9]+$', '', arxiv.lower())}"
    if not url:
        return None
    stripped = re.sub(r"^(?:https?://)?(?:www\.)?", "", url.partition("#")[0], flags=re.IGNORECASE)
    host, slash, path = stripped.partition("/")
    return f"url:{host.lower()}{slash}{_TRACKING.sub('', path)}".rstrip("/?&")


def _title(text: str, dated: str, year: re.Match[str] | None) -> tuple[str | None, str]:
    """Return the title, and the text before it: the authors."""
    for pattern in (_QUOTED, _LINKED, _SLANTED):
        if match := pattern.search(text):
            lead = text[: match.start()]
            return " ".join(match[1].split()).rstrip(".,") or None, lead
    lead, remainder = (dated[: year.start()], dated[year.end() :]) if year else _after_names(dated)
    title = re.split(r"(?<=[^\W\d_]{2})[.?!](?:\s|$)|\s[–—|]\s", remainder.lstrip(" .,:;)"), maxsplit=1)[0]
    title = " ".join(title.split()).strip(" .,;:-–—<>")
    return (title if len(title) >= _FEWEST_TITLE and re.search(r"[^\W\d_]", title) else None), lead


def _after_names(text: str) -> tuple[str, str]:
    """Split an entry after its authors; without authors all of it is title."""
    names = re.match(r"\W*(?:[^\W\d_][\w'’-]+,\s*(?:[A-ZÀ-Þ]\.[\s-]?)+[,;&\s]*(?:and\s+)?)+", text)
    if names:
        return text[: names.end()], text[names.end() :]
    first, stop, remainder = text.partition(". ")
    return (first, remainder) if stop and remainder and _PEOPLE.fullmatch(first) else ("", text)


def _authors(lead: str) -> tuple[str, ...]:
    lead = re.sub(r"^\s*(?:\[\^?[^\]]*\]:?|\d{1,3}[.)]|[-*+•])\s*|</?[a-z][^<>]*>", "", lead).strip(" .,;:(–—")
    if names := _BY_INITIALS.findall(f"{lead}."):
        return tuple(names)
    lead = re.sub(r"\bet al\.?", "", lead)
    pieces = [" ".join(piece.split()) for piece in _BETWEEN.split(lead) if piece.strip(" .")]
    people = [piece for piece in pieces if not re.fullmatch(r"(?:[A-ZÀ-Þ]\.?[\s-]?)+", piece)]
    return tuple(
        piece.split()[-1] if _PEOPLE.fullmatch(piece) and len(piece.split()) == 2 else piece for piece in people[:12]
    )
