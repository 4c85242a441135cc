"""Claims × passages → judgements, by a language model.

Three settings describe every paper: the claims per call, the passages per call, and the form of the reply. This module
has the forms in which a reply is about one claim, or about a whole response; `pair_judge` has the form that lists
pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from factscope.core import Label
from factscope.core.records import Judgement, Passage
from factscope.judging.cases import LONGEST_RATIONALE, JudgeCase, judge_name, judgement_id
from factscope.judging.document_grounding import PendingJudgement, by_sentence
from factscope.judging.long_documents import fits, in_looks, within
from factscope.llm.call import Reply
from factscope.llm.model_errors import ModelError
from factscope.llm.reply_room import room_for
from factscope.llm.session import CheckContext, StepQuestion, gather_all
from factscope.methods import REPLY_FORMATS, Judge, ReplyFormat
from factscope.methods.reply_format import ReadLabel

from .confidence import first_word_label, label_confidence

NOTHING_FOUND = "No good result was found."
"""Text that VERIFY's published code shows its judge for a search without results."""
OWN_KNOWLEDGE = "own knowledge"
"""Words with which a judge marks a label that rests on none of the evidence."""
_ALTERNATIVES = {False: 5, True: 20}
"""Number of alternatives requested for each token of a reply with one label. Replies to many pairs are long, and
alternatives would make them megabytes, so there only the probability of the label's own tokens is used. A small model
that is to answer with one word often ranks other words above all labels, so for it the number is the most that servers
allow."""
_REASON_TOKENS = 400
"""Tokens for the reasons before a label, for the claim and for each passage."""


async def judge_each(job: CheckContext, spec: Judge, first: int, cases: Sequence[JudgeCase]) -> None:
    """Judge in a form in which a reply is about one claim, or about a whole response."""
    await gather_all(
        _plainly(job, spec, first, sample, case) for sample in range(1, spec.samples + 1) for case in cases
    )


def register_reply_format(name: str, *, own_knowledge: bool = False) -> Callable[[ReadLabel], ReplyFormat]:
    """Register the function below, which reads the one label of a reply about one claim, as a form of reply.

    With `own_knowledge`, a judge may mark a label that rests on its own knowledge. A form that judges otherwise is a
    `ReplyFormat` added to `REPLY_FORMATS`. Raises ValueError for a name that is taken.
    """
    return lambda read: REPLY_FORMATS.add(name, ReplyFormat(name, judge_each, read, own_knowledge=own_knowledge))


async def _plainly(job: CheckContext, spec: Judge, first: int, sample: int, case: JudgeCase) -> None:
    """Make one call for all passages of a claim, or one for each; the reply ends in the label."""
    groups = [case.passages] if spec.passages_per_call == "all" else [(passage,) for passage in case.passages]
    for_claim = (case.claim.id,)
    await gather_all(
        job.guard(for_claim, "judging", _labelled, job, spec, first, sample, case, passages) for passages in groups
    )


async def _labelled(
    job: CheckContext, spec: Judge, first: int, sample: int, case: JudgeCase, passages: Sequence[Passage]
) -> None:
    """Record the label of a claim; of documents too long for one call, that of judging them in pieces."""
    paragraph = job.paragraph(job.position[case.claim.segment_id])
    around = job.response.text[paragraph[0].span.start : paragraph[-1].span.end]
    fixed = {**job.variables(case.claim), "context": around, "topic": job.response.prompt or ""}

    def variables_with(passages: Sequence[Passage]) -> dict[str, Any]:
        return {**fixed, **_evidence_variables(case, passages)}

    variables = variables_with(passages)
    base = passages[0].id if spec.passages_per_call == "one" else case.claim.id
    name, judge_id = judgement_id(base, first, sample), judge_name(job.session.models, spec.role)
    pending = PendingJudgement(job, spec, case.claim, passages, name, judge_id)
    if not fits(spec, variables):
        await in_looks(pending, variables_with)
        return
    pending = pending._replace(spec=within(spec))
    reader = _any_words if spec.reply.first_word else spec.reply.read
    if reader is None:
        await by_sentence(pending, variables)
    else:
        await _by_label(pending, variables, reader, sample)


async def _by_label(pending: PendingJudgement, variables: dict[str, Any], reader: ReadLabel, sample: int) -> None:
    """Ask for one label, and record it as a judgement. Raises ModelError."""
    job, spec, passages = pending.job, pending.spec, pending.passages
    by_word = _labels_by_word(spec)
    texts = [pending.claim.standalone, *(passage.text for passage in passages)]
    question = StepQuestion(
        spec,
        variables,
        {"label": spec.labels},
        sample=sample,
        logprobs=_ALTERNATIVES[spec.reply.first_word] if spec.logprobs else None,
        room=room_for(texts, each=_REASON_TOKENS, times=2),
    )
    answer = await job.session.ask(question, lambda text: reader(text, list(by_word), spec))
    word, confidence = answer.value, None
    if spec.reply.first_word:
        word, confidence = _first_word(job, spec, answer.reply)
    elif spec.logprobs:
        confidence = label_confidence(answer.reply, word, list(by_word))
    job.emit(
        Judgement(
            id=pending.name,
            unit_id=pending.claim.id,
            passage_ids=tuple(passage.id for passage in passages),
            judge=pending.judge,
            sample=sample,
            label=by_word[word],
            raw_label=word,
            rationale=None if spec.reply.first_word else _reason(answer.reply),
            call=answer.key,
            confidence=confidence,
            confidence_from=None if confidence is None else "logprobs",
        )
    )


def _any_words(text: str, words: Sequence[str], judge: Judge) -> str:
    """Accept any reply, since only its first token is read."""
    return text


def _first_word(job: CheckContext, spec: Judge, reply: Reply) -> tuple[str, float | None]:
    """Return the label of a reply by its first word.

    Raises ModelError without asking again, since a small model would give the same reply.
    """
    label = first_word_label(reply, list(spec.labels.values()))
    if label is None:
        words = ", ".join(spec.labels.values())
        raise ModelError(
            "unreadable", f"The reply of {job.session.models.of(spec.role)} begins with none of the words {words}."
        )
    return label


def _labels_by_word(spec: Judge) -> dict[str, Label]:
    """Return labels by the judge's words for them, including labels from its own knowledge."""
    by_word: dict[str, Label] = {word: label for label, word in spec.labels.items()}
    if spec.own_knowledge == "refused":
        return by_word
    marked: dict[str, Label] = {
        f"{word}, {OWN_KNOWLEDGE}": label if spec.own_knowledge == "counted" else "irrelevant"
        for word, label in by_word.items()
    }
    return by_word | marked


def _evidence_variables(case: JudgeCase, passages: Sequence[Passage]) -> dict[str, Any]:
    texts = {f"p{number}": passage.text for number, passage in enumerate(passages, 1)}
    empty = [NOTHING_FOUND] * case.rounds_without
    return {
        "passages": texts,
        "evidence": passages[0].text if passages else "",
        "results": "\n".join([*texts.values(), *empty]),
        "sources": {key: f"{case.sources[p.id]}\n{p.text}" for key, p in zip(texts, passages, strict=True)},
    }


def _reason(reply: Reply) -> str | None:
    """Return the text before a reply's last line."""
    rationale, _, _ = reply.text.strip().rpartition("\n")
    return rationale.strip()[:LONGEST_RATIONALE] or None
