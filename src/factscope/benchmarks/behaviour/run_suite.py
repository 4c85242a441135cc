"""A checker over the cases of a suite: a verifier pair by pair, or any method through the engine."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path

from factscope.benchmarks.meta_eval.verifier_board import predicted
from factscope.core import InputError, Outcome, Report, Segment
from factscope.evidence.file_list import NoEvidenceError
from factscope.judging.verifiers import ClaimPair, Prediction, Verifier, unread
from factscope.scoring.counts import is_not_read
from factscope.scoring.verdicts import UNREAD_FLAGS, worst

from .behaviour_figures import PairRow, SentenceRow
from .suite import KeySentence, PairCase, PairLabel, TextCase

Check = Callable[[str, Path], Awaitable[Report]]
"""Text, folder of documents → report."""
_GAP = 3
"""A passage contains a quote when it has its words, in order, within this multiple of their number, since table rows
are shown with column names between the cells."""


def judge_pairs(verifier: Verifier, cases: Sequence[PairCase]) -> list[PairRow]:
    """Ask a verifier about each pair. Raises the verifier's errors."""
    predictions = predicted(verifier, [ClaimPair(case.claim, case.evidence) for case in cases])
    return [
        _pair_row(case, _predicted(prediction), prediction.confidence, prediction.rationale)
        for case, prediction in zip(cases, predictions, strict=True)
    ]


async def check_pair(check: Check, case: PairCase) -> PairRow:
    """Check a claim as a separate text, against a document with the passage.

    A pair without words, or with a passage that can't be used, has failed. Raises the other errors of `check`.
    """
    if abstains := unread(ClaimPair(case.claim, case.evidence), languages=()):
        return _pair_row(case, None, None, abstains.rationale)
    with tempfile.TemporaryDirectory() as folder:
        documents = Path(folder)
        (documents / "evidence.txt").write_text(case.evidence, encoding="utf-8")
        try:
            report = await check(case.claim, documents)
        except NoEvidenceError as error:
            problems = (f"the passage can't be used: it {problem.message}" for problem in error.problems)
            return _pair_row(case, None, None, "; ".join(problems) or error.message)
    outcome = _of_segments(report, report.segments)
    if outcome == "failed":
        return _pair_row(case, None, None, "; ".join(dict.fromkeys(_troubles(report))))
    reasons = [judgement.rationale for judgement in report.judgements if judgement.rationale]
    return _pair_row(case, _answer(outcome), None, "; ".join(reasons))


async def check_text(check: Check, case: TextCase) -> list[SentenceRow]:
    """Check a whole text, and find each sentence of its key.

    If none of its documents can be used, all sentences have failed. Raises InputError for a sentence that is not in the
    text, and the other errors of `check`.
    """
    ranges = _key_ranges(case)
    try:
        report = await check(case.text, case.documents)
    except NoEvidenceError as error:
        return [_row(case, each, "failed", False if each.quote else None, error.message) for each in case.sentences]
    return [
        _sentence_row(case, sentence, span_range, report)
        for sentence, span_range in zip(case.sentences, ranges, strict=True)
    ]


def _pair_row(case: PairCase, answer: PairLabel | None, confidence: float | None, rationale: str) -> PairRow:
    fields = case.model_dump(include={"id", "claim", "evidence", "label"})
    return PairRow(**fields, kind=case.category, answer=answer, confidence=confidence, rationale=rationale)


def _predicted(prediction: Prediction) -> PairLabel | None:
    """Return a verifier's answer; None for a pair that it could not read, which a check counts as failed, too."""
    return _answer(prediction.label) if UNREAD_FLAGS.isdisjoint(prediction.flags) else None


def _answer(label: str) -> PairLabel:
    return label if label in ("supported", "contradicted") else "not_enough"  # type: ignore[return-value]


def _key_ranges(case: TextCase) -> list[range]:
    """Locate each sentence of the key in the text. Raises InputError."""
    ranges, end = [], 0
    for sentence in case.sentences:
        pattern = re.compile(r"\s+".join(map(re.escape, sentence.sentence.split())))
        match = pattern.search(case.text, end) or pattern.search(case.text)
        if match is None:
            raise InputError(f"The text {case.name} does not hold the sentence of its key: {sentence.sentence!r}.")
        ranges.append(range(*match.span()))
        end = match.end()
    return ranges


def _sentence_row(case: TextCase, key_sentence: KeySentence, span_range: range, report: Report) -> SentenceRow:
    segments = [segment for segment in report.segments if _overlap(segment, span_range)]
    ids = {segment.id for segment in segments}
    claims = {claim.id for claim in report.claims if claim.segment_id in ids}
    units = ids | claims if report.segments else {report.response.id}
    reasons = [verdict.reason for verdict in report.verdicts if verdict.reason and verdict.unit_id in units]
    reasons += [
        f"{each.label}: {each.rationale}"
        for each in report.judgements
        if each.label and each.rationale and each.unit_id.partition(".")[0] in ids
    ]
    retrieved = _retrieved(key_sentence, claims | ids, report) if key_sentence.quote else None
    return _row(case, key_sentence, _of_segments(report, segments), retrieved, "; ".join(dict.fromkeys(reasons)))


def _row(case: TextCase, sentence: KeySentence, outcome: Outcome, retrieved: bool | None, reason: str) -> SentenceRow:
    fields = sentence.model_dump(include={"sentence", "label"})
    return SentenceRow(**fields, text=case.name, outcome=outcome, retrieved=retrieved, reason=reason)


def _overlap(segment: Segment, span_range: range) -> bool:
    """Return whether they share half of the shorter one."""
    shared = min(segment.span.end, span_range.stop) - max(segment.span.start, span_range.start)
    return 2 * shared >= min(segment.span.end - segment.span.start, len(span_range))


def _of_segments(report: Report, segments: Sequence[Segment]) -> Outcome:
    """Return the worst outcome of the segments.

    A claim in a language that the judge does not read has failed here: the checker says nothing about it. So has all of
    a text that could not be cut into segments.
    """
    verdicts = {verdict.unit_id: verdict.outcome for verdict in report.verdicts if verdict.level != "claim"}
    if not report.segments:
        return verdicts[report.response.id]
    ids = {segment.id for segment in segments}
    outcomes = {verdicts[name] for name in ids & verdicts.keys()}
    unread = any(is_not_read(claim) for claim in report.claims if claim.segment_id in ids)
    return worst(outcomes | {"failed"} if unread else outcomes)


def _troubles(report: Report) -> Iterator[str]:
    """Yield everything that went wrong in a check, or could not be read."""
    yield from (failure.message for failure in report.failures)
    yield from (claim.skipped for claim in report.claims if claim.skipped and is_not_read(claim))
    failed = (verdict for verdict in report.verdicts if verdict.level == "claim" and verdict.outcome == "failed")
    yield from (verdict.reason for verdict in failed if verdict.reason)


def _retrieved(key_sentence: KeySentence, units: set[str], report: Report) -> bool:
    """Return whether a passage of the sentence's claims, from the deciding document, holds the deciding quote."""
    documents = {
        each.id
        for each in report.documents
        if key_sentence.doc is None or _is_cited(each.url or each.title, key_sentence.doc)
    }
    passages = [each for each in report.passages if each.claim_id in units and each.document_id in documents]
    return any(holds(each.text, key_sentence.quote or "") for each in passages)


def _is_cited(address: str | None, name: str) -> bool:
    return address is not None and re.search(rf"(^|[/\\]){re.escape(name)}($|\W)", address) is not None


def holds(passage: str, quote: str) -> bool:
    """Return whether a passage contains the words of a quote, in order and close together."""
    words, quote_words = _words(passage), _words(quote)
    if not quote_words:
        return False
    for start in (start_at for start_at, word in enumerate(words) if word == quote_words[0]):
        following = iter(words[start : start + _GAP * len(quote_words)])
        if all(word in following for word in quote_words):
            return True
    return False


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
