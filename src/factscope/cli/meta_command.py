"""`factscope meta`: how well checkers agree with people."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.datasets import load as load_samples
from factscope.benchmarks.meta_eval import (
    CheckerSide,
    EvaluationOptions,
    compare,
    default_units,
    read_predictions,
    run_method,
    tasks,
    with_own_evidence,
)
from factscope.benchmarks.meta_eval.ensembles import ensembles as together
from factscope.benchmarks.meta_eval.evaluate import must_have
from factscope.benchmarks.meta_eval.evaluation_document import in_every_format
from factscope.benchmarks.meta_eval.evaluation_result import Sweep
from factscope.benchmarks.meta_eval.prediction_files import write_predictions
from factscope.benchmarks.meta_eval.sweep import ALPHA, Variant, read_alphas, read_sweep, variants
from factscope.benchmarks.meta_eval.tasks import adapted
from factscope.cli.bench_options import SampledOptions
from factscope.cli.call_options import CallOptions, SampleOptions, VerifierOptions, with_groups
from factscope.cli.calling import WAITING, load, log_usage, run_stored, tell_pending
from factscope.cli.options import LabelledSet
from factscope.cli.output import log, must_not_be_input, refuse_to_overwrite_inputs, warn
from factscope.cli.progress import RunProgressDisplay
from factscope.cli.result_options import put_result
from factscope.core import UsageError, many
from factscope.engine.find_method import chosen_method, default_method, must_ask_a_model
from factscope.engine.open_tools import open_encoders, open_tools
from factscope.engine.settings import Settings
from factscope.methods import Method
from factscope.methods.library.felm_published import published


class MetaLevel(StrEnum):
    """Level that is labelled."""

    CLAIM = "claim"
    SEGMENT = "segment"
    RESPONSE = "response"


class MetaOptions(SampleOptions, VerifierOptions, SampledOptions, CallOptions):
    """The checkers that are measured, how verdicts and labels are compared, and where the figures are written."""

    dataset: LabelledSet
    method: Annotated[list[str] | None, typer.Option("--method", "-m")] = None
    """Method by name, or a TOML file. Repeat for more."""
    predictions: Annotated[list[Path] | None, typer.Option(metavar="FILE")] = None
    """Recorded predictions, as JSON lines. Repeat for more."""
    sweep: Annotated[list[str] | None, typer.Option(metavar="SETTING=A,B")] = None
    """Sweep a setting over several values, as passages=1,3,5. Repeat for more."""
    prompts: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None
    """Prompts of FELM's authors (their eval/prompt), for the methods felm/…"""
    level: list[MetaLevel] | None = None
    """Only this level. Repeat for more."""
    units: Literal["given", "own"] | None = None
    """Judge the labelled units as given, the same for all, or let each method split the text."""
    errors: Literal["unsupported", "contradicted"] = "unsupported"
    """Verdicts that count as flagged."""
    by: Annotated[str | None, typer.Option(metavar="TAG")] = None
    """Tag to group results by, such as topic."""
    ensembles: bool = False
    """Also measure the checkers combined: majority, weighted and stacked."""
    write_predictions: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None
    """Write each checker's prediction for each unit, in the form of --predictions."""
    resamples: Annotated[int, typer.Option(min=0)] = 2_000
    """Bootstrap resamples; 0 for no intervals."""
    fresh: bool = False
    """Check again, even if results are stored."""


@with_groups
def meta(options: MetaOptions) -> None:
    """Measure checkers against people's labels: how well they find errors, with intervals.

    For another strictness set FACTSCOPE_STRICTNESS, or roll_up.contradiction_floor in a method's file.

    Example: factscope meta labelled.jsonl --method builtin --predictions other.jsonl -o report.html. The same command
    resumes after any stop.
    """
    settings = load(options.settings(method=None))  # the methods are looked up below, one by one
    files = options.predictions or []
    inputs = [Path(options.dataset), *files, options.data]
    refuse_to_overwrite_inputs(options.output, settings=settings)
    checkers, sweeps, alphas = _checkers(options, settings)
    if options.write_predictions is not None:
        for name in [*(checker.name for checker in checkers), *(path.stem for path in files)]:
            must_not_be_input(_predictions_path(options.write_predictions, name), inputs)
    loaded = _load(options, settings)
    compared = EvaluationOptions(
        units=options.units or default_units(loaded.samples),
        rule=options.errors,
        levels=tuple(level.value for level in options.level or ()),
        domain=options.by,
        alphas=alphas,
        **options.sampling,
    )
    must_have(loaded, compared.levels, options.by)
    sides = [_run(loaded, checker, compared, settings, options) for checker in checkers]
    if None in sides:
        raise typer.Exit(WAITING)
    every = [*filter(None, sides), *(_recorded(path, loaded, compared) for path in files)]
    if options.ensembles:
        every += together(loaded, every, compared)
    comparison = compare(loaded, every, compared, sweeps)
    if options.write_predictions is not None:
        _write_predictions(options.write_predictions, loaded, every, compared)
    put_result(in_every_format(comparison), options.form, options.output, quiet=options.quiet)
    if any(side.to_try_again for side in every):
        log("Run the same command again to try what failed once more.", "yellow")
    raise typer.Exit(1 if loaded.n_unusable or any(side.incomplete for side in every) else 0)


def _write_predictions(folder: Path, data: LabelledData, sides: list[CheckerSide], options: EvaluationOptions) -> None:
    for side in sides:
        path = _predictions_path(folder, side.name)
        count = write_predictions(path, data.samples, side.predictions, options.units)
        log(f"Wrote {path}: predictions for {many(count, 'unit')}")


def _predictions_path(folder: Path, checker: str) -> Path:
    return folder / f"{checker.replace('/', '_')}.jsonl"


def _checkers(options: MetaOptions, settings: Settings) -> tuple[list[Variant], list[Sweep], tuple[float, ...]]:
    """Return the methods to run (once, or for each value of each sweep), the sweeps, and the values of alpha.

    Without a name, the default method is run, unless there are predictions. Raises UsageError for a sweep without a
    method.
    """
    checked_methods = _methods(options, settings)
    must_ask_a_model(checked_methods, options.model or [], search=settings.search)
    read = [read_sweep(text) for text in options.sweep or ()]
    alphas = next((read_alphas(values) for setting, values in read if setting == ALPHA), ())
    swept = [(setting, values) for setting, values in read if setting != ALPHA]
    if swept and not checked_methods:
        raise UsageError(
            f"--sweep {swept[0][0]}=… changes a setting of a method, and only predictions are named.",
            "Add --method NAME, or leave --sweep out.",
        )
    checkers = [] if swept else [Variant(method.name, method) for method in checked_methods]
    sweeps = []
    for method in checked_methods:
        for setting, values in swept:
            tried = variants(method, setting, values)
            checkers += tried
            names = tuple(variant.name for variant in tried)
            sweeps.append(Sweep(setting=setting, values=values, checkers=names))
    if settings.record and len(checkers) > 1:
        raise UsageError(
            "A recording holds the calls of one method, and several are named.", "Record each one separately."
        )
    return checkers, sweeps, alphas


def _methods(options: MetaOptions, settings: Settings) -> list[Method]:
    if options.prompts is not None:
        return [published(name, options.prompts) for name in options.method or ["felm/segment-vanilla"]]
    default = [] if options.predictions else [default_method(settings)]
    return [chosen_method(settings, name) for name in options.method or default]


def _load(options: MetaOptions, settings: Settings) -> LabelledData:
    """Return the labelled samples; irregularities, and the licence on first use, are printed."""
    loaded = load_samples(options.dataset, options.data, cache=settings.cache, limit=options.limit)
    if loaded.notice:
        log(loaded.notice)
    warn(f"{loaded.name}: {note}" for note in loaded.notes)
    return loaded


def _run(
    data: LabelledData,
    checker: Variant,
    compared: EvaluationOptions,
    settings: Settings,
    options: MetaOptions,
) -> CheckerSide | None:
    """Run one method; `None` when calls of it wait in a batch folder."""
    if checker.models:
        settings = settings.model_copy(update={"model": {**settings.model, **checker.models}})
    judging = adapted(checker.method, compared.units)
    check_tasks = tasks(data.samples, compared.units)
    encoders = open_encoders(settings)
    with RunProgressDisplay(len(check_tasks), settings.batch, quiet=options.quiet) as progress:
        tools = with_own_evidence(
            judging, open_tools(settings=settings, on_progress=progress.reading), check_tasks, encoders
        )
        work = partial(run_method, data, checker.name, checker.method, options=compared)
        side = run_stored(tools, settings, progress, work, fresh=options.fresh)
    done = f"{checker.name}: run {side.run}, {many(len(check_tasks), 'text')}"
    log_usage(done, progress.usage(), settings, quiet=options.quiet)
    warn(f"{checker.name}: {note}" for note in side.notes if not options.quiet)
    return None if tell_pending(settings, tools) else side


def _recorded(path: Path, data: LabelledData, options: EvaluationOptions) -> CheckerSide:
    """Read a file of predictions."""
    read = read_predictions(path, data.samples, options.rule)
    warn(f"{path}: {note}" for note in read.notes)
    if read.reading:
        log(f"{path}: {read.reading}")
    notes = (*read.notes, *filter(None, [read.reading]))
    return CheckerSide(name=path.stem, predictions=read.predictions, title=f"recorded in {path.name}", notes=notes)
