"""Words of a claim that the evidence does not support: found by leaving them out, stored as spans, and shown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from factscope import check as check_text
from factscope.core.records import Report, Span
from factscope.engine import Tools, check_sync, find_method, open_tools
from factscope.judging.verifiers import (
    MOST,
    ClaimPair,
    LabelProbabilities,
    Prediction,
    abstention,
    looked_into,
    phrases,
    unsupported,
    without,
)
from factscope.report import render
from factscope.scoring import rescore


class Counting:
    """A verifier that supports a claim by the share of its words in the passage, and counts its calls."""

    name = "counting-1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        self.asked += [pair.claim for pair in pairs]
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: ClaimPair) -> Prediction:
        words = pair.claim.lower().rstrip(".").split()
        lacking = sum(word not in pair.passage.lower() for word in words)
        chances = LabelProbabilities(0.9 / (1 + 2 * lacking), 0.05, 0.95 - 0.9 / (1 + 2 * lacking))
        label = "supported" if not lacking else "not_enough_evidence"
        return Prediction(label, 0.8, None, "", chances)  # type: ignore[arg-type]


def found(claim: str, passage: str) -> list[str]:
    verifier, left = Counting(), without(claim)
    (before,) = verifier.verify([ClaimPair(claim, passage)])
    after = verifier.verify([ClaimPair(text, passage) for text in left.values()])
    assert before.probabilities is not None
    return [span.of(claim) for span in unsupported(left, before.probabilities, after)]


def test_the_unsupported_words_are_found() -> None:
    assert found("The bridge was opened in 1931.", "the bridge was opened in 1913") == ["1931"]
    assert found("The bridge never had six arches.", "the bridge had six arches") == ["never"]
    assert found("The bridge was painted by Anna Lund.", "the bridge was painted by somebody") == ["Anna Lund"]
    assert found("The bridge was opened.", "the bridge was opened") == []


@given(st.text(max_size=120))
def test_phrases_are_ordered_and_do_not_overlap(claim: str) -> None:
    spans = phrases(claim)
    assert all(span.of(claim).strip() == span.of(claim) != "" for span in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert len(without(claim)) <= MOST


def test_a_very_long_or_very_short_claim_is_not_examined() -> None:
    assert without(" and ".join(f"item{n}" for n in range(40))) == {}
    assert without("Rain.") == {}


def test_the_most_telling_passage_is_examined() -> None:
    silent = Prediction("not_enough_evidence", 0.8, None, "", LabelProbabilities(0.2, 0.1, 0.7))
    nearer = Prediction("not_enough_evidence", 0.6, None, "", LabelProbabilities(0.4, 0.1, 0.5))
    against = Prediction("contradicted", 0.7, None, "", LabelProbabilities(0.1, 0.7, 0.2))
    supports = Prediction("supported", 0.7, None, "", LabelProbabilities(0.7, 0.1, 0.2))
    assert looked_into([silent, nearer]) == 1
    assert looked_into([silent, nearer, against]) == 2
    assert looked_into([silent, supports]) is None
    assert looked_into([Prediction("irrelevant", 1.0, None, "")]) is None
    assert looked_into([abstention("unsure", "", LabelProbabilities(0.5))]) == 0
    assert looked_into([abstention("other_language", "", LabelProbabilities(0.4, 0.1, 0.5)), silent]) == 1


def report(tmp_path: Path, verifier: Counting) -> Report:
    (tmp_path / "bridge.txt").write_text("The bridge was opened in 1913. The school is old.", encoding="utf-8")
    sources = open_tools([tmp_path / "bridge.txt"]).sources
    tools = Tools(sources, {"builtin": lambda: verifier})
    return check_sync("The bridge was opened in 1931. The school is old.", find_method("builtin"), tools)


def test_unsupported_words_are_stored_and_shown_only_for_unsupported_claims(tmp_path: Path) -> None:
    verifier = Counting()
    made = report(tmp_path, verifier)
    claims = {claim.id: claim.standalone for claim in made.claims}
    spans = {claims[one.unit_id]: [span.of(claims[one.unit_id]) for span in one.unsupported]
             for one in made.judgements if one.unsupported}  # fmt: skip
    assert spans == {"The bridge was opened in 1931.": ["1931"]}
    assert not any("school" in claim and claim != "The school is old." for claim in verifier.asked)
    assert '<u title="not backed by the evidence">1931</u>' in render(made, "html")
    assert "Not backed by the evidence: “1931”" in render(made, "md")
    assert rescore(made).verdicts == made.verdicts
    assert Report.model_validate_json(made.model_dump_json()) == made


def test_a_failed_search_for_the_words_is_recorded_and_changes_no_verdict(tmp_path: Path) -> None:
    class Failing(Counting):
        def _one(self, pair: ClaimPair) -> Prediction:
            if not pair.claim.endswith(("in 1931.", "is old.")):
                raise RuntimeError("out of memory")
            return super()._one(pair)

    made = report(tmp_path, Failing())
    assert {verdict.unit_id: verdict.outcome for verdict in made.verdicts if verdict.level == "claim"} == {
        "s1.c1": "undecided",
        "s2.c1": "supported",
    }
    assert [(failure.unit_id, failure.stage) for failure in made.failures] == [("s1.c1", "words")]
    assert "failed in words (model): counting-1 failed: RuntimeError: out of memory" in str(render(made, "md"))
    assert rescore(made).verdicts == made.verdicts


def test_a_pronoun_alone_is_not_marked_as_unsupported() -> None:
    passage = "The Marlow bridge was opened in 1931. It has four arches."
    made = check_text("The Marlow bridge was opened in 1931. It has six arches 🌉", contexts=[passage]).record
    (wrong,) = [one for one in made.judgements if one.label == "contradicted"]
    assert wrong.unsupported == ()


def test_a_verifier_with_a_faster_first_stage_finds_the_words_with_that_stage(tmp_path: Path) -> None:
    class Slow(Counting):
        small = Counting()

    slow = Slow()
    made = report(tmp_path, slow)
    assert [one.unsupported for one in made.judgements if one.unsupported] == [(Span(start=25, end=29),)]
    assert not set(slow.asked) & set(without("The bridge was opened in 1931.").values())
    assert set(slow.small.asked) >= set(without("The bridge was opened in 1931.").values())


def test_an_unrelated_attribute_named_small_is_ignored(tmp_path: Path) -> None:
    class Sized(Counting):
        small = True

    assert [one.unsupported for one in report(tmp_path, Sized()).judgements if one.unsupported]
