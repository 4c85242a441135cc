"""A checker over the cases of a suite: a verifier pair by pair, or any method through the engine."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from factscope.core.errors import InputError
from factscope.core.labels import Outcome
from factscope.core.records import Report, Segment
from factscope.judging.verifiers.protocol import ClaimPair, Verifier
from factscope.scoring.verdicts.roll_up import worst

from .behaviour_figures import PairRow, SentenceRow
from .suite import KeySentence, PairCase, PairLabel, TextCase

Check = Callable[[str, Path], Awaitable[Report]]
"""Text, folder of documents → report."""
_AT_ONCE = 64
"""Pairs passed to a verifier at a time."""
_GAP = 3
"""A passage contains a quote when it has its words, in order, within this multiple of their number, since table rows
are shown with column names between the cells."""


def judge_pairs(verifier: Verifier, cases: Sequence[PairCase]) -> list[PairRow]:
    """Ask a verifier about each pair. Raises the verifier's errors."""
    rows: list[PairRow] = []
    for start in range(0, len(cases), _AT_ONCE):
        batch = cases[start : start + _AT_ONCE]
        predictions = verifier.verify([ClaimPair(case.claim, case.evidence) for case in batch])
        rows += [
            _pair_row(case, _answer(prediction.label), prediction.confidence, prediction.rationale)
            for case, prediction in zip(batch, predictions, strict=True)
        ]
    return rows


async def check_pair(check: Check, case: PairCase) -> PairRow:
    """Check a claim as a separate text, against a document with the passage. Raises the errors of `check`."""
    with tempfile.TemporaryDirectory() as folder:
        documents = Path(folder)
        (documents / "evidence.txt").write_text(case.evidence, encoding="utf-8")
        report = await check(case.claim, documents)
    outcome = _of_segments(report, report.segments)
    reasons = [judgement.rationale for judgement in report.judgements if judgement.rationale]
    if outcome == "failed":
        return _pair_row(case, None, None, "; ".join(dict.fromkeys(failure.message for failure in report.failures)))
    return _pair_row(case, _answer(outcome), None, "; ".join(reasons))


async def check_text(check: Check, case: TextCase) -> list[SentenceRow]:
    """Check a whole text, and find each sentence of its key. Raises InputError, and the errors of `check`."""
    report = await check(case.text, case.documents)
    ranges = _key_ranges(case)
    return [
        _sentence_row(case, sentence, span_range, report)
        for sentence, span_range in zip(case.sentences, ranges, strict=True)
    ]


def _pair_row(case: PairCase, answer: PairLabel | None, confidence: float | None, rationale: str) -> PairRow:
    return PairRow(
        id=case.id,
        kind=case.category,
        claim=case.claim,
        evidence=case.evidence,
        label=case.label,
        answer=answer,
        confidence=confidence,
        rationale=rationale,
    )


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
    reasons = [verdict.reason for verdict in report.verdicts if verdict.reason and verdict.unit_id in ids | claims]
    reasons += [
        f"{each.label}: {each.rationale}"
        for each in report.judgements
        if each.label and each.rationale and each.unit_id.partition(".")[0] in ids
    ]
    return SentenceRow(
        text=case.name,
        sentence=key_sentence.sentence,
        label=key_sentence.label,
        outcome=_of_segments(report, segments),
        retrieved=_retrieved(key_sentence, claims | ids, report) if key_sentence.quote else None,
        reason="; ".join(dict.fromkeys(reasons)),
    )


def _overlap(segment: Segment, span_range: range) -> bool:
    """Return whether they share half of the shorter one."""
    shared = min(segment.span.end, span_range.stop) - max(segment.span.start, span_range.start)
    return 2 * shared >= min(segment.span.end - segment.span.start, len(span_range))


def _of_segments(report: Report, segments: Sequence[Segment]) -> Outcome:
    verdicts = {verdict.unit_id: verdict.outcome for verdict in report.verdicts if verdict.level == "segment"}
    return worst({verdicts[segment.id] for segment in segments if segment.id in verdicts})


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
