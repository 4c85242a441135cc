"""Plain strings as the records that a step needs: claims, documents and the text may be given without ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from factscope.core.records import Claim, Document, Response, Segment, Span
from factscope.evidence.text_documents import text_document
from factscope.web.problems import ProblemError
from factscope.web.step_forms import PlainDocument, StepClaims


class Units(NamedTuple):
    """The text of a request, its segments, and the claims to process."""

    response: Response
    segments: tuple[Segment, ...]
    claims: tuple[Claim, ...]


def response_of(text: str | None, response: Response | str | None) -> Response:
    """Return the text of a request, which is given in one of the two fields. Raises ProblemError for both or none."""
    if (text is None) == (response is None):
        raise ProblemError(422, "Give the text once: in the field text, or in the field response.")
    return response if isinstance(response, Response) else Response(text=text if text is not None else response or "")


def units_of(body: StepClaims, segments: Sequence[Segment] | None = None) -> Units:
    """Return the claims of a request as records, with their text and segments.

    Without a text, the claims themselves are the text, one on each line. A claim given as a string gets an id of its
    own, and the text or the line that holds it as its segment. Raises ProblemError.
    """
    if (body.claim is None) == (not body.claims):
        raise ProblemError(422, "Give one claim in the field claim, or several in the field claims.")
    items = body.claims if body.claim is None else (body.claim,)
    words = [claim if isinstance(claim, str) else claim.text for claim in items]
    if blank := next((number for number, text in enumerate(words, 1) if not text.strip()), None):
        raise ProblemError(422, f"Claim {blank} is empty.")
    response = (
        body.response if isinstance(body.response, Response) else Response(text=body.response or "\n".join(words))
    )
    claims = tuple(
        Claim(id=f"s{number}.c1", segment_id=f"s{number}", text=claim, standalone=claim)
        if isinstance(claim, str)
        else claim
        for number, claim in enumerate(items, 1)
    )
    by_id = {} if segments is None else {segment.id: segment for segment in segments}
    for claim in claims:
        by_id.setdefault(claim.segment_id, _stand_in(claim, response.text))
    return Units(response, tuple(by_id.values()), claims)


def _stand_in(claim: Claim, text: str) -> Segment:
    """Return the segment of a claim that came without one: the part of the text with its words, else the whole text."""
    start = text.find(claim.text)
    span = Span(start=start, end=start + len(claim.text)) if start >= 0 else Span(start=0, end=len(text))
    return Segment(id=claim.segment_id, span=span, text=span.of(text), kind="sentence")


def documents_of(items: Sequence[Document | PlainDocument | str]) -> tuple[Document, ...]:
    """Return the documents of a request as records; equal ones count once.

    Raises ProblemError for an empty text, and for two records with one id.
    """
    documents: dict[str, Document] = {}
    for number, item in enumerate(items, 1):
        plain = PlainDocument(text=item) if isinstance(item, str) else item
        if isinstance(plain, PlainDocument):
            if not plain.text.strip():
                raise ProblemError(422, f"Document {number} is empty.")
            document = text_document(plain.text, title=plain.title or plain.name, url=plain.url or plain.name)
            same = documents.get(document.id)
            name = document.id if same is None or same == document else f"{document.id}-{number}"
            documents[name] = document.model_copy(update={"id": name})
        elif documents.setdefault(plain.id, plain) != plain:
            raise ProblemError(422, f"There are two documents with the id {plain.id}.")
    return tuple(documents.values())
