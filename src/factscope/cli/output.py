"""Output of results: standard output, or a file that is either complete or absent."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

import typer

from factscope.cli.options import Format
from factscope.core import FactscopeError, StoreError, UsageError, system_reason, write_whole

if TYPE_CHECKING:
    from rich.console import Console

    from factscope.core.records import Report
    from factscope.engine.settings import Settings


Detail = Literal["full", "short", "brief"]
"""Amount of a report as text: all, a screenful, or one line."""
_ELSEWHERE = "Name another place."


def log(message: str, colour: str | None = None) -> None:
    """Write a line to standard error, with colour on a terminal, and with control characters made visible."""
    from factscope.report.wording import inert

    lines = "\n".join(inert(line) for line in message.split("\n"))
    with sign_of_life():
        is_plain = colour is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        typer.echo(lines if is_plain else typer.style(lines, fg=colour), err=True)


def warn(notes: Iterable[str]) -> None:
    """Write each note on a yellow line to standard error."""
    for note in notes:
        log(note, "yellow")


def tell_written(output: Path | None) -> None:
    """Name the file that was written, if there is one."""
    if output is not None:
        log(f"Wrote {output}")


@contextmanager
def sign_of_life() -> Iterator[None]:
    """Ignore errors while writing to standard error, so that work continues when its reader has closed it."""
    try:
        yield
    except OSError:
        silence(sys.stderr)


def tell_error(error: FactscopeError) -> None:
    """Print an error on one line, and its fix on the next."""
    log(f"factscope: {error.message}", "red")
    for line in error.hint.splitlines():
        log(f"  {line}")


def must_confirm(question: str, refusal: str) -> None:
    """Ask for confirmation, and end the command unless the answer is yes. Raises UsageError without a terminal."""
    if not sys.stdin.isatty():
        raise UsageError(refusal, "Add --yes.")
    if not typer.confirm(question, err=True):
        raise typer.Exit(1)


def refuse_to_overwrite_inputs(
    output: Path | None, sources: Iterable[Path | str | None] = (), settings: Settings | None = None
) -> None:
    """Refuse an output that can't be, or must not be, written, before anything is read or run.

    Raises UsageError when it would overwrite a source or a file of the settings, or lie among the evidence; StoreError
    when it can't be written. `must_not_be_named` has compared it with the other options already.
    """
    if output is None:
        return
    _must_be_writable(output)
    if settings is not None:
        files = (settings.store, settings.record, settings.replay, settings.prices, settings.categories_file)
        sources = (*sources, *settings.evidence, *files)
    must_not_be_input(output, sources)


_RENEWED = ("output", "report", "reports", "previous")
"""Parameters whose file an output may replace: a report by its new form."""


def must_not_be_named(output: Path, values: Mapping[str, Any]) -> None:
    """Raise UsageError for an output whose file another parameter of the command names too, such as its input."""
    if output.exists() and not output.is_file():  # /dev/null, or a folder
        return
    for name, value in values.items():
        paths = () if name in _RENEWED else value if isinstance(value, list) else (value,)
        if same := next((entry for entry in paths if _is_file(entry, output.resolve())), None):
            raise UsageError(f"{output} would be written over {same}, which this command reads or writes.", _ELSEWHERE)


def _is_file(value: object, file: Path) -> bool:
    """Return whether a value of a parameter is this file; words are one only if it exists, perhaps after `=`."""
    with suppress(OSError, ValueError):
        if isinstance(value, str) and file.exists():
            return file in (Path(value).resolve(), Path(value.partition("=")[2]).resolve())
        return isinstance(value, Path) and value.resolve() == file
    return False


def must_not_be_input(output: Path, sources: Iterable[Path | str | None]) -> None:
    """Raise UsageError for an output that would overwrite a file that the command reads, or lie in its evidence."""
    target = output.resolve()
    for source in (source for source in sources if isinstance(source, Path)):
        with suppress(OSError, ValueError):
            if source.exists() and target.is_relative_to(source.resolve()):
                raise UsageError(
                    f"{output} would be written over or into {source}, which this command reads.", _ELSEWHERE
                )


def _must_be_writable(output: Path) -> None:
    if output.exists() and not output.is_file() and not output.is_dir():  # /dev/null, a pipe
        return
    folder = output.resolve().parent
    why = None
    if output.is_dir():
        why = "it is a folder"
    elif not folder.is_dir():
        why = f"the folder {folder} is not there"
    elif not os.access(folder, os.W_OK):
        why = f"the folder {folder} is not writable"
    if why:
        raise StoreError(f"{output} can't be written: {why}.", "Name another file with -o.")


def choose_format(output_format: Format | None, output: Path | None) -> Format:
    """Return the requested format, otherwise that of the file extension, otherwise text. Raises UsageError."""
    if output_format is not None:
        return output_format
    if output is None or (not output.suffix and output.exists() and not output.is_file()):
        return "text"
    from factscope.report import RENDERERS, format_of

    by_name = format_of(output.name)
    if by_name is None:
        raise UsageError(
            f"The file extension of {output} is not a known format.",
            f"Add --format {'|'.join(('text', *RENDERERS.names()))}.",
        )
    return by_name


def put_report(report: Report, output_format: Format, output: Path | None, detail: Detail = "full") -> None:
    """Write a report; as text, in as much detail. Raises StoreError when the file can't be written."""
    if output_format != "text":
        from factscope.report import render

        put_chunks([render(report, output_format)], output)
        return
    from factscope.report.terminal import print_report  # with rich, which no other format needs
    from factscope.report.terminal_short import brief_text, print_short

    if detail == "brief":
        put_text(brief_text(report) + "\n", output)
    else:
        printed = print_short if detail == "short" else print_report
        put_console(lambda console: printed(report, console), output)


def _terminal() -> Console:
    """Return a console on standard output that leaves a closed pipe to us: rich's own exits with 1."""
    from rich.console import Console

    class Terminal(Console):
        """A console whose closed pipe is an error like others."""

        def on_broken_pipe(self) -> None:
            """Raise BrokenPipeError."""
            raise BrokenPipeError

    return Terminal(file=sys.stdout)


def put_console(show: Callable[[Console], None], output: Path | None) -> None:
    """Write the output of `show`, without styles when it goes to a file. Raises StoreError."""
    from factscope.report.console import plain_text

    if output is None:
        with _store_errors(_STDOUT):
            show(_terminal())
            sys.stdout.flush()
    else:
        put_text(plain_text(show), output)


def put_json(values: Any, output: Path | None = None, indent: int = 2) -> None:
    """Write plain values as JSON. Raises StoreError when it can't be written."""
    put_text(json.dumps(values, ensure_ascii=False, indent=indent, default=str) + "\n", output)


def put_text(text: str, output: Path | None) -> None:
    """Write text as UTF-8, to a file all or nothing. Raises StoreError when it can't be written."""
    put_chunks([text], output)


def put_chunks(pieces: Iterable[str | bytes], output: Path | None) -> None:
    """Write pieces one after the other, text as UTF-8, to a file all or nothing. Raises StoreError."""
    contents = (piece if isinstance(piece, bytes) else piece.encode("utf-8", errors="replace") for piece in pieces)
    if output is None:
        with _store_errors(_STDOUT):
            for content in contents:
                sys.stdout.buffer.write(content)
            sys.stdout.flush()
        return
    with _store_errors(str(output)):
        write_whole(output, contents)


def add_text(text: str, output: Path) -> None:
    """Add text to the end of a file, as GitHub's own file of summaries is written. Raises StoreError."""
    with _store_errors(str(output)), output.open("a", encoding="utf-8") as file:
        file.write(text)


_STDOUT = "Standard output"


def silence(stream: TextIO) -> None:
    """Discard buffered output: its reader has closed the pipe, and flushing at exit must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _store_errors(name: str) -> Iterator[None]:
    """Convert the system's errors about a file to a StoreError, except for a closed pipe."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if name == _STDOUT:
            silence(sys.stdout)
        hint = "Name a file with -o." if name == _STDOUT else "Name another file."
        raise StoreError(f"{name} can't be written: {system_reason(error)}.", hint) from None


_FIGURE = re.compile(r"[+−-]?\d[\d,.]*(?: ?%)?")


def put_services(services: Iterable[tuple[bool, str, str, str]], kind: str, last: str) -> None:
    """Print a table of services, the available ones first. Each has a state; `last` heads its further details."""
    ranked = sorted(services, key=lambda service: not service[0])
    rows = (("✓ available" if ready else "– missing", *cells) for ready, *cells in ranked)
    table(rows, ("", kind, "", last))


def table(rows: Iterable[Iterable[str]], headings: Iterable[str]) -> None:
    """Print a small table, with figures aligned at their last digit."""
    from factscope.report.console import print_table
    from factscope.report.document import Table

    lines, heads = [tuple(row) for row in rows], tuple(headings)
    columns = [{line[index] for line in lines} - {"", "–"} for index in range(len(heads))]
    align = "".join("r" if cells and all(map(_FIGURE.fullmatch, cells)) else "l" for cells in columns)
    put_console(lambda console: print_table(Table(heads, tuple(lines), align), console), None)
