"""Feedback for models as a page or as Markdown: all outside text escaped and inert, no script, no request."""

from __future__ import annotations

from collections.abc import Iterator

from factscope.benchmarks.factbench.feedback import Feedback, ModelFeedback, ResponseFeedback, WrongClaim
from factscope.report import wording
from factscope.report.markdown_text import escaped
from factscope.report.templates import Pages

MAX_RESPONSES = 200
"""Responses that a report lists; JSON has all."""


WEIGHT = (
    "The number is the weight of a unit: 1 when contradicted, alpha when undecided, times the judge's confidence where"
    " it gives one, times the units that stand and fall with it. High is a contradicted one of which the judge is sure,"
    " or on which others rest."
)


def to_html(feedback: Feedback) -> str:
    """The page. Links go only to the http and https addresses of the evidence."""
    first_responses = feedback.responses[:MAX_RESPONSES]
    numbers = {response.id: number for number, response in enumerate(first_responses, 1)}
    return _PAGES.fill("feedback.html", found=feedback, shown=first_responses, places=numbers)


def to_markdown(feedback: Feedback) -> str:
    """The same for a reader of plain text."""
    lines = [f"# Feedback on run {escaped(feedback.run)}", "", WEIGHT, ""]
    for model in feedback.models:
        lines += _model(model)
    for response in feedback.responses[:MAX_RESPONSES]:
        lines += _response(response)
    if (more := len(feedback.responses) - MAX_RESPONSES) > 0:
        lines += [f"and {wording.many(more, 'more response')}", ""]
    return "\n".join([*lines, "---", "", wording.REVIEW]) + "\n"


def model_sentence(model: ModelFeedback) -> str:
    """A model in a sentence."""
    share = f" ({wording.percent(model.contradicted / model.units, 1)})" if model.units else ""
    return (
        f"{wording.many(model.responses, 'response')}, {model.with_errors:,} with an error. Contradicted:"
        f" {model.contradicted:,} of {wording.many(model.units, 'unit')}{share}; undecided: {model.undecided:,}."
    )


def kinds(counts: dict[str, int]) -> str:
    """Such as `entity 3, relation 1`."""
    return ", ".join(f"{name} {n:,}" for name, n in counts.items()) or "none"


def _model(model: ModelFeedback) -> Iterator[str]:
    yield from (f"## {escaped(model.model)}", "", escaped(model_sentence(model)), "")
    yield f"- kinds of error: {escaped(kinds(model.errors))}"
    yield f"- what evidence lacks: {escaped(kinds(model.gaps))}"
    yield f"- look first at: {escaped(', '.join(model.worst) or 'none')}"
    yield ""


def _response(response: ResponseFeedback) -> Iterator[str]:
    yield from (f"### {escaped(response.id)}", "")
    if response.prompt:
        yield from (f"*{escaped(wording.clip(wording.one_line(response.prompt), 300))}*", "")
    for wrong in response.wrong:
        yield from _wrong(wrong)
    yield ""


def _wrong(wrong: WrongClaim) -> Iterator[str]:
    kind = (f", {wrong.error}" if wrong.error else "") + (f", said {wrong.times} times" if wrong.times > 1 else "")
    yield f"- **{wrong.level}** ({wrong.priority:.2f}), {wrong.outcome.replace('_', ' ')}{kind}: {escaped(wrong.claim)}"
    if wrong.correction:
        yield f"    - should be: {escaped(wrong.correction)}"
    if wrong.why:
        yield f"    - why: {escaped(wording.clip(wording.one_line(wrong.why), 400))}"
    if wrong.evidence and not wrong.evidence[0].named:
        yield "    - the judge names no passage; it read these, among others, together:"
    for passage in wrong.evidence:
        name = escaped(passage.title or passage.url or "a document")
        yield f"    - {name}: {escaped(wording.clip(wording.one_line(passage.quote or passage.text), 300))}"


_PAGES = Pages("factscope.benchmarks.factbench", ("page.css",), tally=model_sentence, kinds=kinds, WEIGHT=WEIGHT)
