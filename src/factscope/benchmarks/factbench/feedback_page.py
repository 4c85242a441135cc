"""Feedback for models as a page or as Markdown: all outside text escaped and inert, no script, no request."""

from __future__ import annotations

from collections.abc import Iterator

from factscope.benchmarks.factbench.feedback import Feedback, ModelFeedback, ResponseFeedback, WrongClaim
from factscope.core import plurals
from factscope.report import Block, Pages, Paragraph, Points, Title, wording

MAX_RESPONSES = 200
"""Responses that a report lists; JSON has all."""


WEIGHT = (
    "The number is the weight of a unit: 1 when contradicted, alpha when undecided, times the judge's confidence where"
    " it gives one, times the units that stand and fall with it. High is a contradicted one of which the judge is sure,"
    " or on which others rest."
)


def to_html(feedback: Feedback) -> str:
    """Return the page. Links go only to the http and https addresses of the evidence."""
    first_responses = feedback.responses[:MAX_RESPONSES]
    numbers = {response.id: number for number, response in enumerate(first_responses, 1)}
    return _PAGES.fill("feedback.html", found=feedback, shown=first_responses, places=numbers)


def document(feedback: Feedback) -> Iterator[Block]:
    """Yield the same as plain text."""
    yield Title(f"Feedback on run {feedback.run}", 1)
    yield Paragraph(WEIGHT)
    for model in feedback.models:
        yield Title(model.model)
        yield Paragraph(model_sentence(model))
        yield Points(
            (
                f"kinds of error: {kinds(model.errors)}",
                f"what evidence lacks: {kinds(model.gaps)}",
                f"look first at: {', '.join(model.worst) or 'none'}",
            )
        )
    for response in feedback.responses[:MAX_RESPONSES]:
        yield from _response(response)
    if (more := len(feedback.responses) - MAX_RESPONSES) > 0:
        yield Paragraph(f"and {plurals.many(more, 'more response')}")
    yield Paragraph(wording.REVIEW)


def model_sentence(model: ModelFeedback) -> str:
    """Return a model in a sentence."""
    share = f" ({wording.percent(model.contradicted / model.units, 1)})" if model.units else ""
    return (
        f"{plurals.many(model.responses, 'response')}, {model.with_errors:,} with an error. Contradicted:"
        f" {model.contradicted:,} of {plurals.many(model.units, 'unit')}{share}; undecided: {model.undecided:,}."
    )


def kinds(counts: dict[str, int]) -> str:
    """Return text such as `entity 3, relation 1`."""
    return ", ".join(f"{name} {n:,}" for name, n in counts.items()) or "none"


def _response(response: ResponseFeedback) -> Iterator[Block]:
    yield Title(response.id, 3)
    if response.prompt:
        yield Paragraph(wording.excerpt(response.prompt, 300))
    yield Points(tuple("\n".join(_wrong(wrong)) for wrong in response.wrong))


def _wrong(wrong: WrongClaim) -> Iterator[str]:
    kind = (f", {wrong.error}" if wrong.error else "") + (f", said {wrong.times} times" if wrong.times > 1 else "")
    outcome = f"{wrong.outcome.replace('_', ' ')}{kind}"
    yield f"{wrong.level} ({wrong.priority:.2f}), {outcome}: {wording.one_line(wrong.claim)}"
    if wrong.correction:
        yield f"should be: {wording.one_line(wrong.correction)}"
    if wrong.why:
        yield f"why: {wording.excerpt(wrong.why, 400)}"
    if wrong.evidence and not wrong.evidence[0].named:
        yield "the judge names no passage; it read these, among others, together:"
    for passage in wrong.evidence:
        name = wording.one_line(passage.title or passage.url or "a document")
        yield f"{name}: {wording.excerpt(passage.quote or passage.text, 300)}"


_PAGES = Pages("factscope.benchmarks.factbench", ("page.css",), tally=model_sentence, kinds=kinds, WEIGHT=WEIGHT)
