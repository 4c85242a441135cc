"""Functions measured on rows in memory, and the rows of a run by index, by id and by group."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import factscope as fs
from tests.lab.many_cases import try_all

LABELLED: list[dict[str, Any]] = [
    {
        "id": f"r{k}",
        "response": f"Bridge {k} is old.",
        "label": "correct" if k % 3 else "incorrect",
        "domain": "xy"[k % 2],
    }
    for k in range(24)
]
CONTEXT = "The Marlow bridge was opened in 1931."


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))


def flags_all(prompt: str | None, units: Sequence[str]) -> list[bool]:
    """Flag every unit."""
    return [True] * len(units)


async def flags_later(prompt: str | None, units: Sequence[str]) -> list[bool]:
    """Flag every unit, when awaited."""
    return [True] * len(units)


class Careful:
    """A checker that is an object."""

    def __call__(self, prompt: str | None, units: Sequence[str]) -> list[float]:
        return [0.9 if "3" in unit else 0.1 for unit in units]


def evaluated(*checkers: Any, data: Any = LABELLED, **more: Any) -> fs.Evaluation:
    return fs.evaluate(list(checkers), data, **{"resamples": 20, **more})


def test_a_function_is_labelled_by_its_name_and_an_object_by_its_class() -> None:
    result = evaluated(flags_all, Careful())
    assert [checker.name for checker in result.record.checkers] == ["flags_all", "Careful"]
    assert result.record.checkers[0].levels["response"].overall.values["recall"] == 1
    assert fs.evaluate(flags_all, LABELLED, resamples=20).record.checkers == result.record.checkers[:1]
    with pytest.raises(fs.UsageError, match="Two checkers are called 'flags_all'"):
        evaluated(flags_all, flags_all)


def test_figures_are_the_same_from_a_file_from_rows_and_from_a_generator(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, LABELLED)), encoding="utf-8")
    results = [evaluated(Careful(), data=data).record for data in (path, LABELLED, (row for row in LABELLED))]
    assert results[0].checkers == results[1].checkers == results[2].checkers
    assert {result.dataset for result in results} == {"rows"}


def test_documents_of_a_retriever_are_the_evidence_of_labelled_rows() -> None:
    document = SimpleNamespace(page_content=CONTEXT, metadata={"added": date(2026, 1, 2)})
    row = {"response": CONTEXT, "label": "correct", "contexts": [document]}
    result = fs.evaluate(fs.Checker(), [row], resamples=0)
    accuracy = next(row for row in result.to_pandas().itertuples() if row.measure == "accuracy")
    assert (accuracy.value, accuracy.answered) == (1.0, 1)


def test_the_same_seed_gives_the_same_intervals() -> None:
    first, again, other = (evaluated(Careful(), resamples=40, seed=seed).record.checkers for seed in (1, 1, 2))
    assert first == again
    assert first[0].levels["response"].overall.values == other[0].levels["response"].overall.values
    assert first != other


def test_a_limit_takes_the_first_samples_and_a_tag_groups_them() -> None:
    result = evaluated(flags_all, limit=6, by="domain").record
    figures = result.checkers[0].levels["response"]
    assert (result.n_samples, figures.overall.n) == (6, 6)
    assert {name: part.n for name, part in figures.by_domain.items()} == {"x": 3, "y": 3}


@try_all(
    ("call", "message"),
    [
        (lambda: evaluated(flags_all, data=[]), "The table contains no labelled sample: it has no rows"),
        (lambda: evaluated(flags_all, data=[{"colour": "red"}]), "The table is in no form of labelled data"),
        (lambda: evaluated(flags_all, data=[{"id": "a", "response": ""}]), "The table contains no labelled sample"),
    ],
)
def test_an_error_about_an_unusable_table_names_no_internal_file(call: Any, message: str) -> None:
    with pytest.raises(fs.InputError, match=message) as caught:
        call()
    assert "/" not in str(caught.value).split(". ")[0]


@try_all(
    ("call", "message"),
    [
        (lambda: evaluated(flags_all, level="sentence"), "There are labels for: response"),
        (lambda: evaluated(flags_all, by="colour"), "Choose from: domain"),
        (evaluated, "takes checkers and functions"),
        (lambda: evaluated(flags_later), "does not await an async function"),
        (lambda: evaluated(flags_all, data=3), "int is not a table"),
        (lambda: evaluated(flags_all, data=["text"]), "Row 1 is not a dict"),
        (lambda: evaluated(flags_all, limit=True), "limit is True"),
        (lambda: fs.Checker(name=3), "name is a number"),  # type: ignore[arg-type]
    ],
)
def test_an_error_for_a_wrong_call_lists_the_options(call: Any, message: str) -> None:
    with pytest.raises(fs.UsageError, match=message):
        call()


# The rows of a run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[fs.Run]:
    """Provide four answers of two models; one is a greeting, and one can't be read."""
    rows: list[dict[str, Any]] = [
        {
            "id": "a",
            "answer": "The Marlow bridge was opened in 1931.",
            "contexts": [CONTEXT],
            "model": "m1",
            "new": True,
        },
        {"id": "b", "answer": "Penguins waddle across Antarctica.", "contexts": [CONTEXT], "model": "m2", "new": False},
        {"id": "c", "answer": "Hello!", "contexts": [CONTEXT], "model": "m2", "new": False},
        {"id": "d", "answer": 3, "contexts": [CONTEXT], "model": "m2", "new": True},
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FACTSCOPE_CACHE", str(tmp_path_factory.mktemp("cache")))
        made = fs.Checker().run(rows)
        yield made
    made.close()


def test_reports_are_found_by_index_by_slice_and_by_id(run: fs.Run) -> None:
    reports = run.reports
    assert reports.ids == ("a", "b", "c")
    assert [report.text for report in reports] == [reports[name].text for name in reports.ids]
    assert reports[-1] == reports["c"] == reports[2]
    assert [report.text for report in reports[1:]] == [reports[1].text, reports[2].text]
    assert reports[5:] == []
    for missing, error in ((3, IndexError), (-4, IndexError), ("d", KeyError)):
        with pytest.raises(error):
            reports[missing]  # type: ignore[call-overload]


def test_the_counts_of_a_run_are_the_sum_of_its_reports(run: fs.Run) -> None:
    total = sum(len(report.claims) for report in run.reports)
    assert sum(run.counts.values()) == total == 3
    assert run.counts["not_checkable"] == 1
    assert (len(run), run.coverage) == (3, 1.0)
    assert run.score == pytest.approx(0.5), "a greeting is in no mean"


def test_runs_can_be_grouped_by_any_short_column_and_left_out_rows_count_as_failed(run: fs.Run) -> None:
    by_model, by_new = run.by("model"), run.by("new")
    assert {name: (score.value, score.n_failed) for name, score in by_model.items()} == {"m1": (1.0, 0), "m2": (0.0, 1)}
    assert {name: (score.value, score.n_failed) for name, score in by_new.items()} == {
        "True": (1.0, 1),
        "False": (0.0, 0),
    }
    with pytest.raises(fs.UsageError, match="No row has a value in the column 'contexts'") as caught:
        run.by("contexts")
    assert "model" in caught.value.hint


def test_a_run_can_be_compared_with_itself(run: fs.Run) -> None:
    comparison = run.compare(run)
    assert comparison.n_compared == 3
    assert "3 responses compared" in str(comparison)
    with pytest.raises(fs.UsageError, match="other is an object"):
        run.compare({})  # type: ignore[arg-type]


def test_rows_of_a_data_frame_are_responses_or_claims(run: fs.Run) -> None:
    with pytest.raises(fs.UsageError, match="can't have 'passages' as rows") as caught:
        run.to_pandas("passages")  # type: ignore[arg-type]
    assert "responses, claims" in caught.value.hint


def test_the_repr_of_a_run_shows_its_figures(run: fs.Run) -> None:
    assert repr(run) == f"<Run {run.id[:8]}: 3 responses, score 0.50, 1 failed>"
