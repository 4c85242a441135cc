"""`factscope annotate`: people label a file segment by segment, in the page."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from factscope.cli.call_options import ServingOptions, with_groups
from factscope.cli.calling import load
from factscope.cli.options import SERVER_TOKEN, ListFormat
from factscope.cli.output import log, must_confirm, put_text, refuse_to_overwrite_inputs
from factscope.cli.serve_command import absolute, open_page
from factscope.core import InputError, UsageError, many, open_database, user_text

if TYPE_CHECKING:
    from factscope.web.annotation.annotation_forms import QueueMember, Role, StoredTask
    from factscope.web.annotation.task_answers import TaskAnswers

ExportForm = Literal["felm", "hf"]
_MAX_ROWS = 5  # rows left out that are named
_LONGEST_NAME = 100  # characters of an annotator's name


class AnnotateOptions(ServingOptions):
    """The members of a queue, its page, and what is done with an existing queue instead of opening it."""

    file: Annotated[Path, typer.Argument(metavar="FILE")]
    """FELM's form, or rows with a column `response`."""
    annotator: Annotated[list[str] | None, typer.Option("--annotator", "-a")] = None
    """An annotator; annotators do not see each other's answers."""
    adjudicator: str | None = None
    """The person who decides where annotators differ; several always have one."""
    reviewer: str | None = None
    """The person who reviews all decisions and has the last word."""
    guidelines: Annotated[Path | None, typer.Option(metavar="FILE")] = None
    """Annotation guidelines as plain text, in place of FELM's."""
    show_suggestions: bool = False
    """Show the file's labels before an annotator's first answer."""
    export: Annotated[Path | None, typer.Option(metavar="OUT")] = None
    """Write the labels so far to this file, without opening a page."""
    form: ExportForm = "felm"
    """Form of --export: FELM's, with the final labels of each sample; or every answer."""
    delete: bool = False
    """Delete the queue with all of its answers, after --export."""
    yes: Annotated[bool, typer.Option("--yes", "-y")] = False
    """Delete without asking."""
    store: Annotated[str | None, typer.Option(metavar="FILE|URL")] = None
    """Store of the answers: a file, or postgresql://…."""


@with_groups
def annotate(options: AnnotateOptions) -> None:
    """Label the segments of texts right or wrong, with kind of error, reason and references, as for FELM.

    Each change is kept at once. The page exports FELM's form, and one with a row for each person's answer.

    Example: factscope annotate answers.jsonl --annotator Ada --annotator Ben. Each gets an address of their own; the
    same command opens the same queue again.
    """
    os.environ.pop(SERVER_TOKEN, None)  # no child process needs it
    from factscope.web.annotation.queue_store import Annotations
    from factscope.web.annotation.task_files import read_tasks
    from factscope.web.server import default_store, serve

    members, guidelines = _members(options), options.guidelines
    rules = user_text(guidelines, hint="Check the name.", broken=InputError) if guidelines else None
    settings = load({})
    stored = absolute(options.store or default_store(settings))
    read = read_tasks(options.file)
    _tell_left_out(read.left_out)
    if options.export is not None or options.delete:
        _without_page(options, read.tasks, stored)
        return
    with closing(open_database(stored)) as database:
        opened = Annotations(database).open_queue
        queue, keys = opened(options.file.name, read.tasks, members, guidelines=rules, suggest=options.show_suggestions)

    def show_links(address: str) -> None:
        links = {member: f"{address}annotate/{queue}{options.query}#{key}" for member, key in keys.items()}
        _print_links(links, len(read.tasks), options.format)
        if options.browser and len(links) == 1:
            open_page(next(iter(links.values())))

    serve(settings, stored, options.address(), show_links)


def _without_page(options: AnnotateOptions, tasks: Sequence[StoredTask], stored: str) -> None:
    """Export the queue of a file, delete it, or both. Raises UsageError when there is none, StoreError."""
    from factscope.web.annotation.queue_store import Annotations

    file = options.file
    none = UsageError(
        f"The store has no queue of {file}.",
        "The file must have the name and content that it had when the queue was opened. Another store: --store.",
    )
    refuse_to_overwrite_inputs(options.export, [file])
    if "://" not in stored and not Path(stored).exists():
        raise none
    with closing(open_database(stored)) as database:
        annotations = Annotations(database)
        queue = annotations.find(file.name, tasks)
        if queue is None:
            raise none
        items = annotations.items(queue)
        if options.export is not None:
            _export(items, options.export, options.form)
        if options.delete:
            count = sum(len(entry.answers) for entry in items)
            if not options.yes:
                question = f"Delete the queue of {file} with {many(count, 'answer')}?"
                must_confirm(question, "Nothing is deleted without confirmation.")
            annotations.delete(queue)
            log(f"Deleted the queue of {file} with {many(count, 'answer')}.")


def _export(items: Sequence[TaskAnswers], output: Path, form: ExportForm) -> None:
    from factscope.web.annotation.export import felm, hugging_face

    text = felm(items) if form == "felm" else hugging_face(items)
    put_text(text, output)
    rows = text.count("\n")
    if form == "hf":
        log(f"Wrote {output}: {many(rows, 'answer')} on {many(len(items), 'sample')}.")
        return
    left = "; the others are not decided, or removed" if rows < len(items) else ""
    log(f"Wrote {output}: {rows:,} of {many(len(items), 'sample')}{left}.")


def _tell_left_out(rows: Sequence[str]) -> None:
    for reason in rows[:_MAX_ROWS]:
        typer.echo(f"Left out: {reason}.", err=True)
    if len(rows) > _MAX_ROWS:
        typer.echo(f"Left out: {many(len(rows) - _MAX_ROWS, 'more row')}.", err=True)


def _members(options: AnnotateOptions) -> list[QueueMember]:
    """Return all members of the queue. Raises UsageError for a name that is empty, too long, or repeated."""
    from factscope.web.annotation.annotation_forms import QueueMember

    given: list[tuple[str | None, Role]] = [(name, "annotator") for name in options.annotator or ()]
    given += [(options.adjudicator, "adjudicator"), (options.reviewer, "reviewer")]
    pairs = [(name.strip(), role) for name, role in given if name is not None]
    names = [name for name, _ in pairs]
    if not all(0 < len(name) <= _LONGEST_NAME for name in names):
        raise UsageError(f"A name is empty or longer than {_LONGEST_NAME} characters.", "Give each person a short one.")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"The name {twice!r} appears twice.", "Give each person a different name.")
    return [QueueMember(name=name, role=role) for name, role in pairs]


def _print_links(links: dict[QueueMember, str], count: int, format: ListFormat) -> None:  # noqa: A002 - as the option
    if format == "json":
        people = [{"name": member.name, "role": member.role, "address": link} for member, link in links.items()]
        typer.echo(json.dumps({"samples": count, "people": people, "process": os.getpid()}))
        return
    typer.echo(f"{many(count, 'sample')}. Addresses, each for one person alone:")
    for member, link in links.items():
        typer.echo(f"  {member.name} ({member.role}): {link}")
    typer.echo("Ctrl-C ends the server; answers are kept.", err=True)
