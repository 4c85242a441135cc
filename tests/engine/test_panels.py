"""Several judges, several samples, and their confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from factscope.core.records import Response, Verdict
from factscope.engine import Tools, find_method
from factscope.methods import Method
from tests import lab
from tests.conftest import TEXT, ScriptedVerifier, agreeable, with_verifier
from tests.engine.checking import ASKING, STANDARD, adds_up, calls, changed, checked

ROLES = ("judge_a", "judge_b", "judge_c")
TWO = ROLES[:2]
CLAIM = "The Marlow bridge was opened in 1931."
VERIFY = changed("verify", evidence={"queries": {"rounds": 1}})
ONE_PASSAGE = changed(STANDARD, evidence={"passages": {"top_k": 1}, "queries": None}, judge={"logprobs": False})


def panel(
    base: Method, roles: Sequence[str] = ROLES, rule: str = "majority", arbiter: str | None = None, **more: Any
) -> Method:
    """Return `base` with its judge in several roles; `more` changes the first."""
    plain = base.model_dump()
    judges = [{**plain["judge"], "role": role, **(more if role == roles[0] else {})} for role in roles]
    judge = {"judges": judges, "arbiter": {**plain["judge"], "role": arbiter} if arbiter else None}
    return Method.model_validate({**plain, "judge": judge, "roll_up": {**plain["roll_up"], "panel": rule}})


def models(*roles: str) -> dict[str, str]:
    """Give each of these roles its own model."""
    return {"*": "openai/lab"} | {role: f"openai/{role}" for role in roles}


def model(role: str, text: str) -> lab.Rule:
    """Return a rule that scripts the answer of a role's model."""
    return {"when": {"model": role}, "do": {"text": text}}


def judged(claim: str, passage: str, label: str, confidence: float, quote: str = "") -> str:
    return (
        f'{{"judgements": [{{"claim": "{claim}", "passage": "{passage}", "reason": "", "label": "{label}",'
        f' "quote": "{quote}", "gap": "", "confidence": {confidence}}}]}}'
    )


QUOTE = "The Marlow bridge was opened in 1931"
SAYS = {"+": "[Supported]", "-": "[Contradicted]", "?": "[Unverifiable]"}


def verdict_of(report: Any) -> Verdict:
    verdict = report.verdict("s1.c1")
    assert isinstance(verdict, Verdict)
    return verdict


@pytest.mark.parametrize(
    ("rule", "votes", "outcome", "agreement"),
    [
        ("majority", "+++", "supported", 1),
        ("majority", "++-", "supported", 2 / 3),
        ("majority", "--?", "contradicted", 2 / 3),
        ("majority", "+-?", "undecided", 1 / 3),
        ("consensus", "---", "contradicted", 1),
        ("consensus", "++?", "undecided", 2 / 3),
        ("mean", "++-", "supported", 2 / 3),
        ("mean", "+-?", "undecided", 1 / 3),
    ],
)
def test_the_panel_rule_combines_several_verdicts_into_one(
    rule: str, votes: str, outcome: str, agreement: float, library: Tools, server: lab.Server
) -> None:
    server.script([model(role, SAYS[vote]) for role, vote in zip(ROLES, votes, strict=True)])
    report = checked(CLAIM, panel(VERIFY, rule=rule), library, server, models=models(*ROLES))
    verdict = verdict_of(report)
    assert verdict.outcome == outcome
    assert verdict.agreement == pytest.approx(agreement)
    assert (verdict.gap == "conflicting") == (outcome == "undecided")
    assert {judgement.judge for judgement in report.judgements} == {f"openai/{role} as {role}" for role in ROLES}
    assert [judgement.id for judgement in report.judgements] == ["s1.c1.j1", "s1.c1.j2", "s1.c1.j3"]
    assert {role: report.models[role] for role in ROLES} == {role: f"openai/{role}" for role in ROLES}
    assert calls(report) == {"extract": 1, "rewrite": 1, "query": 1, **dict.fromkeys(ROLES, 1)}


@pytest.mark.parametrize(
    ("sure", "unsure", "outcome"), [(0.9, 0.5, "contradicted"), (0.5, 0.9, "supported"), (0.6, 0.5, "undecided")]
)
def test_the_mean_of_confidences_decides_between_two(
    sure: float, unsure: float, outcome: str, library: Tools, server: lab.Server
) -> None:
    server.script(
        [
            model("judge_a", judged("s1.c1", "p1", "contradicted", sure, QUOTE)),
            model("judge_b", judged("s1.c1", "p1", "supported", unsure, QUOTE)),
        ]
    )
    report = checked(CLAIM, panel(ONE_PASSAGE, TWO, "mean"), library, server, models=models(*TWO))
    assert verdict_of(report).outcome == outcome
    assert {judgement.confidence_from for judgement in report.judgements} == {"stated"}


def test_the_arbiter_is_asked_only_where_the_judges_disagree(library: Tools, server: lab.Server) -> None:
    silent = {"when": {"model": "judge_b", "contains": "town hall was finished"}, "do": {"text": "[Unverifiable]"}}
    server.script([silent])
    method = panel(VERIFY, TWO, arbiter="arbiter")
    report = checked(TEXT, method, library, server, models=models(*TWO, "arbiter"))
    with_evidence = len({passage.claim_id for passage in report.passages})
    made = calls(report)
    assert (made["judge_a"], made["judge_b"], made["arbiter"]) == (with_evidence, with_evidence, 1)
    on_claims = {verdict.unit_id: verdict for verdict in report.verdicts if verdict.level == "claim"}
    assert on_claims["s5.c1"].outcome == "supported"
    assert on_claims["s5.c1"].agreement == pytest.approx(2 / 3)
    assert on_claims["s2.c1"].agreement == on_claims["s3.c1"].agreement == 1
    (late,) = [judgement for judgement in report.judgements if judgement.judge.startswith("openai/arbiter")]
    assert late.id == "s5.c1.j3"


def test_a_judge_that_fails_has_no_vote_and_is_not_hidden(library: Tools, server: lab.Server) -> None:
    server.script([{"when": {"model": "judge_c"}, "do": {"status": 500}}])
    report = checked(TEXT, panel(VERIFY), library, server, models=models(*ROLES))
    on_claims = {verdict.unit_id: verdict for verdict in report.verdicts if verdict.level == "claim"}
    assert on_claims["s2.c1"].outcome == "supported"
    assert on_claims["s2.c1"].agreement == 2 / 3  # the third gives no label but counts as one of three
    assert "not everything could be read or judged" in (on_claims["s2.c1"].reason or "")
    assert {failure.unit_id for failure in report.failures} == {"s2.c1", "s3.c1", "s5.c1"}


def test_a_panel_fails_if_all_its_judges_fail(library: Tools, server: lab.Server) -> None:
    server.script([{"when": {"model": role}, "do": {"status": 500}} for role in ROLES])
    report = checked(TEXT, panel(VERIFY), library, server, models=models(*ROLES))
    assert report.counts["failed"] == 3
    assert report.judgements == ()
    assert adds_up(report)


def test_a_verifier_can_serve_on_a_panel_beside_a_model(library: Tools, server: lab.Server) -> None:
    plain = ONE_PASSAGE.model_dump()
    mixed = Method.model_validate({**plain, "judge": {"judges": [plain["judge"], {"name": "builtin"}]}})
    report = checked(CLAIM, mixed, with_verifier(library, ScriptedVerifier(agreeable)), server)
    assert [judgement.judge for judgement in report.judgements] == ["openai/lab", "scripted-1"]
    assert [judgement.id for judgement in report.judgements] == ["s1.c1.p1.j1", "s1.c1.p1.j2"]
    assert verdict_of(report).agreement == 1


@pytest.mark.parametrize(
    ("others", "outcome", "sure"), [(0, "supported", 1), (1, "supported", 0.8), (2, "supported", 0.6)]
)
def test_the_share_of_samples_is_the_confidence(
    others: int, outcome: str, sure: float, library: Tools, server: lab.Server
) -> None:
    server.script([{"when": {"calls": [3 + number]}, "do": {"text": "[Contradicted]"}} for number in range(others)])
    report = checked(CLAIM, changed(VERIFY, judge={"samples": 5}), library, server)
    assert calls(report)["judge"] == len(report.judgements) == 5
    assert sorted(judgement.sample for judgement in report.judgements) == [1, 2, 3, 4, 5]
    assert Counter(judgement.label for judgement in report.judgements)["contradicted"] == others
    assert verdict_of(report).outcome == outcome
    assert verdict_of(report).confidence == pytest.approx(sure)


def test_evenly_split_samples_settle_nothing(library: Tools, server: lab.Server) -> None:
    server.script([{"when": {"calls": [3]}, "do": {"text": "[Contradicted]"}}])
    verdict = verdict_of(checked(CLAIM, changed(VERIFY, judge={"samples": 2}), library, server))
    assert (verdict.outcome, verdict.gap) == ("undecided", "conflicting")


@pytest.mark.parametrize("base", [VERIFY, changed(ONE_PASSAGE, judge={"temperature": 0.5})], ids=["plain", "json"])
def test_judges_with_different_numbers_of_samples_share_no_id(base: Method, library: Tools, server: lab.Server) -> None:
    report = checked(CLAIM, panel(base, samples=3), library, server, models=models(*ROLES))
    assert len({judgement.id for judgement in report.judgements}) == len(report.judgements) == 5
    assert Counter(judgement.judge for judgement in report.judgements) == {
        "openai/judge_a as judge_a": 3, "openai/judge_b as judge_b": 1, "openai/judge_c as judge_c": 1
    }  # fmt: skip
    assert verdict_of(report).agreement == 1


@pytest.mark.parametrize(("logprobs", "source", "sure"), [(True, "logprobs", 0.95), (False, "stated", 0.9)])
def test_confidence_comes_from_the_tokens_if_the_server_provides_them(
    logprobs: bool, source: str, sure: float, library: Tools, server: lab.Server
) -> None:
    report = checked(TEXT, changed(STANDARD, judge={"logprobs": logprobs}), library, server)
    assert {judgement.confidence_from for judgement in report.judgements} == {source}
    assert {round(judgement.confidence or 0, 6) for judgement in report.judgements} == {sure}


@pytest.mark.parametrize("method", ["verify", "safe", "factscore", "veriscore", "facts-and-evidence"])
def test_a_label_in_words_also_gets_the_confidence_of_its_tokens(
    method: str, library: Tools, server: lab.Server
) -> None:
    report = checked(TEXT, changed(method, judge={"logprobs": True}), library, server)
    assert report.judgements
    assert {judgement.confidence_from for judgement in report.judgements} == {"logprobs"}
    assert all(0.9 < (judgement.confidence or 0) <= 1 for judgement in report.judgements)


def test_a_server_without_logprobs_is_asked_without_them(library: Tools, server: lab.Server) -> None:
    refusal = {"status": 400, "body": '{"error": {"message": "logprobs are not supported"}}'}
    server.script([{"when": {"contains": '"logprobs":true'}, "do": refusal}])
    report = checked(TEXT, STANDARD, library, server)
    assert report.failures == ()
    assert {judgement.confidence_from for judgement in report.judgements} == {"stated"}


@pytest.mark.parametrize(
    ("judge", "writer", "warned"),
    [("gpt-4.1-mini", "gpt-4o", True), ("gpt-4.1-mini", "claude-opus", False), ("lab", "gpt-4o", False)],
)
def test_a_judge_from_the_same_model_family_as_the_writer_is_named(
    judge: str, writer: str, warned: bool, library: Tools, server: lab.Server
) -> None:
    response = Response(text=CLAIM, model=writer)
    report = checked(response, VERIFY, library, server, models=f"openai/{judge}")
    assert bool(report.warnings) == warned
    if warned:
        assert f"openai/{judge}" in report.warnings[0]
        assert writer in report.warnings[0]


@pytest.mark.parametrize("method", ASKING)
def test_every_method_takes_a_panel(method: str, library: Tools, server: lab.Server) -> None:
    plain = checked(TEXT, method, library, server)
    report = checked(TEXT, panel(find_method(method), TWO, "consensus"), library, server, models=models(*TWO))
    assert report.counts == plain.counts
    assert all(verdict.agreement == 1 for verdict in report.verdicts if verdict.level == "claim" and verdict.agreement)
    assert adds_up(report)
