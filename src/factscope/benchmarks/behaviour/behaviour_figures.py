"""Figures of a checker on a suite, from its rows alone, and the result that holds both.

A pair or a sentence that failed is in no figure but `failed`: it says nothing of what the checker would have answered.
An *accusation* calls something contradicted. It is false when the key has any other label. A *missed error* is
contradicted by the evidence and was called supported: the worst that a checker can do.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from factscope.core import Outcome, Record
from factscope.methods import LEAST_COVERAGE

from .suite import KeyLabel, PairLabel

BASIC = ("verbatim", "changed-number", "changed-date", "changed-name-place", "two-subjects", "negation", "off-topic")
"""The kinds that a checker must get right before anything else counts."""
_OPEN: tuple[Outcome, ...] = ("undecided", "no_evidence")


class PairRow(Record):
    """A checker's verdict on one pair."""

    id: str
    kind: str
    claim: str
    evidence: str
    label: PairLabel
    """The key's."""
    answer: PairLabel | None
    """The checker's; `None` when it failed or could not read the pair. Labels that neither support nor contradict are
    `not_enough`."""
    confidence: float | None = None
    """The checker's probability of its answer; `None` when it abstains."""
    rationale: str = ""
    """Its reason, in its own words."""


class PairCounts(Record):
    """Some pairs, counted by their labels and answers."""

    n: int
    """Pairs with an answer; of a suite all pairs, with those that failed."""
    right: int
    supported: int
    """Pairs whose evidence supports the claim."""
    false_accusations: int
    """Of these, pairs called contradicted."""
    contradicted: int
    """Pairs whose evidence contradicts the claim."""
    missed_errors: int
    """Of these, pairs called supported."""


class KindFigures(PairCounts):
    """One kind of pair."""

    kind: str


class PairFigures(PairCounts):
    """All pairs of a suite."""

    accuracy: float | None
    """Share of correct labels among the three; like the next two, `None` when fewer than half of the pairs have an
    answer."""
    basic: float | None
    """Mean of the accuracies of the seven basic kinds; `None` unless each of them has an answer."""
    balanced_accuracy: float | None
    """Supported against the rest: mean of the two shares of correct labels."""
    failed: int
    kinds: tuple[KindFigures, ...]


class SentenceRow(Record):
    """Outcome of one sentence of a text."""

    text: str
    """Name of the text."""
    sentence: str
    label: KeyLabel
    """The key's."""
    outcome: Outcome
    """The verdict on its segment."""
    retrieved: bool | None
    """Whether the deciding quote is in one of the passages that were judged; `None` when the key has none."""
    reason: str = ""
    """The judged claims and reasons, for a person."""


class TextFigures(Record):
    """The texts of a suite, sentence by sentence."""

    sentences: int
    """All sentences of the key, with those that failed."""
    errors: int
    """Sentences that the documents contradict."""
    errors_found: int
    """Of these, sentences called contradicted."""
    errors_found_share: float | None
    errors_passed: int
    """Of these, sentences called supported."""
    accusations: int
    """Sentences called contradicted."""
    false_accusations: int
    """Of these, sentences that the documents do not contradict."""
    false_share: float | None
    supported: int
    """Sentences that the documents support."""
    supported_found: int
    """Of these, sentences called supported."""
    supported_found_share: float | None
    not_enough: int
    """Sentences that the documents do not settle."""
    left_open: int
    """Of these, sentences that are undecided or without evidence."""
    not_checkable: int
    """Questions, advice, opinions, greetings."""
    left_alone: int
    """Of these, sentences called not checkable."""
    undecided: int
    """All sentences left open, correctly or not."""
    failed: int
    quotes: int
    """Sentences with a deciding quote in the key."""
    quotes_retrieved: int
    """Of these, quotes in one of the passages that were judged."""
    quotes_retrieved_share: float | None


class BehaviourRow(Record):
    """One checker on one suite."""

    checker: str
    """A verifier with its version, or a method."""
    suite: str
    digest: str
    """First digits of the SHA-256 of the suite's files."""
    pairs: PairFigures | None = None
    texts: TextFigures | None = None
    judged: tuple[PairRow, ...] = ()
    """Every pair."""
    sentences: tuple[SentenceRow, ...] = ()
    """Every sentence of the texts."""


class Behaviour(Record):
    """All checkers on all suites."""

    type: Literal["behaviour"] = "behaviour"
    rows: tuple[BehaviourRow, ...]
    left_out: tuple[str, ...] = ()
    """Checkers that could not be measured, and why."""
    factscope: str
    commit: str | None
    """Of the checkout that it ran from; `None` when it was installed."""
    made: str


def pair_figures(rows: Sequence[PairRow]) -> PairFigures:
    """Return figures over all pairs and by kind."""
    answered = [row for row in rows if row.answer is not None]
    kinds = tuple(
        KindFigures(kind=kind, **_counted([row for row in answered if row.kind == kind]))
        for kind in dict.fromkeys(row.kind for row in rows)
    )
    counts = _counted(answered)
    total = PairCounts(**counts)
    enough = len(answered) >= LEAST_COVERAGE * len(rows)
    basic = [_share(kind.right, kind.n) for kind in kinds if kind.kind in BASIC]
    n_unsupported = total.n - total.supported
    passed = sum(row.answer == "supported" for row in answered)
    n_supported = sum(row.answer == row.label == "supported" for row in answered)
    sides = (_share(n_supported, total.supported), _share(n_unsupported - (passed - n_supported), n_unsupported))
    return PairFigures(
        **{**counts, "n": len(rows)},
        accuracy=_share(total.right, total.n) if enough else None,
        basic=_mean(basic) if enough and len(basic) == len(BASIC) else None,
        balanced_accuracy=_mean(sides) if enough else None,
        failed=len(rows) - len(answered),
        kinds=kinds,
    )


def _counted(rows: Sequence[PairRow]) -> dict[str, int]:
    """Return the fields of `PairCounts`."""
    supported = [row for row in rows if row.label == "supported"]
    contradicted = [row for row in rows if row.label == "contradicted"]
    return {
        "n": len(rows),
        "right": sum(row.answer == row.label for row in rows),
        "supported": len(supported),
        "false_accusations": sum(row.answer == "contradicted" for row in supported),
        "contradicted": len(contradicted),
        "missed_errors": sum(row.answer == "supported" for row in contradicted),
    }


def text_figures(rows: Sequence[SentenceRow]) -> TextFigures:
    """Return figures over all sentences."""

    def count(label: KeyLabel, *outcomes: Outcome) -> int:
        return sum(row.label == label and (not outcomes or row.outcome in outcomes) for row in answered)

    answered = [row for row in rows if row.outcome != "failed"]
    errors, errors_found = count("contradicted"), count("contradicted", "contradicted")
    accusations = sum(row.outcome == "contradicted" for row in answered)
    supported, supported_found = count("supported"), count("supported", "supported")
    quotes = [row.retrieved for row in answered if row.retrieved is not None]
    return TextFigures(
        sentences=len(rows),
        errors=errors,
        errors_found=errors_found,
        errors_found_share=_share(errors_found, errors),
        errors_passed=count("contradicted", "supported"),
        accusations=accusations,
        false_accusations=accusations - errors_found,
        false_share=_share(accusations - errors_found, accusations),
        supported=supported,
        supported_found=supported_found,
        supported_found_share=_share(supported_found, supported),
        not_enough=count("not_enough"),
        left_open=count("not_enough", *_OPEN),
        not_checkable=count("not_checkable"),
        left_alone=count("not_checkable", "not_checkable"),
        undecided=sum(row.outcome in _OPEN for row in rows),
        failed=len(rows) - len(answered),
        quotes=len(quotes),
        quotes_retrieved=sum(quotes),
        quotes_retrieved_share=_share(sum(quotes), len(quotes)),
    )


def _share(count: int, of: int) -> float | None:
    return count / of if of else None


def _mean(shares: Sequence[float | None]) -> float | None:
    defined = [share for share in shares if share is not None]
    return fmean(defined) if len(defined) == len(shares) else None
