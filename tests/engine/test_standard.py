"""Our own method: few calls, quotes looked up, corrections, and its losses with a weak model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factscope.core.records import Judgement
from factscope.engine import Tools
from tests import lab
from tests.conftest import TEXT
from tests.engine import reference
from tests.engine.checking import STANDARD, adds_up, calls, changed, checked, ids_in, outcomes, questions
from tests.engine.conftest import tools_over

EXTRACT, PLAN, JUDGE = (
    "You are given segments of a text",
    "You plan searches",
    "You are given passages, claims",
)
CORRECT = "You are given claims that were found to be wrong"
TOWER = {"tower.md": "The Osk tower has two bells. The bells of the Osk tower were founded in 1900."}


def on(start: str, *also: str, **do: Any) -> lab.Rule:
    """Return a rule for questions of one step that contain these texts."""
    return {"when": {"contains": [start, *also]}, "do": do}


def line_of(name: str) -> str:
    """Return how the first line of the text with this id begins in a request."""
    return f"\\n> {name}: "


def saying(claim: str, passage: str, **other: Any) -> str:
    """Return a judge's reply about one pair."""
    said = {"claim": claim, "passage": passage, "reason": "r", "label": "supported", "quote": "", "gap": ""}
    return json.dumps({"judgements": [said | {"confidence": 0.9} | other]})


def one_judgement(report: Any) -> Judgement:
    (judgement,) = report.judgements
    assert isinstance(judgement, Judgement)
    return judgement


ONE = changed(STANDARD, evidence={"passages": {"top_k": 1}, "queries": None})
"""The method with one passage for each claim."""
BRIDGE = "The Marlow bridge was opened in 1931."


@pytest.mark.parametrize("quote", ["opened by the king in 1931", "", "…", "19 31", "The", "was"])
@pytest.mark.parametrize("label", ["supported", "contradicted"])
def test_a_label_without_a_valid_quote_is_requested_once_more_and_then_fails(
    label: str, quote: str, library: Tools, server: lab.Server
) -> None:
    server.script([on(JUDGE, text=saying("s1.c1", "p1", label=label, quote=quote))])
    report = checked(BRIDGE, ONE, library, server)
    judgement = one_judgement(report)
    assert (judgement.label, judgement.raw_label, judgement.flags) == (None, label, ("quote_not_found",))
    assert (judgement.quote, judgement.gap, judgement.confidence) == (None, None, None)
    assert judgement.failure
    assert calls(report)["judge"] == 2
    assert set(outcomes(report).values()) == {"failed"}
    assert (report.score("factual_precision").value, report.score("factual_precision").coverage) == (None, 0.0)
    (warning,) = report.warnings
    assert warning.startswith("1 of 1 label by openai/lab does not count")


@pytest.mark.parametrize(
    ("quote", "remark"),
    [
        ("opened by the king in 1931", "s1.c1, p1: The words quoted do not stand in the passage."),
        ("The", "s1.c1, p1: The words quoted do not bear on the claim."),
    ],
)
def test_a_judge_is_informed_of_a_wrong_quote_and_can_correct_it(
    quote: str, remark: str, library: Tools, server: lab.Server
) -> None:
    good = saying("s1.c1", "p1", quote="was opened in 1931")
    server.script([on(JUDGE, remark, text=good), on(JUDGE, text=saying("s1.c1", "p1", quote=quote))])
    report = checked(BRIDGE, ONE, library, server)
    judgement = one_judgement(report)
    assert judgement.quote
    assert (judgement.label, judgement.quote.text, judgement.flags) == ("supported", "was opened in 1931", ())
    assert (calls(report)["judge"], report.warnings) == (2, ())
    assert set(outcomes(report).values()) == {"supported"}


def test_a_judge_that_invents_all_its_quotes_has_judged_nothing(library: Tools, server: lab.Server) -> None:
    whole = checked(TEXT, STANDARD, library, server)
    server.script([on(JUDGE, quote="This stands nowhere at all.")])
    report = checked(TEXT, STANDARD, library, server)
    labelled = sum(judgement.quote is not None for judgement in whole.judgements)
    assert sum(judgement.failure is not None for judgement in report.judgements) == labelled > 0
    assert report.counts["failed"] == whole.counts["supported"] + whole.counts["contradicted"]
    assert report.counts["undecided"] == whole.counts["undecided"]
    assert (report.score("factual_precision").coverage or 0) < (whole.score("factual_precision").coverage or 0)
    assert report.warnings[0].startswith(f"{labelled} of {len(report.judgements)} labels by openai/lab do not count")
    assert adds_up(report)


def test_a_quote_is_found_whatever_its_punctuation_style(library: Tools, server: lab.Server) -> None:
    server.script([on(JUDGE, text=saying("s1.c1", "p1", quote="“The  Marlow bridge was opened in 1931…”"))])
    judgement = one_judgement(checked(BRIDGE, ONE, library, server))
    assert judgement.label == "supported"
    assert judgement.quote
    assert judgement.quote.text == "The Marlow bridge was opened in 1931"


@pytest.mark.parametrize("gap", ["insufficient", "partial", "outdated", "subjective"])
def test_the_verdict_has_the_gap_named_by_the_judge(gap: str, library: Tools, server: lab.Server) -> None:
    server.script([on(JUDGE, text=saying("s1.c1", "p1", label="not_enough_evidence", gap=gap))])
    report = checked(BRIDGE, ONE, library, server)
    assert one_judgement(report).gap == report.verdict("s1.c1").gap == gap


def test_claims_are_judged_together_and_a_shared_passage_is_shown_once(library: Tools, server: lab.Server) -> None:
    report = checked("The Marlow bridge was opened in 1931 and has four arches.", STANDARD, library, server)
    (asked,) = questions(server, JUDGE)
    assert len(ids_in(asked["claims"])) == 2
    lines = asked["passages"].split("\n")
    assert len(ids_in(asked["passages"])) < len(report.passages) == len(report.judgements)
    assert len(lines) == len(set(lines))
    assert asked["pairs"].count("\n") == 1
    assert calls(report) == {"extract": 1, "judge": 1}
    assert report.counts["supported"] == 2


@pytest.mark.parametrize(("per_call", "asked"), [(1, 24), (2, 13), (8, 5), (12, 3)])
def test_claims_per_call_decides_how_often_the_judge_is_asked(
    per_call: int, asked: int, reference_library: Tools, server: lab.Server
) -> None:
    method = changed(STANDARD, judge={"claims_per_call": per_call}, evidence={"queries": {"claims_per_call": per_call}})
    report = checked(reference.TEXT, method, reference_library, server)
    assert calls(report)["judge"] == asked
    assert report.counts["supported"] == 16
    assert report.counts["contradicted"] == 4


def test_the_reason_a_search_ended_is_recorded_with_its_last_query(
    reference_library: Tools, server: lab.Server
) -> None:
    report = checked(reference.TEXT, STANDARD, reference_library, server)
    last = {query.claim_id: query for query in report.queries}
    texts = {claim.id: claim.standalone for claim in report.claims}
    why = {texts[claim_id]: query.ended for claim_id, query in last.items()}
    assert all(query.ended is None for query in report.queries if query != last[query.claim_id])
    assert why["The Selby lighthouse was built in 1852"] == "The evidence suffices"
    assert why["Tor Hald opened a bakery"] == "The last search found nothing new"
    assert all(why.values())


def test_searches_are_planned_only_for_open_claims_and_no_pair_is_judged_twice(
    reference_library: Tools, server: lab.Server
) -> None:
    report = checked(reference.TEXT, STANDARD, reference_library, server)
    settled = {v.unit_id for v in report.verdicts if v.outcome in ("supported", "contradicted")}
    planned = [name for asked in questions(server, PLAN) for name in ids_in(asked["claims"])]
    assert planned
    assert not settled & set(planned)
    pairs = [(row.unit_id, row.passage_ids) for row in report.judgements]
    assert len(pairs) == len(set(pairs)) == len(report.passages)


def test_a_claim_whose_evidence_conflicts_is_searched_for_again(tmp_path: Path, server: lab.Server) -> None:
    both = {"one.md": "The Osk tower has two bells.", "other.md": "The Osk tower has three bells."}
    checked("The Osk tower has two bells.", STANDARD, tools_over(both, tmp_path), server)
    assert [ids_in(asked["claims"]) for asked in questions(server, PLAN)] == [["s1.c1"]]


def test_the_last_round_needs_no_reason_to_end(library: Tools, server: lab.Server) -> None:
    more = iter("abcdef")

    def plan(letter: str) -> str:
        said = {"claim": "s1.c1", "next": "search", "reason": "more", "queries": [f"bridge {letter}", f"arch {letter}"]}
        return json.dumps({"claims": [said]})

    server.script([on(PLAN, "bridge b", text=plan(next(more))), on(PLAN, text=plan(next(more)))])
    method = changed(STANDARD, evidence={"queries": {"stop": "enough"}})
    report = checked(BRIDGE, method, library, server)
    assert [(query.round, query.id) for query in report.queries] == [
        (1, "s1.c1.q1"), (2, "s1.c1.q2"), (2, "s1.c1.q3"), (3, "s1.c1.q4"), (3, "s1.c1.q5")
    ]  # fmt: skip
    assert {query.ended for query in report.queries} == {None}
    assert len(report.passages) <= STANDARD.evidence.most


def test_a_wrong_claim_is_corrected_from_the_words_of_a_passage(library: Tools, server: lab.Server) -> None:
    report = checked(TEXT, STANDARD, library, server)
    (correction,) = report.corrections
    passages = {passage.id: passage for passage in report.passages}
    assert (correction.unit_id, correction.error, correction.text) == ("s3.c1", "entity", "It has four arches.")
    assert correction.quote
    assert correction.quote.span.of(passages[correction.quote.passage_id].text) == correction.quote.text
    assert "four arches" in correction.quote.text


def test_a_correction_based_on_invented_words_is_discarded(library: Tools, server: lab.Server) -> None:
    said = {
        "claim": "s3.c1",
        "error": "invented",
        "passage": "p1",
        "quote": "ninety arches",
        "correction": "It has ninety.",
        "reason": "",
    }
    server.script([on(CORRECT, text=json.dumps({"corrections": [said]}))])
    (correction,) = checked(TEXT, STANDARD, library, server).corrections
    assert (correction.error, correction.text, correction.quote) == ("invented", None, None)


def test_a_failed_correction_leaves_the_verdict(library: Tools, server: lab.Server) -> None:
    server.script([on(CORRECT, status=500)])
    report = checked(TEXT, STANDARD, library, server)
    assert [(failure.unit_id, failure.stage) for failure in report.failures] == [("s3.c1", "correction")]
    assert report.corrections == ()
    assert report.verdict("s3.c1").outcome == "contradicted"
    assert report.counts["failed"] == 0


def test_claims_are_corrected_together_each_from_its_own_passages(reference_library: Tools, server: lab.Server) -> None:
    report = checked(reference.TEXT, STANDARD, reference_library, server)
    (asked,) = questions(server, CORRECT)
    wrong = [v.unit_id for v in report.verdicts if v.level == "claim" and v.outcome == "contradicted"]
    assert ids_in(asked["claims"]) == ids_in(asked["pairs"]) == [row.unit_id for row in report.corrections] == wrong
    owners = {passage.id: passage.claim_id for passage in report.passages}
    assert [owners[row.quote.passage_id] for row in report.corrections if row.quote] == wrong


def test_an_unreadable_correction_does_not_affect_other_claims(reference_library: Tools, server: lab.Server) -> None:
    whole = checked(reference.TEXT, STANDARD, reference_library, server)
    bad = whole.corrections[1].unit_id
    server.script([on(CORRECT, line_of(bad), text="No.")])
    report = checked(reference.TEXT, STANDARD, reference_library, server)
    assert report.corrections == tuple(row for row in whole.corrections if row.unit_id != bad)
    assert [(failure.unit_id, failure.stage) for failure in report.failures] == [(bad, "correction")]
    assert [verdict.outcome for verdict in report.verdicts] == [verdict.outcome for verdict in whole.verdicts]


def test_an_error_counts_once_and_not_again_in_dependent_claims(tmp_path: Path, server: lab.Server) -> None:
    text = "The Osk tower has three bells, which were founded in 1950."
    report = checked(text, STANDARD, tools_over(TOWER, tmp_path), server)
    parent, child = report.claims
    assert child.depends_on == (parent.id,)
    assert outcomes(report) == {
        "The Osk tower has three bells": "contradicted",
        "The bells of The Osk tower were founded in 1950": "contradicted",
    }
    assert report.verdict(parent.id).at_risk == ()
    assert report.verdict(child.id).at_risk == (parent.id,)
    assert report.score("factual_precision").n == 1
    assert [correction.unit_id for correction in report.corrections] == [parent.id]
    assert adds_up(report)


TOO_LONG = {"status": 400, "json": {"error": {"message": "it exceeds the available context size (4096 tokens)"}}}


@pytest.mark.parametrize("fault", [{"finish_reason": "length"}, {"wrong_type": True}, TOO_LONG])
def test_a_weak_model_that_fails_on_ten_segments_is_asked_for_halves(
    fault: dict[str, Any], reference_library: Tools, server: lab.Server
) -> None:
    whole = checked(reference.TEXT, STANDARD, reference_library, server)
    rules = [on(EXTRACT, line_of(f"s{first}"), line_of(f"s{first + 9}"), **fault) for first in (1, 11)]
    server.script(rules)
    report = checked(reference.TEXT, STANDARD, reference_library, server)
    assert report.claims == whole.claims
    assert report.verdicts == whole.verdicts
    assert report.failures == ()
    windows = [len(ids_in(asked["listed"])) for asked in questions(server, EXTRACT)]
    assert sorted(windows) == [5] * 4 + [10] * 2


def test_a_weak_judge_that_fails_on_eight_claims_is_asked_for_halves(
    reference_library: Tools, server: lab.Server
) -> None:
    method = changed(STANDARD, judge={"claims_per_call": 8}, evidence={"queries": None})
    whole = checked(reference.TEXT, method, reference_library, server)
    server.script([on(JUDGE, line_of("s1.c1"), line_of("s5.c1"), wrong_label=True)])
    report = checked(reference.TEXT, method, reference_library, server)
    assert report.verdicts == whole.verdicts
    groups = [ids_in(asked["claims"]) for asked in questions(server, JUDGE)]
    assert [len(group) for group in groups if "s1.c1" in group] == [6, 3]


@pytest.mark.medium
@pytest.mark.parametrize("how", [{"text": "I would rather not say."}, {"refusal": "I can't help with that."}])
@pytest.mark.parametrize(("per_call", "most"), [(8, 4), (12, 5)])
def test_a_claim_that_cannot_be_judged_costs_few_calls_and_no_other_claim(
    per_call: int, most: int, how: dict[str, str], reference_library: Tools, server: lab.Server
) -> None:
    method = changed(STANDARD, judge={"claims_per_call": per_call})
    whole = checked(reference.TEXT, method, reference_library, server)
    for bad in ("s1.c1", "s5.c1", "s9.c1"):
        server.script([on(JUDGE, line_of(bad), **how)])
        report = checked(reference.TEXT, method, reference_library, server)
        assert outcomes(report) == outcomes(whole) | {
            claim.standalone: "failed" for claim in report.claims if claim.id == bad
        }
        assert [failure.unit_id for failure in report.failures] == [bad]
        assert sum(calls(report).values()) - sum(calls(whole).values()) <= most


@pytest.mark.parametrize("per_call", [8, 12])
def test_a_claim_with_unreadable_rows_costs_three_calls_and_no_other_claim(
    per_call: int, reference_library: Tools, server: lab.Server
) -> None:
    method = changed(STANDARD, judge={"claims_per_call": per_call})
    whole = checked(reference.TEXT, method, reference_library, server)
    server.script([on(JUDGE, line_of("s1.c1"), wrong_row="s1.c1")])
    report = checked(reference.TEXT, method, reference_library, server)
    bad = {claim.standalone: "failed" for claim in report.claims if claim.id == "s1.c1"}
    assert outcomes(report) == outcomes(whole) | bad
    assert [failure.unit_id for failure in report.failures] == ["s1.c1"]
    assert sum(calls(report).values()) - sum(calls(whole).values()) <= 3
    assert [ids_in(asked["claims"]) for asked in questions(server, JUDGE)].count(["s1.c1"]) == 3


def test_the_request_for_a_part_mentions_that_an_earlier_reply_was_unreadable(
    reference_library: Tools, server: lab.Server
) -> None:
    """A model that replies wrongly until it learns of the mistake loses nothing."""
    whole = checked(reference.TEXT, STANDARD, reference_library, server)
    told = "An earlier reply, to this and more, could not be read."
    server.script([on(JUDGE, told, status=200), on(JUDGE, "s1.c1: p1", text="Gladly! All is well.")])
    report = checked(reference.TEXT, STANDARD, reference_library, server)
    assert outcomes(report) == outcomes(whole)
    assert calls(report)["judge"] == calls(whole)["judge"] + 4


@pytest.mark.parametrize("bad", ["s1", "s7", "s20"])
def test_an_unreadable_segment_does_not_affect_others(bad: str, reference_library: Tools, server: lab.Server) -> None:
    whole = checked(reference.TEXT, STANDARD, reference_library, server)
    server.script([on(EXTRACT, line_of(bad), text="No.")])
    report = checked(reference.TEXT, STANDARD, reference_library, server)
    assert [(failure.unit_id, failure.stage) for failure in report.failures] == [(bad, "claims")]
    assert report.claims == tuple(claim for claim in whole.claims if claim.segment_id != bad)
    assert report.counts["failed"] == 1
    assert report.verdict(bad).outcome == "failed"
    assert adds_up(report)


def test_a_model_that_always_fails_is_not_asked_for_every_part(reference_library: Tools, server: lab.Server) -> None:
    server.script([on(EXTRACT, finish_reason="length")])
    report = checked(reference.TEXT, STANDARD, reference_library, server)
    windows = [len(ids_in(asked["listed"])) for asked in questions(server, EXTRACT)]
    assert sorted(windows) == sorted(2 * [10, 5, 5, 1])
    assert report.counts["failed"] == len(report.failures) == 20


def test_items_left_out_by_a_model_are_requested_separately(library: Tools, server: lab.Server) -> None:
    """The first reply contains one segment of four and one pair of many."""
    whole = checked(TEXT, STANDARD, library, server)
    item = {
        "id": 1, "segment": "s2", "quote": "The Marlow bridge was opened in 1931", "kind": "Fact", "depends_on": [],
        "standalone": "The Marlow bridge was opened in 1931",
    }  # fmt: skip
    quote = "The Marlow bridge was opened in 1931"
    server.script(
        [
            on(EXTRACT, line_of("s2"), line_of("s5"), text=json.dumps({"claims": [item]})),
            on(JUDGE, "s2.c1: p1, p2", text=saying("s2.c1", "p1", quote=quote)),
        ]
    )
    report = checked(TEXT, STANDARD, library, server)
    assert report.claims == whole.claims
    assert report.failures == ()
    assert [verdict.outcome for verdict in report.verdicts] == [verdict.outcome for verdict in whole.verdicts]
    assert len(report.judgements) == len(whole.judgements)
    assert calls(report)["extract"] == calls(report)["judge"] == 2


def test_an_item_left_out_twice_by_a_model_fails(library: Tools, server: lab.Server) -> None:
    quote = "The Marlow bridge was opened in 1931"
    server.script(
        [on(JUDGE, "s2.c1: p1, p2", text=saying("s2.c1", "p1", quote=quote)), on(JUDGE, text='{"judgements": []}')]
    )
    report = checked(TEXT, STANDARD, library, server)
    found = outcomes(report)
    assert found["The Marlow bridge has six arches"] == found["The town hall was finished in 1908"] == "failed"
    assert found["The Marlow bridge was opened in 1931"] == "supported"
    reason = report.verdict("s2.c1").reason
    assert reason
    assert reason.startswith("not everything could be read or judged")
    assert adds_up(report)


def test_a_skipped_claim_that_depends_on_another_waits_without_holding_it_up(
    tmp_path: Path, server: lab.Server
) -> None:
    items = [
        {"id": 1, "segment": "s1", "quote": "two bells", "standalone": "The Osk tower has two bells",
         "kind": "Fact", "depends_on": []},
        {"id": 2, "segment": "s1", "quote": "ring them", "standalone": "Ring them", "kind": "Instruction",
         "depends_on": [1]},
    ]  # fmt: skip
    server.script([on(EXTRACT, text=json.dumps({"claims": items}))])
    report = checked("The Osk tower has two bells; ring them.", STANDARD, tools_over(TOWER, tmp_path), server, groups=1)
    assert outcomes(report) == {"The Osk tower has two bells": "supported", "Ring them": "not_checkable"}
