"""`factscope review`: the texts of a pull request or a commit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from factscope.cli.call_options import CheckerOptions, with_groups
from factscope.cli.calling import checker_of
from factscope.cli.inputs import read_text
from factscope.cli.options import MaxCost, Record, Replay
from factscope.cli.output import add_text, must_not_be_input, put_chunks, put_text
from factscope.core import InputError
from factscope.evidence.file_list import printable_path
from factscope.integrations.pull_request import Reviewed
from factscope.integrations.pull_request import review as review_texts
from factscope.integrations.pull_request import summary as summary_of
from factscope.report import render_many

BELOW_SCORE = 3


class ReviewOptions(CheckerOptions):
    """The texts, and where the findings are written."""

    files: Annotated[list[Path], typer.Argument(metavar="FILE…", exists=True, dir_okay=False)]
    """Text files."""
    min_score: Annotated[float, typer.Option(min=0, max=1)] = 0.8
    """Exit with 3 if a file is below this."""
    base: Annotated[str | None, typer.Option(metavar="COMMIT")] = None
    """Commit or branch to compare the texts with."""
    sarif: Annotated[Path | None, typer.Option(metavar="FILE")] = None
    """Write the problems as SARIF 2.1.0."""
    summary: Annotated[Path | None, typer.Option(metavar="FILE")] = None
    """Add a Markdown summary to this file."""
    max_cost: MaxCost = None
    record: Record = None
    replay: Replay = None


@with_groups
def review(options: ReviewOptions) -> None:
    """Check the texts of a pull request or a commit, and say what is wrong where, before and after.

    Example: factscope review docs/a.md docs/b.md --evidence sources/ --base origin/main --sarif found.sarif. Exit
    codes: 0 fine, 1 something failed, 2 wrong usage, 3 a file is below --min-score or could not be judged.
    """
    for output in filter(None, (options.sarif, options.summary)):
        must_not_be_input(output, options.files)
    checker, _ = checker_of(options.settings(min_score=None))
    texts, unreadable = _read(options.files)
    reviewed = review_texts(checker, texts, options.base)
    reviewed += [Reviewed(path, None, None, reason) for path, reason in unreadable.items()]
    records = [file.after.record for file in reviewed if file.after]
    page = summary_of(reviewed, options.min_score)
    put_text(page, None)  # first, as either file may be one that can't be written
    try:
        if options.sarif:
            left_out = [f"{file.path}: {file.error}" for file in reviewed if file.after is None and file.error]
            put_chunks(render_many(lambda: records, (), "sarif", left_out), options.sarif)
    finally:
        if options.summary:
            add_text(page, options.summary)
    if any(file.error or file.earlier_error for file in reviewed):
        raise typer.Exit(1)
    if not all(file.passed(options.min_score) for file in reviewed):
        raise typer.Exit(BELOW_SCORE)


def _read(files: Sequence[Path]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts by path, and the reasons for files that can't be read, which must not hold up the others."""
    texts, unreadable = {}, {}
    for path in files:
        try:
            texts[printable_path(path)] = read_text(str(path))
        except InputError as error:
            unreadable[printable_path(path)] = error.message.removeprefix(f"{path} ")
    return texts, unreadable
