"""`factscope curate`: conversations → a release of a benchmark."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factscope.cli.call_options import CallOptions, MachineOptions, OptionGroup, SourceOptions, with_groups
from factscope.cli.calling import WAITING, finish, load, on_engine, tell_pending, usage_line
from factscope.cli.options import AsList, ListFormat
from factscope.cli.output import log, put_json, table, warn
from factscope.cli.progress import ProgressDisplay
from factscope.core import UsageError, many
from factscope.core.records import Usage

if TYPE_CHECKING:
    from factscope.benchmarks.curate.build_release import BuildConfig, BuildOutcome, Callbacks
    from factscope.benchmarks.curate.folders import ManifestStep
    from factscope.benchmarks.curate.stage import Stage
    from factscope.engine.settings import Settings

_REASONS = 3  # reasons for drops that fit a line of the table


class ReleaseFileOptions(OptionGroup):
    """The logs, parameters and folder of a release, and the form of the outcome."""

    logs: Annotated[list[str] | None, typer.Option(metavar="FILE…")] = None
    """Conversations: LMSYS-Chat-1M, WildChat, ShareGPT or rows with prompt, response, model; as JSONL, JSON, CSV (also
    .gz), Parquet, or a data set of the hub as org/name."""
    out: Annotated[Path | None, typer.Option(metavar="RELEASE")] = None
    """The folder of the release."""
    parameters: Annotated[Path | None, typer.Option(metavar="TOML")] = None
    """Thresholds, seeds and limits that differ from the defaults; or a release's manifest.json or factscope.json."""
    no_models: bool = False
    """Use small rules instead of models, marked as baseline. With --evidence answers are still checked, by the built-in
    method."""
    format: AsList = "text"


class ReleaseOptions(ReleaseFileOptions, SourceOptions, CallOptions, MachineOptions):
    """Options of a command that makes a release."""

    def load(self) -> Settings:
        """Load the settings. With --no-models, only the command's own options are looked up.

        Raises UsageError when a model is named as well.
        """
        if not self.no_models:
            return load(self.settings())
        if self.model:
            raise UsageError("With --no-models no model is called, but one is named.", "Leave out one of the two.")
        unnamed: dict[str, Any] = {"model": {}}
        unnamed |= {} if self.evidence else {"evidence": ()}
        unnamed |= {} if self.search else {"search": None}
        return load(self.settings()).model_copy(update=unnamed)


class BuildOptions(ReleaseOptions):
    """The logs, and the last stage."""

    until: Annotated[str | None, typer.Option(metavar="STAGE")] = None
    """Stop after this stage, such as near."""


@with_groups
def build(options: BuildOptions) -> None:
    """Make a benchmark of prompts from logs of conversations, stage by stage, every stage a table on disk.

    Example: factscope curate build --logs chats-1.jsonl chats-2.parquet --out release --model openai/gpt-4.1-mini
    --search serper --max-cost 50. The same command resumes after any stop; without a model: --no-models.
    """
    from factscope.benchmarks.curate import need_extra

    need_extra()
    out = options.out
    if not options.logs or out is None:
        raise UsageError(
            "It takes logs of chats, and a folder for the release.", "Name them: --logs FILE… --out FOLDER"
        )
    from factscope.benchmarks.curate.build_release import build as built
    from factscope.benchmarks.curate.build_release import up_to
    from factscope.benchmarks.curate.release import write_if_selected
    from factscope.benchmarks.curate.stage_list import CHAIN

    stages = up_to(CHAIN, options.until)

    async def run_stages(files: list[Path], config: BuildConfig) -> BuildOutcome:
        return await built(files, out, stages, config, after=write_if_selected)

    raise typer.Exit(carry_out(run_stages, stages, options))


def carry_out(
    work: Callable[[list[Path], BuildConfig], Coroutine[Any, Any, BuildOutcome]],
    stages: Sequence[Stage],
    options: ReleaseOptions,
    tell: Callable[[], None] = lambda: None,
) -> int:
    """Call `work` with the files and settings of a build, and print the outcome and the output of `tell`.

    The exit code is not 0 when calls wait in a batch folder, or some failed.
    """
    from factscope.benchmarks.curate.build_release import BuildConfig
    from factscope.benchmarks.curate.logs import log_files, look_ahead
    from factscope.benchmarks.curate.parameters import read_parameters
    from factscope.benchmarks.curate.stage_list import prepared
    from factscope.engine import Tools
    from factscope.engine.open_tools import open_encoders, open_tools
    from factscope.engine.run_store import Store

    settings, settings_read = options.load(), read_parameters(options.parameters)
    files = log_files(options.logs or [], settings.cache, os.environ)
    warn(look_ahead(files, settings_read))
    models = not options.no_models
    with ProgressDisplay(quiet=options.quiet) as progress:
        needed = models or settings.evidence or settings.search
        tools = on_engine(open_tools(settings=settings, on_progress=progress.reading), settings) if needed else None
        asking, evidence = (tools, None) if models else (None, tools)
        with Store(settings.store) if tools else nullcontext() as run_store:
            encoders = open_encoders(settings)
            config = prepared(
                BuildConfig(settings_read, asking, run_store, encoders, evidence, watching(progress)), stages
            )
            outcome = finish(tools or Tools(), lambda: work(files, config), resumable=True)
    waits = outcome.waiting and tools is not None and tell_pending(settings, tools)
    report_outcome(outcome, settings, options.format, quiet=options.quiet)
    if not options.quiet:
        tell()
    return WAITING if waits else 1 if any(step.again for step in outcome.manifest.steps) else 0


def watching(progress: ProgressDisplay) -> Callbacks:
    """Return callbacks that show a build's progress."""
    from factscope.benchmarks.curate.build_release import Callbacks

    now = ""

    def show_stage(stage: Stage, number: int, total: int) -> None:
        nonlocal now
        now = f"{number} of {total}, {stage.name}"
        progress.show(now, 0, 0, f"{now}: {stage.about}")

    def show_progress(done: int, total: int) -> None:
        progress.show(now, done, total, f"{now}: {done:,} of {total:,}")

    def show_end(done: ManifestStep, reused: bool) -> None:
        status = "done before" if reused else f"{done.seconds:,.1f} s"
        progress.show(
            now, 1, 1, f"{now}: {done.rows_out:,} of {many(done.rows_in, 'row goes', 'rows go')} on ({status})"
        )

    return Callbacks(show_stage, show_progress, log, show_end)


def report_outcome(outcome: BuildOutcome, settings: Settings, output_format: ListFormat, *, quiet: bool) -> None:
    """Print the funnel, and the paths of the tables."""
    steps = outcome.manifest.steps
    if output_format == "json":
        put_json(summary(outcome), indent=1)
    else:
        table(funnel(steps), ("stage", "in", "out", "dropped", "seconds"))
    for location in steps[0].facts.get("damaged", ()) if steps[0].name in outcome.reused else ():
        log(f"Rows of a log are lost: {location}. Fetch or write the file again and run the same command.", "yellow")
    if quiet:
        return
    used: list[Usage] = [row for step in steps if step.name not in outcome.reused for row in step.usage]
    location = f"{many(steps[-1].rows_out, 'prompt')} after the stage {steps[-1].name}, in {outcome.folder}"
    log(", ".join(filter(None, [location, usage_line(used, settings)])))
    if outcome.folder.name == "unfinished" and not outcome.waiting:
        log("The existing release covers more stages than this build, and stays until a build gets as far.", "yellow")
    if any(step.again for step in steps) and not outcome.waiting:
        log("Run the same command again to try what failed once more.", "yellow")


def funnel(steps: Iterable[ManifestStep]) -> Iterable[tuple[str, ...]]:
    """Format the rows in and out of each stage, and the reasons for drops."""
    for step in steps:
        reasons = [f"{count:,} {reason}" for reason, count in step.dropped.items()][:_REASONS]
        others = sum(list(step.dropped.values())[_REASONS:])
        reasons += [f"{others:,} for other reasons"] if others else []
        unanswered = [f"{many(count, 'question')} {reason}" for reason, count in step.unanswered.items()]
        reasons_text = ", but ".join(filter(None, [", ".join(reasons) or ("none" if unanswered else ""), *unanswered]))
        yield step.name, f"{step.rows_in:,}", f"{step.rows_out:,}", reasons_text or "–", f"{step.seconds:,.1f}"


def summary(outcome: BuildOutcome) -> dict[str, Any]:
    """Convert the outcome of a build to values."""
    fields = {"name", "rows_in", "rows_out", "dropped", "seconds", "models", "facts"}
    stages = [
        {**step.model_dump(mode="json", include=fields), "reused": step.name in outcome.reused}
        for step in outcome.manifest.steps
    ]
    return {"release": str(outcome.folder), "waiting": outcome.waiting, "stages": stages}
