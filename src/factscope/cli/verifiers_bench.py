"""`factscope verifiers bench`: all verifiers that are here over labelled sets, side by side."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from factscope.cli.call_options import with_groups
from factscope.cli.output import log, refuse_to_overwrite_inputs, warn
from factscope.cli.progress import ProgressDisplay
from factscope.cli.result_options import ResultFileOptions
from factscope.core import BoundaryError, FactscopeError, UsageError, __version__, made_at, many

if TYPE_CHECKING:
    from factscope.benchmarks.meta_eval.calibration_fit import LabelledClaim
    from factscope.benchmarks.meta_eval.verifier_board import VerifierRow
    from factscope.engine.settings import Settings
    from factscope.judging.verifiers.protocol import Verifier

_READ = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".gz")
"""Endings of files that are looked into in a folder."""
_WITHOUT_DATA = (
    "Name some: --data FILE, or one of: factscope benchmarks list\nWithout any data: factscope verifiers behaviour"
)


class VerifierBenchOptions(ResultFileOptions):
    """The labelled sets, the verifiers, and where the result is written."""

    data: Annotated[list[str] | None, typer.Option(metavar="FILE|FOLDER|NAME")] = None
    """A labelled file, a folder of labelled files, or a data set of the catalogue. Repeat for more. Default: the data
    sets of the catalogue in the cache."""
    verifier: Annotated[list[str] | None, typer.Option(metavar="NAME|FOLDER")] = None
    """Default: all installed verifiers. Repeat for more."""
    limit: Annotated[int | None, typer.Option(min=1)] = None
    """Maximum number of pairs of each set."""


@with_groups
def bench(options: VerifierBenchOptions) -> None:
    """Measure all verifiers that are here over labelled sets whose claims come with evidence.

    Each runs in its own process, so that its memory is measured alone, with two baselines: word overlap and flagging
    everything.

    Example: factscope verifiers bench --data labelled.jsonl --data folder/ -o table.md
    """
    from factscope.benchmarks.figure_lines import result_of
    from factscope.benchmarks.meta_eval.verifier_board import VerifierBoard, document, figure_lines
    from factscope.engine.settings import load_settings
    from factscope.judging.verifiers.registry import available

    settings = load_settings({}, dot_env=True)[0]
    datasets_named = _datasets(options.data, settings)
    refuse_to_overwrite_inputs(options.output, [Path(name) for name, _ in datasets_named])
    left_out: list[str] = []
    loaded = list(_sets(datasets_named, settings, options.limit, left_out))
    sets = [(called, rows) for called, rows, _ in loaded]
    if not sets:
        raise UsageError("No set has claims that come with evidence.", "; ".join(left_out))
    with ProgressDisplay(quiet=options.quiet) as progress:
        names, of_data = options.verifier or available(settings.cache), len(left_out)
        rows = list(_all_rows(names, sets, settings.cache, left_out, progress))
    warn(f"Left out: {note}" for note in left_out)
    machine_text = f"Python {platform.python_version()} on {platform.system()}, {os.cpu_count()} cores"
    board = VerifierBoard(
        rows=tuple(rows), left_out=tuple(left_out), machine=machine_text, factscope=__version__, made=made_at()
    )
    result = result_of("Verifiers", board, document, figure_lines, indent=2)
    options.put(result)
    if len(left_out) > of_data or any(n_unusable for _, _, n_unusable in loaded):  # a verifier failed, or a row
        raise typer.Exit(1)


def _datasets(data: list[str] | None, settings: Settings) -> list[tuple[str, bool]]:
    """Return files and names of data sets, each with whether it was named itself and not only found in a folder."""
    from factscope.benchmarks.datasets import fetched

    datasets_found: list[tuple[str, bool]] = []
    for name in data or fetched(settings.cache):
        if Path(name).is_dir():
            datasets_found += [(str(path), False) for path in sorted(Path(name).iterdir()) if path.suffix in _READ]
        else:
            datasets_found.append((name, True))
    if not datasets_found:
        problem = "These folders hold no labelled files." if data else "No labelled data set has been downloaded yet."
        raise UsageError(problem, _WITHOUT_DATA)
    return datasets_found


def _sets(
    datasets_named: list[tuple[str, bool]], settings: Settings, limit: int | None, left_out: list[str]
) -> Iterator[tuple[str, list[LabelledClaim], int]]:
    """Yield each set that can be used: its name, its rows, and the number of its rows that can't be used."""
    from factscope.benchmarks.datasets import load
    from factscope.benchmarks.meta_eval.calibration_fit import WITHOUT_EVIDENCE, labelled

    names_used: set[str] = set()
    for name, by_itself in datasets_named:
        try:
            loaded = load(name, cache=settings.cache)
        except FactscopeError as error:
            if by_itself:
                raise
            left_out.append(error.message)
            continue
        if loaded.notice:
            log(loaded.notice)
        rows, notes = labelled(loaded.samples)
        n_without = notes.count(WITHOUT_EVIDENCE)
        called = name if loaded.name in names_used else loaded.name
        if not rows:
            left_out.append(f"{loaded.name}: none of its {n_without:,} labelled units comes with evidence")
            continue
        unsure = sum(gold.factual is None for sample in loaded.samples for gold in sample.gold)
        left_out += [f"{called}: {note}" for note in loaded.notes]
        left_out += [f"{called}: {many(n_without, 'labelled unit')} without evidence"] if n_without else []
        left_out += [f"{called}: {many(unsure, 'unit')} labelled neither right nor wrong"] if unsure else []
        names_used.add(called)
        yield called, rows[:limit], loaded.n_unusable


def _all_rows(
    names: list[str],
    sets: list[tuple[str, list[LabelledClaim]]],
    cache: Path,
    left_out: list[str],
    progress: ProgressDisplay,
) -> Iterator[VerifierRow]:
    """Yield the baselines on all sets, in this process, then each verifier in one of its own."""
    from factscope.benchmarks.meta_eval.verifier_board import FlagAll, Overlap, measured

    yield from (measured(baseline, called, rows) for baseline in (FlagAll(), Overlap()) for called, rows in sets)
    for name in names:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            for done, (called, rows) in enumerate(sets):
                line = f"{name} on {called}: set {done + 1} of {len(sets)}, {many(len(rows), 'pair')}"
                progress.show(f"{name}: {called}", done, len(sets), line)
                try:
                    row_made = pool.submit(judged, name, called, rows, cache).result()
                except BrokenExecutor:
                    row_made = VerifierFailure("its process was killed: did it have enough memory?", for_all=True)
                if not isinstance(row_made, VerifierFailure):
                    yield row_made
                    continue
                rest_text = " and the sets after it" if row_made.for_all and done + 1 < len(sets) else ""
                left_out.append(f"{name} on {called}{rest_text}: {row_made.reason}")
                if row_made.for_all:
                    break


class VerifierFailure(NamedTuple):
    """Reason why a verifier has no row.

    It comes from another process, which an error that holds more than a message does not survive.
    """

    reason: str
    for_all: bool
    """Whether it will be so on every other set."""


def judged(name: str, called: str, rows: list[LabelledClaim], cache: Path) -> VerifierRow | VerifierFailure:
    """Run one verifier on one set in its own process."""
    from factscope.benchmarks.meta_eval.verifier_board import measured

    try:
        return measured(_opened(name, cache), called, rows)
    except FactscopeError as error:
        return VerifierFailure(str(error), for_all=not isinstance(error, BoundaryError))


@cache
def _opened(name: str, folder: Path) -> Verifier:
    from factscope.judging.verifiers.verifier_list import Verifiers

    return Verifiers(folder)[name]()
