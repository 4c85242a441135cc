"""All judges of a method on claims with their passages: a model, a verifier, a panel with its arbiter, or a cascade.

The engine and the API judge through this module, so that a method means the same in both. It also says which claims are
worked on together.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from math import ceil

from factscope.core.records import Claim, Document, Judgement, Passage, Record
from factscope.judging.cases import JudgeCase
from factscope.judging.verifiers.protocol import Verifier
from factscope.judging.verifiers.verifier_cascade import run_cascade
from factscope.judging.verifiers.verifier_judge import verify
from factscope.llm.session import CheckContext, gather_all
from factscope.methods import Cascade, Judge, Method, OneJudge, Panel, judges_of
from factscope.scoring.verdicts.claim_verdict import disagree


async def run_judges(
    job: CheckContext, method: Method, verifiers: Mapping[str, Verifier], cases: Sequence[JudgeCase]
) -> None:
    """Judge the cases by all judges side by side, then by the arbiter of a panel where they disagree.

    Failures of single claims are recorded. Raises UsageError for a judge that the tools lack.
    """
    spec = method.judge
    if not cases:
        return
    if isinstance(spec, Cascade):
        await run_cascade(job, spec, verifiers[spec.verifier.name], cases)
    elif isinstance(spec, Panel):
        await _panel(job, spec, method, verifiers, cases)
    else:
        await _one_judge(job, spec, 1, verifiers, cases)


def judged_without_evidence(method: Method) -> bool:
    """Return whether claims for which there are no passages are judged too."""
    judges = [judge for judge in judges_of(method.judge) if isinstance(judge, Judge)]
    return any(
        judge.own_knowledge != "refused"
        or (judge.reply.without_evidence and (judge.without or method.evidence.source == "none"))
        for judge in judges
    )


def case_of(claim: Claim, passages: Sequence[Passage], titles: Mapping[str, str], rounds_without: int = 0) -> JudgeCase:
    """Return the case that is judged for a claim; `titles` are title and address of documents by id."""
    sources = {passage.id: titles.get(passage.document_id, "(no address)") for passage in passages}
    return JudgeCase(claim, tuple(passages), sources, rounds_without)


def titles_of(documents: Iterable[Document]) -> dict[str, str]:
    """Return title and address of documents by id, as some judges are shown them."""
    return {document.id: f"{document.title or ''} ({document.url or 'no address'})" for document in documents}


async def _panel(
    job: CheckContext, panel: Panel, method: Method, verifiers: Mapping[str, Verifier], cases: Sequence[JudgeCase]
) -> None:
    votes: dict[str, list[Judgement]] = defaultdict(list)

    def keep_votes(*records: Record) -> None:
        for record in records:
            if isinstance(record, Judgement):
                votes[record.unit_id].append(record)
        job.emit(*records)

    listening = replace(job, emit=keep_votes)
    samples = (spec.samples if isinstance(spec, Judge) else 1 for spec in panel.judges)
    firsts = list(accumulate(samples, initial=1))
    numbered = zip(panel.judges, firsts, strict=False)  # the number after the last judge is the arbiter's
    await gather_all(_one_judge(listening, spec, first, verifiers, cases) for spec, first in numbered)
    if panel.arbiter is None:
        return
    split = [
        case for case in cases if case.claim.id not in job.waiting and disagree(votes[case.claim.id], method.roll_up)
    ]
    if split:
        await _one_judge(job, panel.arbiter, firsts[-1], verifiers, split)


async def _one_judge(
    job: CheckContext, spec: OneJudge, first: int, verifiers: Mapping[str, Verifier], cases: Sequence[JudgeCase]
) -> None:
    if isinstance(spec, Judge):
        await spec.reply.judge(job, spec, first, cases)
    else:
        await gather_all(verify(job, verifiers[spec.name], first, case, spec) for case in cases)


def group_size(method: Method) -> int:
    """Return the number of claims that a method can work on together, at most."""
    judges = judges_of(method.judge) if not isinstance(method.judge, Panel) else [*method.judge.judges]
    sizes = [judge.claims_per_call or sys.maxsize for judge in judges if isinstance(judge, Judge)]
    return max([1, *sizes, method.evidence.queries.claims_per_call if method.evidence.queries else 1])


def grouped(claims: Sequence[Claim], size: int) -> Iterator[Sequence[Claim]]:
    """Yield the claims to check in groups of equal size, at most `size`, in order; skipped claims one by one."""
    group: list[Claim] = []
    checkable = sum(claim.skipped is None for claim in claims)
    size = ceil(checkable / max(1, ceil(checkable / size)))
    for claim in claims:
        if claim.skipped is not None:
            yield [claim]
            continue
        group.append(claim)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group
