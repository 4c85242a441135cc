"""Hallucination scores of answers: each answer is checked by a method, and gets its score (Eq. 1).

    H(R) = (contradicted + alpha · undecided) / sqrt(units)

A unit that failed, or whose language the judge does not read, counts neither for nor against and lowers the coverage.
The next build tries again what failed.
A response without any unit, such as a refusal, has no score: it is dropped, as there is nothing to judge. Without
evidence no answer has a score, and prompts are drawn at random. The evaluator is recorded, because later scores by the
same evaluator on its own selection are biased (R10 of the reviews).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from factscope.benchmarks.curate.stage import BASELINE, DROPPED, FAILED, WAITING, Stage, StageContext, StageResult
from factscope.core import BoundaryError, InputError, Report, Response, UsageError, __version__, plurals
from factscope.engine import Tools, check, judges, provenance, restrict_models
from factscope.engine.run import ReadReport, Runner, RunProgress, run_many
from factscope.judging.verifiers.builtin import load
from factscope.methods import ROLES, Method, method_named
from factscope.scoring import count_units, measure

NO_UNITS = "nothing to judge"
"""Reason for prompts whose answer has no unit."""
UNREADABLE = "can't be checked"
"""Reason for prompts whose answer is not text, or not in a language, that can be checked."""
UNEVALUATED = "nothing is looked up, no answer is evaluated"
"""Description of the stage without evidence."""
_SCORES = {
    **dict.fromkeys(("units", "supported", "contradicted", "undecided", "failed"), pl.Int64),
    **dict.fromkeys(("hallucination", "factual_precision", "coverage"), pl.Float64),
}
UNITS = dict.fromkeys(("id", "unit", "text", "kind", "outcome", "reason", "evidence", "url", "correction"), pl.String)
"""Columns of the side table `units`: each unit of each answer, its outcome and the reason for it."""
_LONGEST = 4_000
"""Most characters of the passages behind a judgement without a quote."""


async def work(table: pl.DataFrame, context: StageContext) -> StageResult:
    """Add the counts, `hallucination` (alpha 0.5), `factual_precision` (0 to 1) and `coverage`; side table `units`.

    Raises the errors of `check` for a call that can't succeed, StoreError, and BoundaryError when a budget is used up:
    finished checks are kept, and the same command resumes.
    """
    results: dict[str, dict[str, Any]] = {}
    units: list[tuple[str | None, ...]] = []
    refused: dict[str, tuple[str, str]] = {}
    n_done = to_try_again = 0

    def take_report(read: ReadReport, many: RunProgress) -> None:
        nonlocal n_done
        report = read()
        if many.reused == n_done:  # what an earlier attempt used was counted then
            for used in report.usage:
                context.ledger.include(used)
        n_done = many.reused
        include_report(report)

    def include_report(report: Report) -> None:
        results[report.response.id] = scores_of(report)
        units.extend(units_of(report))
        context.progress(len(results) + len(refused), table.height)

    if context.store is None or not (context.tools or context.evidence):
        await _blindly(table, include_report, refused)
        known = ("units", "failed", "not_read")  # without judgements
        results = {name: {**{key: row[key] for key in known}, "coverage": 0.0} for name, row in results.items()}
        facts: dict[str, Any] = {"evaluator": {"method": f"{BASELINE}: {UNEVALUATED}"}}
    else:
        method, tools = evaluator(context)
        facts = {"evaluator": described(method, tools)}
        many = await run_many(_responses(table), method, Runner(tools, context.store), "curation", take_report)
        if many.stopped:
            n_complete = many.done - many.with_failures
            raise BoundaryError(
                "budget", f"After {n_complete:,} of {plurals.many(table.height, 'answer')}: {many.stopped}"
            )
        refused |= {name: (UNREADABLE, reason) for name, reason in many.refused}
        to_try_again = many.to_try_again
        facts |= {"run": many.run, "with_failures": many.with_failures}
        if tools.models and bool(getattr(tools.models.client.sender, "missing", 0)):
            late = {name: row["failed"] for name, row in results.items() if row["failed"]}  # not answered yet
            for name, n in late.items():
                detail = f"{plurals.many(n, 'unit waits', 'units wait')} for replies to batch files"
                refused[name] = (WAITING, detail)
    done = _done(table, results, units, refused, facts)
    n_failed = int(done.table["failed"].sum())  # units of answers that have a score by their other units
    return done._replace(unanswered={FAILED: n_failed} if n_failed and to_try_again else {})


def is_evaluated(table: pl.DataFrame) -> bool:
    """Return whether answers were checked against evidence; otherwise none has a score."""
    return "hallucination" not in table.columns or table["hallucination"].null_count() < table.height


def evaluator(context: StageContext) -> tuple[Method, Tools]:
    """Return the method that evaluates, and its tools. Raises UsageError when there is none."""
    tools = context.tools or context.evidence
    if tools is None:
        raise UsageError("Answers are evaluated against evidence, and there is none.", "Name some: --evidence FOLDER")
    method = context.parameters.evaluation.method or method_named("verify" if tools.models else "builtin")
    return method, restrict_models(method, tools)


def described(method: Method, tools: Tools) -> dict[str, Any]:
    """Describe the evaluator, to tell it from models that are reported later.

    Raises UsageError when the tools lack it.
    """
    origin = provenance(method, tools)
    return {
        "method": method.name,
        "models": dict(origin.models),
        "prompts": dict(origin.prompts),
        "judges": judges(method, tools),
        "searched": origin.searched.id if origin.searched else None,
        "factscope": __version__,
    }


def scores_of(report: Report) -> dict[str, Any]:
    """Return the counts and scores of one answer; scores are None when it has no unit."""
    counts = count_units(report)
    hallucination, precision = measure(report, ["hallucination(alpha=0.5)", "factual_precision"])
    return {
        "units": counts.judged,
        "supported": counts.units("supported"),
        "contradicted": counts.units("contradicted"),
        "undecided": counts.units("undecided", "no_evidence"),
        "failed": counts.failed,
        "not_read": counts.not_read,
        "hallucination": hallucination.value,
        "factual_precision": precision.value,
        "coverage": counts.coverage,
    }


def units_of(report: Report) -> Iterator[tuple[str | None, ...]]:
    """Yield the units of one answer as rows of `UNITS`.

    Each has the deciding judgement, its quote or otherwise all passages that it read, and their source. Files are named
    without their folder.
    """
    judgements = {judgement.id: judgement for judgement in report.judgements}
    passages = {passage.id: passage for passage in report.passages}
    urls = {document.id: _address(document.url or "") for document in report.documents}
    corrections = {correction.unit_id: correction.text for correction in report.corrections}
    claims = {claim.id: claim for claim in report.claims}
    for verdict in (verdict for verdict in report.verdicts if verdict.unit_id in claims):
        claim = claims[verdict.unit_id]
        decided = next((judgements[name] for name in verdict.judgement_ids if name in judgements), None)
        quote = decided.quote if decided else None
        names = (quote.passage_id,) if quote else decided.passage_ids if decided else ()
        read = [passages[name] for name in names if name in passages]
        evidence = quote.text if quote else "\n".join(passage.text for passage in read)[:_LONGEST]
        yield (
            report.response.id,
            claim.id,
            claim.standalone,
            claim.kind,
            verdict.outcome,
            (decided.rationale if decided else None) or verdict.reason,
            evidence or None,
            " ".join(dict.fromkeys(filter(None, (urls.get(reading.document_id) for reading in read)))) or None,
            corrections.get(claim.id),
        )


def _address(url: str) -> str:
    """Return an address unchanged, and of a file only its name, since paths of this machine are private."""
    return url if "://" in url else Path(url).name


def _responses(table: pl.DataFrame) -> Iterator[Response]:
    for row in table.select("id", "response", "prompt", "answered_by").iter_rows(named=True):
        yield Response(id=row["id"], text=row["response"], prompt=row["prompt"], model=row["answered_by"])


async def _blindly(table: pl.DataFrame, take: Callable[[Report], None], refused: dict[str, tuple[str, str]]) -> None:
    """Split the answers into units without checking them."""
    tools = Tools(verifiers={"builtin": load})
    builtin = method_named("builtin")
    blind = builtin.model_copy(update={"evidence": builtin.evidence.model_copy(update={"source": "none"})})
    for response in _responses(table):
        try:
            take(await check(response, blind, tools))
        except InputError as error:
            refused[response.id] = UNREADABLE, str(error)


def _done(
    table: pl.DataFrame,
    results: Mapping[str, Mapping[str, Any]],
    units: list[tuple[str | None, ...]],
    refused: Mapping[str, tuple[str, str]],
    facts: dict[str, Any],
) -> StageResult:
    rows = [results.get(name, {}) for name in table["id"]]
    table = table.with_columns(
        pl.Series(name, [row.get(name) for row in rows], dtype) for name, dtype in _SCORES.items()
    )
    judged = (pl.col("units") > 0).fill_null(False) & ~pl.col("id").is_in(list(refused))
    if is_evaluated(table):
        judged &= pl.col("hallucination").is_not_null()
    passing, dropped = table.filter(judged), table.filter(~judged)
    reasons = [(name, *(refused.get(name) or _unscored_reason(results.get(name, {})))) for name in dropped["id"]]
    side = (
        pl.DataFrame(units, UNITS, orient="row").filter(pl.col("id").is_in(passing["id"].to_list())).sort("id", "unit")
    )
    means = passing.group_by("tier").agg(pl.len().alias("answers"), pl.col(*_SCORES).mean()).sort("tier")
    facts |= {"means": means.to_dicts()}
    return StageResult(passing, pl.DataFrame(reasons, DROPPED, orient="row"), facts, {"units": side})


def _unscored_reason(scores: Mapping[str, Any]) -> tuple[str, str]:
    """State why an answer has no score, and in detail. The next build tries again only what failed."""
    failed, not_read = scores.get("failed", 0), scores.get("not_read", 0)
    if not_read > failed:
        return UNREADABLE, f"most of its units are in a language that is not read, {not_read} of them"
    if failed:
        return FAILED, f"most of its units failed, {failed} of them"
    return NO_UNITS, "its answer states nothing that could be checked"


STAGE = Stage(
    "evaluated",
    "Each answer is checked unit by unit, and gets its hallucination score.",
    work,
    roles=ROLES,
    parameters=("evaluation",),
)
