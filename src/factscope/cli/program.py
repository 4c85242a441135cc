"""The program `factscope`: its group of commands, and errors as one line and an exit code."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer

from factscope.cli.lazy_group import LazyGroup
from factscope.core import FactscopeError, InputError, __version__, system_reason

INTERRUPTED = 130  # exit code of a shell for Ctrl-C: 128 + SIGINT


class Commands(LazyGroup):
    """The group of all commands: turns our errors into one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Errors that a person can fix are printed without a traceback."""
        try:
            with _interruptible():
                return super().invoke(ctx)
        except FactscopeError as error:
            from factscope.cli.output import tell_error

            tell_error(error)
            raise typer.Exit(error.exit_code) from None
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")  # pydantic's words, which typer passes on
            raise
        except KeyboardInterrupt:
            typer.echo("\nfactscope: Interrupted.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader of our output has gone, as `head` does
            _silence()
            raise typer.Exit(0) from None
        except OSError as error:
            if error.filename is None:  # it is of a stream, which `main` names
                raise
            from factscope.cli.output import tell_error

            tell_error(InputError(f"{str(error.filename)[:200]} can't be used: {system_reason(error)}."))
            raise typer.Exit(InputError.exit_code) from None


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt, so that a command can save its state; put the former handler back after."""
    before = signal.getsignal(signal.SIGINT)
    ours = threading.current_thread() is threading.main_thread() and callable(before)
    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, before)


app = typer.Typer(
    cls=Commands,
    name="factscope",
    help="Check what a text claims against evidence.",
    epilog="Example: factscope check answer.md --evidence documents/ --format html -o report.html",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # measured: help with rich takes twice the time
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"factscope {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Check what a text claims against evidence."""


def _silence() -> None:
    from factscope.cli.output import silence

    silence(sys.stdout)


def main() -> None:
    """Run the command line and exit."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # closed by the caller, as a service may do
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a character that an old terminal lacks must not raise
            stream.reconfigure(errors="replace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _silence()
    except OSError as error:
        _silence()
        print(f"factscope: Standard output can't be written: {error.strerror}.", file=sys.stderr)  # noqa: T201
        sys.exit(1)
