"""Recomputed verdicts and scores of a report: a pure function of its records, without model calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from pydantic import ValidationError

from factscope.core import UsageError, id_key, record_key
from factscope.core.records import Exclusions, Report
from factscope.methods import Measure, n_judges
from factscope.methods.method_file import method_from_values
from factscope.scoring.measure_registry import scored
from factscope.scoring.verdicts.exclusion import excluded_passages, web_host
from factscope.scoring.verdicts.roll_up import counts, roll_up


def rescore(
    report: Report, *, exclude: Exclusions | None = None, measures: Sequence[Measure | str] | None = None
) -> Report:
    """Score a report as if the evidence in `exclude` had not been found, by default with its method's measures.

    Without arguments, verdicts and scores stay the same. Raises UsageError for an unknown measure.
    """
    method = method_from_values(report.method, "the report's method")
    exclude = report.excluded if exclude is None else exclude
    verdicts = roll_up(report, method.roll_up, exclude, n_judges(method.judge))
    changed = report.model_copy(
        update={
            "verdicts": tuple(sorted(verdicts, key=lambda verdict: id_key(record_key(verdict)))),
            "counts": counts(verdicts, report.segments, report.claims),
            "excluded": exclude,
        }
    )
    return scored(changed, method.scores if measures is None else measures)


def exclusions(copies: bool = False, **names_given: Sequence[str] | None) -> Exclusions:
    """Return exclusions from lists of names as a user gives them.

    Raises UsageError for an unknown category.
    """
    try:
        return Exclusions.model_validate(
            {field: tuple(names or ()) for field, names in names_given.items()} | {"copies": copies}
        )
    except ValidationError as error:
        raise UsageError(f"Excluded {error.errors()[0]['loc'][0]}: {error.errors()[0]['msg']}.") from None


def must_name_something(exclude: Exclusions, reports: Sequence[Report]) -> None:
    """Raise UsageError when an excluded name is in none of the reports, so that a mistyped exclusion is not ignored."""
    for mistake in unmatched_names(exclude, reports):
        raise mistake


def unmatched_names(exclude: Exclusions, reports: Sequence[Report]) -> Iterator[UsageError]:
    """Yield an error for each excluded name that is in none of the reports."""
    documents = [document for report in reports for document in report.documents]
    known_ids: dict[str, set[str]] = {
        "passages": {passage.id for report in reports for passage in report.passages},
        "documents": {document.url or document.id for document in documents},
        "domains": {host for document in documents if (host := web_host(document.url))},
        "categories": {document.category for document in documents},
    }
    for field, present in known_ids.items():
        names = sorted(present)
        for name in dict.fromkeys(getattr(exclude, field)):
            single = Exclusions.model_validate({field: (name,)})
            if name in present or any(excluded_passages(r.passages, r.documents, single) for r in reports):
                continue
            if not names:
                nothing = "No source of the report has a domain" if field == "domains" else f"The report has no {field}"
                yield UsageError(f"{nothing}, so there is nothing to exclude.")
                break
            near = [known for known in names if name in known or known in name] or get_close_matches(name, names, n=5)
            hint = f"Did you mean {' or '.join(near[:5])}?" if near else f"Choose from: {', '.join(names[:10])}."
            yield UsageError(f"No evidence in the report is of {name!r} ({field}).", hint)
