"""A checked text for a caller: its score, its claims with verdicts and quotes, and methods that show or save it."""

from __future__ import annotations

import html
import warnings
from abc import ABC, abstractmethod
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscope.core import ENDINGS, InputError, Outcome, StoreError, UsageError, system_reason
from factscope.core.records import Exclusions, Span
from factscope.core.records import Report as ReportRecord
from factscope.integrations.python.arguments import file_path, must_be, must_be_share
from factscope.methods import Measure

if TYPE_CHECKING:
    import pandas as pd

    from factscope.report.citations.overview import CitationView
    from factscope.report.document import Result
    from factscope.report.view import UnitView

_PROBLEMS: tuple[Outcome, ...] = ("contradicted", "undecided", "no_evidence", "failed")
_FRAME_HEIGHT = 600
"""Pixels of a report in a notebook; it scrolls inside."""


@dataclass(frozen=True)
class Claim:
    """One judged unit of the text: a claim, or a sentence without claims."""

    id: str
    """`s3.c2`: second claim of sentence 3; `s3` for a sentence without a claim."""
    text: str
    """The claim, rewritten so that it stands alone where the method does that."""
    verdict: Outcome
    """`supported`, `contradicted`, `undecided`, `no_evidence`, `not_checkable`, `excluded` or `failed`."""
    confidence: float | None
    """Confidence of the judge, 0 to 1; `None` when it states none, or nothing was decided."""
    quote: str | None
    """Words of the source that the verdict rests on, verbatim; `None` without any."""
    source: str | None
    """Title, else address or path, else id of the document that is quoted."""
    reason: str | None
    """Reason for the outcome: for a contradiction the judge's, such as "the passage says 1937, not 1957"."""
    span: Span | None
    """Span in the checked text, in characters; `None` when it could not be aligned."""


@dataclass(frozen=True)
class Report:
    """Report on one text.

    Immutable; everything that it shows is computed from `record`.
    """

    record: ReportRecord = field(repr=False)
    """The whole record: segments, passages, judgements, usage, settings."""

    @classmethod
    def load(cls, path: str | Path) -> Report:
        """Read a report that `save` wrote as JSON.

        Raises:
            UsageError: the file is not there.
            InputError: it holds no report.
        """
        from pydantic import ValidationError

        try:
            return cls(ReportRecord.model_validate_json(file_path(path).read_bytes().removeprefix(BOM_UTF8)))
        except FileNotFoundError:
            raise UsageError(f"File not found: {str(path)!r}.", "Make one with report.save('report.json').") from None
        except OSError as error:
            raise InputError(f"{path} can't be read: {system_reason(error)}.") from None
        except ValidationError:
            raise InputError(f"{path} is not a report.", "One is made by report.save('report.json').") from None

    @property
    def text(self) -> str:
        """The text that was checked."""
        return self.record.response.text

    @cached_property
    def score(self) -> float | None:
        """Factual precision (FactBench, section 4): supported / judged units, 0 to 1.

        `None` when none was judged, or fewer than the method's `least_coverage` of those to judge.
        """
        return self._measured("factual_precision")

    @cached_property
    def coverage(self) -> float:
        """Units with a verdict / units to judge, 0 to 1; 0 when there was nothing to judge."""
        return self._measured("coverage") or 0.0

    def passed(self, min_score: float = 0.8, min_coverage: float = 1.0) -> bool:
        """Tell whether score and coverage reach these; a text in which nothing was judged does not pass.

        Raises UsageError for a bound that is not a share.
        """
        must_be_share(min_score, "min_score")
        must_be_share(min_coverage, "min_coverage")
        return self.score is not None and self.score >= min_score and self.coverage >= min_coverage

    @property
    def counts(self) -> dict[str, int]:
        """Count the units by outcome; the numbers add up to `len(report.claims)`."""
        return {str(outcome): n for outcome, n in self.record.counts.items()}

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Every unit in reading order, those that were not checkable included."""
        from factscope.report.build_view import view_of

        return tuple(map(_claim, view_of(self.record).units))

    @property
    def problems(self) -> tuple[Claim, ...]:
        """Return the claims that need review: contradicted, then undecided or without evidence, then failed ones."""
        urgent = [claim for claim in self.claims if claim.verdict in _PROBLEMS]
        return tuple(sorted(urgent, key=lambda claim: _PROBLEMS.index(claim.verdict)))

    @cached_property
    def citations(self) -> CitationView:
        """The text's citations, citation by citation and source by source; filled by `check(…, cited=True)`."""
        from factscope.report.citations.overview import citation_view

        return citation_view(self.record)

    def rescore(self, *, exclude: Exclusions | None = None, measures: Sequence[Measure | str] | None = None) -> Report:
        """Compute verdicts and scores without the evidence in `exclude`; no model is called.

        Warns of a name in `exclude` that is in no evidence of the report. Raises UsageError for an unknown measure.
        """
        from factscope.scoring.rescore import rescore, unmatched_names

        must_be(exclude, Exclusions, "exclude", 'factscope.Exclusions(domains=("example.org",))')
        # Of many reports with one exclusion, some may have nothing to exclude.
        for mistake in unmatched_names(exclude or Exclusions(), [self.record]):
            warnings.warn(str(mistake), stacklevel=2)
        return Report(rescore(self.record, exclude=exclude, measures=measures))

    def save(self, path: str | Path) -> Path:
        """Write the report; the ending says how: html, json, jsonl, md, csv, parquet, xml (JUnit), sarif, txt.

        Raises:
            UsageError: the ending names no format, or the format needs an extra that is not installed.
            StoreError: the file can't be written.
        """
        from factscope.report import RENDERERS, format_of, render

        output_format = format_of(file_path(path).name)
        if output_format is None:
            raise UsageError(
                f"The file extension of {str(path)!r} is not a known format.",
                f"Choose from: {', '.join(ending for renderer in RENDERERS for ending in renderer.endings)}, .txt.",
            )
        if output_format != "text":
            return save_pieces(path, [render(self.record, output_format)])
        from factscope.report.console import plain_text
        from factscope.report.terminal import print_report

        return save_pieces(path, [plain_text(lambda console: print_report(self.record, console))])

    def to_dict(self) -> dict[str, Any]:
        """Give the whole record as plain values, as `save('report.json')` writes it."""
        return self.record.model_dump(mode="json")

    def to_pandas(self) -> pd.DataFrame:
        """Give a data frame with a row for each claim. Raises UsageError when pandas is not installed."""
        return data_frame(map(claim_row, self.claims), CLAIM_COLUMNS)

    def __str__(self) -> str:
        from factscope.report.terminal_short import short_text

        return short_text(self.record).rstrip("\n")

    def __repr__(self) -> str:
        from factscope.report.terminal_short import brief_text

        return f"<Report {brief_text(self.record)}>"

    def _repr_html_(self) -> str:
        from factscope.report import render

        return framed(str(render(self.record, "html")))

    def _measured(self, name: str) -> float | None:
        from factscope.scoring import measure

        (score,) = measure(self.record, (name,))
        return score.value


CLAIM_COLUMNS = ("id", "text", "verdict", "confidence", "quote", "source", "reason", "start", "end")


def claim_row(claim: Claim) -> tuple[object, ...]:
    """Return the cells of a claim under `CLAIM_COLUMNS`."""
    start, end = (claim.span.start, claim.span.end) if claim.span else (None, None)
    return claim.id, claim.text, claim.verdict, claim.confidence, claim.quote, claim.source, claim.reason, start, end


def data_frame(rows: Iterator[tuple[object, ...]], columns: Sequence[str]) -> pd.DataFrame:
    """Return a data frame of these rows. Raises UsageError when pandas is not installed."""
    try:
        import pandas as pd
    except ImportError:
        raise UsageError("to_pandas() needs pandas, which is not installed.", "pip install pandas") from None
    return pd.DataFrame.from_records(list(rows), columns=list(columns))


def save_pieces(path: str | Path, pieces: Iterator[str] | Iterator[bytes] | Sequence[str | bytes]) -> Path:
    """Write a file all or nothing, text as UTF-8. Raises StoreError."""
    from factscope.core.atomic_file import write_whole

    target = Path(path)
    try:
        write_whole(
            target, (piece if isinstance(piece, bytes) else piece.encode("utf-8", "replace") for piece in pieces)
        )
    except OSError as error:
        reason = system_reason(error)
        raise StoreError(f"{path} can't be written: {reason}.", "Name another file.") from None
    return target


class SavedResult(ABC):
    """A result with a table, which can be saved in every format of results."""

    @abstractmethod
    def _result(self) -> Result:
        """Return the result with all its formats."""

    def table(self) -> str:
        """Write the figures as a table of plain text, with 95 % bootstrap intervals."""
        return self._result().text("table").rstrip("\n")

    def save(self, path: str | Path) -> Path:
        """Write the result; the file extension sets the format: json for all of it, csv, md, tex, html, txt.

        Raises:
            UsageError: the extension is not one of these.
            StoreError: the file can't be written.
        """
        form = ENDINGS.get(file_path(path).suffix.lower())
        if form is None:
            message = f"The file extension of {str(path)!r} is not a known format."
            raise UsageError(message, f"Choose from: {', '.join(ENDINGS)}.")
        return save_pieces(path, [self._result().text(form)])

    def __str__(self) -> str:
        return self.table()


def framed(page: str) -> str:
    """Return a whole page for a notebook: in a frame without scripts, so that neither can reach into the other."""
    return (
        f'<iframe sandbox="" srcdoc="{html.escape(page)}" style="width:100%;height:{_FRAME_HEIGHT}px;border:0"'
        ' title="Factscope report"></iframe>'
    )


def _claim(unit: UnitView) -> Claim:
    from factscope.report.wording import one_line

    best, claim, verdict = unit.quoted, unit.claim, unit.verdict
    decided = verdict.outcome in ("supported", "contradicted")
    reason = unit.why or unit.why_contradicted
    return Claim(
        id=unit.id,
        text=unit.text,
        verdict=verdict.outcome,
        confidence=verdict.confidence if decided else None,
        quote=best.quote if best else None,
        source=best.source if best else None,
        reason=one_line(reason) if reason else None,
        span=claim.span if claim else unit.segment.span,
    )
