"""`factscope selftest`: every promise about failure and hostile input, tried on this machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from factscope.cli.output import log
from factscope.cli.progress import ProgressDisplay
from factscope.cli.selftest import card_result, read_promises, try_promises
from factscope.cli.selftest.card import summary
from factscope.core import StoreError, UsageError, many

_ENDED = re.compile(r"\S+::.* (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL).*\[ *(?P<percent>\d+)%\]$")


def selftest(
    quick: Annotated[bool, typer.Option("--quick", help="Run a sample of the cases, in two minutes or less.")] = False,
    only: Annotated[list[str] | None, typer.Option(help="A promise by its id, such as R1.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A folder for the card.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show what the tests print.")] = False,
) -> None:
    """Run the reliability tests on this machine, with servers and files that misbehave. Write a card of the results.

    No network and no key are needed. The exit code is 1 when a promise does not hold.

    Example: factscope selftest --quick --output card. It writes card/card.html, .json and .md.
    """
    promises = read_promises()
    known_values = [promise.id for promise in promises]
    if unknown := sorted(set(only or ()) - set(known_values)):
        raise UsageError(f"Unknown promise {unknown[0]}.", f"Choose from: {', '.join(known_values)}.")
    selected = [promise for promise in promises if not only or promise.id in only]
    log(f"Trying {many(len(selected), 'promise')}; " + ("two minutes at most." if quick else "half an hour at most."))
    with ProgressDisplay(quiet=verbose) as progress:
        card = try_promises(selected, quick=quick, on_line=log if verbose else follow(progress))
    if output is not None:
        result = card_result(card)
        try:
            output.mkdir(parents=True, exist_ok=True)
            for form in ("html", "json", "md"):
                (output / f"card.{form}").write_text(result.text(form), encoding="utf-8")
        except OSError as error:
            raise StoreError(f"The card can't be written: {error.strerror}.", "Name another --output.") from None
    for row in card.rows:
        typer.echo(f"{row.id:<4}{row.result:<12}{row.cases:>9,} of {row.asked:>6,}  {row.promise}")
        for failure in row.failures:
            typer.echo(f"      {failure.splitlines()[0]}")
    typer.echo(f"{summary(card)} {card.seconds:,.0f} s.")
    if card.broken:
        raise typer.Exit(1)


def follow(progress: ProgressDisplay) -> Callable[[str], None]:
    """Return a callback that takes pytest's lines of output and shows the percentage of tests that have ended."""

    def show_percent(line: str) -> None:
        if ended := _ENDED.match(line):
            percent = int(ended["percent"])
            progress.show("Trying", percent, 100, f"{percent} % of the tests have ended")

    return show_percent
