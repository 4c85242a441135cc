"""A verifier first, then a language model for claims that it is unsure about or calls contradicted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.cli import app
from factscope.core import UsageError
from factscope.core.records import Report
from factscope.engine import REFERENCE, Tools, calls, expected, find_method
from factscope.judging.verifiers import CalibratedVerifier, Calibration, ClaimPair, CoveragePoint, Prediction, threshold
from factscope.methods import Cascade, Judge, Method, method_from_toml
from factscope.report import render
from factscope.scoring import rescore
from tests import lab
from tests.conftest import ScriptedVerifier
from tests.engine.checking import adds_up, checked

TEXT = "The bridge has four arches. The bridge was opened in 1931. The bridge is very long."
CASCADE, JUDGE = find_method("cascade"), find_method("standard").judge
assert isinstance(JUDGE, Judge)


@pytest.fixture(scope="module")
def server() -> Iterator[lab.Server]:
    with lab.model_server() as made:
        yield made


def opinion(pair: ClaimPair) -> Prediction:
    """Return a sure prediction on the arches, an unsure one on the year, and a contradiction of the length."""
    if "arches" in pair.claim:
        return Prediction("supported", 0.95, None, "")
    return (
        Prediction("supported", 0.6, None, "") if "1931" in pair.claim else Prediction("contradicted", 0.99, None, "")
    )


def check(method: Method, server: lab.Server, tmp_path: Path) -> Report:
    from factscope.engine import open_tools

    (tmp_path / "bridge.txt").write_text(
        "The bridge has four arches. The bridge was opened in 1931. The bridge is short.", encoding="utf-8"
    )
    found = open_tools([tmp_path / "bridge.txt"])
    return checked(TEXT, method, Tools(found.sources, {"builtin": lambda: ScriptedVerifier(opinion)}), server)


def test_only_doubtful_claims_are_passed_on(server: lab.Server, tmp_path: Path) -> None:
    report = check(CASCADE, server, tmp_path)
    assert adds_up(report)
    judges = {claim.standalone.split()[2]: set() for claim in report.claims}  # type: ignore[var-annotated]
    names = {claim.id: claim.standalone.split()[2] for claim in report.claims}
    for one in report.judgements:
        judges[names[one.unit_id]].add((one.judge, "passed_on" in one.flags))
    assert judges == {"has": {("scripted-1", False)}, "was": {("openai/lab", True)}, "is": {("openai/lab", True)}}
    assert {(row.role, row.model) for row in report.usage} == {("judge", "scripted-1"), ("judge", "openai/lab")}
    rescored = rescore(report)
    assert (rescored.verdicts, rescored.scores) == (report.verdicts, report.scores)
    for form in ("html", "md"):
        shown = render(report, form)
        assert "judged by scripted-1" in shown
        assert "judged by openai/lab, to which the verifier passed it on" in shown


def test_the_share_passed_on_grows_with_the_required_confidence(server: lab.Server, tmp_path: Path) -> None:
    def passed(at: float) -> int:
        method = CASCADE.model_copy(update={"judge": Cascade(judge=JUDGE, at=at)})
        report = check(method, server, tmp_path)
        return len({one.unit_id for one in report.judgements if "passed_on" in one.flags})

    assert [passed(at) for at in (0.0, 0.85, 1.0)] == [1, 2, 3]


def test_agreement_and_share_are_read_from_labels() -> None:
    standings = (CoveragePoint(0.5, 0.1, 0.7), CoveragePoint(0.7, 0.3, 0.85), CoveragePoint(0.9, 0.6, 0.95))
    known = CalibratedVerifier(
        ScriptedVerifier(opinion), Calibration(verifier="v", kind="temperature", standings=standings, n=9, labels="")
    )

    def at(by: str, value: float) -> float:
        return threshold(Cascade(judge=JUDGE, by=by, at=value), known)  # type: ignore[arg-type]

    assert [at("share", value) for value in (0.05, 0.3, 1.0)] == [0.0, 0.7, 0.9]
    assert [at("agreement", value) for value in (0.6, 0.85, 0.9)] == [0.5, 0.7, 0.9]
    assert at("agreement", 0.99) > 1
    with pytest.raises(UsageError, match="calibrated on data that can't give it"):
        threshold(Cascade(judge=JUDGE, by="share", at=0.3), ScriptedVerifier(opinion))


def test_a_file_puts_a_verifier_before_the_judge_of_a_method(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('based_on = "standard"\nname = "own"\n[judge]\nat = 0.7\n', encoding="utf-8")
    judge = method_from_toml(path).judge
    assert judge == Cascade(judge=JUDGE, at=0.7)
    assert Method.model_validate(json.loads(CASCADE.model_dump_json())) == CASCADE
    path.write_text('based_on = "cascade"\nname = "own"\n[judge]\nby = "share"\nat = 0.2\n', encoding="utf-8")
    assert method_from_toml(path).judge == Cascade(judge=JUDGE, by="share", at=0.2)
    path.write_text('based_on = "cascade"\nname = "own"\n[judge]\nat = 2\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"judge\.at"):
        method_from_toml(path)


def test_an_estimate_ranges_from_no_claim_to_every_claim() -> None:
    found = calls(expected(CASCADE, REFERENCE))
    assert found.low == 0
    assert found.high == 2


def test_the_sweep_plots_shares_against_agreement(server: lab.Server, tmp_path: Path) -> None:
    rows = [
        {"id": f"m{n}", "claim": f"Bridge {n} has {arches} arches.", "evidence": f"Bridge {n} has four arches.",
         "label": "supported" if arches == "four" else "contradicted"}
        for n, arches in enumerate(["four", "six"] * 4)
    ]  # fmt: skip
    data = tmp_path / "rows.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    environment = {
        "FACTSCOPE_CACHE": str(tmp_path / "cache"),
        "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "sk-lab",
        "COLUMNS": "110",
    }
    page = tmp_path / "page.html"
    words = ["meta", str(data), "-m", "cascade", "--model", "openai/lab", "--sweep", "cascade=0,1", "-q"]
    words += ["--resamples", "100"]
    done = CliRunner().invoke(app, [*words, "--format", "json"], env=environment)
    assert done.exit_code == 0, done.output
    low, high = (one["passed_on"] for one in json.loads(done.stdout)["methods"])
    assert low["of"] == high["of"] == 8
    assert low["share"] < high["share"] == 1
    assert high["interval"][0] < 1
    shown = CliRunner().invoke(app, words, env=environment).stdout
    assert "8 of 8" in shown
    assert CliRunner().invoke(app, [*words, "-o", str(page)], env=environment).exit_code == 0
    assert "share passed on to the model" in page.read_text(encoding="utf-8")
    refused = CliRunner().invoke(app, ["meta", str(data), "-m", "builtin", "--sweep", "cascade=0,1"], env=environment)
    assert refused.exit_code == 2
    assert "not a cascade" in refused.stderr
