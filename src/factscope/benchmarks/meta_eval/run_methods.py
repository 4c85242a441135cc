"""A method over a labelled data set, through `engine.run.run_many`: stored, resumable, within its budget, cached.

Nothing is scored here: the results are the checker's verdicts on each sample, to be compared with the labels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.meta_eval.evaluate import CheckerSide, EvaluationOptions
from factscope.benchmarks.meta_eval.predictions import CheckerPrediction, said_of
from factscope.benchmarks.meta_eval.tasks import CheckTask, OwnEvidence, adapted, known_of, tasks
from factscope.core import Report, UsageError, plurals
from factscope.engine import ReadReport, Runner, RunProgress, Tools, lacks_evidence, run_many
from factscope.evidence.per_response import AT_HAND
from factscope.llm.cost import Ledger
from factscope.methods import Cascade, Method
from factscope.scoring.means import proportion

if TYPE_CHECKING:
    from factscope.evidence.embedding_models import Encoders


def with_own_evidence(
    method: Method, tools: Tools, tasks: Sequence[CheckTask], encoders: Encoders | None = None
) -> Tools:
    """Return the tools with the data set's evidence, unless there is other evidence or the data set has none.

    A method that only uses documents of the response finds these itself.
    """
    if tools.sources or method.evidence.source in AT_HAND or not any(task.documents for task in tasks):
        return tools
    return replace(tools, sources={method.evidence.source: OwnEvidence(tasks, encoders)})


async def run_method(
    data: LabelledData, name: str, method: Method, runner: Runner, options: EvaluationOptions
) -> CheckerSide:
    """Run `method` on each sample, under the given name; the same call resumes where an earlier one stopped.

    The runner's tools hold the evidence that is searched (see `with_own_evidence`). Raises UsageError when the method
    needs evidence and there is none, and the errors of `run_many`.
    """
    check_tasks = tasks(data.samples, options.units)
    _must_have_evidence(check_tasks, method, runner.tools)
    by_id = {task.response.id: task for task in check_tasks}
    predictions: dict[str, list[CheckerPrediction]] = defaultdict(list)
    used = Ledger()
    unreadable: list[str] = []
    judging = adapted(method, options.units)
    tools = replace(runner.tools, hints=known_of(data.samples, check_tasks))
    models: dict[str, str] = {}
    passed = judged = 0

    def take_report(read: ReadReport, many: RunProgress) -> None:
        nonlocal passed, judged
        task = by_id[(report := read()).response.id]
        passed += len(_units(report, "passed_on"))
        judged += len(_units(report))
        predictions[task.sample.id] += said_of(report, task, judging, options.rule)
        models.update(report.models)
        unreadable.extend([report.response.id] if report.counts.get("failed") else [])
        used.include(*report.usage)

    run_name = f"meta {data.name} {data.sha256} {options.units}"
    responses = (task.response for task in check_tasks)
    many = await run_many(responses, judging, replace(runner, tools=tools), run_name, take_report)
    without_documents = [task.response.id for task in check_tasks if not task.documents]
    own_evidence = any(isinstance(source, OwnEvidence) for source in tools.sources.values())
    notes = [
        _note("texts refused", [name for name, _ in many.refused]),
        _note("texts with units that failed, left unanswered", unreadable),
        _note("texts to which the data set gives no evidence", without_documents if own_evidence else []),
        *_references(method, check_tasks),
        many.stopped or "",
    ]
    return CheckerSide(
        name=name,
        predictions=predictions,
        title=method.title,
        models=models,
        run=many.run,
        usage=used.usage(),
        passed_on=proportion(passed, judged) if isinstance(method.judge, Cascade) else None,
        notes=tuple(filter(None, notes)),
        incomplete=many.incomplete,
        to_try_again=bool(many.stopped or many.to_try_again),
    )


def _units(report: Report, flag: str | None = None) -> set[str]:
    return {judgement.unit_id for judgement in report.judgements if flag is None or flag in judgement.flags}


def _must_have_evidence(check_tasks: Sequence[CheckTask], method: Method, tools: Tools) -> None:
    """Raise UsageError if a method needs evidence and no text has any."""
    if check_tasks and all(lacks_evidence(task.response, method, tools) for task in check_tasks):
        texts = plurals.many(len(check_tasks), "text")
        raise UsageError(
            f"Method {method.name} needs evidence, but the data have none ({texts}).",
            "Give files (--evidence PATH, or evidence=… in Python) or a search engine (--search, or search=…). If you"
            " set a limit, later texts may have evidence.",
        )


def _references(method: Method, tasks: Sequence[CheckTask]) -> list[str]:
    """List the references that a method could not use; their pages are never fetched."""
    source = method.evidence.source
    if source not in ("references", "links"):
        return []
    texts = source == "references"
    usable = [(task, [bool(each.text if texts else each.url) for each in task.response.context]) for task in tasks]
    without_any = [task.response.id for task, group in usable if not any(group)]
    with_fewer = [task.response.id for task, group in usable if not all(group)]
    return [
        _note("texts without a reference that can be shown, judged as without evidence", without_any),
        _note("texts with references of which there is only the address, not fetched", with_fewer if texts else []),
    ]


def _note(subject: str, names: Sequence[str]) -> str:
    return plurals.with_samples(subject, names) if names else ""
