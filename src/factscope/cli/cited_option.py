"""The option `--cited` of the commands that check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from factscope.cli.call_options import ReportOptions
from factscope.cli.output import log
from factscope.core.errors import UsageError
from factscope.core.plurals import many

if TYPE_CHECKING:
    from factscope.core.records import Report
    from factscope.engine import Tools


def must_be_cited(options: ReportOptions, save: Path | None = None, earlier: str | None = None) -> None:
    """Raise UsageError for an option that needs, or excludes, `--cited`."""
    needing = {"--repair": options.repair, "--offline": options.offline, "--save-sources": save is not None}
    for option, supplied in needing.items():
        if supplied and not options.cited:
            raise UsageError(f"{option} is about the citations of a text.", "Add --cited.")
    if options.cited and earlier:
        raise UsageError("--previous can't be used with --cited: what is cited may have changed.", "Leave one out.")


def save_fetched(tools: Tools, path: Path | None) -> None:
    """Write the fetched sources of a check as a recording. Raises StoreError."""
    if path is None:
        return
    from factscope.evidence.citations import Library, write_recording

    for source in tools.sources.values():
        if isinstance(source, Library):
            write_recording(path, [*source.held.recorded, *source.fetched.values()])
            log(f"Recorded {many(len(source.fetched), 'source')} in {path}")


def citation_gate(report: Report, fail_on: str, code: int) -> int:
    """Return the exit code of `--fail-on` for citations: `unsupported` counts every serious problem."""
    from factscope.scoring.citations.citation_problems import SERIOUS, citation_problems

    gating = SERIOUS if fail_on == "unsupported" else {"contradicts", "altered_quote"}
    n = sum(citation_problem.kind in gating for citation_problem in citation_problems(report))
    if n:
        log(f"factscope: {many(n, 'citation is', 'citations are')} {fail_on}, and --fail-on asked.", "red")
    return code if n else 0
