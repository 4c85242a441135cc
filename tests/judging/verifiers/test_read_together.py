"""Passages read as one when none settles a claim alone, with a label that counts only for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from factscope import check
from factscope.core.records import Exclusions, Judgement, Report, Span
from factscope.engine import Settings, Tools, check_sync, chosen_method, find_method, open_tools
from factscope.judging.verifiers import ClaimPair, LabelProbabilities, Prediction, Verifier
from factscope.report import render
from factscope.scoring import rescore, shares

ROOM = "The ferry Alda takes up to 12 cars.\n"
BOOKING = "On the ferry Alda a space for a car must be booked at least 24 hours in advance.\n"
CLAIM = "The ferry Alda, which has room for 12 cars, must be booked at least 24 hours in advance."


def together(report: Report) -> list[Judgement]:
    return [judgement for judgement in report.judgements if "read_together" in judgement.flags]


def outcome(report: Report) -> str:
    return next(verdict.outcome for verdict in report.verdicts if verdict.level == "claim")


def test_two_facts_from_two_documents_support_a_claim_together() -> None:
    report = check(CLAIM, contexts=[ROOM, BOOKING]).record
    (judgement,) = together(report)
    assert judgement.id == "s1.c1.j1"
    assert judgement.label == "supported"
    assert len(judgement.passage_ids) == 2
    assert outcome(report) == "supported"
    quoted = judgement.quote
    assert quoted is not None
    passage = next(passage for passage in report.passages if passage.id == quoted.passage_id)
    assert quoted.span is not None
    assert quoted.span.of(passage.text) == quoted.text


def test_a_third_passage_that_changes_nothing_is_left_out_of_the_joint_reading() -> None:
    other = "On the ferry Alda bicycles travel free of charge, and dogs are welcome on the upper deck.\n"
    report = check(CLAIM, contexts=[other, ROOM, BOOKING]).record
    (judgement,) = together(report)
    read = " ".join(passage.text for passage in report.passages if passage.id in judgement.passage_ids)
    assert "12 cars" in read
    assert "24 hours" in read
    assert "bicycles" not in read


def test_jointly_read_passages_are_counted_once_and_all_support_the_claim() -> None:
    report = check(CLAIM, contexts=[ROOM, BOOKING]).record
    assert shares(report)["s1.c1"] == (2, 2)
    (score,) = rescore(report, measures=["credibility"]).scores
    assert (score.value, score.n) == (1, 2)
    assert "2 of 2 passages support it" in str(render(report, "html"))


def test_excluding_one_of_the_jointly_read_passages_leaves_the_claim_undecided() -> None:
    report = check(CLAIM, contexts=[ROOM, BOOKING]).record
    for document in report.documents:
        left = rescore(report, exclude=Exclusions(documents=(document.id,)))
        assert outcome(left) == "undecided"


@pytest.mark.parametrize("form", ["md", "html"])
def test_reports_say_that_other_passages_were_read_with_the_quoted_one(form: str) -> None:
    report = check(CLAIM, contexts=[ROOM, BOOKING]).record
    text = str(render(report, form))
    assert "read as one with 1 other passage" in " ".join(text.split())


def test_a_claim_that_one_passage_settles_is_not_read_again() -> None:
    report = check("The ferry Alda takes up to 12 cars.", contexts=[ROOM, BOOKING]).record
    assert outcome(report) == "supported"
    assert not together(report)


class Joint:
    """A verifier with one label for a single passage and another for several passages read as one."""

    name = "joint"

    def __init__(self, alone: Prediction, joint: Prediction) -> None:
        self.alone, self.joint = alone, joint
        self.asked: list[ClaimPair] = []

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        self.asked += pairs
        return [self.joint if "\n\n" in pair.passage else self.alone for pair in pairs]


def predicted(label: str, confidence: float) -> Prediction:
    return Prediction(label, confidence, None, "", LabelProbabilities(0.2, 0.2, 0.6))  # type: ignore[arg-type]


OPEN = predicted("not_enough_evidence", 0.6)
"""A label that leaves the claim open."""


@pytest.mark.parametrize(
    ("alone", "joint", "wanted"),
    [
        (OPEN, predicted("supported", 0.5), "supported"),
        (OPEN, predicted("supported", 0.49), "undecided"),
        (OPEN, predicted("contradicted", 0.9), "contradicted"),
        (OPEN, predicted("contradicted", 0.6), "undecided"),
        (predicted("contradicted", 0.6), predicted("supported", 0.9), "supported"),
        (predicted("contradicted", 0.6), predicted("supported", 0.55), "undecided"),
        (predicted("contradicted", 0.0), predicted("supported", 0.9), "supported"),
        (predicted("contradicted", 0.9), predicted("supported", 0.95), "contradicted"),
        (predicted("supported", 0.5), predicted("contradicted", 0.95), "supported"),
    ],
)
def test_only_an_open_claim_takes_the_label_of_several_passages(
    tmp_path: Path, alone: Prediction, joint: Prediction, wanted: str
) -> None:
    assert outcome(checked_by(Joint(alone, joint), tmp_path)) == wanted


class Quoting(Joint):
    """A verifier that quotes a word of a single passage, if the passage has it."""

    word = "ferry"

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        starts = [pair.passage.find(self.word) for pair in pairs]
        quotes = [Span(start=start, end=start + len(self.word)) if start >= 0 else None for start in starts]
        predictions = super().verify(pairs)
        return [prediction._replace(quote=quote) for prediction, quote in zip(predictions, quotes, strict=True)]


@pytest.mark.parametrize(
    ("joint", "wanted"),
    [
        (predicted("contradicted", 0.6), "contradicted"),
        (predicted("contradicted", 0.4), "undecided"),
        (OPEN, "undecided"),
        (predicted("supported", 0.7), "supported"),
    ],
)
def test_two_weak_contradictions_decide_a_claim_that_they_contradict_as_one(
    tmp_path: Path, joint: Prediction, wanted: str
) -> None:
    report = checked_by(Quoting(predicted("contradicted", 0.5), joint), tmp_path)
    assert outcome(report) == wanted
    if wanted == "contradicted":
        (judgement,) = together(report)
        assert judgement.confidence == 0.75
        assert len(judgement.passage_ids) == 2


def test_a_weak_contradiction_without_a_quote_decides_nothing_with_another(tmp_path: Path) -> None:
    verifier = Quoting(predicted("contradicted", 0.5), predicted("contradicted", 0.6))
    verifier.word = "booked"  # of the second passage only
    assert outcome(checked_by(verifier, tmp_path)) == "undecided"


def checked_by(verifier: Verifier, folder: Path) -> Report:
    for number, text in enumerate((ROOM, BOOKING)):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    tools = Tools(open_tools([folder]).sources, {"builtin": lambda: verifier})
    return check_sync("The ferry Alda has room for cars.", find_method("builtin"), tools)


class Failing(Joint):
    """A verifier that fails on several passages read as one."""

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        if any("\n\n" in pair.passage for pair in pairs):
            raise RuntimeError("out of memory")
        return super().verify(pairs)


def test_a_failure_in_the_joint_reading_loses_no_label(tmp_path: Path) -> None:
    report = checked_by(Failing(OPEN, OPEN), tmp_path)
    assert [judgement.label for judgement in report.judgements if judgement.label] == [OPEN.label] * 2
    (verdict,) = (verdict for verdict in report.verdicts if verdict.level == "claim")
    assert verdict.outcome == "failed"
    assert "joint failed: RuntimeError: out of memory" in str(verdict.reason)


def test_cited_sources_are_judged_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text(ROOM, encoding="utf-8")
    (tmp_path / "2.txt").write_text(BOOKING, encoding="utf-8")
    entries = "[1] Alda, the ferry. https://alda.example/room\n[2] Alda, booking. https://alda.example/booking\n"
    settings = Settings(evidence=(tmp_path,), cited=True, offline=True, method="builtin")
    text = f"{CLAIM[:-1]} [1, 2].\n\n## References\n\n{entries}"
    report = check_sync(text, chosen_method(settings), open_tools(settings=settings))
    assert {len(judgement.passage_ids) for judgement in report.judgements} == {1}
    assert len(report.judgements) >= 2
