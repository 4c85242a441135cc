"""All claims of a group in one call → the numbers of the wrong ones (FELM, Chen et al. 2023)."""

from __future__ import annotations

from collections.abc import Sequence

from factscope.core import Label
from factscope.core.records import Judgement
from factscope.judging.cases import LONGEST_RATIONALE, JudgeCase, judge_name, judgement_id
from factscope.llm.model_errors import UnreadableError
from factscope.llm.parsers import published_ids, wrong_ids
from factscope.llm.session import CheckContext, StepQuestion, Variables, Words, gather_all
from factscope.llm.structured import ParsedReply
from factscope.methods import REPLY_FORMATS, Judge, ReplyFormat

UNIT_WORDS = {
    False: {"one": "segment", "many": "segments", "whole": "Together they are the whole answer"},
    True: {"one": "claim", "many": "claims", "whole": "They were drawn from the answer"},
}
"""Names of the judged units in prompts: segments, or claims that were extracted from them."""
NO_ANSWER = "(no answer)"
CUT_OFF = "(cut off)"
"""Text of a judgement in place of the judge's word when it was read as FELM's published code does; it marks replies
without an answer, so that they can be counted."""


async def judge_listed(job: CheckContext, spec: Judge, first: int, cases: Sequence[JudgeCase]) -> None:
    """Label claims in calls of `claims_per_call`, or all in one, with a judgement for each sample.

    `first` is the number of the judge's first one. Failures are recorded for the claims of their call.
    """
    size = spec.claims_per_call or len(cases)
    groups = [cases[start : start + size] for start in range(0, len(cases), size)]
    await gather_all(
        job.guard([case.claim.id for case in group], "judging", _group, job, spec, first, sample, group)
        for group in groups
        for sample in range(1, spec.samples + 1)
    )


async def _group(job: CheckContext, spec: Judge, first: int, sample: int, cases: Sequence[JudgeCase]) -> None:
    texts = {(p.document_id, p.span.start, p.span.end): p.text for case in cases for p in case.passages}
    answer = await _ask(job, spec, sample, cases, list(texts.values()))
    wrong = answer.value
    for number, case in enumerate(cases, 1):
        label: Label = "contradicted" if wrong is not None and number in wrong else "supported"
        finished = answer.reply.finish_reason not in ("length", "max_tokens")
        job.emit(
            Judgement(
                id=judgement_id(case.claim.id, first, sample),
                unit_id=case.claim.id,
                passage_ids=tuple(passage.id for passage in case.passages),
                judge=judge_name(job.session.models, spec.role),
                sample=sample,
                label=label,
                raw_label=spec.labels[label] if wrong is not None else NO_ANSWER if finished else CUT_OFF,
                call=answer.key,
                rationale=answer.reply.text.strip().rpartition("Answer:")[0].strip()[:LONGEST_RATIONALE] or None,
            )
        )


async def _ask(
    job: CheckContext, spec: Judge, sample: int, cases: Sequence[JudgeCase], passages: Sequence[str]
) -> ParsedReply[frozenset[int] | None]:
    """Return the numbers of the wrong units; None for a reply without an answer, if the method allows that."""

    def read_ids(text: str) -> frozenset[int] | None:
        try:
            return wrong_ids(text, len(cases))
        except UnreadableError:
            if spec.if_unreadable == "fail":
                raise
        try:
            return published_ids(text, len(cases))
        except UnreadableError:
            return None

    variables: Variables = {
        **job.variables(cases[0].claim),
        "claims": {str(number): case.claim.standalone for number, case in enumerate(cases, 1)},
        "passages": {f"p{number}": text for number, text in enumerate(passages, 1)},
    }
    words: Words = {"label": spec.labels, "unit": UNIT_WORDS[_drawn(job, cases)]}
    prompt = None if passages else spec.without
    return await job.session.ask(StepQuestion(spec, variables, words, sample=sample, prompt=prompt, units=0), read_ids)


def _drawn(job: CheckContext, cases: Sequence[JudgeCase]) -> bool:
    """Return whether any case is a claim extracted from its segment, and not the segment itself."""
    texts = {case.claim.segment_id: job.variables(case.claim)["segment"].strip() for case in cases}
    return any(case.claim.standalone.strip() != texts[case.claim.segment_id] for case in cases)


REPLY_FORMATS.add(
    "wrong_ids",
    ReplyFormat(
        "wrong_ids",
        judge_listed,
        claims="all",
        labels=frozenset({"supported", "contradicted"}),
        logprobs=False,
        without_evidence=True,
        reply_tokens=(1, 10),  # numbers after reasoning, or without any
    ),
)
