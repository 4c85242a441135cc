"""A report as an object: figures that follow from its claims, files that restore it, and possible errors."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import factscope as fs
from factscope.integrations.python import CLAIM_COLUMNS, claim_row
from factscope.methods import LEAST_COVERAGE, method_named
from tests.lab.many_cases import try_all
from tests.scoring.example_reports import FAILED, NO, OFF, OPEN, YES, J, claims, make_report

BUILTIN = method_named("builtin").model_dump(mode="json")
ALL_KINDS = make_report([[YES], [NO], [OPEN], [OFF], [FAILED], []], skipped=1).model_copy(update={"method": BUILTIN})
REVIEW = ("contradicted", "undecided", "no_evidence", "failed")

reports = st.builds(lambda some, skipped: fs.Report(make_report(some, skipped=skipped)), claims, st.integers(0, 2))


@settings(max_examples=15)
@given(reports)
def test_the_figures_of_a_report_follow_from_its_claims(report: fs.Report) -> None:
    verdicts = [claim.verdict for claim in report.claims]
    assert {outcome: n for outcome, n in report.counts.items() if n} == {
        str(verdict): verdicts.count(verdict) for verdict in verdicts
    }
    judged = sum(verdicts.count(verdict) for verdict in ("supported", "contradicted", "undecided", "no_evidence"))
    to_judge = judged + verdicts.count("failed")
    assert report.coverage == pytest.approx(judged / to_judge if to_judge else 0)
    enough = judged and report.coverage >= LEAST_COVERAGE
    assert report.score == (verdicts.count("supported") / judged if enough else None)
    assert [claim.id for claim in report.claims] == sorted(claim.id for claim in report.claims)


@settings(max_examples=15)
@given(reports)
def test_problems_are_the_claims_to_review_worst_first_and_then_in_reading_order(report: fs.Report) -> None:
    expected = [claim for verdict in REVIEW for claim in report.claims if claim.verdict == verdict]
    assert list(report.problems) == expected


@settings(max_examples=15)
@given(reports, st.floats(0, 1), st.floats(0, 1))
def test_a_report_passes_up_to_its_own_score_and_coverage(report: fs.Report, low: float, least: float) -> None:
    assert report.passed(low, least) <= report.passed(low / 2, least / 2), "lower bounds fail nothing more"
    assert report.passed(report.score or 0, report.coverage) == (report.score is not None)
    for score, coverage in (((report.score or 0) + 0.001, 0), (0, report.coverage + 0.001)):
        assert max(score, coverage) > 1 or not report.passed(score, coverage)


def test_by_default_a_single_failed_claim_does_not_pass() -> None:
    assert fs.Report(make_report([[YES]] * 4)).passed()
    assert not fs.Report(make_report([[YES]] * 4 + [[FAILED]])).passed()
    assert fs.Report(make_report([[YES]] * 4 + [[NO]])).passed(), "four of five are 0.8"
    assert not fs.Report(make_report([], skipped=3)).passed(0, 0)


def test_a_score_on_less_than_half_of_the_claims_is_withheld() -> None:
    half, less = (fs.Report(make_report([[YES]] * 3 + [[FAILED]] * n)) for n in (3, 4))
    assert (half.score, half.coverage, half.passed(0.8, 0.5)) == (1.0, 0.5, True)
    assert (less.score, less.counts["supported"], less.passed(0, 0)) == (None, 3, False)


def test_only_decided_claims_have_a_confidence() -> None:
    report = fs.Report(make_report([[J("supported", 0.9)], [J("contradicted", 0.7)], [J("not_enough_evidence", 0.6)]]))
    assert [claim.confidence for claim in report.claims] == [0.9, 0.7, None]


def test_a_claim_that_was_not_checkable_is_listed_and_needs_no_review() -> None:
    report = fs.Report(make_report([[YES]], skipped=2))
    assert [claim.verdict for claim in report.claims] == ["supported", "not_checkable", "not_checkable"]
    assert (report.problems, report.score, report.coverage) == ((), 1.0, 1.0)
    assert report.claims[1].reason == "a question"


def test_table_rows_have_a_cell_for_each_column_and_hide_no_claim() -> None:
    report = fs.Report(ALL_KINDS)
    rows = list(map(claim_row, report.claims))
    assert {len(row) for row in rows} == {len(CLAIM_COLUMNS)}
    by_name = [dict(zip(CLAIM_COLUMNS, row, strict=True)) for row in rows]
    for row, claim in zip(by_name, report.claims, strict=True):
        assert (row["id"], row["text"], row["verdict"], row["quote"]) == (
            claim.id,
            claim.text,
            claim.verdict,
            claim.quote,
        )
        assert (row["start"], row["end"]) == ((claim.span.start, claim.span.end) if claim.span else (None, None))


# Files


@settings(max_examples=8)
@given(reports)
def test_a_report_saved_as_json_is_read_back_unchanged(
    tmp_path_factory: pytest.TempPathFactory, report: fs.Report
) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.json"
    assert report.save(path) == path
    again = fs.Report.load(path)
    assert again == report
    assert again.to_dict() == report.to_dict() == json.loads(path.read_text(encoding="utf-8"))
    assert (again.score, again.claims, str(again)) == (report.score, report.claims, str(report))


def test_a_saved_table_has_a_row_for_each_claim(tmp_path: Path) -> None:
    report = fs.Report(ALL_KINDS)
    with report.save(tmp_path / "claims.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + len(report.claims)
    lines = report.save(tmp_path / "report.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(isinstance(json.loads(line), dict) for line in lines)


def test_the_file_extension_is_case_insensitive_and_a_path_can_be_a_string(tmp_path: Path) -> None:
    report = fs.Report(ALL_KINDS)
    report.save(str(tmp_path / "REPORT.JSON"))
    assert fs.Report.load(str(tmp_path / "REPORT.JSON")) == report


def test_a_report_that_cannot_be_written_leaves_the_existing_file_unchanged(tmp_path: Path) -> None:
    report = fs.Report(ALL_KINDS)
    for target in (tmp_path / "nowhere" / "report.json", tmp_path / "folder.json" / "x" / "y.md"):
        with pytest.raises(fs.StoreError, match="can't be written") as caught:
            report.save(target)
        assert caught.value.hint
    kept = tmp_path / "kept.json"
    kept.write_text("mine", encoding="utf-8")
    with pytest.raises(fs.UsageError, match="is not a known format"):
        report.save(tmp_path / "kept")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.json"]
    assert kept.read_text(encoding="utf-8") == "mine"


@try_all(
    ("content", "message"),
    [
        ("", "is not a report"),
        ("{}", "is not a report"),
        ("[1, 2]", "is not a report"),
        ('{"type": "report"', "is not a report"),
        ("\ufeffhello", "is not a report"),
    ],
)
def test_a_file_without_a_report_is_one_clear_error(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(fs.InputError, match=message) as caught:
        fs.Report.load(path)
    assert "report.save" in caught.value.hint


def test_a_folder_is_not_a_report(tmp_path: Path) -> None:
    with pytest.raises(fs.InputError, match="can't be read"):
        fs.Report.load(tmp_path)
    with pytest.raises(fs.UsageError, match="a string or a path, not by a number"):
        fs.Report.load(3)  # type: ignore[arg-type]


# Scores again


def test_without_exclusions_rescoring_changes_nothing() -> None:
    report = fs.Report(ALL_KINDS)
    again = report.rescore()
    assert (again.counts, again.score, again.claims) == (report.counts, report.score, report.claims)
    assert again.rescore() == again, "to do it twice changes nothing"


def test_evidence_is_excluded_only_in_a_new_report() -> None:
    report = fs.Report(make_report([[YES], [NO]]).model_copy(update={"method": BUILTIN}))
    before = report.to_dict()
    fewer = report.rescore(exclude=fs.Exclusions(documents=("d-2-1",)))
    assert report.to_dict() == before
    assert (report.score, fewer.score) == (0.5, 1.0)
    assert {name: n for name, n in fewer.counts.items() if n} == {"supported": 1, "excluded": 1}
    back = fewer.rescore(exclude=fs.Exclusions())
    assert (back.counts, back.score) == (report.counts, report.score)


def test_an_exclusion_that_matches_nothing_in_the_report_warns() -> None:
    report = fs.Report(make_report([[YES], [NO]]).model_copy(update={"method": BUILTIN}))
    with pytest.warns(UserWarning, match=r"No evidence in the report is of 'd-2-2' \(documents\)\. Did you mean"):
        again = report.rescore(exclude=fs.Exclusions(documents=("d-2-2", "d-2-1")))
    assert (report.score, again.score) == (0.5, 1.0), "the other name counts"


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(fs.UsageError, match="factual_precison"):
        fs.Report(ALL_KINDS).rescore(measures=["factual_precison"])
    (score,) = fs.Report(ALL_KINDS).rescore(measures=["coverage"]).record.scores
    assert score.name == "coverage"


def test_a_data_frame_without_pandas_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    blocked: dict[str, Any] = {"pandas": None}
    monkeypatch.setitem(sys.modules, "pandas", blocked["pandas"])
    with pytest.raises(fs.UsageError, match="needs pandas") as caught:
        fs.Report(ALL_KINDS).to_pandas()
    assert caught.value.hint == "pip install pandas"
