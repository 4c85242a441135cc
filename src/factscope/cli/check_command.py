"""`factscope check`: the main job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from factscope.cli.call_options import CheckOptions, OptionGroup, with_groups
from factscope.cli.calling import exit_while_waiting
from factscope.cli.inputs import names_file, read_contexts, read_text
from factscope.cli.output import (
    Detail,
    choose_format,
    log,
    put_report,
    refuse_to_overwrite_inputs,
    tell_written,
    warn,
)
from factscope.cli.progress import ProgressDisplay
from factscope.cli.stored import load_report
from factscope.core import Outcome, UsageError, many
from factscope.core.records import Report, Response

if TYPE_CHECKING:
    from factscope.engine.settings import Settings


BELOW_SCORE = 3  # exit code of --min-score
BELOW_COVERAGE = 4  # exit code of --min-coverage
UNKEPT = 1  # exit code: the check was made, but could not be stored
_GATING: dict[str, tuple[Outcome, ...]] = {
    "contradicted": ("contradicted",),
    "unsupported": ("contradicted", "undecided", "no_evidence"),
}
"""The outcomes that `--fail-on` ends with an exit code of its own."""


class OutcomeOptions(OptionGroup):
    """Options for a finished check: how much is printed and stored, and the exit code."""

    save_sources: Annotated[Path | None, typer.Option(metavar="FILE.jsonl")] = None
    """With --cited: record the fetched sources, for use as --evidence later."""
    full: bool = False
    """Print every sentence with its evidence."""
    brief: bool = False
    """Print one line."""
    no_store: bool = False
    """Leave this check out of the store; the cache is still used."""
    fresh: bool = False
    """Check again, even if this check is stored."""
    min_score: Annotated[float | None, typer.Option(min=0, max=1)] = None
    """Exit with 3 if factual precision is below this, or has no value."""
    min_coverage: Annotated[float | None, typer.Option(min=0, max=1)] = None
    """Exit with 4 if coverage is below this, or has no value."""
    fail_on: Literal["contradicted", "unsupported"] | None = None
    """Exit with 3 if a claim is contradicted; or if one is not supported."""


class TextOptions(CheckOptions, OutcomeOptions):
    """Options of the check of one text."""

    text: Annotated[str, typer.Argument(metavar="FILE|-|TEXT")]
    """A text file, - for standard input, or the words."""
    question: str | None = None
    """The question or request that the text answers."""
    context: Annotated[list[Path] | None, typer.Option("--context", "-c", metavar="FILE")] = None
    """A text that the answer was written from. Repeat for more."""
    url: str | None = None
    """Where the text was published: that site is not evidence for it."""
    previous: Annotated[str | None, typer.Option(metavar="REPORT")] = None
    """An earlier check of this text, before you changed it: a report file, the id of a stored check, or last. Only
    changed sentences, and those that depend on them, are checked."""


@with_groups
def check(options: TextOptions) -> None:
    """Check a text against evidence and report what it found.

    Example: factscope check answer.md --evidence documents/ -o report.html --min-score 0.8. Exit codes: 0 fine, 1
    failed, 2 wrong usage, 3 below --min-score or by --fail-on, 4 below --min-coverage, 5 calls are waiting in a batch
    folder, 130 interrupted (the same command resumes).
    """
    output = options.output
    output_format, detail = choose_format(options.format, output), _detail(options)
    earlier = load_report(options.previous, options.store) if options.previous else None
    response = _response(options, earlier)
    options.must_be_cited(options.save_sources, options.previous)
    if options.dry_run:
        from factscope.cli.check_run import check_settings, forecast_check

        forecast_check(response, check_settings(options, earlier), output_format, earlier)
        return
    with ProgressDisplay(quiet=options.quiet, form=options.progress) as display:
        from factscope.cli.check_run import check_settings, run_check, save_fetched

        settings = check_settings(options, earlier)
        refuse_to_overwrite_inputs(output, settings=settings)
        warn(_supports_itself(options.text, settings.evidence))
        keep, fresh = not options.no_store, options.fresh
        done = run_check(response, settings, display, keep=keep, fresh=fresh, earlier=earlier, otel=options.otel)
    exit_while_waiting(settings, done.tools)
    put_report(done.report, output_format, output, detail)
    if options.save_sources:
        save_fetched(done.tools, options.save_sources)
    if output and not options.quiet:
        from factscope.report.terminal_short import brief_text

        log(brief_text(done.report))
        tell_written(output)
    raise typer.Exit(_gate(done.report, settings, options.fail_on) if done.stored else UNKEPT)


def _supports_itself(text: str, evidence: Sequence[Path | str]) -> Iterator[str]:
    """Yield a warning if the file that is checked is among the evidence: whatever it says would be supported."""
    with suppress(OSError, ValueError):
        file, paths = Path(text).resolve(), [Path(path).resolve() for path in evidence if isinstance(path, Path)]
        if file.is_file() and any(file.is_relative_to(path) for path in paths):
            yield f"{text} is checked against itself: it is among the evidence. Name documents without it."


def _detail(options: TextOptions) -> Detail:
    """Return the level of detail: a screenful on a terminal by default, everything in a file."""
    if options.full and options.brief:
        raise UsageError("--full and --brief ask for opposite things.", "Leave one out.")
    if options.brief:
        return "brief"
    return "full" if options.full or options.output else "short"


def _response(options: TextOptions, earlier: Report | None) -> Response:
    """Return the text to check with its question, address and contexts, which an earlier check must have had too.

    Raises UsageError, InputError.
    """
    from factscope.evidence.addresses import web_address
    from factscope.evidence.file_list import printable_path

    content, contexts = read_text(options.text), read_contexts(options.context or [])
    if options.url is not None and web_address(options.url) is None:
        raise UsageError(
            f"--url {options.url!r} is not an address on the web.", "Give one that begins with https:// or http://."
        )
    response = Response(text=content, prompt=options.question, url=options.url, context=contexts)
    if earlier:
        _must_be_as_before(response, earlier.response)
        response = earlier.response.model_copy(update={"text": content})
    if options.cited and names_file(options.text):  # SARIF and JUnit refer to the file
        response = response.model_copy(update={"id": printable_path(Path(options.text))})
    return response


def _must_be_as_before(now: Response, then: Response) -> None:
    """Raise UsageError for a response with another context, question or address than that of the earlier check."""
    for option, new, old in (
        ("context", now.context, then.context),
        ("question", now.prompt, then.prompt),
        ("url", now.url, then.url),
    ):
        if new not in (None, ()) and new != old:
            other = "other contexts" if option == "context" else f"another --{option} ({old or 'none'})"
            raise UsageError(
                f"The earlier check used {other}: none of its results can be reused.",
                f"Leave --{option} or --previous out.",
            )


def _gate(report: Report, settings: Settings, fail_on: str | None) -> int:
    """Name every threshold that the report misses, and return the exit code of the first."""
    missed = list(_missed(report, settings, fail_on))
    for _, reason in missed:
        log(f"factscope: {reason}.", "red")
    return missed[0][0] if missed else 0


def _missed(report: Report, settings: Settings, fail_on: str | None) -> Iterator[tuple[int, str]]:
    """Yield the exit code and the reason for each threshold that the report misses, and for failures in it."""
    from factscope.methods import Measure
    from factscope.scoring import measure

    coverage, precision = measure(report, (Measure(name="coverage"), Measure(name="factual_precision")))
    for score, least, code in (
        (coverage, settings.min_coverage, BELOW_COVERAGE),
        (precision, settings.min_score, BELOW_SCORE),
    ):
        if least is not None and (score.value is None or score.value < least):
            cause = "too little could be judged" if score.n else "nothing to count"
            value_text = f"has no value: {cause}" if score.value is None else f"is {score.value:.3f}"
            yield code, f"{score.name} {value_text}; asked for at least {least:g}"
    if fail_on and (n := _n_gating(report, fail_on)):
        items = many(n, "citation is", "citations are") if report.citations else many(n, "claim is", "claims are")
        yield BELOW_SCORE, f"{items} {fail_on}, and --fail-on {fail_on} was asked for"
    failed = report.counts["failed"]
    # Of the whole text, or of a sentence that has claims nevertheless: no count of claims contains these.
    uncounted = {failure.unit_id for failure in report.failures if failure.about is None} - set(report.unit_ids())
    if (failed or uncounted) and settings.min_coverage is None:
        from factscope.engine.run import may_be_mended

        again = "; the same command tries again" if may_be_mended(report) else ""
        claims = f"{failed:,} of {many(sum(report.counts.values()), 'claim')} failed"
        yield 1, f"{claims if failed else 'a part of the text could not be checked'}{again}"


def _n_gating(report: Report, fail_on: str) -> int:
    """Count the claims that `--fail-on` asks for, and in a text with citations the citations.

    Of these, `unsupported` counts every serious problem. All that no judge could read is unsupported too.
    """
    from factscope.core.labels import NOT_READ
    from factscope.scoring.counts import n_not_read

    if not report.citations:
        not_read = n_not_read(report) if fail_on == "unsupported" else 0
        return not_read + sum(report.counts.get(outcome, 0) for outcome in _GATING[fail_on])
    from factscope.scoring.citations.citation_problems import SERIOUS, citation_problems
    from factscope.scoring.citations.pairs import cited_pairs, unjudged_citations

    kinds = SERIOUS if fail_on == "unsupported" else {"contradicts", "altered_quote"}
    unjudged = unjudged_citations(report, cited_pairs(report)).values() if fail_on == "unsupported" else ()
    n = sum(citation_problem.kind in kinds for citation_problem in citation_problems(report))
    return n + sum(reason.startswith(NOT_READ) for reason in unjudged)
