"""Claims × passages → judgements, by a language model.

Three settings place every paper: how many claims a call judges, how many passages, and the form of the reply. The form
`json` takes a list of pairs: the claims of a group with the passages of each, which are shown once where they share
them. Its quotes are looked up: a label whose words are not in the passage, or do not bear on the claim, is asked for
once more with the reason, and is then a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from factscope.core.labels import Label
from factscope.core.records import Claim, ConfidenceFrom, Judgement, Passage, Quote
from factscope.judging.document_grounding import by_sentence
from factscope.judging.long_documents import fits, in_looks, within
from factscope.llm.call import Reply
from factscope.llm.model_errors import ModelError
from factscope.llm.prompts import lines_by_id
from factscope.llm.reply_room import room_for
from factscope.llm.roles import Models
from factscope.llm.session import CheckContext, gather_all
from factscope.llm.splitting import split_on_failure
from factscope.llm.structured import schema_of
from factscope.methods import REPLY_FORMATS, Judge, ReplyFormat
from factscope.methods.reply_format import ReadLabel

from .confidence import first_word_label, json_label_confidences, label_confidence
from .pair_replies import GAPS, pairs_reader, reply_form
from .quotes import look_up

NOTHING_FOUND = "No good result was found."
"""Text that VERIFY's published code shows its judge for a search without results."""
OWN_KNOWLEDGE = "own knowledge"
"""Words by which a judge says that its label rests on none of the evidence."""
_SETTLING = ("supported", "contradicted")
_ALTERNATIVES = {False: 5, True: 20}
"""Likeliest tokens asked for beside each token of a reply with one label. Replies to many pairs are long, and would be
megabytes with them: there the probability of the label's own tokens must do. A small model that is to answer with one
word often puts other words before all labels, so there it is as many as servers give."""
_LONGEST_RATIONALE = 4000  # characters of a rationale in the report
_REASON_TOKENS = 400
"""Tokens of the reasons before a label, for the claim and for each passage."""
_ROW_TOKENS = 120
"""Tokens of one judgement in JSON without its quote; a row of the prompt's example has 50."""


class JudgeCase(NamedTuple):
    """A claim and what is to be judged of it."""

    claim: Claim
    passages: tuple[Passage, ...]
    sources: Mapping[str, str]
    """Title and address of each passage's document, by passage id."""
    rounds_without: int = 0


class _Pair(NamedTuple):
    claim: Claim
    passage: Passage
    key: str
    """Key of the passage in the call; equal passages have the same."""

    @property
    def name(self) -> tuple[str, str]:
        """Id of the claim and key of the passage."""
        return self.claim.id, self.key


async def judge(job: CheckContext, spec: Judge, first: int, cases: Sequence[JudgeCase]) -> None:
    """Label the claims of a group, with a judgement for each sample; `first` is the number of the judge's first one.

    What fails is recorded for the claims that it affects.
    """
    await spec.reply.judge(job, spec, first, cases)


async def judge_each(job: CheckContext, spec: Judge, first: int, cases: Sequence[JudgeCase]) -> None:
    """Judge in the forms in which a reply is about one claim, or about a whole response."""
    await gather_all(
        _plainly(job, spec, first, sample, case) for sample in range(1, spec.samples + 1) for case in cases
    )


async def judge_pairs(job: CheckContext, spec: Judge, first: int, cases: Sequence[JudgeCase]) -> None:
    """Judge in the form in which a reply is a list of pairs of claim and passage."""
    groups = [cases[n : n + spec.claims_per_call] for n in range(0, len(cases), spec.claims_per_call)]
    await gather_all(
        _in_pairs(job, spec, first, sample, group) for sample in range(1, spec.samples + 1) for group in groups
    )


def register_reply_format(name: str) -> Callable[[ReadLabel], ReplyFormat]:
    """Register the function below, which reads the one label of a reply about one claim, as a form of reply.

    A form that judges otherwise is a `ReplyFormat` added to `REPLY_FORMATS`. Raises ValueError for a taken name.
    """
    return lambda read: REPLY_FORMATS.add(name, ReplyFormat(name, judge_each, read))


def judgement_id(base: str, first: int, sample: int = 1) -> str:
    """`base` is the claim or passage judged; numbers go through all samples of all judges."""
    return f"{base}.j{first + sample - 1}"


async def _plainly(job: CheckContext, spec: Judge, first: int, sample: int, case: JudgeCase) -> None:
    """One call for all passages of a claim, or one for each; the reply ends in the label."""
    groups = [case.passages] if spec.passages_per_call == "all" else [(passage,) for passage in case.passages]
    for_claim = (case.claim.id,)
    await gather_all(
        job.guard(for_claim, "judging", _labelled, job, spec, first, sample, case, passages) for passages in groups
    )


async def _labelled(
    job: CheckContext, spec: Judge, first: int, sample: int, case: JudgeCase, passages: Sequence[Passage]
) -> None:
    by_word = _labels_by_word(spec)

    paragraph = job.paragraph(job.position[case.claim.segment_id])
    around = job.response.text[paragraph[0].span.start : paragraph[-1].span.end]
    fixed = {**job.variables(case.claim), "context": around, "topic": job.response.prompt or ""}

    def show(passages: Sequence[Passage]) -> dict[str, Any]:
        return {**fixed, **_evidence_variables(case, passages)}

    variables = show(passages)
    base = passages[0].id if spec.passages_per_call == "one" else case.claim.id
    name, judge_id = judgement_id(base, first, sample), judge_name(job.session.models, spec.role)
    if not fits(spec, variables):
        await in_looks(job, spec, case.claim, passages, show, name, judge_id)
        return
    spec = within(spec)
    reader = spec.reply.read
    if spec.reply.first_word:
        reader = _any_words
    if reader is None:
        await by_sentence(job, spec, case.claim, passages, variables, name, judge_id)
        return
    answer = await job.session.ask(
        spec,
        variables,
        lambda text: reader(text, list(by_word), spec),
        words={"label": spec.labels},
        sample=sample,
        logprobs=_ALTERNATIVES[spec.reply.first_word] if spec.logprobs else None,
        room=room_for([case.claim.standalone, *(passage.text for passage in passages)], each=_REASON_TOKENS, times=2),
    )
    word, confidence = answer.value, None
    if spec.reply.first_word:
        word, confidence = _first_word(job, spec, answer.reply)
    elif spec.logprobs:
        confidence = label_confidence(answer.reply, word, list(by_word))
    job.emit(
        Judgement(
            id=name,
            unit_id=case.claim.id,
            passage_ids=tuple(passage.id for passage in passages),
            judge=judge_id,
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
    """Accept a reply of which the first token is read, whatever its words are."""
    return text


def _first_word(job: CheckContext, spec: Judge, reply: Reply) -> tuple[str, float | None]:
    """The label of a reply by its first word. Raises ModelError; asked again, a small model would say the same."""
    found = first_word_label(reply, list(spec.labels.values()))
    if found is None:
        words = ", ".join(spec.labels.values())
        raise ModelError(
            "unreadable", f"The reply of {job.session.models.of(spec.role)} begins with none of the words {words}."
        )
    return found


def _labels_by_word(spec: Judge) -> dict[str, Label]:
    """Labels by the judge's words for them, also those that rest on what it knows."""
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


def judge_name(models: Models, role: str) -> str:
    """The judge of a judgement: its model, and its role where that tells judges apart."""
    model = models.of(role)
    return model if role == "judge" else f"{model} as {role}"


def _reason(reply: Reply) -> str | None:
    """Return the text before a reply's last line."""
    rationale, _, _ = reply.text.strip().rpartition("\n")
    return rationale.strip()[:_LONGEST_RATIONALE] or None


class _Answered(NamedTuple):
    """The judgements of one reply to a list of pairs."""

    kept: frozenset[tuple[str, str]]
    """Pairs, by claim and key, that have their judgement."""
    refused: Mapping[tuple[str, str], Judgement]
    """Judgements that do not count, as failures: their quotes do not hold."""
    unusable: Mapping[tuple[str, str], str]
    """Why a pair's part of the reply could not be read."""


async def _in_pairs(job: CheckContext, spec: Judge, first: int, sample: int, cases: Sequence[JudgeCase]) -> None:
    async def work(judge_cases: tuple[JudgeCase, ...], remark: str) -> None:
        pairs = _pairs(judge_cases)
        answered = await _ask_pairs(job, spec, first, sample, pairs, remark, once=len(judge_cases) > 1 or bool(remark))
        if not (left := [pair for pair in pairs if pair.name not in answered.kept]):
            return
        # Pairs that it left out, or quoted wrongly, are asked for once more; the others are not judged twice.
        again = await job.guard(
            _claims(left),
            "judging",
            _ask_pairs,
            job,
            spec,
            first,
            sample,
            left,
            _refused(answered, left),
        )
        if again is None:
            return
        job.emit(*again.refused.values())
        if lost := [pair for pair in left if pair.name not in again.kept and pair.name not in again.refused]:
            job.fail(_claims(lost), "judging", ModelError("unreadable", "The judge left passages out, twice."))

    await split_on_failure(
        cases, work, lambda failed_cases, error: job.fail([case.claim.id for case in failed_cases], "judging", error)
    )


def _claims(pairs: Sequence[_Pair]) -> list[str]:
    return list(dict.fromkeys(pair.claim.id for pair in pairs))


def _pairs(cases: Sequence[JudgeCase]) -> list[_Pair]:
    keys: dict[tuple[str, int, int], str] = {}
    pairs = []
    for case in cases:
        for passage in case.passages:
            where = (passage.document_id, passage.span.start, passage.span.end)
            pairs.append(_Pair(case.claim, passage, keys.setdefault(where, f"p{len(keys) + 1}")))
    return pairs


async def _ask_pairs(
    job: CheckContext,
    spec: Judge,
    first: int,
    sample: int,
    pairs: Sequence[_Pair],
    remark: str = "",
    *,
    once: bool = False,
) -> _Answered:
    """Judge pairs in one call and emit the judgements that count; `remark` and `once` as for `ModelSession.ask`.

    Raises ModelError.
    """
    by_key = {pair.name: pair for pair in pairs}
    listed: dict[str, list[str]] = {}
    for pair in pairs:
        listed.setdefault(pair.claim.id, []).append(pair.key)
    variables: dict[str, Any] = {
        **job.variables(pairs[0].claim),
        "passages": lines_by_id({pair.key: pair.passage.text for pair in pairs}.items()),
        "claims": lines_by_id({pair.claim.id: pair.claim.standalone for pair in pairs}.items()),
        "pairs": "\n".join(f"{claim_id}: {', '.join(keys)}" for claim_id, keys in listed.items()),
    }
    labels = tuple(spec.labels.values())
    answer = await job.session.ask(
        spec,
        variables,
        pairs_reader(labels, by_key),
        words={"label": spec.labels, "gap": GAPS},
        schema=schema_of(reply_form(labels)),
        sample=sample,
        logprobs=0 if spec.logprobs else None,
        remark=remark,
        units=len(listed),
        room=room_for((pair.passage.text for pair in pairs), _ROW_TOKENS),
        once=once,
    )
    rows = answer.value.rows
    words = [row.label for row in rows]
    confidences = json_label_confidences(answer.reply, words, labels) if spec.logprobs else [None] * len(words)
    by_word = {word: label for label, word in spec.labels.items()}
    judge = judge_name(job.session.models, spec.role)
    answered: set[tuple[str, str]] = set()
    void: dict[tuple[str, str], Judgement] = {}
    for row, likely in zip(rows, confidences, strict=True):
        pair = by_key[row.claim, row.passage]
        number = judgement_id(pair.passage.id, first, sample)
        fields = _judgement(pair, row, by_word[row.label], likely)
        judgement = Judgement(id=number, judge=judge, sample=sample, call=answer.key, **fields)
        if judgement.failure:
            void[pair.name] = judgement
        else:
            job.emit(judgement)
            answered.add(pair.name)
    return _Answered(frozenset(answered), void, answer.value.unusable)


def _judgement(pair: _Pair, row: Any, label: Label, likely: float | None) -> dict[str, Any]:
    """Make the fields of a judgement from a pair's part of a reply, its quote checked."""
    fields = {
        "unit_id": pair.claim.id,
        "passage_ids": (pair.passage.id,),
        "raw_label": row.label,
        "rationale": row.reason or None,
    }
    if label not in _SETTLING:
        gap = (row.gap or None) if label == "not_enough_evidence" else None
        return {**fields, "label": label, "gap": gap, **_confidence(row, likely)}
    # The id that stands before each line of a passage may stand in a quote of several lines.
    words = row.quote.replace(f"\n{pair.key}: ", "\n")
    span_found = look_up(words, pair.passage.text, pair.claim.standalone)
    if isinstance(span_found, str):
        return {**fields, "failure": span_found, "flags": ("quote_not_found",)}
    quote = Quote(passage_id=pair.passage.id, span=span_found, text=span_found.of(pair.passage.text))
    return {**fields, "label": label, "quote": quote, **_confidence(row, likely)}


def _confidence(label_row: Any, likely: float | None) -> dict[str, Any]:
    source: ConfidenceFrom = "stated" if likely is None else "logprobs"
    return {"confidence": label_row.confidence if likely is None else likely, "confidence_from": source}


def _refused(answered: _Answered, pairs: Sequence[_Pair]) -> str:
    """Word why pairs are asked for again. It holds ids and our own words alone: a quote is outside text."""
    keys = {pair.passage.id: pair.key for pair in pairs}
    reasons = [
        f"{refusal.unit_id}, {keys[refusal.passage_ids[0]]}: {refusal.failure}" for refusal in answered.refused.values()
    ]
    reasons += [f"{claim}, {key}: {reason}" for (claim, key), reason in answered.unusable.items()]
    if not reasons:
        return ""
    return "\n".join(["Your earlier judgements of these pairs could not be used. Judge them again:", *reasons])
