"""Tables of texts: files, data frames and rows as input; scores, groups, failures and tables as output."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import factscope as fs
from factscope.cli import app
from factscope.engine import Store, StoredRun
from tests import lab

CONTEXT = "The Marlow bridge was opened in 1931. It has four arches."
RIGHT, WRONG = "The Marlow bridge was opened in 1931.", "Penguins waddle across Antarctica."
ROWS = [
    {"id": "a", "answer": RIGHT, "contexts": [CONTEXT], "model": "m1", "topic": "bridges"},
    {"id": "b", "answer": WRONG, "contexts": [CONTEXT], "model": "m2", "topic": "bridges"},
    {"id": "c", "answer": RIGHT, "contexts": []},
]


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))


def test_rows_are_checked_as_a_run(tmp_path: Path) -> None:
    run = fs.Checker().run(ROWS)
    assert [report.score for report in run.reports] == [1.0, 0.0]
    assert run.score == 0.5
    assert run.reports["a"].claims[0].quote == "The Marlow bridge was opened in 1931."
    assert run.unassessed == ("c",)
    assert run.failed == ()
    assert {name: score.value for name, score in run.by("model").items()} == {"m1": 1.0, "m2": 0.0}
    assert run.by("topic")["bridges"].n == 2
    assert "1 without contexts: not assessed" in str(run)
    for ending in ("csv", "jsonl", "html", "md", "txt"):
        assert run.save(tmp_path / f"out.{ending}").stat().st_size > 100
    with pytest.raises(fs.UsageError, match="is not a known format of a run") as unknown:
        run.save(tmp_path / "out.docx")
    assert {".csv,", ".json,", ".parquet,", ".txt."} <= set(unknown.value.hint.split())
    with pytest.raises(fs.UsageError, match="No row has a value"):
        run.by("colour")
    with pytest.raises(fs.UsageError, match="other is a Report"):
        run.compare(run.reports[0])  # type: ignore[arg-type]


def test_a_run_is_saved_as_the_same_json_the_command_writes(tmp_path: Path) -> None:
    data, store, by_command = tmp_path / "answers.jsonl", tmp_path / "runs.db", tmp_path / "command.json"
    data.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    saved = fs.Checker().run(data, store=store).save(tmp_path / "out.json")
    words = ["run", str(data), "--store", str(store), "-q", "-o", str(by_command)]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert saved.read_text(encoding="utf-8") == by_command.read_text(encoding="utf-8")
    summary = json.loads(saved.read_text(encoding="utf-8"))
    assert (summary["responses"], summary["finished"], len(summary["left_out"])) == (2, True, 1)


def test_a_bad_row_is_named_by_number_and_left_out(tmp_path: Path) -> None:
    run = fs.Checker().run([ROWS[0], {"answer": 3, "contexts": [CONTEXT]}])
    assert "1 row of the data could not be checked, and no score counts it." in str(run)
    assert "Row 2: " in run.save(tmp_path / "out.md").read_text(encoding="utf-8")
    assert len(run) == 1
    (failed,) = run.failed
    assert failed.id == "row 2"
    assert "holds a number, not text" in failed.reason


def test_left_out_rows_count_as_failed_in_their_groups() -> None:
    lost: list[dict[str, object]] = [
        {**ROWS[0], "id": "d", "answer": ""},
        {**ROWS[0], "id": "e", "contexts": []},
        {**ROWS[0], "id": "f", "answer": None, "model": "m3"},
    ]
    run = fs.Checker().run([*ROWS[:2], *lost])
    groups = {name: (score.value, score.n, score.n_failed) for name, score in run.by("model").items()}
    assert groups == {"m1": (1.0, 1, 2), "m2": (0.0, 1, 0), "m3": (None, 0, 1)}
    assert (run.by("topic")["bridges"].n, run.by("topic")["bridges"].n_failed) == (2, 3)
    text = " ".join(str(run.compare(fs.Checker().run(ROWS[:2]))).split())
    assert f"First run: {run.id[:8]} · 2 responses · coverage 100% · 3 rows left out (2 of m1, 1 of m3)" in text
    assert text.count("left out") == 1


def test_a_run_is_resumed_and_compared(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, ROWS[:2])), encoding="utf-8")
    first = fs.Checker().run(file, text="answer", contexts="contexts", id="id", store=tmp_path / "kept.db")
    again = fs.Checker().run(str(file), text="answer", contexts="contexts", id="id", store=tmp_path / "kept.db")
    assert first.id == again.id != fs.Checker().run(file, text="topic").id
    assert first.compare(again).n_compared == 2
    assert "2 responses compared" in str(first.compare(again))
    assert asyncio.run(fs.Checker().arun(file)).score == first.score


def test_a_row_that_lost_its_contexts_no_longer_counts(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    for contexts, n in ([CONTEXT], 2), ([], 1):
        file.write_text("\n".join(map(json.dumps, [ROWS[0], {**ROWS[1], "contexts": contexts}])), encoding="utf-8")
        run = fs.Checker().run(file, store=tmp_path / "kept.db")
        assert (len(run), run.score) == (n, 1 / n if n == 2 else 1.0)
    assert "Response b: not assessed" in run.save(tmp_path / "out.md").read_text(encoding="utf-8")


class PandasLike:
    """Stand-in for a data frame, with the methods that are used."""

    columns = ("answer", "contexts")

    def to_dict(self, orient: str) -> list[dict[str, object]]:
        assert orient == "records"
        return [{"answer": RIGHT, "contexts": [CONTEXT]}, {"answer": RIGHT, "contexts": float("nan")}]


def test_a_run_ended_by_a_limit_shows_that_when_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": f"r{n}", "answer": f"The bridge has {n} arches.", "contexts": [CONTEXT]} for n in range(60)]
    with lab.model_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        with fs.Checker(method="standard", model="openai/lab", max_calls=3) as checker:
            run = checker.run(rows)
    assert len(run) < len(rows)
    assert run.stopped
    assert f"Not all rows were reached. {run.stopped}" in str(run)


@pytest.mark.medium
def test_rows_not_reached_by_a_stopped_run_still_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, kept = tmp_path / "answers.jsonl", tmp_path / "kept.db"
    rows = [{"id": f"r{n}", "answer": f"The bridge has {n} arches.", "contexts": [CONTEXT]} for n in range(60)]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with lab.model_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        with fs.Checker(method="standard", model="openai/lab") as checker:
            assert len(checker.run(file, store=kept)) == 60
        monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "empty"))
        with fs.Checker(method="standard", model="openai/lab", max_calls=3) as checker:
            stopped = checker.run(file, store=kept, fresh=True)
    assert stopped.stopped
    assert len(stopped) < 60
    with Store(kept, read_only=True) as store:
        (run,) = store.runs()
        assert store.data_rows(run.id).dropped == ()
        assert len(StoredRun(store, run)) > len(stopped)


def test_keys_in_a_nested_cell_can_be_numbers() -> None:
    run = fs.Checker().run([{**ROWS[0], "meta": {1: {2: float("nan")}, "a": [{3: 4, "b": 5}]}}])
    assert run.score == 1.0


def test_a_data_frame_is_accepted_as_a_table() -> None:
    run = fs.Checker().run(PandasLike())
    assert (len(run), run.unassessed) == (1, ("r2",))


def test_missing_pandas_cells_count_as_missing() -> None:
    na = type("NAType", (), {})()
    rows = [
        {"id": na, "answer": RIGHT, "contexts": [CONTEXT, na, float("nan")], "model": na},
        {"id": "b", "answer": RIGHT, "contexts": na},
    ]
    run = fs.Checker().run(rows)
    assert (run.reports.ids, run.unassessed, run.failed) == (("r1",), ("b",), ())


def test_reports_outlive_an_unreferenced_run() -> None:
    assert fs.Checker().run(ROWS).reports[0].score == 1.0
    assert [report.score for report in fs.Checker().run(ROWS).reports] == [1.0, 0.0]


def test_using_a_closed_run_is_a_clear_error() -> None:
    with fs.Checker().run(ROWS) as run:
        assert len(run) == 2
    with pytest.raises(fs.StoreError, match="is closed"):
        str(run)


def test_results_can_be_read_as_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    run = fs.Checker().run(pandas.DataFrame(ROWS))
    assert list(run.to_pandas()["score"]) == [1.0, 0.0]
    assert "model" in run.to_pandas()
    assert next(iter(run.to_pandas("claims")["verdict"])) == "supported"
    assert list(run.reports[0].to_pandas()["source"]) == ["context-1"]


@pytest.mark.parametrize(
    ("data", "columns", "said"),
    [
        ([{"a": "b"}], {}, 'text="NAME"'),
        ([{"answer": "b"}], {"text": "anser"}, "Unknown column 'anser'"),
        ([{"answer": RIGHT}], {"contexts": "ctx"}, "Unknown column 'ctx'"),
        ([{"answer": RIGHT}], {}, "Nothing here has a text to check it against"),
        ([], {}, "no rows"),
        (["text"], {}, "Row 1 is not a dict"),
        (3, {}, "int is not a table"),
        ("nothing.jsonl", {}, "nothing.jsonl"),
        (ROWS, {"text": 3}, "text is a number"),
        (ROWS, {"columns": 3}, "columns is a number"),
        (ROWS, {"limit": -1}, "limit is -1"),
        (ROWS, {"store": 3}, "store is a number"),
    ],
)
def test_each_mistake_is_a_usage_error(data: object, columns: dict[str, str], said: str) -> None:
    with pytest.raises(fs.UsageError, match=said):
        fs.Checker().run(data, **columns)  # type: ignore[arg-type]


@pytest.mark.medium
def test_checkers_and_functions_are_measured_on_labels(tmp_path: Path) -> None:
    def always_right(prompt: str | None, units: object) -> list[bool]:
        return [False for _ in units]  # type: ignore[attr-defined]

    labelled = Path(__file__).parents[3] / "examples" / "labelled.jsonl"
    harbour = labelled.parent / "harbour"
    result = fs.evaluate([fs.Checker(evidence=harbour), always_right], labelled, resamples=20)
    assert {checker.name for checker in result.record.checkers} == {"builtin", "always_right"}
    assert "always_right" in result.table()
    assert len(result.compare()) == len(result.record.agreement)
    for ending in ("json", "csv", "html", "tex", "txt"):
        assert result.save(tmp_path / f"result.{ending}").stat().st_size > 100
    with pytest.raises(fs.UsageError, match="tag"):
        fs.evaluate([always_right], labelled, by="colour")


def test_a_function_whose_answers_fit_no_unit_counts_as_unanswered() -> None:
    measured = fs.evaluate([lambda prompt, units: [1.5] * len(units)], dataset="examples/labelled.jsonl", resamples=0)
    assert "No unit of labelled was answered." in str(measured)
