"""A table of texts: its rows are read and checked, and the results collected."""

from __future__ import annotations

import tempfile
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

from factscope.core import OUTCOMES, InputError, UsageError, many
from factscope.core.records import Report as ReportRecord
from factscope.core.records import Score
from factscope.engine import Tools, no_evidence_in_rows
from factscope.engine.data_rows import left_out_by_model
from factscope.engine.run import Runner, RunProgress, run_many
from factscope.engine.run_store import Store, StoredRun
from factscope.integrations.python.arguments import file_path, must_be
from factscope.integrations.python.progress_bar import bar
from factscope.integrations.python.report import CLAIM_COLUMNS, Report, claim_row, data_frame, framed, save_pieces
from factscope.integrations.python.tables import Rows
from factscope.methods import Method
from factscope.report import endings_of_many, format_of, formats_of_many, render_many
from factscope.report.document import Result
from factscope.report.wording import decimals
from factscope.scoring import summarise, summarise_all
from factscope.scoring.compare_runs import compare
from factscope.scoring.run_changes import RunComparison

if TYPE_CHECKING:
    import pandas as pd


class FailedRow(NamedTuple):
    """A row that has no whole result."""

    id: str
    """Of the response, or `row 7` where the row could not be read."""
    reason: str
    """The failure, and how to fix it."""


@contextmanager
def open_store(location: str | Path | None) -> Iterator[Store]:
    """Open a store; without a location, a temporary one that is removed afterwards. Raises StoreError."""
    folder = tempfile.TemporaryDirectory(prefix="factscope-", ignore_cleanup_errors=True)
    with folder, Store(location or Path(folder.name) / "runs.db") as store:
        yield store


async def run_rows(
    rows: Rows, method: Method, tools: Tools, store: str | Path | None, *, fresh: bool, progress: bool
) -> Run:
    """Check all rows, with a bar if requested.

    Raises UsageError when no row can be checked, InputError and StoreError.
    """
    stack = ExitStack()
    run_store = stack.enter_context(open_store(store))
    try:
        with bar(rows.count() if progress else None, requested=progress) as show:
            runner = Runner(tools, run_store, lambda _, so_far: show(so_far.done), fresh)
            many = await run_many(rows, method, runner, rows.name, reading=rows.reading)
        if rows.ids and len(many.unassessed) == len(rows.ids):
            raise no_evidence_in_rows(method)
        if not rows.ids:
            example = f" {rows.reading.unread[0]}." if rows.reading.unread else ""
            raise InputError(f"No row can be checked.{example}", "Look at the table, and name its columns.")
    except BaseException:
        stack.close()
        raise
    return Run(rows, many, run_store, stack.close)


class Reports(Sequence[Report]):
    """The reports of a run in the order of its rows, each read when it is requested; by index, or by id."""

    def __init__(self, ids: Sequence[str], read: Mapping[str, ReportRecord]) -> None:
        self._ids, self._read = [name for name in ids if name in read], read

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, at: int | str) -> Report: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Report]: ...

    def __getitem__(self, at: int | str | slice) -> Report | Sequence[Report]:
        """Return the report at an index or with an id. Raises IndexError or KeyError."""
        if isinstance(at, slice):
            return [self[name] for name in self._ids[at]]
        return Report(self._read[at if isinstance(at, str) else self._ids[at]])

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the responses, in order."""
        return tuple(self._ids)


class PrintableComparison(RunComparison):
    """Two runs side by side, printed as the command `compare` prints them."""

    def __str__(self) -> str:
        from factscope.report.run_diff import MOST_CHANGES, diff_document

        return Result("comparison", dict, lambda: diff_document(self, MOST_CHANGES)).text("table").rstrip("\n")


class Run:
    """Result of checking a table of texts."""

    def __init__(self, rows: Rows, many: RunProgress, store: Store, end: Callable[[], None]) -> None:
        self._rows = rows
        row = next(run for run in store.runs() if run.id == many.run)
        self._stored = StoredRun(store, row, many.ids)
        # For callers that do not close it. The reports may outlive the run, as in `checker.run(rows).reports[0]`.
        self._end = weakref.finalize(self._stored, end)
        self.id = many.run
        """Id of the run: the same rows, columns, method, models and evidence have the same."""
        self.reports = Reports(rows.ids, self._stored)
        """The reports, in the order of the rows."""
        self.unassessed: tuple[str, ...] = tuple(many.unassessed)
        """Ids of rows without anything to check them against; they are in none of the scores."""
        self.stopped = many.stopped
        """Why no further row was started, such as a used-up budget; `None` when all were."""
        self._refused = [FailedRow(name, reason) for name, reason in many.refused]
        self._left_out_rows = tuple(many.left_out)
        self._left_out = tuple(map(str, many.left_out))

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        """The method's scores as means over responses, each with an interval (bootstrap, 95 %)."""
        return summarise_all(self._records()) if self.reports else ()

    @property
    def score(self) -> float | None:
        """Mean factual precision over responses, 0 to 1; `None` when nothing was judged."""
        return self._precision.value

    @property
    def coverage(self) -> float:
        """Units with a verdict / units to judge, over all responses; 0 when there was nothing to judge."""
        return self._precision.coverage or 0.0

    @cached_property
    def counts(self) -> dict[str, int]:
        """Count the units of all responses by outcome."""
        total: dict[str, int] = dict.fromkeys(OUTCOMES, 0)
        for report in self.reports:
            for outcome, n in report.counts.items():
                total[outcome] += n
        return total

    @cached_property
    def failed(self) -> tuple[FailedRow, ...]:
        """Rows that could not be read or checked, and those of which something failed."""
        results = [FailedRow(f"row {row.row}", row.reason) for row in self._rows.reading.unread]
        for name in self.reports.ids:
            record = self._stored[name]
            reasons = [failure.message for failure in record.failures if failure.about is None]
            if record.counts.get("failed") or reasons:
                results.append(FailedRow(name, reasons[0] if reasons else "a unit of it failed"))
        return (*results, *self._refused)

    def by(self, column: str) -> dict[str, Score]:
        """Return the mean factual precision by the values of a column, such as `model`.

        `n_failed` of a group also counts its rows that were left out, since they could not be read or had nothing to
        check them against; a group of such rows alone has no value. Raises UsageError for an unknown column.
        """
        groups: dict[str, list[str]] = defaultdict(list)
        n_left_out: Counter[str] = Counter()
        for name in self.reports.ids:
            if value := self._rows.tags.get(name, {}).get(column):
                groups[value].append(name)
        for row in self._left_out_rows:
            if value := self._rows.tags.get(row.row, {}).get(column):
                n_left_out[value] += 1
        if not groups and not n_left_out:
            all_tags = sorted({tag for tags in self._rows.tags.values() for tag in tags})
            raise UsageError(
                f"No row has a value in the column {column!r}.", f"Choose from: {', '.join(all_tags) or 'none'}."
            )
        means = {value: self._mean(groups.get(value, ())) for value in (*groups, *n_left_out)}
        return {
            value: score.model_copy(update={"n_failed": score.n_failed + n_left_out[value]})
            for value, score in means.items()
        }

    def to_pandas(self, rows: Literal["responses", "claims"] = "responses") -> pd.DataFrame:
        """Give a data frame with a row for each response, or for each claim. Raises UsageError without pandas."""
        if rows == "claims":
            cells = ((name, *row) for name in self.reports.ids for row in map(claim_row, self.reports[name].claims))
            return data_frame(cells, ("response", *CLAIM_COLUMNS))
        if rows != "responses":
            raise UsageError(f"A data frame can't have {rows!r} as rows.", "Choose from: responses, claims.")
        return data_frame(self._response_rows(), ("id", "model", "text", "score", "coverage", *OUTCOMES))

    def save(self, path: str | Path) -> Path:
        """Write all claims or reports; the ending says how: parquet, csv, jsonl, md, html, xml (JUnit), sarif, txt.

        With json, write the scores and the rows that were left out, as `factscope run` does.

        Raises:
            UsageError: the ending names no format, or Parquet needs the extra `data`.
            StoreError: the file can't be written.
        """
        output_format = format_of(file_path(path).name)
        if output_format == "json":
            return save_pieces(path, [self._stored.to_json(self.scores, self._left_out)])
        if output_format == "text":
            return save_pieces(path, [f"{self}\n"])
        if output_format is None or output_format not in formats_of_many():
            message = f"The file extension of {str(path)!r} is not a known format of a run."
            raise UsageError(message, f"Choose from: {', '.join(endings_of_many())}, .json, .txt.")
        return save_pieces(path, render_many(self._records, self.scores, output_format, self._left_out))

    def compare(self, other: Run) -> PrintableComparison:
        """Compare with another run on the same rows: verdicts that changed, and scores with paired tests.

        Raises UsageError when they share no response.
        """
        must_be(other, Run, "other", "checker.run(rows)")
        comparison = compare(
            self._stored,
            other._stored,
            names=(self.id[:8], other.id[:8]),
            left_out=(left_out_by_model(self._left_out_rows), left_out_by_model(other._left_out_rows)),
        )
        return PrintableComparison(**dict(comparison))

    def close(self) -> None:
        """Close the store; reports can't be read afterwards."""
        self._end()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.reports)

    def __str__(self) -> str:
        from factscope.report.console import plain_text
        from factscope.report.terminal import print_reports

        page = plain_text(lambda console: print_reports(self._records, self.scores, console, self._left_out))
        more = [f"{len(self.unassessed):,} without contexts: not assessed"] if self.unassessed else []
        more += [f"{len(self.failed):,} failed: see run.failed"] if self.failed else []
        more += [f"Not all rows were reached. {self.stopped}"] if self.stopped else []
        return "\n".join([page.rstrip("\n"), *more])

    def __repr__(self) -> str:
        score = "none" if self.score is None else decimals(self.score)
        return f"<Run {self.id[:8]}: {many(len(self), 'response')}, score {score}, {len(self.failed):,} failed>"

    def _repr_html_(self) -> str:
        return framed("".join(str(piece) for piece in render_many(self._records, self.scores, "html", self._left_out)))

    @cached_property
    def _precision(self) -> Score:
        return self._mean(self.reports.ids)

    def _records(self) -> Iterator[ReportRecord]:
        return (self._stored[name] for name in self.reports.ids)

    def _mean(self, names: Sequence[str]) -> Score:
        return summarise((self._stored[name] for name in names), "factual_precision")

    def _response_rows(self) -> Iterator[tuple[object, ...]]:
        for name in self.reports.ids:
            report = self.reports[name]
            counts = (report.counts.get(outcome, 0) for outcome in OUTCOMES)
            yield (name, report.record.response.model, report.text, report.score, report.coverage, *counts)
