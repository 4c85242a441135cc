"""Records of a text's citations: the sources that it names, their states, and whether quoted words are in them."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from factscope.core.records.flow import Record, Span

CitationForm = Literal[
    "markdown_link", "reference_link", "footnote", "numbered", "author_year", "key", "html_anchor", "bare_url",
    "doi", "arxiv",
]  # fmt: skip
"""How a citation is written: `[text](address)`, `[text][label]`, `[^note]`, `[1]`, `(Kern, 2004)`, `[@kern2004]` or
`\\cite{kern2004}`, `<a href>`, an address, a DOI, an arXiv id."""

FORMS: tuple[CitationForm, ...] = get_args(CitationForm)

SourceState = Literal[
    "read", "dead", "paywalled", "refused", "unreadable", "no_entry", "no_address", "no_answer", "not_fetched"
]
"""Fate of a cited source. `read`: its text is at hand; `dead`: nothing is there; `paywalled`: shown to subscribers
only; `refused`: its server shows it to no program; `unreadable`: no text could be read off it; `no_entry`: the text
names a key that no entry explains; `no_address`: an entry says neither address nor file; `no_answer`: a DOI or arXiv id
that its resolver does not know; `not_fetched`: it is on the web, and fetching was switched off."""

SourceFrom = Literal["evidence", "recording", "web"]
"""Where the text of a source came from: a local file, a recorded fetch, or the web."""

QuotationOutcome = Literal["verbatim", "altered", "absent", "not_there"]
"""`verbatim`: the words are in a cited source; `altered`: nearly, with the differences; `absent`: they are in none;
`not_there`: none of the cited sources could be read."""


class Citation(Record):
    """One place where the text names a source."""

    type: Literal["citation"] = "citation"
    id: str
    """`k1`, `k2` … in reading order."""
    span: Span
    """Its position in the response."""
    text: str
    """Its exact characters."""
    form: CitationForm
    """How it is written."""
    source_id: str
    """The source that it names."""
    segment_id: str | None = None
    """The segment that it belongs to; `None` where there is none, as in a caption."""
    scope: Span | None = None
    """The words that it supports: its sentence, or its clause where several cite; `None` without a segment."""
    locator: str | None = None
    """The page or chapter that it names."""


class CitedSource(Record):
    """A source that the text cites or lists, and its state."""

    type: Literal["source"] = "source"
    id: str
    """`b1`, `b2` … in the order in which they are first cited; those only listed come last."""
    key: str | None = None
    """Name in the text: `1`, `kern2004`, `Kern 2004`."""
    entry: str | None = None
    """Its entry in the bibliography, as it is written."""
    span: Span | None = None
    """Position of the entry in the response; `None` when it is in a file, or there is none."""
    title: str | None = None
    """Its title, as the entry or the source states it."""
    authors: tuple[str, ...] = ()
    """Family names, as far as the entry states them."""
    year: str | None = None
    """Year of publication, as the entry states it."""
    url: str | None = None
    """Its address."""
    doi: str | None = None
    """Its DOI, such as `10.1234/abc`."""
    arxiv: str | None = None
    """Its arXiv id, such as `2305.14627`."""
    accessed: str | None = None
    """When the writer read it, ISO 8601, as the entry states it."""
    state: SourceState
    """Its state."""
    reason: str | None = None
    """Why it could not be read; `None` when it was read."""
    via: SourceFrom | None = None
    """Where its text came from; `None` when it was not read."""
    document_id: str | None = None
    """The document that holds its text."""
    changed: str | None = None
    """Day on which it was changed after the writer read it, ISO 8601; `None` when that is not known."""
    circular: str | None = None
    """Why it is not independent evidence: it is this text itself, or a copy of it; `None` when it is neither."""


class Difference(Record):
    """A run of words in which a quotation and its source differ."""

    quoted: str
    """The words of the text; empty where it leaves some out."""
    source: str
    """The words of the source; empty where the text adds some."""


class Quotation(Record):
    """Words in quotation marks, compared with the sources cited for them."""

    type: Literal["quotation"] = "quotation"
    id: str
    """`q1`, `q2` … in reading order."""
    span: Span
    """Position of the words in the response, without their marks."""
    text: str
    """Its exact characters."""
    segment_id: str | None = None
    """The segment that they are in."""
    source_ids: tuple[str, ...] = ()
    """The sources cited for them."""
    outcome: QuotationOutcome
    """Whether the sources contain them."""
    source_id: str | None = None
    """The source that contains them, or the one with the most similar words."""
    found: str | None = None
    """The words of the source; `None` when they are absent."""
    found_span: Span | None = None
    """Their position in the source's text."""
    differences: tuple[Difference, ...] = ()
    """How they were altered, in order."""


class Repair(Record):
    """Another source for a claim that its own citation does not support. Only a proposal: the text is not changed."""

    type: Literal["repair"] = "repair"
    id: str
    """`s3.c2.r1`: first proposal for claim `s3.c2`."""
    unit_id: str
    """The claim."""
    source_id: str | None = None
    """The source, where the text cites it elsewhere."""
    title: str | None = None
    """Title of the source."""
    url: str | None = None
    """Its address, or the path of its file."""
    reference: str
    """An entry for the bibliography, ready to be copied."""
    quote: str
    """The words that support the claim."""
    judge: str
    """The judge that found the support."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    """The judge's confidence."""
