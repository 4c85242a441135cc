"""Segments with citations → their claims without the citation marks, and the citations that belong to each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factscope.claims.citations.block_quotes import introduces_a_quotation
from factscope.claims.citations.markers import pieces_without
from factscope.claims.citations.read_citations import Cited
from factscope.claims.citations.reference import Marker
from factscope.claims.cut import cut
from factscope.claims.text.plain_text import plain
from factscope.core.records import Citation, Claim, Segment, Span

REFERENCE = "an entry of the bibliography"
_EMPTY = re.compile(r"[(\[]\s*[,;]?\s*[)\]]")
_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?)\]](?:\s|$|[\"”’)]))")
_TWICE = re.compile(r"([.!?])\s*\.(?=\s|$)")
_NAMED = re.compile(
    r"(?:according to|as (?:stated|reported|described|shown) (?:in|by)|per)\s*(?=,)|^\W*,\s*", re.IGNORECASE
)
_REPORTED = re.compile(
    r"^(?:(?:[^\s.]+|al\.)\s+){1,8}?(?:found|finds?|reports?|reported|shows?|showed|states?|stated|notes?|noted|argues?|argued"
    r"|writes?|wrote|says?|said|estimates?|estimated|concludes?|concluded|observes?|observed|records?|recorded"
    r"|demonstrates?|demonstrated|confirms?|confirmed|claims?|claimed|suggests?|suggested|gives?)\s+that\s+"
)
_FINITE = (
    r"(?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|does|did|[a-z]{2,}ed|holds?|stands?|lies|runs"
    r"|serves)\b"
)
_VERB = re.compile(rf"\b{_FINITE}")
_PREDICATE = re.compile(rf"(?:also |now |later |then |still )?{_FINITE}")
_LONGEST_SUBJECT = 8  # words; anything longer is a clause
_FEWEST_WORDS = 3  # a clause with fewer states nothing on its own


def statement(text: str, span: Span, markers: Sequence[Marker]) -> str:
    """Return the words of a piece of text without its citations and markup."""
    words = pieces_without(text, span, sorted(markers, key=lambda item: item.outer.start))
    without_text = _EMPTY.sub("", "".join(words))
    without_text = _TWICE.sub(r"\1", _BEFORE_STOP.sub("", " ".join(plain(without_text).split())))
    return _NAMED.sub("", without_text).strip(" ,;") or without_text


def claims_of(text: str, segment: Segment, cited: Cited, names: Sequence[str] = ()) -> list[Claim]:
    """Return the claims of a segment by rules: one for each clause with its own citations, otherwise the whole segment.

    An entry of the bibliography is a claim that is not checked. `names` are those of the columns, for a row of a table.
    """
    complete = cut(segment, names)
    if any(span.start <= segment.span.start < span.end for span in cited.listed):
        return [complete.model_copy(update={"kind": "other", "skipped": REFERENCE})]
    if introduces_a_quotation(text, segment):
        return [complete.model_copy(update={"kind": "other", "skipped": "it introduces a quotation"})]
    selected = [citation for citation in cited.citations if citation.segment_id == segment.id]
    inside = [marker for marker in cited.markers if marker.outer.overlaps(segment.span)]
    if not selected and not inside:
        return [complete]
    if segment.kind == "table_row":  # with its bars, which keep its cells apart
        row = "".join(pieces_without(text, segment.span, sorted(inside, key=lambda item: item.outer.start)))
        return [cut(segment.model_copy(update={"text": row}), names)]
    scopes = sorted({citation.scope for citation in selected if citation.scope}, key=lambda scope: scope.start) or [
        segment.span
    ]
    results = [_claim(text, segment, complete, scope, number, inside) for number, scope in enumerate(scopes, 1)]
    return [results[0], *(_with_subject(item, results[0].text) for item in results[1:])]


def _claim(text: str, segment: Segment, complete: Claim, scope: Span, number: int, markers: Sequence[Marker]) -> Claim:
    words = statement(text, scope, markers)
    # Judged without its marks: otherwise the year of a citation would be a figure that the source must contain.
    without_text = cut(segment.model_copy(update={"text": words, "span": scope}))
    few = len(words.split()) < _FEWEST_WORDS and not re.search(r"\d", words)
    skipped = "no words but its citations" if few else without_text.skipped
    skipped = complete.skipped if segment.kind in ("heading", "code") else skipped
    return without_text.model_copy(
        update={
            "id": f"{segment.id}.c{number}",
            "text": words,
            "standalone": reported(words),
            "skipped": skipped,
        }
    )


def _with_subject(claim: Claim, first: str) -> Claim:
    """Return a clause without a subject, "has six arches", with the subject of the sentence's first clause."""
    verb = _VERB.search(first)
    subject = first[: verb.start()].strip() if verb else ""
    if not _PREDICATE.match(claim.text) or not subject or len(subject.split()) > _LONGEST_SUBJECT:
        return claim
    return claim.model_copy(update={"standalone": f"{subject} {claim.standalone}", "independent": False})


def reported(words: str) -> str:
    """Return the finding that a sentence attributes to somebody: "Kern found that the bridge …" is about the bridge."""
    result = _REPORTED.match(words)
    if not result or len(words[result.end() :].split()) < _FEWEST_WORDS:
        return words
    remainder = words[result.end() :]
    return remainder[0].upper() + remainder[1:]


def unmarked(claim: Claim, segment: Segment, cited: Cited, text: str) -> Claim:
    """Return a claim that a model wrote, without the citations that the model copied.

    An entry of the bibliography is skipped.
    """
    if any(span.start <= segment.span.start < span.end for span in cited.listed):
        return claim.model_copy(update={"kind": "other", "skipped": claim.skipped or REFERENCE})
    change = {name: getattr(claim, name) for name in ("text", "standalone")}
    for marker in cited.markers:
        if marker.outer.overlaps(segment.span):
            marked = marker.outer.of(text)
            change = {name: words.replace(marked, marker.words) for name, words in change.items()}
    tidy = {name: _BEFORE_STOP.sub("", " ".join(_EMPTY.sub("", words).split())) for name, words in change.items()}
    return claim.model_copy(update={name: words or change[name] for name, words in tidy.items()})


def cited_by(claim: Claim, citations: Sequence[Citation]) -> Iterator[Citation]:
    """Yield the citations that belong to a claim: those of its segment whose words overlap with it.

    A claim that could not be aligned has all citations of its segment, and so has one that lies between the words of
    two of them.
    """
    own = [citation for citation in citations if citation.segment_id == claim.segment_id]
    over = [citation for citation in own if claim.span and citation.scope and citation.scope.overlaps(claim.span)]
    yield from (over or own)
