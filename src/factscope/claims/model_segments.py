"""Text → segments, split by meaning by a language model; together they are exactly the text (FELM, section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence

from factscope.core.records import Segment, Span
from factscope.llm.parsers import separated
from factscope.llm.session import CheckContext, StepQuestion
from factscope.methods import Ask


async def cut_by_model(job: CheckContext, spec: Ask) -> tuple[Segment, ...]:
    """Return the segments of the response.

    Raises StoreError, and ModelError, also when they are not its exact words.
    """
    text = job.response.text
    variables = {"response": text, "prompt": job.response.prompt or ""}
    spans = (await job.session.ask(StepQuestion(spec, variables), lambda reply: separated(reply, text))).value
    return given_segments(text, [Span(start=start, end=end) for start, end in spans])


def given_segments(text: str, spans: Sequence[Span]) -> tuple[Segment, ...]:
    """Return segments at given positions, in their order, without white space at their ends."""
    segments_made: list[Segment] = []
    for span in spans:
        raw = span.of(text)
        if not (words := raw.strip()):
            continue
        start = span.start + len(raw) - len(raw.lstrip())
        location = Span(start=start, end=start + len(words))
        segments_made.append(Segment(id=f"s{len(segments_made) + 1}", span=location, text=words, kind="given"))
    return tuple(segments_made)
