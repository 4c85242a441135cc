"""Texts of a pull request, each checked before and after the change; the results as SARIF and as Markdown."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from factscope.core import NOT_READ, UsageError, many
from factscope.integrations.assessment import MIN_SCORE
from factscope.integrations.python.checker import Checker
from factscope.integrations.python.report import Claim, Report
from factscope.report.document import Block, Points, Title, table_of
from factscope.report.markdown_text import blocks_to_markdown
from factscope.report.states import MARKS
from factscope.report.wording import decimals, excerpt, one_line, percent
from factscope.scoring.counts import count_units

_SHOWN = 50
"""Problems that the summary lists."""
_LONGEST = 300  # characters of a quote in a summary


class Reviewed(NamedTuple):
    """One file."""

    path: str
    after: Report | None
    """The text after the change; `None` when it could not be checked."""
    before: Report | None
    """The text before the change; `None` for a new file, or without a comparison."""
    error: str | None = None
    """Why it could not be checked, wholly or in part."""
    earlier_error: str | None = None
    """Why the text before the change could not be, which is then left out: nothing is known to be new."""

    def passed(self, min_score: float) -> bool:
        """Return whether the text passes: no failure, and a score that is high enough or nothing to judge.

        A text without a score although it has something to judge does not pass, as with `check --min-score`.
        """
        if self.error is not None or self.after is None:
            return self.error is None
        score = self.after.score
        return _coverage(self.after) is None if score is None else score >= min_score


def review(checker: Checker, texts: Mapping[str, str], base: str | None = None) -> list[Reviewed]:
    """Check texts by their paths, also as they were at `base`, a commit or branch of git. Raises UsageError."""
    earlier = {path: text for path in texts if base and (text := text_at(path, base)) is not None}
    with checker:
        now, problems = _checked(checker, texts)
        then, lost = _checked(checker, earlier)
    then = {path: report for path, report in then.items() if path not in lost}
    return [Reviewed(path, now.get(path), then.get(path), problems.get(path), lost.get(path)) for path in texts]


def text_at(path: str, base: str) -> str | None:
    """Return a file as it was at a commit; `None` when it did not exist.

    Raises UsageError outside git and for an unknown commit.
    """
    if _git("rev-parse", "--verify", "--quiet", f"{base}^{{commit}}").returncode:
        raise UsageError(f"There is no commit {base!r} here.", "Fetch it first: git fetch origin; or leave --base out.")
    inside = os.path.relpath(os.path.realpath(path))  # git reads no absolute path here, and no link's target
    text = _git("show", f"{base}:./{inside}")
    return None if text.returncode else text.stdout.decode("utf-8", "replace")


def summary(reviewed: Sequence[Reviewed], min_score: float = MIN_SCORE) -> str:
    """Write a Markdown summary: a line for each file, then the problems, new ones first."""
    failing = [file for file in reviewed if not file.passed(min_score)]
    verdict = f"{len(failing):,} of {many(len(reviewed), 'file')}" if failing else "No file"
    unscored = any(file.after is None or file.after.score is None for file in failing)
    heads = ("file", "before", "now", "coverage", "contradicted", "unsupported", "")
    blocks: list[Block] = [
        Title(f"Factscope: {verdict} below {decimals(min_score)}{' or without a score' if unscored else ''}"),
        table_of(heads, (_cells(file, min_score) for file in reviewed), align="lrrrrrl"),
    ]
    if problems := [(file, claim) for file in reviewed for claim in _new_first(file)]:
        more = [f"… and {len(problems) - _SHOWN:,} more"] if len(problems) > _SHOWN else []
        listed = (_problem(file, claim) for file, claim in problems[:_SHOWN])
        blocks += [Title("What the evidence does not support", 3), Points((*listed, *more))]
    return blocks_to_markdown(blocks, headings=True)


def _checked(checker: Checker, texts: Mapping[str, str]) -> tuple[dict[str, Report], dict[str, str]]:
    """Return the reports by path, and the failures by path. A file without words is in neither."""
    rows = [{"id": path, "text": text} for path, text in texts.items() if text.strip()]
    if not rows:
        return {}, {}
    with checker.run(rows, text="text", id="id") as run:
        failed = {row.id: row.reason for row in run.failed}
        reports = {name: run.reports[name] for name in run.reports.ids}
    for name, report in reports.items():
        if name in failed and report.record.failures:
            failed[name] = report.record.failures[0].message
    lost = next((reason for name, reason in failed.items() if name not in texts), "it could not be read")
    return reports, failed | {row["id"]: lost for row in rows if row["id"] not in {*reports, *failed}}


def _cells(file: Reviewed, min_score: float) -> tuple[str, ...]:
    counts = file.after.counts if file.after else {}
    unsupported = counts.get("undecided", 0) + counts.get("no_evidence", 0)
    reasons = [claim.reason for claim in file.after.claims if claim.reason] if file.after else []
    note = "below" if file.after and file.after.score is not None else "too little could be judged"
    note = "; ".join([note, *[reason for reason in reasons if reason.startswith(NOT_READ)][:1]])
    if file.error or file.passed(min_score):
        note = excerpt(file.error or "", _LONGEST)
    if file.earlier_error:
        note = "; ".join(filter(None, [note, f"before: {excerpt(file.earlier_error, _LONGEST)}"]))
    coverage = _coverage(file.after) if file.after else None
    covered = "–" if coverage is None else percent(coverage)
    numbers = str(counts.get("contradicted", 0)), str(unsupported)
    return file.path, _score(file.before), _score(file.after), covered, *numbers, note


def _coverage(report: Report) -> float | None:
    """Return the share of the claims to judge that were judged; `None` when there are none to judge."""
    return count_units(report.record).coverage


def _score(report: Report | None) -> str:
    return "–" if report is None else "not assessed" if report.score is None else decimals(report.score)


def _new_first(file: Reviewed) -> Iterator[Claim]:
    known_values = _known(file)
    yield from sorted(file.after.problems if file.after else (), key=lambda claim: claim.text in known_values)


def _known(file: Reviewed) -> set[str]:
    return {claim.text for claim in file.before.problems} if file.before else set()


def _problem(file: Reviewed, claim: Claim) -> str:
    from factscope.report.sarif import region

    line = region(file.after.text, claim.span)["startLine"] if file.after and claim.span else 1
    fresh = "new · " if file.before and claim.text not in _known(file) else ""
    mark = MARKS[claim.verdict]
    quote = f" Evidence: “{excerpt(claim.quote, _LONGEST)}”" if claim.quote else ""
    source = f" ({one_line(claim.source)})" if claim.quote and claim.source else ""
    statement = excerpt(claim.text, _LONGEST)
    return f"{fresh}{file.path}:{line} {mark.glyph} {mark.word}: {statement}{quote}{source}"


def _git(*words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", *words], capture_output=True, check=False)  # noqa: S603, S607 - fixed words
    except OSError:
        raise UsageError("git is not installed, and --base needs it.", "Install git, or leave --base out.") from None
