"""`factscope score`: score a report again, without distrusted evidence, or by other measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from factscope.cli.call_options import OptionGroup, with_groups
from factscope.cli.options import AsList, ListFormat, StoreLocation
from factscope.cli.output import choose_format, log, put_json, put_report, table, tell_written, warn
from factscope.cli.stored import load_reports, must_read_input_once
from factscope.core import UsageError, with_samples
from factscope.core.records import Report, Score
from factscope.methods.method_file import method_from_values
from factscope.report.wording import counted, decimals, excluded_share, percent
from factscope.scoring import summarise
from factscope.scoring.measure_registry import broken_scores
from factscope.scoring.rescore import exclusions, must_name_something, rescore


class ScoreOptions(OptionGroup):
    """The reports, what is left out of them, and the measures."""

    reports: Annotated[list[str], typer.Argument(metavar="REPORT…")]
    """Report files (JSON, or the JSONL of a run), - for standard input, ids of stored checks and runs, or last."""
    exclude_passage: list[str] | None = None
    """Leave out this passage (id). Repeat for more."""
    exclude_document: list[str] | None = None
    """Leave out this document (id, address or path)."""
    exclude_domain: list[str] | None = None
    """Leave out this domain."""
    exclude_category: list[str] | None = None
    """Leave out this category of sources."""
    copies_once: bool = False
    """Count evidence with identical words only once."""
    measure: list[str] | None = None
    """Measure, as in hallucination(alpha=0.5). Repeat for more. Default: the method's."""
    format: AsList = "text"
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="OUT")] = None
    """Also write the new report; the extension sets the format."""
    store: StoreLocation = None


@with_groups
def score(options: ScoreOptions) -> None:
    """Score reports again. No model and no search is called. Several reports give means over responses.

    Example: factscope score report.json --exclude-domain blog.example --measure "hallucination(alpha=0.3)"
    """
    excluding = {
        "passages": options.exclude_passage,
        "documents": options.exclude_document,
        "domains": options.exclude_domain,
        "categories": options.exclude_category,
    }
    out = exclusions(options.copies_once, **excluding) if options.copies_once or any(excluding.values()) else None
    must_read_input_once(*options.reports)
    sources = [load_reports(source, options.store) for source in options.reports]
    loaded = [report for of_source, _ in sources for report in of_source]
    left_out = [row for _, rows in sources for row in rows]
    if out:
        must_name_something(out, loaded)
    warn(_repeated(loaded))
    scored = [rescore(report, exclude=out, measures=options.measure) for report in loaded]
    if options.output is not None:
        if len(scored) > 1:
            raise UsageError("Only one report can be written to a file.", "Score them one by one, or leave out -o.")
        put_report(scored[0], choose_format(None, options.output), options.output)
        tell_written(options.output)
    warn(dict.fromkeys(note for report in scored for note in broken_scores(report)))
    if len(scored) == 1:
        _show(list(scored[0].scores), scored, left_out, options.format)
        return
    measures_used = options.measure or method_from_values(scored[0].method, options.reports[0]).scores
    _show([summarise(scored, measure_used) for measure_used in measures_used], scored, left_out, options.format)


def _repeated(reports: Sequence[Report]) -> list[str]:
    """Return a note about responses that have several reports, if there are any."""
    counts = Counter((report.response.id, report.response.text, report.response.model) for report in reports)
    names = [name for (name, *_), count in counts.items() if count > 1]
    return [f"{with_samples('Responses with several reports count more than once', names)}."] if names else []


def _show(scores: list[Score], reports: list[Report], left_out: list[str], output_format: ListFormat) -> None:
    if output_format == "json":
        values = {
            "reports": len(reports),
            "excluded": reports[0].excluded.model_dump(mode="json"),
            "scores": [score.model_dump(mode="json") for score in scores],
            "left_out": left_out,
        }
        put_json(values)
        return
    table(
        (
            (
                score.name,
                "no value" if score.value is None else decimals(score.value, 3),
                f"{decimals(score.interval.low, 3)} – {decimals(score.interval.high, 3)}" if score.interval else "",
                counted(score),
                str(score.n_failed),
                "" if score.coverage is None else percent(score.coverage),
            )
            for score in scores
        ),
        ("score", "value", "95\u00a0% interval", "counted", "failed", "coverage"),
    )
    if excluded := excluded_share(*reports):
        log(f"Of the claims, {excluded}: they rest on excluded evidence.", "yellow")
