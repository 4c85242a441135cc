"""Answers gathered as they are checked, independent of their order."""

from __future__ import annotations

import asyncio
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from factscope.benchmarks import Answers, BenchmarkPlan, Examples, GivenAnswers
from factscope.benchmarks.factbench import (
    Ballots,
    FactBenchSettings,
    RefusalTypes,
    factbench_run,
    run_factbench,
    with_labellers,
)
from factscope.core import Label
from factscope.core.records import Claim, Judgement, Report, Response, Segment, Span, Usage
from factscope.engine import Runner, RunProgress, Store, Tools
from factscope.judging.verifiers.builtin import load
from factscope.methods import method_named

BUILTIN = method_named("builtin")
VERIFY = method_named("verify")

LABELS: tuple[Label | None, ...] = ("supported", "contradicted", "not_enough_evidence", None)


def ballot(n: int) -> Report:
    """Build a claim that some of four labellers label."""
    draw = random.Random(n)
    judgements = tuple(
        Judgement(id=f"s1.c1.j{k}", unit_id="s1.c1", passage_ids=(), judge=f"openai/m as labeller_{k}", label=label)
        for k in range(1, 5)
        if (label := draw.choice(LABELS))
    )
    return Report.model_construct(
        response=Response(id=f"r{n}/m", text="It stands."),
        segments=(Segment(id="s1", text="It stands.", span=Span(start=0, end=10), kind="sentence"),),
        claims=(Claim(id="s1.c1", segment_id="s1", text="It stands.", standalone="It stands."),),
        judgements=judgements,
        verdicts=(),
        usage=(Usage(role="judge", model="openai/m", calls=n),),
    )


def test_labeller_agreement_does_not_depend_on_the_order_of_the_answers() -> None:
    found = []
    for order in (range(200), reversed(range(200))):
        ballots = Ballots(with_labellers(VERIFY, 4))
        for n in order:
            ballots.take(ballot(n))
        found.append(ballots.summary([], [], [], FactBenchSettings(resamples=20)))
    assert found[0] is not None
    assert found[0] == found[1]


def test_usage_covers_all_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def two(*given: Any, **more: Any) -> RunProgress:
        for n in (2, 3):
            given[4](partial(ballot, n), RunProgress("r"))
        return RunProgress("r")

    monkeypatch.setattr(factbench_run, "run_many", two)
    tools = Tools(verifiers={"builtin": load})
    plan = BenchmarkPlan(Examples((), ("hard",), (), "0"), (), GivenAnswers({}, (), ()))
    blind = BUILTIN.model_copy(update={"evidence": BUILTIN.evidence.model_copy(update={"source": "none"})})
    with Store(tmp_path / "runs.db") as store:
        work = run_factbench(plan, Answers(), RefusalTypes({}, "rule"), blind, Runner(tools, store))
        assert [one.calls for one in asyncio.run(work).usage] == [5]
