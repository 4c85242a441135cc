"""Fitted calibrations hold on held-out labels, and `factscope calibrate` makes later checks use them."""

from __future__ import annotations

import json
import random
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from factscope.benchmarks.meta_eval import (
    LabelledClaim,
    calibration_document,
    calibration_html,
    fit,
    isotonic,
    labelled,
)
from factscope.cli import app
from factscope.core import InputError
from factscope.core.records import Gold, Sample
from factscope.judging.verifiers import ClaimPair, LabelProbabilities, Prediction
from factscope.report import print_document
from tests.lab.csv_lines import csv_lines

NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def made(n: int, boast: float) -> tuple[list[LabelledClaim], list[Prediction]]:
    """Draw labels that come true with their chance, and predictions that state its log-odds times `boast`."""
    draw = random.Random(7)
    rows, opinions = [], []
    for number in range(n):
        true = draw.uniform(0.05, 0.95)
        odds = (true / (1 - true)) ** boast
        stated, right = odds / (1 + odds), draw.random() < true
        rows.append(LabelledClaim(ClaimPair(f"c{number}", f"p{number}"), right, None))
        opinions.append(Prediction("supported", stated, None, "", LabelProbabilities(stated)))
    return rows, opinions


@pytest.mark.parametrize("kind", ["temperature", "isotonic", "best"])
def test_overconfidence_is_corrected(kind: Any) -> None:
    rows, opinions = made(1_500, boast=3.0)
    found = fit("v-1", rows, opinions, kind, "made", "0" * 64)
    assert found.before.ece is not None
    assert found.after.ece is not None
    assert found.before.ece > 0.12
    assert found.after.ece < 0.05
    assert (found.after.brier or 1) < (found.before.brier or 0)
    assert found.n == 1_500
    if kind != "isotonic":
        assert found.calibration.temperature == pytest.approx(3.0, rel=0.15)
    shares = [one.passed_on for one in found.calibration.standings]
    assert shares == sorted(shares)
    assert len(shares) > 20


def test_isotonic_steps_only_rise_and_are_never_certain() -> None:
    corners = isotonic([0.1, 0.2, 0.2, 0.3, 0.9, 0.9], [False, True, False, False, True, True])
    heights = [height for _, height in corners]
    assert heights == sorted(heights)
    assert 0 < heights[0] < heights[-1] < 1


@pytest.mark.parametrize("passages", ["c", "cd"])  # the hashes of both put them into one fold
def test_figures_after_the_fit_are_of_pairs_held_out_even_if_all_have_the_same_evidence(passages: str) -> None:
    """Steps fitted to random labels improve the figures of those labels, and of no others."""
    rows, opinions = made(300, boast=1.0)
    draw = random.Random(1)
    noise = [
        row._replace(pair=row.pair._replace(passage=passages[number % len(passages)]), supported=draw.random() < 0.5)
        for number, row in enumerate(rows)
    ]
    found = fit("v-1", noise, opinions, "isotonic", "made", "")
    assert (found.after.brier or 0) > 0.25, "a fair coin has 0.25"
    assert [note for note in found.notes if "rest on the same evidence" in note], passages


def test_too_few_or_one_sided_labels_are_refused() -> None:
    rows, opinions = made(20, boast=1.0)
    with pytest.raises(InputError, match="too few"):
        fit("v-1", rows, opinions, "best", "made", "")
    rows, opinions = made(100, boast=1.0)
    with pytest.raises(InputError, match="too few"):
        fit("v-1", [row._replace(supported=True) for row in rows], opinions, "best", "made", "")


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Write forty claims, one in four labelled contrary to the evidence."""
    rows = []
    for number in range(40):
        right, odd = number % 2 == 0, number % 8 in (0, 1)
        said = NUMBERS[number % 10] if right else NUMBERS[(number + 3) % 10]
        rows.append(
            {
                "id": f"m{number}",
                "claim": f"The bridge number {number} has {said} arches.",
                "evidence": f"The bridge number {number} has {NUMBERS[number % 10]} arches.",
                "label": "supported" if right != odd else "contradicted",
            }
        )
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def call(folder: Path, *words: str | Path, code: int = 0) -> Result:
    environment = {"FACTSCOPE_CACHE": str(folder / "cache"), "FACTSCOPE_STORE": str(folder / "r.db"), "COLUMNS": "90"}
    done = CliRunner().invoke(app, [*map(str, words)], env=environment)
    assert done.exit_code == code, f"{done.output}\n{done.exception!r}"
    return done


def test_a_check_uses_the_fitted_calibration_and_states_it(labels: Path, tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text("The bridge has four arches.", encoding="utf-8")
    (tmp_path / "text.txt").write_text("The bridge has four arches.", encoding="utf-8")
    check = ("check", tmp_path / "text.txt", "--evidence", tmp_path / "source.txt", "-m", "builtin")
    before = call(tmp_path, *check, "--full").stdout
    assert "calibrated" not in before
    shown = call(tmp_path, "calibrate", labels)
    assert "balanced" in shown.stdout
    assert "After" in shown.stdout
    assert "calibrated)" in call(tmp_path, *check, "--full").stdout
    found = json.loads(call(tmp_path, *check, "--format", "json").stdout)
    (judgement,) = found["judgements"]
    assert "~" in judgement["judge"]
    assert judgement["confidence_from"] == "calibrated"
    again = call(tmp_path, "calibrate", labels, "--format", "json")
    assert json.loads(again.stdout)["calibration"]["verifier"] == judgement["judge"].partition("~")[0]


def test_a_damaged_calibration_is_repaired_by_fitting_again(labels: Path, tmp_path: Path) -> None:
    call(tmp_path, "calibrate", labels)
    (kept,) = (tmp_path / "cache" / "calibrations").iterdir()
    kept.write_text("{}", encoding="utf-8")
    check = ("check", "The bridge has four arches.", "--evidence", labels, "-m", "builtin")
    assert "Delete it, or fit it again" in call(tmp_path, *check, code=1).stderr
    call(tmp_path, "calibrate", labels)
    call(tmp_path, *check)


def test_the_calibration_page_is_written_and_bad_calls_are_refused(labels: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    call(tmp_path, "calibrate", labels, "--fit", "temperature", "-o", page)
    html = page.read_text(encoding="utf-8")
    assert html.count("<svg") == 2
    assert "<script" not in html
    found = json.loads(call(tmp_path, "calibrate", labels, "-f", "json").stdout)
    lines = csv_lines(call(tmp_path, "calibrate", labels, "-f", "csv").stdout)
    kind, name = found["calibration"]["kind"], found["calibration"]["verifier"]
    assert lines["before", name, "brier"]["value"] == f"{found['before']['brier']:.6f}"
    assert (lines[kind, name, "ece"]["value"], lines[kind, name, "ece"]["n"]) == (f"{found['after']['ece']:.6f}", "40")
    taken = {table: line["value"] for (table, _, measure), line in lines.items() if measure == "taken"}
    assert taken == {"before": "0", **{tried: str(int(tried == kind)) for tried in found["tried"]}}
    for piece in found["before"]["reliability"]:
        seen = lines[f"before, {piece['low']:.1f} to {piece['high']:.1f}", name, "seen"]
        assert (seen["value"], seen["n"]) == (f"{piece['seen']:.6f}" if piece["n"] else "", str(piece["n"]))
    assert "is not a known format" in call(tmp_path, "calibrate", labels, "-o", tmp_path / "x.doc", code=2).stderr
    assert "written over" in call(tmp_path, "calibrate", labels, "-f", "json", "-o", labels, code=2).stderr
    assert "no verifier" in call(tmp_path, "calibrate", labels, "--verifier", "nobody", code=2).stderr


def test_rows_left_out_are_counted_and_named_in_every_format(labels: Path, tmp_path: Path) -> None:
    bridge = {"claim": "The bridge has four arches.", "evidence": "The bridge has four arches."}
    others: list[dict[str, Any]] = [
        bridge | {"id": "nobody-knows", "label": None},
        bridge | {"id": "not-a-word", "label": "perhaps"},
        bridge | {"id": "bare", "evidence": "", "label": "supported"},
    ]
    with labels.open("a", encoding="utf-8") as file:
        file.writelines(f"\n{json.dumps(row)}" for row in others)
    left_out = [
        "rows that can't be used: the label 'perhaps' is not among",
        "left out: units labelled neither right nor wrong (nobody-knows)",
        "rows that can't be used: column 'evidence' contains no text (row 43)",
    ]
    done = call(tmp_path, "calibrate", labels, "--format", "json")
    found = json.loads(done.stdout)
    assert found["n"] == 40
    assert len(found["notes"]) == len(left_out)
    page, table = tmp_path / "page.html", tmp_path / "table.md"
    call(tmp_path, "calibrate", labels, "-o", page)
    call(tmp_path, "calibrate", labels, "-o", table)
    forms = ["\n".join(found["notes"]), unescape(page.read_text(encoding="utf-8")), table.read_text(encoding="utf-8")]
    for form in [*forms, " ".join(done.stderr.split())]:
        assert all(note in form for note in left_out), form


def test_samples_without_a_usable_pair_are_counted() -> None:
    claims = [Gold(id=f"c{number}", level="claim", text="It is.", factual=True) for number in (1, 2)]
    rows = [
        Sample(id="bare", response="It is.", gold=tuple(claims)),
        Sample(id="whole", response="It is.", gold=(Gold(id="response", level="response", factual=True),)),
        Sample(id="none", response=None, gold=()),
    ]
    assert labelled(rows)[1].lines() == (
        "left out: labelled units without evidence (2: bare, bare)",
        "left out: samples without a labelled claim or segment (whole)",
        "left out: samples without a text to check (none)",
    )


def test_a_fit_worse_than_none_is_used_only_when_requested(tmp_path: Path) -> None:
    """Labels on one source are right and those on another reversed: a fit to the first is worse on the second."""
    rows = [
        {
            "id": f"{bridge}-{number}",
            "claim": f"The {bridge} bridge has {'four' if number % 2 else 'nine'} arches.",
            "evidence": f"The {bridge} bridge has four arches.",
            "label": "supported" if (number % 2 == 1) == (bridge == "Marlow") else "contradicted",
        }
        for bridge in ("Marlow", "Selby")
        for number in range(20)
    ]
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    folder = tmp_path / "cache" / "calibrations"
    done = call(tmp_path, "calibrate", pairs)
    assert "did not improve the Brier score" in done.stdout
    assert "Not stored: the Brier score on held-out pairs did not improve" in done.stderr
    assert not folder.exists()
    assert "Kept in" in call(tmp_path, "calibrate", pairs, "--keep").stderr
    (stored,) = folder.iterdir()
    assert "stays in use" in call(tmp_path, "calibrate", pairs).stderr
    assert stored.exists()


def test_a_calibration_without_improvement_is_reported() -> None:
    better = fit("v-1", *made(300, boast=3.0), "temperature", "made", "0" * 64)
    worse = better.model_copy(update={"after": better.before})
    for found, told in ((better, False), (worse, True)):
        page = StringIO()
        print_document(calibration_document(found), Console(file=page, width=80))
        assert ("did not improve the Brier score" in page.getvalue()) is told
        assert ("did not improve the Brier score" in calibration_html(found)) is told
    assert "stated (│) and seen (█)" in page.getvalue()
    assert "share that is not supported" in calibration_html(worse)
