"""From judgements to verdicts, through the rules of each level."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.core import OUTCOMES, Label, Outcome
from factscope.core.records import (
    Claim,
    Document,
    Exclusions,
    Failure,
    Judgement,
    Passage,
    Report,
    Response,
    Segment,
    Span,
    Verdict,
)
from factscope.engine import Settings, chosen_method
from factscope.methods import RollUp, method_named, with_strictness
from factscope.scoring.verdicts import (
    claim_verdict,
    counts,
    disagree,
    excluded_passages,
    is_too_weak,
    response_verdict,
    roll_up,
    segment_verdict,
)
from tests.conftest import at_least

SAFE = method_named("safe")

CLAIM = Claim(id="s1.c1", segment_id="s1", text="It rained.", standalone="It rained.")
SEGMENT = Segment(id="s1", span=Span(start=0, end=10), text="It rained.", kind="sentence")
RESPONSE = Response(text="It rained.")
STRONGEST, SHARE, ONLY = (RollUp(unit=rule) for rule in ("strongest", "share", "only"))
LABELS: tuple[Label, ...] = ("supported", "contradicted", "not_enough_evidence", "not_supported", "irrelevant")


def judged(label: Label | None, confidence: float | None = None, n: int = 1, claim: str = "s1.c1") -> Judgement:
    return Judgement(
        id=f"{claim}.p{n}.j1",
        unit_id=claim,
        passage_ids=(f"{claim}.p{n}",),
        judge="test-1",
        label=label,
        confidence=confidence,
        failure=None if label else "the judge timed out",
    )


def several(*items: Any) -> list[Judgement]:
    pairs = [item if isinstance(item, tuple) else (item, None) for item in items]
    return [judged(label, confidence, n) for n, (label, confidence) in enumerate(pairs, start=1)]


def records(segments: Any, claims: Any, judgements: Any, failures: Any = ()) -> Report:
    """Make the records of a check before its verdicts."""
    return Report.model_construct(
        response=RESPONSE,
        segments=segments,
        claims=claims,
        passages=PASSAGES,
        documents=DOCUMENTS,
        judgements=judgements,
        failures=failures,
    )


def failure(unit_id: str = "s1.c1", message: str = "the search failed") -> Failure:
    return Failure(unit_id=unit_id, stage="evidence", boundary="search", message=message)


def on(items: list[Judgement], rules: RollUp = STRONGEST, **more: Any) -> Verdict:
    return claim_verdict(CLAIM, items, more.pop("failures", ()), rules, **more)


# Checks before any rule


def test_a_skipped_claim_is_not_checkable_whatever_was_judged() -> None:
    claim = CLAIM.model_copy(update={"skipped": "a question"})
    verdict = claim_verdict(claim, several("supported"), [failure()], STRONGEST)
    assert (verdict.outcome, verdict.reason, verdict.judgement_ids) == ("not_checkable", "a question", ())


def test_evidence_is_missing_without_judgement_or_failure() -> None:
    assert (on([]).outcome, on([]).reason) == ("no_evidence", "no passage was found")


def test_irrelevant_passages_are_not_evidence() -> None:
    verdict = on(several("irrelevant", "irrelevant"))
    assert verdict.outcome == "no_evidence"
    assert verdict.reason == "the passages found do not bear on the claim"
    assert len(verdict.judgement_ids) == 2


def test_a_failure_without_a_label_is_failed_and_says_why() -> None:
    verdict = on([], failures=[failure()])
    assert (verdict.outcome, verdict.reason) == ("failed", "the search failed")
    verdict = on(several(None, None))
    assert (verdict.outcome, verdict.reason) == ("failed", "the judge timed out")
    both = on(several(None), failures=[failure()])
    assert (both.outcome, both.reason) == ("failed", "the judge timed out (and 1 more)")


def test_a_failure_beside_a_label_shows_in_the_reason_only() -> None:
    verdict = on(several(("supported", 0.9), None))
    assert (verdict.outcome, verdict.confidence) == ("supported", 0.9)
    assert verdict.reason == "not everything could be read or judged: the judge timed out"


@pytest.mark.parametrize("flag", ["other_language", "too_long", "nothing_to_read"])
@pytest.mark.parametrize("rules", [STRONGEST, SHARE], ids=["strongest", "share"])
def test_a_claim_no_verifier_could_read_is_not_judged(flag: Any, rules: RollUp) -> None:
    unread = [
        judged("not_enough_evidence", None, n).model_copy(update={"flags": (flag,), "rationale": "it can't be read"})
        for n in (1, 2)
    ]
    verdict = claim_verdict(CLAIM, unread, [], rules)
    assert (verdict.outcome, verdict.reason) == ("failed", "not judged: it can't be read")
    assert claim_verdict(CLAIM, [*unread, judged("supported", 0.9, 3)], [], rules).outcome == "supported"
    assert claim_verdict(CLAIM, [*unread, judged("irrelevant", 0.9, 3)], [], rules).outcome == "no_evidence"
    unsure = [one.model_copy(update={"flags": ("unsure",)}) for one in unread]
    assert claim_verdict(CLAIM, unsure, [], rules).outcome == "undecided"


@pytest.mark.parametrize("panel", ["majority", "consensus", "mean"])
def test_a_panel_judge_that_could_not_read_is_missing_and_has_no_vote(panel: Any) -> None:
    rules = RollUp(unit="strongest", panel=panel)
    blind = judged("not_enough_evidence").model_copy(
        update={"judge": "blind", "flags": ("other_language",), "rationale": "it can't be read"}
    )
    one, two = (judged("supported", 0.9, n).model_copy(update={"judge": f"judge-{n}"}) for n in (2, 3))
    assert claim_verdict(CLAIM, [blind, one], [], rules, judges=2).outcome == "failed"
    verdict = claim_verdict(CLAIM, [blind, one, two], [], rules, judges=3)
    assert verdict.outcome == ("supported" if panel == "majority" else "failed")
    assert "not judged: it can't be read" in (verdict.reason or "")
    assert not disagree([blind, one, two], rules)


def test_when_all_judgements_are_ruled_out_the_claim_is_excluded() -> None:
    assert on([], n_excluded=2).outcome == "excluded"
    assert on(several("supported"), n_excluded=2).outcome == "supported"
    assert on(several(None), n_excluded=1).outcome == "failed"


def test_ruling_evidence_out_hides_no_failure() -> None:
    timeout = Failure(unit_id="s1.c1", stage="judging", boundary="model", message="the judge timed out")
    verdict = on([], n_excluded=1, failures=[timeout])
    assert (verdict.outcome, verdict.reason) == ("failed", "the judge timed out")
    assert on([], n_excluded=1, failures=[failure()]).outcome == "failed"
    unfetched = failure().model_copy(update={"about": "https://example.org", "message": "example.org can't be reached"})
    verdict = on([], n_excluded=1, failures=[unfetched])
    assert verdict.outcome == "excluded"
    assert verdict.reason == (
        "all of its evidence was ruled out; not everything could be read or judged: example.org can't be reached"
    )


def test_records_of_other_claims_are_ignored() -> None:
    assert on([judged("contradicted", claim="s1.c2")], failures=[failure("s2.c1")]).outcome == "no_evidence"


# strongest


@pytest.mark.parametrize(
    ("items", "outcome", "confidence"),
    [
        ([("supported", 0.6)], "supported", 0.6),
        ([("contradicted", 0.4), ("contradicted", 0.8)], "contradicted", 0.8),
        ([("supported", 0.9), ("contradicted", 0.7)], "supported", 0.9),
        ([("supported", 0.7), ("contradicted", 0.9)], "contradicted", 0.9),
        ([("supported", 0.75), ("contradicted", 0.7)], "undecided", None),
        ([("supported", 0.7), ("contradicted", 0.6)], "supported", 0.7),  # exactly the margin
        ([("not_enough_evidence", 0.99), ("supported", 0.4)], "supported", 0.4),
        ([("not_supported", 0.99), ("supported", 0.4)], "supported", 0.4),
        ([("irrelevant", 0.99), ("contradicted", 0.4)], "contradicted", 0.4),
        ([("not_enough_evidence", 0.5), ("not_enough_evidence", 0.8)], "undecided", 0.8),
        (["supported", ("contradicted", 0.8)], "supported", None),  # no confidence counts as 1
        (["supported", "contradicted"], "undecided", None),
    ],
)
def test_the_surest_label_decides(items: list[Any], outcome: Outcome, confidence: float | None) -> None:
    verdict = on(several(*items))
    assert (verdict.outcome, verdict.confidence, verdict.rule) == (outcome, confidence, "strongest")


def test_a_conflict_names_both_sides() -> None:
    verdict = on(several(("supported", 0.8), ("not_enough_evidence", 0.9), ("contradicted", 0.8)))
    assert verdict.reason == "evidence conflicts"
    assert verdict.judgement_ids == ("s1.c1.p1.j1", "s1.c1.p3.j1")


def test_a_tie_stays_a_conflict_without_a_margin() -> None:
    rules = RollUp(margin=0)
    assert on(several(("supported", 0.8), ("contradicted", 0.8)), rules).outcome == "undecided"
    assert on(several(("supported", 0.81), ("contradicted", 0.8)), rules).outcome == "supported"


def test_the_side_that_lost_is_not_hidden() -> None:
    verdict = on(several(("supported", 0.9), ("contradicted", 0.2)))
    assert verdict.reason == "evidence conflicts; the surer side decides"
    assert verdict.judgement_ids == ("s1.c1.p1.j1",)


def test_a_binary_no_is_undecided() -> None:
    verdict = on(several(("not_supported", 0.9), "irrelevant"))
    assert (verdict.outcome, verdict.reason) == ("undecided", "not supported")
    assert on(several("not_supported", "not_enough_evidence")).reason == "the evidence does not settle it"


# share: the threshold cases of Facts&Evidence


@pytest.mark.parametrize(
    ("labels", "factual"),
    [
        (["supported", "irrelevant", "contradicted"], True),  # 1 of 3 = 0.333
        (["contradicted"] * 3, False),  # 0 of 3
        (["irrelevant", "not_supported", "not_supported"], False),  # 0 of 3
        (["supported"] + ["not_supported"] * 5, False),  # 1 of 6 = 0.167
        (["supported"] * 3 + ["not_supported"] * 7, True),  # 3 of 10: the threshold itself passes
        (["supported"] * 2 + ["irrelevant"] * 5, False),  # 2 of 7 = 0.286
    ],
)
def test_share_of_support_against_the_threshold(labels: list[Label], factual: bool) -> None:
    assert (on(several(*labels), SHARE).outcome == "supported") is factual


def test_two_claims_of_one_sentence_with_one_supporting_piece_of_six_are_not_factual() -> None:
    other = CLAIM.model_copy(update={"id": "s1.c2"})
    items = [*several("supported", "not_supported", "not_supported")]
    items += [judged("not_supported", None, n, "s1.c2") for n in (1, 2, 3)]
    verdicts = roll_up(records([SEGMENT], [CLAIM, other], items), SHARE, Exclusions())
    assert [v.outcome for v in verdicts] == ["supported", "undecided", "undecided", "undecided"]


def test_below_the_threshold_only_a_majority_of_contradictions_contradicts() -> None:
    rest: list[Label] = ["irrelevant"] * 8
    assert on(several(*rest, "not_supported"), SHARE).outcome == "undecided"
    assert on(several(*rest, "supported", "contradicted"), SHARE).outcome == "undecided"
    verdict = on(several(*rest, ("contradicted", 0.6), ("contradicted", 0.8), ("supported", 1.0)), SHARE)
    assert verdict.outcome == "contradicted"
    assert verdict.confidence == pytest.approx(0.7)
    assert verdict.reason == "1 of 11 judgements support it"


def test_no_support_is_never_supported() -> None:
    verdict = on(several("not_supported"), RollUp(unit="share", threshold=0))
    assert (verdict.outcome, verdict.reason) == ("undecided", "0 of 1 judgement supports it")


# only


@pytest.mark.parametrize(
    ("label", "outcome", "reason"),
    [
        ("supported", "supported", None),
        ("contradicted", "contradicted", None),
        ("not_enough_evidence", "undecided", "the evidence does not settle it"),
        ("not_supported", "undecided", "not supported"),
        ("irrelevant", "no_evidence", "the passages found do not bear on the claim"),
    ],
)
def test_a_single_label_determines_the_outcome(label: Label, outcome: Outcome, reason: str | None) -> None:
    verdict = on(several((label, 0.5)), ONLY)
    assert (verdict.outcome, verdict.reason) == (outcome, reason)


def test_the_rule_named_only_refuses_to_choose_among_several() -> None:
    verdict = on(several("supported", "supported"), ONLY)
    assert verdict.outcome == "failed"
    assert "there are 2" in (verdict.reason or "")


# Segments and the response


def part(outcome: Outcome, n: int = 1, confidence: float | None = None, **more: Any) -> Verdict:
    return Verdict(unit_id=f"s1.c{n}", level="claim", outcome=outcome, rule="strongest", confidence=confidence, **more)


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [
        (["supported", "contradicted", "failed"], "contradicted"),
        (["supported", "failed", "undecided"], "failed"),
        (["no_evidence", "undecided", "supported"], "undecided"),
        (["no_evidence", "supported", "not_checkable"], "no_evidence"),
        (["supported", "excluded", "not_checkable"], "supported"),
        (["excluded", "not_checkable"], "excluded"),
        (["not_checkable", "not_checkable"], "not_checkable"),
    ],
)
def test_the_worst_part_decides(outcomes: list[Outcome], worst: Outcome) -> None:
    parts = [part(outcome, n) for n, outcome in enumerate(outcomes, start=1)]
    assert segment_verdict(SEGMENT, parts, [], STRONGEST).outcome == worst
    assert response_verdict(RESPONSE, parts, STRONGEST).outcome == worst


def test_a_group_says_how_many_parts_decided_and_on_what() -> None:
    parts = [
        part("contradicted", 3, 0.6, judgement_ids=("s1.c3.j1",)),
        part("supported", 2, 0.9, judgement_ids=("s1.c2.j1",)),
        part("contradicted", 1, 0.8, judgement_ids=("s1.c1.j1",)),
    ]
    verdict = segment_verdict(SEGMENT, parts, [], STRONGEST)
    assert (verdict.reason, verdict.confidence) == ("2 of 3 claims contradicted", 0.8)
    assert verdict.judgement_ids == ("s1.c1.j1", "s1.c3.j1")
    assert segment_verdict(SEGMENT, parts[1:2], [], STRONGEST).confidence == 0.9


def test_support_of_a_group_is_as_sure_as_its_least_sure_part() -> None:
    parts = [part("supported", 1, 0.9), part("supported", 2, 0.6)]
    assert segment_verdict(SEGMENT, parts, [], STRONGEST).confidence == 0.6
    assert segment_verdict(SEGMENT, [*parts, part("supported", 3)], [], STRONGEST).confidence is None


def test_a_single_part_hands_its_reason_on() -> None:
    parts = [part("undecided", reason="evidence conflicts")]
    assert segment_verdict(SEGMENT, parts, [], STRONGEST).reason == "evidence conflicts"


def test_a_segment_without_claims_is_failed_or_not_checkable() -> None:
    assert segment_verdict(SEGMENT, [], [], STRONGEST).outcome == "not_checkable"
    verdict = segment_verdict(SEGMENT, [], [failure("s1", "no claims could be read")], STRONGEST)
    assert (verdict.outcome, verdict.reason) == ("failed", "no claims could be read")


def test_a_segment_that_failed_in_part_is_not_supported() -> None:
    assert segment_verdict(SEGMENT, [part("supported")], [failure("s1")], STRONGEST).outcome == "failed"
    assert segment_verdict(SEGMENT, [part("contradicted")], [failure("s1")], STRONGEST).outcome == "contradicted"


def test_a_failure_of_the_response_counts_only_without_any_verdict() -> None:
    assert response_verdict(RESPONSE, [], STRONGEST).outcome == "not_checkable"
    assert response_verdict(RESPONSE, [], STRONGEST, [failure("r1")]).outcome == "failed"
    assert response_verdict(RESPONSE, [part("supported")], STRONGEST, [failure("r1")]).outcome == "supported"


# Exclusions

DOCUMENTS = [
    Document(id="d-a", text=None, sha256="a", url="https://news.example.org/x", category="news"),
    Document(id="d-b", text=None, sha256="b", url="https://notexample.org/y", category="blog"),
    Document(id="d-c", text=None, sha256="c", url="docs/harbour.md", category="other"),
    Document(id="d-d", text=None, sha256="d", url="http://[broken", category="other"),
]
PASSAGES = [
    Passage(
        id=f"s1.c1.p{n}",
        claim_id="s1.c1",
        document_id=document.id,
        span=Span(start=0, end=1),
        text="y",
        rank=n,
        score=1.0,
    )
    for n, document in enumerate(DOCUMENTS, start=1)
]


@pytest.mark.parametrize(
    ("exclude", "out"),
    [
        (Exclusions(), []),
        (Exclusions(passages=("s1.c1.p2",)), [2]),
        (Exclusions(documents=("d-a",)), [1]),
        (Exclusions(documents=("docs/harbour.md", "https://notexample.org/y")), [2, 3]),
        (Exclusions(domains=("example.org",)), [1]),
        (Exclusions(domains=("News.Example.org.",)), [1]),
        (Exclusions(domains=("ple.org", "docs", "")), []),
        (Exclusions(categories=("blog", "other")), [2, 3, 4]),
    ],
)
def test_a_passage_is_excluded_if_any_of_the_four_exclusions_names_it(exclude: Exclusions, out: list[int]) -> None:
    assert excluded_passages(PASSAGES, DOCUMENTS, exclude) == {f"s1.c1.p{n}" for n in out}


def test_a_judgement_is_excluded_only_with_all_of_its_passages() -> None:
    pooled = judged("contradicted").model_copy(update={"passage_ids": ("s1.c1.p1", "s1.c1.p2")})
    from_memory = judged("supported", 0.5).model_copy(update={"passage_ids": ()})

    def outcome(item: Judgement, *passages: str) -> Outcome:
        exclude = Exclusions(passages=passages)
        return roll_up(records([SEGMENT], [CLAIM], [item]), STRONGEST, exclude)[0].outcome

    assert outcome(pooled, "s1.c1.p1") == "contradicted"
    assert outcome(pooled, "s1.c1.p1", "s1.c1.p2") == "excluded"
    assert outcome(from_memory, "s1.c1.p1") == "supported"


# The whole roll-up

many = st.lists(
    st.tuples(st.sampled_from((*LABELS, None)), st.none() | st.integers(0, 10).map(lambda tenths: tenths / 10)),
    max_size=5,
)


@settings(deadline=None, max_examples=at_least(37, in_all=150))
@given(many, st.sampled_from([STRONGEST, SHARE, ONLY]), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_records_makes_no_difference(
    items: list[Any], rules: RollUp, failed: bool, rng: random.Random
) -> None:
    claims = [CLAIM.model_copy(update={"id": f"s{n}.c1", "segment_id": f"s{n}"}) for n in range(1, 13)]
    segments = [SEGMENT.model_copy(update={"id": f"s{n}"}) for n in range(1, 14)]
    made = several(*(item if item[0] else None for item in items))
    failures = [failure("s2.c1", "one"), failure("s2.c1", "two")] if failed else []

    def rolled() -> tuple[Verdict, ...]:
        return roll_up(records(segments, claims, made, failures), rules, Exclusions())

    first = rolled()
    for group in (claims, segments, made, failures):
        rng.shuffle(group)
    assert rolled() == first
    assert [v.unit_id for v in first] == [
        *(f"s{n}.c1" for n in range(1, 13)),
        *(f"s{n}" for n in range(1, 14)),
        "r1",
    ]


def test_counts_hold_every_outcome_and_every_unit_once() -> None:
    claims = [CLAIM, CLAIM.model_copy(update={"id": "s1.c2"})]
    segments = [SEGMENT, SEGMENT.model_copy(update={"id": "s2"})]
    verdicts = roll_up(records(segments, claims, several("supported")), STRONGEST, Exclusions())
    expected = dict.fromkeys(OUTCOMES, 0) | {"supported": 1, "no_evidence": 1, "not_checkable": 1}
    assert counts(verdicts, segments, claims) == expected
    with pytest.raises(KeyError):
        counts(verdicts[1:], segments, claims)


def test_one_judge_of_three_that_fails_does_not_undo_what_the_others_agree_on() -> None:
    rules = RollUp(unit="only", panel="majority")
    first, second = (judged("not_supported", 0.9, n).model_copy(update={"judge": f"judge-{n}"}) for n in (1, 2))
    lost = Failure(unit_id=CLAIM.id, stage="judging", boundary="model", message="The reply can't be read.")
    verdict = claim_verdict(CLAIM, [first, second], [lost], rules, judges=3)
    assert (verdict.outcome, verdict.agreement) == ("undecided", 2 / 3)
    assert "not everything could be read or judged: The reply can't be read." in (verdict.reason or "")
    assert claim_verdict(CLAIM, [first, second], [lost, lost], rules, judges=3).outcome == "failed", "who else failed?"
    assert claim_verdict(CLAIM, [first], [lost, lost], rules, judges=3).outcome == "failed"
    split = second.model_copy(update={"label": "supported"})
    assert claim_verdict(CLAIM, [first, split], [lost], rules, judges=3).outcome == "failed", "it might have decided"


@pytest.mark.parametrize(
    ("confidence", "outcome"), [(0.64, "undecided"), (0.65, "contradicted"), (None, "contradicted")]
)
def test_a_contradiction_below_the_floor_leaves_the_claim_open(confidence: float | None, outcome: str) -> None:
    verdict = on([judged("contradicted", confidence)], RollUp(contradiction_floor=0.65))
    assert verdict.outcome == outcome
    assert verdict.gap == ("insufficient" if outcome == "undecided" else None)


def test_a_contradiction_below_the_floor_does_not_conflict_with_support() -> None:
    both = [judged("contradicted", 0.6), judged("supported", 0.6, n=2)]
    assert on(both, RollUp()).outcome == "undecided"
    assert on(both, RollUp(contradiction_floor=0.65)).outcome == "supported"


@pytest.mark.parametrize(
    ("label", "confidence", "is_weak"),
    [
        ("contradicted", 0.0, True),
        ("contradicted", 0.64, True),
        ("contradicted", 0.65, False),
        ("contradicted", None, False),
        ("supported", 0.1, False),
    ],
)
def test_a_contradiction_below_the_floor_is_too_weak_to_count(
    label: Label, confidence: float | None, is_weak: bool
) -> None:
    assert is_too_weak(judged(label, confidence), 0.65) is is_weak


def test_strictness_sets_the_floor_of_any_method() -> None:
    floors = [with_strictness(SAFE, level).roll_up.contradiction_floor for level in ("low", "normal", "high")]
    assert floors == sorted(floors, reverse=True)
    assert floors[-1] == 0
    assert with_strictness(method_named("builtin"), "normal") == method_named("builtin")


def test_the_floor_applies_only_to_the_verifier_it_was_measured_for() -> None:
    assert chosen_method(Settings()).roll_up.contradiction_floor == 0.67
    assert chosen_method(Settings(verifier="builtin")).roll_up.contradiction_floor == 0.67
    assert chosen_method(Settings(verifier="builtin-features")).roll_up.contradiction_floor == 0.0
    chosen = chosen_method(Settings(verifier="builtin-features", strictness="low"))
    assert chosen.roll_up.contradiction_floor == 0.85


@pytest.mark.parametrize(
    ("labels", "rules", "gap"),
    [
        (["supported", "contradicted"], STRONGEST, "conflicting"),
        (["supported", "contradicted", *["irrelevant"] * 8], SHARE, "conflicting"),
        (
            ["contradicted", *["irrelevant"] * 2, "not_supported"],
            RollUp(unit="share", contradiction_floor=1),
            "insufficient",
        ),
        (["not_enough_evidence"], STRONGEST, "insufficient"),
        (["supported", *["irrelevant"] * 8], SHARE, "insufficient"),
    ],
)
def test_both_labels_among_those_that_decide_are_a_conflict(labels: list[Label], rules: RollUp, gap: str) -> None:
    verdict = on(several(*((label, 0.5) for label in labels)), rules)
    assert (verdict.outcome, verdict.gap) == ("undecided", gap)


@pytest.mark.parametrize(
    ("labels", "differ", "gap"),
    [
        (["supported", "not_enough_evidence"], True, "conflicting"),
        (["not_enough_evidence", "not_enough_evidence"], False, "insufficient"),
        (["not_enough_evidence", "not_supported"], False, "insufficient"),  # either is undecided
    ],
)
def test_judges_of_a_panel_that_come_to_different_outcomes_disagree(
    labels: list[Label], differ: bool, gap: str
) -> None:
    made = [judged(label, 0.5, n).model_copy(update={"judge": f"judge-{n}"}) for n, label in enumerate(labels, 1)]
    assert disagree(made, STRONGEST) is differ
    verdict = claim_verdict(CLAIM, made, [], STRONGEST, judges=2)
    assert (verdict.outcome, verdict.gap) == ("undecided", gap)
