"""`factscope calibrate`: a verifier's confidence fitted to the user's own labels."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from factscope.benchmarks.datasets import load as load_samples
from factscope.benchmarks.figure_lines import result_of
from factscope.benchmarks.meta_eval.calibration_fit import fit as fitted_to
from factscope.benchmarks.meta_eval.calibration_fit import labelled
from factscope.benchmarks.meta_eval.calibration_report import (
    calibration_document,
    calibration_html,
    figure_lines,
    no_better,
)
from factscope.cli.call_options import SampleOptions, with_groups
from factscope.cli.output import log, warn
from factscope.cli.progress import ProgressDisplay
from factscope.cli.result_options import ResultFileOptions
from factscope.core import many
from factscope.engine.settings import load_settings
from factscope.judging.verifiers.calibration import place_of, store_calibration
from factscope.judging.verifiers.protocol import Prediction
from factscope.judging.verifiers.verifier_list import open_verifier

_AT_ONCE = 256
"""Pairs handed to a verifier at once."""


class CalibrationOptions(SampleOptions, ResultFileOptions):
    """The labels, the verifier, and where the result is written."""

    labels: Annotated[str, typer.Argument(metavar="LABELS")]
    """A labelled file, or a data set of the catalogue."""
    verifier: Annotated[str, typer.Option(metavar="NAME|ID|FOLDER")] = "builtin"
    """The verifier: see factscope verifiers list."""
    fit: Literal["best", "temperature", "isotonic"] = "best"
    """One number, steps that never fall, or whichever does better on held-out pairs."""
    keep: bool = False
    """Store the calibration even if it does not improve the Brier score on held-out pairs."""


@with_groups
def calibrate(options: CalibrationOptions) -> None:
    """Fit a verifier's confidence to your own labels; every later check uses it if it improves the Brier score.

    The labelled claims need evidence beside them. The verdicts of a calibrated verifier show numbers, not bands only.

    Example: factscope calibrate labelled.jsonl --verifier builtin -o calibration.html
    """
    settings = load_settings(dot_env=True)[0]
    judge = open_verifier(options.verifier, settings.cache)
    loaded = load_samples(options.labels, options.data, cache=settings.cache, limit=options.limit)
    rows, left_out = labelled(loaded.samples)
    notes = (*loaded.notes, *left_out.lines())
    warn(filter(None, (loaded.notice, *notes)))
    predictions: list[Prediction] = []
    with ProgressDisplay(quiet=options.quiet) as progress:
        for start in range(0, len(rows), _AT_ONCE):
            predictions += judge.verify([row.pair for row in rows[start : start + _AT_ONCE]])
            line = f"{len(predictions):,} of {many(len(rows), 'pair')} judged"
            progress.show("Judging", len(predictions), len(rows), line)
    fitted = fitted_to(judge.name, rows, predictions, options.fit, loaded.name, loaded.sha256, notes)
    result = result_of("Calibration", fitted, calibration_document, figure_lines, html=calibration_html, indent=2)
    options.put(result)
    if no_better(fitted) and not options.keep:
        earlier = place_of(fitted.calibration.verifier, settings.cache)
        stays = f" The one in {earlier} stays in use; delete it to go back." if earlier.exists() else ""
        log(
            f"Not stored: the Brier score on held-out pairs did not improve. Pass --keep to store it anyway.{stays}",
            "yellow",
        )
        return
    path = store_calibration(fitted.calibration, settings.cache)
    log(f"Kept in {path}, and used from now on; delete it to go back.")
