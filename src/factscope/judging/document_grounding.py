"""A whole response and the documents it was written from → a label, and one for each sentence (FACTS Grounding).

A response is grounded when every sentence is grounded or needs no grounding. Excerpts that a judge gives are looked up
in the documents; a missing one is marked, but the judge's label stays, as in the paper.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from factscope.claims.text.align import align
from factscope.claims.text.segments import segment
from factscope.core import Label, many
from factscope.core.records import Claim, Finding, FindingFlag, Judgement, JudgementFlag, Passage, Quote, Span
from factscope.judging.grounding_parsers import SentenceLabel, SentenceLabels, last_word, read_sentences
from factscope.judging.quotes import find_quote
from factscope.llm.session import CheckContext, StepQuestion, gather_all
from factscope.methods import Ask, Judge

PASSING: tuple[Label, ...] = ("supported", "irrelevant")
"""Labels of the sentences of a grounded response; `irrelevant` marks a sentence that needs no grounding."""
YES_NO = ("YES", "NO")
_JOINTS = re.compile(r"\s*(?:\.\.\.|…|\[…\]|\[\.\.\.\]|\n|[\"”»]\s*[,;&]?\s*(?:and\s+)?[\"“«])\s*")
_NEEDS_QUOTE: tuple[Label, ...] = ("supported", "contradicted")


class CheckedSentence(NamedTuple):
    """A sentence with the positions of its excerpts."""

    labelled: SentenceLabel
    label: Label
    quotes: tuple[Quote, ...]
    flags: tuple[FindingFlag, ...]


class PendingJudgement(NamedTuple):
    """A judgement in progress."""

    job: CheckContext
    spec: Judge
    claim: Claim
    passages: Sequence[Passage]
    name: str
    """Its id."""
    judge: str

    @property
    def spans(self) -> list[str]:
        """The sentences that a judge is asked about one by one."""
        return [sentence.text for sentence in segment(self.job.response.text, "sentences")] or [self.claim.text]

    @property
    def expected(self) -> list[str]:
        """The sentences that a reply about the whole response may not leave out; headings and code it may."""
        segments = segment(self.job.response.text, "sentences")
        return [sentence.text for sentence in segments if sentence.kind not in ("heading", "code")]


async def by_sentence(pending: PendingJudgement, variables: Mapping[str, Any]) -> None:
    """Make a judgement with a finding for each of its sentences. Raises ModelError."""
    more = ""
    if pending.spec.reply.sentences == "each":
        spans = enumerate(pending.spans, 1)
        sentences = await gather_all(one_span(pending, variables, number, text) for number, text in spans)
    else:
        sentences, more = await at_once(pending, variables, pending.expected)
    emit_labels(pending, sentences, more)


def emit_labels(
    pending: PendingJudgement,
    sentences: Sequence[CheckedSentence],
    more: str = "",
    flags: tuple[JudgementFlag, ...] = (),
) -> None:
    """Record a judgement and a finding for each sentence; `more` is added to the reason."""
    job, spec, claim, passages, name, judge = pending
    bad = [sentence for sentence in sentences if sentence.label not in PASSING]
    against = any(sentence.label == "contradicted" for sentence in bad)
    label: Label = "supported" if not bad else "contradicted" if against else worst_of(spec)
    job.emit(
        Judgement(
            id=name,
            unit_id=claim.id,
            passage_ids=tuple(passage.id for passage in passages),
            judge=judge,
            label=label,
            raw_label=spec.labels.get(label),
            rationale=f"{len(bad)} of {many(len(sentences), 'sentence is', 'sentences are')} not grounded.{more}",
            flags=flags,
        ),
        *(_finding(job, name, number, sentence) for number, sentence in enumerate(sentences, 1)),
    )


def worst_of(spec: Judge) -> Label:
    """Return a judge's worst label for an unsupported response, from two labels or three."""
    return "not_enough_evidence" if "not_enough_evidence" in spec.labels else "not_supported"


def _finding(job: CheckContext, name: str, number: int, sentence: CheckedSentence) -> Finding:
    text = job.response.text
    at = text.find(sentence.labelled.text)
    span = Span(start=at, end=at + len(sentence.labelled.text)) if at >= 0 else align(sentence.labelled.text, text)[0]
    return Finding(
        id=f"{name}.f{number}",
        judgement_id=name,
        text=sentence.labelled.text,
        span=span,
        label=sentence.label,
        raw_label=sentence.labelled.label,
        rationale=sentence.labelled.rationale or None,
        quotes=sentence.quotes,
        flags=sentence.flags,
    )


async def at_once(
    pending: PendingJudgement, variables: Mapping[str, Any], expected: Sequence[str], *, every: bool = False
) -> tuple[list[CheckedSentence], str]:
    """Parse a reply about all sentences; return them and a note on what could not be read or was left out.

    Without a sentence that is not grounded, a reply with an unreadable object, or without one of the `expected`
    sentences, is refused; with `every`, it is refused in any case. Raises ModelError.
    """
    job, spec = pending.job, pending.spec
    by_word = {word: label for label, word in spec.labels.items()}
    passing = [word for word, label in by_word.items() if every or label in PASSING]
    question = StepQuestion(spec, variables, {"label": spec.labels})
    answer = await job.session.ask(question, lambda text: read_sentences(text, list(by_word), passing, expected))
    sentences = [
        _looked_up(sentence_label, by_word[sentence_label.label], pending.passages)
        for sentence_label in answer.value.labels
    ]
    if spec.double_check:
        check = spec.double_check
        sentences = await gather_all(_checked_again(job, check, spec, sentence) for sentence in sentences)
    return sentences, _note(answer.value)


def _note(reply: SentenceLabels) -> str:
    if reply.n_unread:  # which may be the sentences that seem to be left out
        return f" {reply.n_unread} could not be read."
    return f" {many(reply.n_left_out, 'sentence was', 'sentences were')} left out." if reply.n_left_out else ""


async def _checked_again(job: CheckContext, check: Ask, spec: Judge, sentence: CheckedSentence) -> CheckedSentence:
    """Ask about a sentence again with its excerpt alone, and return it.

    A no removes its support; no label gets better.
    """
    if sentence.label != "supported":
        return sentence
    variables = {"span": sentence.labelled.text, "excerpt": "\n".join(sentence.labelled.excerpts)}
    answer = await job.session.ask(StepQuestion(check, variables), _one_of(YES_NO))
    if answer.value == "YES":
        return sentence
    return sentence._replace(label=worst_of(spec), flags=(*sentence.flags, "downgraded"))


async def one_span(pending: PendingJudgement, variables: Mapping[str, Any], number: int, text: str) -> CheckedSentence:
    """Judge one sentence, by its position from 1. Raises ModelError: then the response has no label."""
    spec = pending.spec
    by_word = {word: label for label, word in spec.labels.items()}
    more = {**variables, "span": text, "number": str(number)}
    answer = await pending.job.session.ask(StepQuestion(spec, more, {"label": spec.labels}), _one_of(list(by_word)))
    sentence_label = SentenceLabel(text, answer.value, answer.reply.text.strip()[:1000], ())
    return CheckedSentence(sentence_label, by_word[answer.value], (), ())


def _one_of(words: Sequence[str]) -> Callable[[str], str]:
    return lambda text: last_word(text, words)


def _looked_up(sentence_label: SentenceLabel, label: Label, passages: Sequence[Passage]) -> CheckedSentence:
    """Find the excerpts in the passages; each part of a joined excerpt separately."""
    quotes: list[Quote] = []
    missing = False
    for excerpt in sentence_label.excerpts:
        full_quote = _quote(excerpt, passages)
        pieces = [piece for piece in _JOINTS.split(excerpt) if any(map(str.isalnum, piece))]
        results = [full_quote] if full_quote else [_quote(piece, passages) for piece in pieces]
        quotes += [quote for quote in results if quote]
        missing = missing or None in results or not results
    flags: tuple[FindingFlag, ...] = ("quote_not_found",) if missing else ()
    if not sentence_label.excerpts and label in _NEEDS_QUOTE:
        flags = ("quote_missing",)
    return CheckedSentence(sentence_label, label, tuple(quotes), flags)


def _quote(text: str, passages: Sequence[Passage]) -> Quote | None:
    for passage in passages:
        at = passage.text.find(text)  # `find_quote` reads a document letter by letter
        span = Span(start=at, end=at + len(text)) if at >= 0 and len(text) > 2 else find_quote(text, passage.text)
        if span:
            return Quote(passage_id=passage.id, span=span, text=span.of(passage.text))
    return None
