"""A calibration for people: tables and reliability diagrams, in a terminal and as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from factscope.benchmarks.figure_lines import FigureLine, lines_of
from factscope.benchmarks.meta_eval import plots
from factscope.benchmarks.meta_eval.calibration_fit import CalibrationQuality, FittedCalibration
from factscope.core import many
from factscope.report import Block, Pages, Paragraph, Title, decimals, notes, percent, table_of
from factscope.scoring.confidence_calibration import Bin

_WIDTH = 30
"""Signs from 0 to 1."""
HEADS = ("", "ECE", "Brier", "AUROC", "balanced accuracy")
NOTE = (
    "After: on pairs kept out of the fit, part by part. ECE is the expected calibration error in ten bins; of it and of"
    " the Brier score lower is better. The order of pairs, and so AUROC, stays as it is, but for ties."
)

NO_BETTER = (
    "This calibration did not improve the Brier score on held-out pairs, so it is not used unless you pass --keep:"
    " take more pairs."
)


def headline(fitted: FittedCalibration) -> str:
    """State the result in one sentence."""
    before, after = (_format(item.ece) for item in (fitted.before, fitted.after))
    temperature = f"temperature {decimals(fitted.calibration.temperature, 2)}"
    description = "steps that never fall" if fitted.calibration.kind == "isotonic" else temperature
    return f"{fitted.calibration.verifier}: ECE {before} before, {after} after calibration ({description})"


def setting(fitted: FittedCalibration) -> str:
    """Describe the data that it was fitted on."""
    left = f"; {many(fitted.n_without, 'pair')} that it could not read left out" if fitted.n_without else ""
    return (
        f"{fitted.dataset}: {many(fitted.n, 'labelled pair')}, {percent(fitted.n_supported / fitted.n)} supported{left}"
    )


def no_better(fitted: FittedCalibration) -> bool:
    """Return whether calibration did not lower the Brier score on held-out pairs, at the precision shown."""
    before, after = fitted.before.brier, fitted.after.brier
    return before is not None and after is not None and round(after, 3) >= round(before, 3)


def rows(fitted: FittedCalibration) -> Iterator[tuple[str, ...]]:
    """Yield the rows under `HEADS`: the verifier without calibration, then each kind that was tried."""
    pairs = [("as it states them", fitted.before)]
    pairs += [
        (f"{kind}{' (taken)' if kind == fitted.calibration.kind else ''}", entry)
        for kind, entry in fitted.tried.items()
    ]
    for name, item in pairs:
        yield name, *(_format(value) for value in (item.ece, item.brier, item.auroc, item.balanced_accuracy))


def figure_lines(fitted: FittedCalibration) -> Iterator[FigureLine]:
    """Yield the quality before and with each kind of calibration that was tried, and the bins of their diagrams."""
    name = fitted.calibration.verifier
    for table, item in (("before", fitted.before), *fitted.tried.items()):
        yield from lines_of(table, name, item.model_dump(exclude={"reliability"}), n=fitted.n)
        yield FigureLine(table, name, "taken", int(table == fitted.calibration.kind))
        for group in item.reliability:
            place = f"{table}, {group.low:.1f} to {group.high:.1f}"
            yield from lines_of(place, name, {"stated": group.stated, "seen": group.seen}, n=group.n)


def calibration_document(fitted: FittedCalibration) -> Iterator[Block]:
    """Yield the figures and their explanations."""
    yield Title(headline(fitted))
    yield Paragraph(setting(fitted))
    yield from figures(fitted)
    for title, item in _both(fitted):
        yield Title(f"{title}: chance that a claim is not supported, stated (│) and seen (█)", 3)
        yield table_of(("stated", "", "seen", "pairs"), _diagram(item.reliability), align="rlrr")


def figures(fitted: FittedCalibration) -> Iterator[Block]:
    """Yield the table, its explanation, and the notes on rows left out."""
    yield table_of(HEADS, rows(fitted))
    yield Paragraph(NOTE)
    yield from notes(fitted.notes)
    if no_better(fitted):
        yield Paragraph(NO_BETTER, warns=True)


def calibration_html(fitted: FittedCalibration) -> str:
    """Return the page: no script, no request, all outside text escaped and inert."""
    return _PAGES.fill("calibrated.html", fitted=fitted)


def diagrams(fitted: FittedCalibration) -> Iterator[tuple[str, Markup]]:
    """Yield both reliability diagrams."""
    for title, item in _both(fitted):
        yield title, plots.reliability(f"Reliability {title.lower()}", item.reliability, "not supported")


def _both(fitted: FittedCalibration) -> tuple[tuple[str, CalibrationQuality], ...]:
    return ("Before", fitted.before), ("After", fitted.after)


def _diagram(bins: Sequence[Bin]) -> Iterator[tuple[str, ...]]:
    """Yield a line for each bin: a bar as long as the share that is wrong, and a sign where it should end."""
    for group in bins:
        if group.stated is None or group.seen is None:
            continue
        bar = list("█" * round(group.seen * _WIDTH) + "·" * (_WIDTH - round(group.seen * _WIDTH)))
        bar[min(_WIDTH - 1, int(group.stated * _WIDTH))] = "│"
        yield decimals(group.stated, 2), "".join(bar), decimals(group.seen, 2), f"{group.n:,}"


def _format(value: float | None) -> str:
    return "–" if value is None else decimals(value, 3)


_PAGES = Pages(
    "factscope.benchmarks.meta_eval", ["page.css", "tables.css", "meta.css"], (diagrams, figures, headline, setting)
)
