"""Checkers measured against human labels (meta-evaluation): the errors that they find, and whether they differ."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import iscoroutinefunction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscope.benchmarks import meta_eval
from factscope.benchmarks.datasets import LabelledData, load
from factscope.benchmarks.meta_eval import CheckerSide, EvaluationOptions, EvaluationResult, Evaluator
from factscope.benchmarks.meta_eval.evaluate import must_have
from factscope.benchmarks.meta_eval.evaluation_document import COLUMNS, figure_rows, in_every_format
from factscope.benchmarks.meta_eval.evaluation_result import Pairing
from factscope.benchmarks.meta_eval.tasks import adapted
from factscope.core import InputError, UsageError
from factscope.core.records import Level
from factscope.engine.open_tools import open_encoders
from factscope.engine.run import Runner
from factscope.engine.settings import load_settings
from factscope.integrations.python.arguments import must_be_draws, must_be_outside_a_loop, must_be_rows
from factscope.integrations.python.checker import Checker
from factscope.integrations.python.report import SavedResult, data_frame, framed
from factscope.integrations.python.runs import open_store
from factscope.integrations.python.tables import Frame, document_fields, held_rows
from factscope.report.document import Result

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Evaluation(SavedResult):
    """Figures of checkers measured against labels."""

    record: EvaluationResult = field(repr=False)
    """The whole result, with its settings and all figures."""

    def compare(self) -> tuple[Pairing, ...]:
        """Give the paired comparisons of each two checkers: differences, p corrected after Holm, and the finding."""
        return self.record.pairings

    def to_dict(self) -> dict[str, Any]:
        """Give the whole result as plain values."""
        return dict(self._result().values())

    def to_pandas(self) -> pd.DataFrame:
        """Give a data frame with a row for each figure. Raises UsageError when pandas is not installed."""
        return data_frame(figure_rows(self.record), COLUMNS)

    def _result(self) -> Result:
        return in_every_format(self.record)

    def _repr_html_(self) -> str:
        return framed(self._result().text("html"))


def evaluate(
    checkers: Sequence[Checker | Evaluator] | Checker | Evaluator,
    dataset: str | Path | Frame | Iterable[Mapping[str, Any]],
    *,
    level: Level | None = None,
    by: str | None = None,
    limit: int | None = None,
    store: str | Path | None = None,
    resamples: int = 2_000,
    seed: int = 0,
) -> Evaluation:
    """Measure checkers against people's labels, all on the same units.

        result = factscope.evaluate([factscope.Checker(), my_function], dataset="felm", level="segment")

    Args:
        checkers: `Checker`s, and functions of (prompt, units) that return for each unit whether it is wrong, the
            probability that it is (0 to 1), or `None`. A sample for which a function raises an exception stays
            unanswered, which lowers the coverage; a note of the result names it.
        dataset: Id of a known data set (`factscope benchmarks list`), a labelled file, a data frame, or rows.
        level: Level of the labels: `claim`, `segment` or `response`. Default: all levels of the data set; functions
            judge the finest.
        by: A tag to group results by, such as `domain`.
        limit: Maximum number of samples, from the start.
        store: A file, or `postgresql://user@host/name`, for the results, to resume from. Default: nothing is stored.
        resamples: Bootstrap resamples for each interval; 0 for none.
        seed: Random seed, 0 or more.

    Raises:
        UsageError: the data set, level or tag does not exist, two checkers have the same name, or an event loop is
            running.
        InputError: no sample can be read, or none has a label.
        Exception: that of a function, if it raises one for every sample.
    """
    must_be_outside_a_loop("evaluate", "await asyncio.to_thread(factscope.evaluate, …)")
    must_be_rows(limit)
    must_be_draws(resamples, seed, fewest=0)
    sides: list[Checker | Evaluator] = list(checkers) if isinstance(checkers, Sequence) else [checkers]
    if not sides or not all(isinstance(side, Checker) or callable(side) for side in sides):
        raise UsageError("evaluate() takes checkers and functions.", "Such as evaluate([factscope.Checker()], …).")
    if any(map(iscoroutinefunction, sides)):
        raise UsageError("evaluate() does not await an async function.", "Call it by asyncio.run(…) in a plain one.")
    data = _load(dataset, limit)
    finest = level or must_have(data, (), by)[0]
    must_have(data, (finest,), by)
    units, levels = meta_eval.default_units(data.samples), (level,) if level else ()
    options = EvaluationOptions(units=units, levels=levels, domain=by, resamples=resamples, seed=seed)
    measured = [
        side.wait(_checked(side, data, options, store))
        if isinstance(side, Checker)
        else meta_eval.ask(getattr(side, "__name__", type(side).__name__), side, data.samples, finest)
        for side in sides
    ]
    return Evaluation(meta_eval.compare(data, measured, options))


async def _checked(
    checker: Checker, data: LabelledData, options: EvaluationOptions, store: str | Path | None
) -> CheckerSide:
    check_tasks = meta_eval.tasks(data.samples, options.units)
    async with checker.session() as opened:
        # The data set says which of a text's documents are its evidence.
        without_contexts, judging = replace(opened, contexts=None), adapted(checker.method, options.units)
        encoders = open_encoders(checker.settings)
        tools = meta_eval.with_own_evidence(judging, without_contexts, check_tasks, encoders)
        with open_store(store) as run_store:
            return await meta_eval.run_method(data, checker.name, checker.method, Runner(tools, run_store), options)


def _load(dataset: str | Path | Frame | Iterable[Mapping[str, Any]], limit: int | None) -> LabelledData:
    cache = load_settings()[0].cache
    if isinstance(dataset, str | Path):
        loaded = load(str(dataset), cache=cache, limit=limit)
    else:
        with tempfile.TemporaryDirectory(prefix="factscope-") as folder:
            rows = Path(folder) / "rows.jsonl"
            lines = (json.dumps(row, ensure_ascii=False, default=document_fields) for row in held_rows(dataset))
            rows.write_text("\n".join(lines), encoding="utf-8")
            try:
                loaded = load(str(rows), cache=cache, limit=limit)
            except InputError as error:  # the caller knows nothing of this file
                raise InputError(error.message.replace(str(rows), "The table"), error.hint) from None
    return loaded
