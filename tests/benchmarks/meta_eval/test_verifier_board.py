"""Verifiers on labelled sets: figures by hand, and `factscope verifiers bench` beside its baselines."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import onnx
import pytest
from click.testing import Result
from typer.testing import CliRunner

from factscope.benchmarks.meta_eval import FlagAll, LabelledClaim, Overlap, VerifierRow, cells, means, measured
from factscope.cli import app
from factscope.core import Label
from factscope.judging.verifiers import ClaimPair, LabelProbabilities, Prediction, abstention
from tests.lab.csv_lines import csv_lines

pytestmark = pytest.mark.usefixtures("forked_workers")

PAIRS = Path(__file__).parents[3] / "examples" / "pairs.jsonl"
SAID: dict[str, tuple[Label, LabelProbabilities]] = {
    "a": ("supported", LabelProbabilities(0.9, 0.05, 0.05)),
    "b": ("contradicted", LabelProbabilities(0.2, 0.7, 0.1)),
    "c": ("irrelevant", LabelProbabilities(0.1, 0.1, 0.8)),
    "d": ("supported", LabelProbabilities(0.6, 0.2, 0.2)),
}


class Known:
    name = "known-1"

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        return [
            abstention("unsure", "too close", LabelProbabilities(0.5))
            if pair.claim == "e"
            else Prediction(SAID[pair.claim][0], 0.8, None, "", SAID[pair.claim][1])
            for pair in pairs
        ]


def rows(**labels: Label) -> list[LabelledClaim]:
    return [LabelledClaim(ClaimPair(claim, "text"), label == "supported", label) for claim, label in labels.items()]


def test_the_figures_match_a_hand_computed_example() -> None:
    found = measured(
        Known(),
        "made",
        rows(a="supported", b="contradicted", c="not_enough_evidence", d="contradicted", e="supported"),
    )
    assert (found.n, found.coverage) == (5, 0.8)
    assert found.auroc == pytest.approx(5 / 6)
    assert found.balanced_accuracy == pytest.approx((1 + 2 / 3) / 2)
    assert found.macro_f1_three == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)
    assert found.ece is not None


def test_a_set_or_verifier_with_two_labels_has_no_three_label_figure() -> None:
    assert measured(Known(), "made", rows(a="supported", b="contradicted")).macro_f1_three is None
    three = rows(a="supported", b="contradicted", c="not_enough_evidence")
    assert measured(Overlap(), "made", three).macro_f1_three is None


def test_the_baselines_have_their_expected_figures() -> None:
    both = [
        LabelledClaim(ClaimPair("The bridge has four arches.", "The bridge has four arches of stone."), True, None),
        LabelledClaim(ClaimPair("The library opened in June.", "The bridge has four arches of stone."), False, None),
    ]
    words, flags = measured(Overlap(), "made", both), measured(FlagAll(), "made", both)
    assert (words.auroc, words.balanced_accuracy) == (1.0, 1.0)
    assert (flags.auroc, flags.balanced_accuracy, flags.ece) == (0.5, 0.5, None)


def test_the_mean_counts_each_set_the_same() -> None:
    made = [
        VerifierRow(verifier="v", dataset=name, n=n, auroc=value, macro_f1_three=three)
        for name, n, value, three in (("x", 10, 0.8, 0.9), ("y", 990, 0.6, None))
    ]
    (mean,) = means(made)
    assert (mean.n, mean.auroc, mean.ece) == (1_000, pytest.approx(0.7), None)
    assert mean.macro_f1_three is None, "only one of the two sets has it"


def test_the_bench_command_writes_the_board(tmp_path: Path) -> None:
    environment = {"FACTSCOPE_CACHE": str(tmp_path / "cache"), "COLUMNS": "100"}
    out = tmp_path / "t.md"
    words = [
        "verifiers",
        "bench",
        "--data",
        str(PAIRS),
        "--data",
        str(PAIRS.with_name("labelled.jsonl")),
        "--limit",
        "9",
    ]
    words += ["--verifier", "builtin", "--verifier", "nobody"]
    refused = CliRunner().invoke(app, [*words, "-o", str(tmp_path / "t.doc")], env=environment)
    assert refused.exit_code == 2
    done = CliRunner().invoke(app, [*words, "-o", str(out)], env=environment)
    assert done.exit_code == 1, "a verifier that was named has no row"
    assert "Left out: nobody" in done.stderr
    assert "Left out: labelled" in done.stderr
    table = out.read_text(encoding="utf-8")
    assert table.startswith("Factscope ")
    assert [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| ")][1:3] == [
        "| flag everything",
        "| word overlap",
    ]
    assert "\n| builtin-" in table


def bench(tmp_path: Path, *words: str) -> Result:
    environment = {"FACTSCOPE_CACHE": str(tmp_path / "cache"), "COLUMNS": "100"}
    return CliRunner().invoke(app, ["verifiers", "bench", "--verifier", "builtin-features", *words], env=environment)


def test_labelled_sets_are_read_from_a_folder(tmp_path: Path) -> None:
    sets = tmp_path / "sets"
    sets.mkdir()
    for name in ("one.jsonl", "two.jsonl"):
        (sets / name).write_text("\n".join(PAIRS.read_text().splitlines()[:6]) + "\n")
    (sets / "other.jsonl").write_text('{"colour": "blue"}\n')
    (sets / "notes.txt").write_text("nothing to read")
    done = bench(tmp_path, "--data", str(sets), "--format", "json")
    assert done.exit_code == 0, done.output
    board = json.loads(done.stdout)
    own = [row for row in board["rows"] if row["verifier"] == "builtin-features-1"]
    assert [(row["dataset"], row["n"]) for row in own] == [("one", 6), ("two", 6)]
    (said,) = board["left_out"]
    assert "other.jsonl" in said
    assert "builtin-features on two: set 2 of 2, 6 pairs" in done.stderr
    quiet = bench(tmp_path, "--data", str(sets), "--quiet", "--format", "csv")
    assert "set 2 of 2" not in quiet.stderr
    lines = csv_lines(quiet.stdout)
    for row in board["rows"]:
        auroc = lines[row["dataset"], row["verifier"], "auroc"]
        assert (auroc["value"], auroc["n"]) == ("" if row["auroc"] is None else f"{row['auroc']:.6f}", str(row["n"]))
    assert lines["mean of 2", "builtin-features-1", "coverage"]["n"] == "12"


def test_an_unusable_file_is_not_silently_skipped(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text('{"colour": "blue"}\n')
    refused = bench(tmp_path, "--data", str(PAIRS), "--data", str(tmp_path / "other.jsonl"))
    assert refused.exit_code == 1
    assert "no form of labelled data" in refused.stderr


def test_without_data_option_a_downloaded_data_set_is_required(tmp_path: Path) -> None:
    refused = bench(tmp_path)
    assert refused.exit_code == 2
    assert "No labelled data set has been downloaded yet" in refused.stderr
    assert "--data FILE" in refused.stderr
    (tmp_path / "empty").mkdir()
    assert "hold no labelled files" in bench(tmp_path, "--data", str(tmp_path / "empty")).stderr


TINY = Path(__file__).parents[2] / "judging" / "verifiers" / "published" / "tiny"


def test_a_failing_verifier_does_not_affect_the_others(tmp_path: Path) -> None:
    broken, dead = tmp_path / "broken", tmp_path / "dead"
    for folder in (broken, dead):
        shutil.copytree(TINY / "deberta", folder)
    network = onnx.load(broken / "model.onnx")
    for weights in network.graph.initializer:
        if weights.data_type == onnx.TensorProto.FLOAT:
            weights.raw_data = b"\xff" * len(weights.raw_data)  # all NaN
    onnx.save(network, broken / "model.onnx")
    (dead / "tokenizer.json").unlink()
    data = [tmp_path / f"{name}.jsonl" for name in ("one", "two")]
    for path in data:
        path.write_text("\n".join(PAIRS.read_text().splitlines()[:4]) + "\n")
    words = [word for path in data for word in ("--data", str(path))]
    words += [word for name in (broken, dead) for word in ("--verifier", str(name))]
    done = bench(tmp_path, *words, "--format", "json")
    assert done.exit_code == 1, done.output
    board = json.loads(done.stdout)
    assert [row["dataset"] for row in board["rows"] if row["verifier"].startswith("builtin")] == ["one", "two"]
    on_one, on_two, never = board["left_out"]
    assert on_one.startswith(f"{broken} on one: The model in {broken} gives no numbers")
    assert on_two.startswith(f"{broken} on two: ")
    assert never.startswith(f"{dead} on one and the sets after it: The model in {dead} has no tokenizer.json")
    assert "AutoTokenizer" in never  # and the remedy


def test_unmeasured_rows_are_counted(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "claim": "Ada built it.", "evidence": "Ada built it.", "label": "supported"},
        {"id": "a", "claim": "Bo built it.", "evidence": "Ada built it.", "label": "contradicted"},
        {"id": "b", "claim": "Cy built it.", "evidence": "Ada built it.", "label": None},
        {"id": "c", "claim": " ", "evidence": "Ada built it.", "label": "supported"},
    ]
    (tmp_path / "some.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = bench(tmp_path, "--data", str(tmp_path / "some.jsonl"), "--format", "json")
    assert done.exit_code == 1
    board = json.loads(done.stdout)
    assert {row["n"] for row in board["rows"]} == {1}
    assert board["left_out"] == [
        "some: rows that can't be used: another has the same id (a)",
        "some: rows that can't be used: column 'claim' contains no text (row 4)",
        "some: 1 unit labelled neither right nor wrong",
    ]
    assert all(f"Left out: {note}" in done.stderr for note in board["left_out"])


def test_nearly_full_coverage_is_not_shown_as_100_percent() -> None:
    assert cells(VerifierRow(verifier="v", dataset="d", n=300, coverage=299 / 300))[6] == "99%"
