"""`factscope store`: whether the file of kept checks is whole, and what can be saved of one that is not."""

from __future__ import annotations

from pathlib import Path

import typer

from factscope.cli.options import StoreLocation
from factscope.core import UsageError, many, printable
from factscope.engine.settings import load_settings
from factscope.engine.store_repair import StoreCheck, examine_store
from factscope.engine.store_repair import repair_store as repair

_MOST = 50  # faults that are listed


def check_store(store: StoreLocation = None) -> None:
    """Read every record of the store of checks and name those that are damaged.

    Example: factscope store check. It changes nothing; the exit code is 1 when something is damaged.
    """
    path = _place(store)
    examination = examine_store(path)
    _print(path, examination)
    if not examination.whole:
        typer.echo("Save the readable part of it with: factscope store repair", err=True)
        raise typer.Exit(1)


def repair_store(store: StoreLocation = None) -> None:
    """Put what can be read of a damaged store into a new file in its place, and keep the old one beside it.

    Example: factscope store repair --store runs.db. The damaged file stays beside the new one.
    """
    path = _place(store)
    examination = examine_store(path)
    if examination.whole:
        _print(path, examination)
        return
    examination, old = repair(path)
    _print(path, examination)
    typer.echo(f"The damaged file is now {old}. What was not saved is made again by the same checks.")


def _place(store: str | None) -> Path:
    path = load_settings({"store": store}, dot_env=True)[0].store
    if isinstance(path, str):
        raise UsageError(
            f"{printable(path)} is not a file: PostgreSQL checks and repairs its own tables.",
            "Name a file with --store, or use PostgreSQL's tools (amcheck, backups).",
        )
    if not path.exists():
        raise UsageError(f"There is no store {path}.", "Name one with --store.")
    return path


def _print(path: Path, examination: StoreCheck) -> None:
    typer.echo(f"{path}: {many(examination.runs, 'run')} and {many(examination.records, 'record')} can be read.")
    for fault in examination.file_faults[:_MOST]:
        typer.echo(f"  The file: {fault}")
    for record in examination.damaged[:_MOST]:
        typer.echo(f"  Damaged: {record}")
    if len(examination.damaged) > _MOST:
        typer.echo(f"  … and {len(examination.damaged) - _MOST:,} more.")
    if examination.whole:
        typer.echo("Nothing is damaged.")
