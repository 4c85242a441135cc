"""Suite cases checked by any method: the outcome that a report gives a pair or a sentence of the key."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from factscope.benchmarks.behaviour import PairRow, SentenceRow, check_pair, check_text, holds, judge_pairs
from factscope.benchmarks.behaviour.suite import KeySentence, PairCase, TextCase
from factscope.core import NOT_READ, InputError, Outcome, UsageError
from factscope.core.records import Document, Failure, Judgement, Passage, Report, Span, Verdict
from factscope.evidence import EvidenceProblem, NoEvidenceError
from factscope.judging.verifiers import ClaimPair, Prediction
from tests.lab.many_cases import try_all
from tests.scoring.two_runs import Ends, checked, finished

PAIR = PairCase(id="p1", category="units", claim="It is 3 m.", evidence="It is 4 m.", label="contradicted")
NO_EVIDENCE = NoEvidenceError("None of the evidence can be used.", "", [EvidenceProblem("a.txt", None, "is empty")])


def texts_in(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


class Checker:
    """A check that returns a report or raises an error, and records its inputs."""

    def __init__(self, result: Report | Exception) -> None:
        self.result = result
        self.asked: list[tuple[str, Path, dict[str, str]]] = []

    async def __call__(self, text: str, folder: Path) -> Report:
        self.asked.append((text, folder, texts_in(folder)))
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def pair_row(result: Report | Exception, case: PairCase = PAIR) -> PairRow:
    return asyncio.run(check_pair(Checker(result), case))


def text_case(folder: Path, text: str, *sentences: str | KeySentence) -> TextCase:
    """Build a text whose key has these sentences, supported by the documents unless labelled otherwise."""
    key = (KeySentence(sentence=one, label="supported") if isinstance(one, str) else one for one in sentences)
    return TextCase("mine", text, folder, tuple(key))


def text_rows(result: Report | Exception, case: TextCase) -> list[SentenceRow]:
    return asyncio.run(check_text(Checker(result), case))


def outcomes(ends: Ends, case: TextCase) -> list[Outcome]:
    return [row.outcome for row in text_rows(checked("t", ends), case)]


def test_a_pair_is_checked_as_a_text_against_its_passage_alone() -> None:
    check = Checker(checked("t", [("It is 3 m.", "contradicted")]))
    row = asyncio.run(check_pair(check, PAIR))
    ((text, folder, files),) = check.asked
    assert (text, files) == (PAIR.claim, {"evidence.txt": PAIR.evidence})
    assert not folder.exists()
    assert (row.id, row.kind, row.claim, row.evidence, row.label) == (
        "p1",
        "units",
        PAIR.claim,
        PAIR.evidence,
        PAIR.label,
    )
    assert (row.answer, row.confidence) == ("contradicted", None)


@try_all(
    ("ends", "answer"),
    [
        (["supported"], "supported"),
        (["contradicted"], "contradicted"),
        (["undecided"], "not_enough"),
        (["no_evidence"], "not_enough"),
        (["not_checkable"], "not_enough"),
        (["failed"], None),
        (["supported", "contradicted"], "contradicted"),
        (["supported", "undecided"], "not_enough"),
        (["supported", "not_checkable"], "supported"),
        (["supported", "failed"], None),
    ],
)
def test_the_answer_to_a_pair_is_the_worst_of_its_sentences(ends: list[Outcome], answer: str | None) -> None:
    report = checked("t", [(f"It is {n} m.", outcome) for n, outcome in enumerate(ends)])
    assert pair_row(report).answer == answer


def test_a_failed_pair_gives_its_reason_once() -> None:
    failure = Failure(unit_id="s1.c1", stage="judging", boundary="model", message="The model did not answer.")
    ends: Ends = [("It is 3 m.", "failed"), ("It is 4 m.", "failed")]
    report = checked("t", ends, reason="No reply could be read.", failures=(failure, failure))
    row = pair_row(report)
    assert (row.answer, row.rationale) == (None, "The model did not answer.; No reply could be read.")


def test_a_claim_in_a_language_no_judge_reads_fails() -> None:
    report = checked("t", [("Es ist 3 m.", "not_checkable")])
    claim = report.claims[0].model_copy(update={"skipped": f"{NOT_READ}: de"})
    row = pair_row(report.model_copy(update={"claims": (claim,)}))
    assert (row.answer, row.rationale) == (None, f"{NOT_READ}: de")


def test_the_reasons_of_a_pair_are_those_of_its_judgements() -> None:
    base: dict[str, Any] = {"unit_id": "s1.c1", "passage_ids": (), "judge": "j", "label": "contradicted"}
    judgements = [
        Judgement(id=f"s1.c1.j{n}", rationale=reason, **base) for n, reason in enumerate(("4, not 3", "", "No."))
    ]
    report = checked("t", [("It is 3 m.", "contradicted")], judgements=tuple(judgements))
    assert pair_row(report).rationale == "4, not 3; No."


@try_all(
    ("claim", "evidence", "said"),
    [("?!", "It is.", "the claim contains no words"), ("It is.", "---", "the passage contains no words")],
)
def test_a_pair_without_words_is_not_checked(claim: str, evidence: str, said: str) -> None:
    row = pair_row(AssertionError("must not be asked"), PAIR.model_copy(update={"claim": claim, "evidence": evidence}))
    assert (row.answer, row.rationale) == (None, said)


def test_an_unusable_passage_makes_its_pair_fail() -> None:
    assert pair_row(NO_EVIDENCE).rationale == "the passage can't be used: it is empty"
    assert pair_row(NoEvidenceError("Nothing there.", "", ())).rationale == "Nothing there."
    with pytest.raises(UsageError):
        pair_row(UsageError("No such method."))


def test_a_verifier_s_answers_keep_their_order_and_confidence() -> None:
    class Scripted:
        name = "scripted-1"

        def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
            labels = {"a": "supported", "b": "irrelevant", "c": "contradicted"}
            return [Prediction(labels[pair.claim], 0.7, None, pair.passage) for pair in pairs]  # type: ignore[arg-type]

    cases = [PAIR.model_copy(update={"id": name, "claim": name, "evidence": f"of {name}"}) for name in "cab"]
    rows = judge_pairs(Scripted(), cases)
    assert [(row.id, row.answer, row.rationale, row.confidence) for row in rows] == [
        ("c", "contradicted", "of c", 0.7),
        ("a", "supported", "of a", 0.7),
        ("b", "not_enough", "of b", 0.7),
    ]
    assert judge_pairs(Scripted(), []) == []


def test_each_sentence_of_the_key_has_the_outcome_of_its_segment(tmp_path: Path) -> None:
    ends: Ends = [("It is old.", "supported"), ("It is high.", "contradicted"), ("It is red.", "undecided")]
    text = "It is old. It is high. It is red."
    assert outcomes(ends, text_case(tmp_path, text, "It is red.", "It is old.")) == ["undecided", "supported"]
    check = Checker(checked("t", ends))
    asyncio.run(check_text(check, text_case(tmp_path, text, "It is old.")))
    assert check.asked == [(text, tmp_path, {})]


def test_a_repeated_sentence_is_matched_in_the_order_of_the_key(tmp_path: Path) -> None:
    text = "It is old. It is high. It is old."
    ends: Ends = [("It is old.", "supported"), ("It is high.", "contradicted"), ("It is old.", "undecided")]
    assert outcomes(ends, text_case(tmp_path, text, "It is old.", "It is old.")) == ["supported", "undecided"]
    assert outcomes(ends, text_case(tmp_path, text, "It is high.", "It is old.")) == ["contradicted", "undecided"]
    mixed = text_case(tmp_path, text, "It is old.", "It is old.", "It is old.")  # one occurrence more than in the text
    assert outcomes(ends, mixed) == ["supported", "undecided", "supported"]


def test_a_sentence_cut_in_two_has_the_worse_outcome(tmp_path: Path) -> None:
    ends: Ends = [("It is old,", "supported"), ("and high.", "contradicted"), ("It is red.", "supported")]
    text = "It is old, and high. It is red."
    assert outcomes(ends, text_case(tmp_path, text, "It is old, and high.", "It is red.")) == [
        "contradicted",
        "supported",
    ]


def test_sentences_are_compared_without_white_space(tmp_path: Path) -> None:
    report = checked("t", [("It is\n  (very) old.", "supported")])
    case = text_case(tmp_path, "It is\n  (very) old.", "It is (very) old.")
    assert [row.outcome for row in text_rows(report, case)] == ["supported"]
    with pytest.raises(InputError, match=r"The text mine does not hold the sentence of its key: 'It is old\.'"):
        text_rows(report, text_case(tmp_path, "It is\n  (very) old.", "It is old."))


def test_a_text_without_usable_documents_fails_as_a_whole(tmp_path: Path) -> None:
    quoted = KeySentence(sentence="It is old.", label="supported", doc="a.txt", quote="old")
    rows = text_rows(NO_EVIDENCE, text_case(tmp_path, "It is old. It is red.", quoted, "It is red."))
    assert [(row.outcome, row.retrieved, row.reason) for row in rows] == [
        ("failed", False, "None of the evidence can be used."),
        ("failed", None, "None of the evidence can be used."),
    ]


def test_a_text_that_could_not_be_split_has_the_outcome_of_the_response(tmp_path: Path) -> None:
    verdict = Verdict(unit_id="t", level="response", outcome="failed", rule="worst", reason="It is too long.")
    report = finished("t", "It is old.", [], [], [verdict])
    (row,) = text_rows(report, text_case(tmp_path, "It is old.", "It is old."))
    assert (row.outcome, row.reason) == ("failed", "It is too long.")


def test_the_reason_for_a_sentence_comes_only_from_its_own_claims(tmp_path: Path) -> None:
    text = "It is old. It is red."
    report = checked("t", [("It is old.", "contradicted"), ("It is red.", "undecided")], reason="it was weighed")
    base: dict[str, Any] = {"passage_ids": (), "judge": "j"}
    judgements = (
        Judgement(id="s1.c1.j1", unit_id="s1.c1", label="contradicted", rationale="Built last year.", **base),
        Judgement(id="s2.c1.j1", unit_id="s2.c1", label="supported", rationale="Red it is.", **base),
    )
    first, second = text_rows(
        report.model_copy(update={"judgements": judgements}), text_case(tmp_path, text, *("It is old.", "It is red."))
    )
    assert first.reason == "it was weighed; contradicted: Built last year."
    assert second.reason == "it was weighed; supported: Red it is."


def retrieved(
    tmp_path: Path, key: KeySentence, *documents: tuple[str | None, str | None, str], claim: str = "s1.c1"
) -> bool | None:
    """Check whether a quote counts as retrieved from passages given by their document's address and title."""
    found = [
        Document(id=f"d{n}", text=None, sha256="", url=url, title=title) for n, (url, title, _) in enumerate(documents)
    ]
    passages = [
        Passage(
            id=f"p{n}",
            claim_id=claim,
            document_id=f"d{n}",
            span=Span(start=0, end=len(text)),
            text=text,
            rank=1,
            score=1,
        )
        for n, (_, _, text) in enumerate(documents)
    ]
    report = checked("t", [("It is old.", "supported"), ("It is red.", "supported")])
    report = report.model_copy(update={"documents": tuple(found), "passages": tuple(passages)})
    return text_rows(report, text_case(tmp_path, report.response.text, key))[0].retrieved


def test_a_quote_was_retrieved_when_a_passage_of_the_deciding_document_holds_it(tmp_path: Path) -> None:
    key = KeySentence(sentence="It is old.", label="supported", doc="a.txt", quote="built in 1868")
    said = "It was built in 1868."
    assert retrieved(tmp_path, key, ("docs/a.txt", None, said))
    assert retrieved(tmp_path, key, (None, "a.txt", said))
    assert retrieved(tmp_path, key, ("docs\\a.txt#2", None, said))
    assert retrieved(tmp_path, key, ("docs/b.txt", None, "No."), ("docs/a.txt", None, said))
    assert retrieved(tmp_path, key, ("docs/b.txt", None, said)) is False
    assert retrieved(tmp_path, key, ("docs/data.txt", None, said)) is False  # only the end of the name matches
    assert retrieved(tmp_path, key, ("docs/a.txt", None, "It was built in 1869.")) is False
    assert retrieved(tmp_path, key, ("docs/a.txt", None, said), claim="s2.c1") is False  # for another sentence
    anywhere = key.model_copy(update={"doc": None})
    assert retrieved(tmp_path, anywhere, ("docs/b.txt", None, said))
    assert retrieved(tmp_path, key.model_copy(update={"quote": None}), ("docs/a.txt", None, said)) is None


def test_the_words_of_a_quote_may_be_spread_three_times_as_wide() -> None:
    assert holds("a x x x x b", "a b")
    assert not holds("a x x x x x b", "a b")
    assert holds("a x x x x x a b", "a b")  # the first start is a dead end
    assert not holds("", "a")
    assert holds("Der STRASSE entlang", "straße")
