"""`factscope curate update`, `difficulty` and `explore`: the release of another year, and what there is in one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factscope.cli.call_options import OptionGroup, with_groups
from factscope.cli.curate_command import ReleaseOptions, carry_out
from factscope.cli.options import Output
from factscope.cli.output import log, put_console, put_text, warn
from factscope.core import UsageError

if TYPE_CHECKING:
    from factscope.benchmarks.curate.build_release import BuildConfig, BuildOutcome
    from factscope.benchmarks.curate.changes import ChangeLog

_WRITERS = {".csv": "write_csv", ".jsonl": "write_ndjson", ".parquet": "write_parquet"}
"""Methods of a table that write files of these kinds."""


class UpdateOptions(ReleaseOptions):
    """The new logs, and the release that they follow."""

    previous: Annotated[Path | None, typer.Option(metavar="RELEASE")] = None
    """The last release: the folder of its build, or the shared folder."""


@with_groups
def update(options: UpdateOptions) -> None:
    """Make the release that follows another from new logs, with a log of what was added, kept and removed, and why.

    Example: factscope curate update --previous release-2025 --logs chats-2026.jsonl --out release-2026 --model
    openai/gpt-4.1-mini --search serper. Without a model old answers are kept: --no-models.
    """
    from factscope.benchmarks.curate import need_extra

    need_extra()
    previous, out = options.previous, options.out
    if previous is None or not options.logs or out is None:
        raise UsageError(
            "It takes the last release, new logs and a folder for the new release.",
            "Name them: --previous RELEASE --logs FILE… --out FOLDER",
        )
    from factscope.benchmarks.curate.stage_list import CHAIN
    from factscope.benchmarks.curate.update_release import update as updated

    changes: ChangeLog | None = None

    async def run_stages(files: list[Path], config: BuildConfig) -> BuildOutcome:
        nonlocal changes
        outcome, changes = await updated(previous, files, out, CHAIN, config)
        return outcome

    raise typer.Exit(carry_out(run_stages, CHAIN, options, lambda: _tell_changes(changes, out) if changes else None))


class ReleaseStudyOptions(OptionGroup):
    """A release, answers to its prompts, and where the outcome is written."""

    release: Annotated[Path, typer.Argument(metavar="RELEASE")]
    """The folder of a build."""
    panel: Annotated[list[Path] | None, typer.Option(metavar="FILE")] = None
    """A result of bench factbench: answers of further models. Repeat for more."""
    output: Output = None


class DifficultyOptions(ReleaseStudyOptions):
    """A release whose prompts are rated."""

    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="OUT")] = None
    """Prompt by prompt: .csv, .jsonl or .parquet."""


@with_groups
def difficulty(options: DifficultyOptions) -> None:
    """Rate how hard the prompts of a release are, by five factors beside the tier, and whether to believe it.

    Example: factscope curate difficulty release-2026 --panel factbench-result.json -o difficulty.csv
    """
    from factscope.benchmarks.curate import need_extra

    need_extra()
    from factscope.benchmarks.curate.difficulty import difficulty_of, read_panel
    from factscope.benchmarks.curate.explore import difficulty_blocks
    from factscope.benchmarks.curate.folders import open_folder, whole_file
    from factscope.report.console import print_document

    output = options.output
    if output is not None and output.suffix not in _WRITERS:
        raise UsageError(f"{output} should end in .csv, .jsonl or .parquet.")
    rated = difficulty_of(open_folder(options.release), read_panel(options.panel) if options.panel else None)
    put_console(lambda console: print_document(difficulty_blocks(rated.checks), console), None)
    if output is not None:
        with whole_file(output) as target:
            getattr(rated.table, _WRITERS[output.suffix])(target)
        log(f"Wrote {output}.")


@with_groups
def explore(options: ReleaseStudyOptions) -> None:
    """Write a release as one page: its topics, composition, funnel, thresholds, and prompts with their errors.

    Example: factscope curate explore release-2026 -o explore.html
    """
    from factscope.benchmarks.curate import need_extra

    need_extra()
    from factscope.benchmarks.curate.difficulty import read_panel
    from factscope.benchmarks.curate.explore import explore as explored

    put_text(explored(options.release, read_panel(options.panel) if options.panel else None), options.output)
    if options.output is not None:
        log(f"Wrote {options.output}.")


def _tell_changes(changes: ChangeLog, out: Path) -> None:
    from factscope.benchmarks.curate.changes_page import finding, headline

    log(f"{headline(changes.summary)}.")
    for distance in changes.summary.representative:
        log(finding(distance))
    warn(changes.summary.notes)
    log(f"What changed and why: {out / 'changes.html'}, changes.md, changes.json and changes.parquet.")
