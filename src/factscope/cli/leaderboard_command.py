"""`factscope leaderboard`: stored runs and result files as a static site, and files that add a model to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from factscope.benchmarks.leaderboard.boards import Find, Leaderboard, MissingRow, RunRecord
from factscope.benchmarks.leaderboard.entries import read_entry
from factscope.benchmarks.leaderboard.published_rows import with_published
from factscope.benchmarks.leaderboard.result_files import gather
from factscope.benchmarks.leaderboard.site import HubTask, LinkedPage, write_site
from factscope.cli.call_options import OptionGroup, with_groups
from factscope.cli.options import StoreLocation
from factscope.cli.output import log, tell_error, warn
from factscope.cli.stored import open_run
from factscope.core import FactscopeError, UsageError, many
from factscope.engine.data_rows import left_out_by_model
from factscope.engine.run_store import StoredRun
from factscope.engine.settings import load_settings


class SiteOptions(OptionGroup):
    """The runs, the site, and what it shows of them."""

    runs: Annotated[list[str], typer.Argument(metavar="RUN…")]
    """Result files of `bench` and `meta`, entries, and ids of stored runs of `run`, or last."""
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER")]
    """Folder of the site."""
    public: Annotated[list[str] | None, typer.Option(metavar="SPLIT")] = None
    """A split whose examples may be shown. Repeat for more. Default: open."""
    totals_only: Annotated[list[str] | None, typer.Option(metavar="RUN")] = None
    """A file or run whose examples are not shown. Repeat for more."""
    hub: Annotated[str | None, typer.Option(metavar="DATASET:TASK[@REVISION]")] = None
    """Write .eval_results files for this benchmark of the Hub."""
    release: Annotated[list[Path] | None, typer.Option(metavar="FOLDER")] = None
    """A release of `curate` to add as a page to explore. Repeat for more."""
    published: bool = False
    """Show the papers' published rows below your own, marked."""
    store: StoreLocation = None


@with_groups
def build(options: SiteOptions) -> None:
    """Make a static site of leaderboards that opens from a file system.

    Of FACTS Grounding, examples are shown of public splits alone, and of all others only totals; other results and runs
    are shown with their examples, unless --totals-only names them. Exit code 1 when a model or checker is left out
    because it has no score.

    Example: factscope leaderboard build table.json entries/*.toml last -o site/
    """
    task = _task(options.hub) if options.hub else None
    files = [Path(run) for run in options.runs if Path(run).is_file() or Path(run).suffix in (".json", ".toml")]
    store = load_settings({"store": options.store}, dot_env=True)[0].store
    _must_be_outside(options.output, [*files, *(options.release or []), *([store] if isinstance(store, Path) else [])])
    with ExitStack() as stack:
        opened = cache(lambda name: _stored(stack.enter_context(open_run(name, options.store))))
        records = {run: opened(run) for run in options.runs if Path(run) not in files}
        hidden = {_totals_only_name(name, files, records) for name in options.totals_only or []}
        boards, notes = gather(
            files,
            list({run.id: run for run in records.values()}.values()),
            public=options.public or ["open"],
            totals_only=hidden,
            find=_finder(opened),
        )
        _must_be_one_table(task, boards)
        boards = tuple(map(with_published, boards)) if options.published else boards
        n = write_site(boards, options.output, task, [_release(folder) for folder in options.release or []])
    warn(notes)
    n_rows = sum(len(board.rows) for board in boards)
    log(f"Wrote {options.output / 'index.html'}: {many(n_rows, 'row')}, {many(n, 'page')}.")
    if any(isinstance(note, MissingRow) for note in notes):
        raise typer.Exit(1)


def _must_be_outside(folder: Path, sources: Sequence[Path | str]) -> None:
    """Raise UsageError for a source in the folder of the site, where nothing stays."""
    for source in sources:
        if folder.resolve() in Path(source).resolve().parents:
            raise UsageError(f"{source} would be lost, as the site takes the place of {folder}.", "Move it elsewhere.")


def _must_be_one_table(task: HubTask | None, boards: Sequence[Leaderboard]) -> None:
    """Raise UsageError when files for the Hub are requested for several tables of models."""
    if task and sum(board.unit == "model" for board in boards) > 1:
        raise UsageError("--hub names one benchmark, and there are several tables of models.", "Build one site each.")


def check(files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Entries: TOML or JSON.")]) -> None:
    """Check files that add a model, each number against the result beside it. Exit code 1 when one is wrong.

    Example: factscope leaderboard check entries/*.toml
    """
    wrong = False
    for path in files:
        try:
            entry = read_entry(path)
        except FactscopeError as error:
            wrong = True
            tell_error(error)
        else:
            typer.echo(f"{path}: {entry.model}, {entry.score:.4f}, coverage {entry.coverage:.4f}: fine")
    if wrong:
        raise typer.Exit(1)


def _release(folder: Path) -> LinkedPage:
    """Return the page of a release. Raises the errors of `explore`."""
    from factscope.benchmarks.curate import need_extra

    need_extra()
    from factscope.benchmarks.curate.explore import explore

    return LinkedPage(f"Release {folder.resolve().name}", explore(folder))


def _totals_only_name(name: str, files: list[Path], records: dict[str, RunRecord]) -> str:
    """Return a value of `--totals-only` as `gather` knows it.

    Raises UsageError, because a typo must not publish private examples.
    """
    if name in records:
        return records[name].id
    if Path(name) in files:
        return str(Path(name))
    raise UsageError(f"--totals-only {name} is not one of the given runs.", "Name it as it was given.")


def _task(names: str) -> HubTask:
    name, _, revision = names.partition("@")
    dataset, _, task = name.partition(":")
    if not dataset or not task:
        raise UsageError(
            f"{names!r} does not name a task.", "Such as google/FACTS-grounding-public:facts_grounding@main."
        )
    return HubTask(dataset, task, revision or None)


def _finder(open_one: Callable[[str], RunRecord]) -> Find:
    """Return a function that finds the run of a result file by its full id, since the file may come from anywhere."""

    def find_run(run: str) -> RunRecord | None:
        if not re.fullmatch("[0-9a-f]{16}", run):
            return None
        try:
            return open_one(run)
        except UsageError:
            return None

    return find_run


def _stored(stored_run: StoredRun) -> RunRecord:
    run = stored_run.run
    return RunRecord(
        id=run.id,
        title=run.title,
        date=run.finished or run.started,
        factscope=run.factscope,
        method=run.method,
        models=run.asked.models,
        evidence=run.searched.id if run.searched else None,
        reports=stored_run,
        left_out=left_out_by_model(stored_run.left_out_rows),
    )
