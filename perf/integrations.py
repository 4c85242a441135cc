"""Overhead of the integrations over the bare check, in CPU time.

    .venv/bin/python perf/integrations.py [--rounds N] [--write docs/integrations.md]

The same answer is checked bare and by each integration whose library is here, `N` times in turn; each is compared with
the bare check of its own round, and the median is taken. `scripts/try_integrations.py --overhead` runs this where all
libraries are that go together.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import factscope as fs
from factscope.integrations.assessment import Assessor

CONTEXTS = ["In 1858 a first-order Fresnel lens was fitted. Electric light came to the lighthouse in 1937."] * 3
ANSWER = " ".join(f"The Fresnel lens number {n} was fitted in {1850 + n}." for n in range(5))
QUESTION = "When were the lenses fitted?"
PLACE = re.compile(r"(<!-- overhead -->\n)(.*?)(<!-- end of overhead -->)", re.DOTALL)
_HEAD = ("| way | ms of CPU | over the bare check |", "|---|--:|--:|")
Work = Callable[[], object]


def main() -> None:
    """Measure, print the table, and write it where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=15, help="How often each is measured.")
    parser.add_argument("--write", type=Path, help="A page with the marks of this table.")
    options = parser.parse_args()
    with fs.Checker() as bare:
        ways = dict(all_ways(bare))
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(options.rounds + 1):
            for name, work in ways.items():
                before = time.process_time()
                work()
                seconds[name].append(time.process_time() - before)
    rows = {}
    for name, times in seconds.items():
        shares = [own / base for own, base in zip(times[1:], seconds["bare check"][1:], strict=True)]  # of one round
        cpu, share = statistics.median(times[1:]), statistics.median(shares) - 1
        rows[name] = f"| {name} | {1000 * cpu:.1f} | {100 * share:+.1f} % |"
    print("\n".join([*_HEAD, *rows.values()]))
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        options.write.write_text(PLACE.sub(lambda match: match[1] + _joined(match[2], rows) + match[3], page), "utf-8")


def _joined(before: str, rows: dict[str, str]) -> str:
    """Put rows into a table; those of libraries that are not here now stay, each with its own share."""
    known = {line.split(" | ")[0].strip("| "): line for line in before.splitlines() if line.endswith(" % |")}
    return "\n".join([*_HEAD, *(known | rows).values(), ""])


def all_ways(bare: fs.Checker) -> Iterator[tuple[str, Work]]:
    """Yield the measured work by name: the check itself, and each integration whose library is here."""
    yield "bare check", lambda: bare.check(ANSWER, contexts=CONTEXTS, question=QUESTION)
    shared = Assessor()
    yield "the loop that all share", lambda: shared.assess(ANSWER, CONTEXTS, QUESTION)
    for make in (openevals, traces, deepeval, inspect, llama_index, pydantic_evals, ragas):
        try:
            yield make.__name__, make(shared)
        except (fs.UsageError, ImportError) as error:
            print(f"{make.__name__}: left out. {error}")


def openevals(shared: Assessor) -> Work:
    """Make the evaluator of openevals and LangSmith."""
    from factscope.integrations.openevals import create_factscope_evaluator

    evaluator = create_factscope_evaluator(shared)
    return lambda: evaluator(inputs=QUESTION, outputs=ANSWER, context=CONTEXTS)


def traces(shared: Assessor) -> Work:
    """Make the traced checker, with nothing that exports."""
    from factscope.integrations.opentelemetry import TracedChecker

    checker = Assessor(TracedChecker())
    return lambda: checker.assess(ANSWER, CONTEXTS, QUESTION)


def deepeval(shared: Assessor) -> Work:
    """Make DeepEval's metric."""
    from deepeval.test_case import LLMTestCase

    from factscope.integrations.deepeval import FactscopeMetric

    case = LLMTestCase(input=QUESTION, actual_output=ANSWER, retrieval_context=CONTEXTS)
    return lambda: FactscopeMetric(checker=shared).measure(case)


def inspect(shared: Assessor) -> Work:
    """Make Inspect's scorer."""
    from inspect_ai.model import ModelName, ModelOutput
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    from factscope.integrations.inspect_scorers import grounded

    score, output = grounded(), ModelOutput.from_content("mockllm", ANSWER)
    about = {"model": ModelName("mockllm/model"), "sample_id": 1, "epoch": 1, "input": QUESTION, "messages": []}
    state = TaskState(**about, output=output, metadata={"context": CONTEXTS})
    return lambda: asyncio.run(score(state, Target("")))


def llama_index(shared: Assessor) -> Work:
    """Make LlamaIndex' evaluator."""
    from factscope.integrations.llama_index import FactscopeEvaluator

    evaluator = FactscopeEvaluator(checker=shared)
    return lambda: evaluator.evaluate(query=QUESTION, response=ANSWER, contexts=CONTEXTS)


def pydantic_evals(shared: Assessor) -> Work:
    """Make a data set of pydantic-evals with one case."""
    from pydantic_evals import Case, Dataset

    from factscope.integrations.pydantic_evals import Factual

    case = Case(name="lens", inputs=QUESTION, metadata={"contexts": CONTEXTS})
    dataset = Dataset(name="answers", cases=[case], evaluators=[Factual(checker=shared)])
    return lambda: dataset.evaluate_sync(lambda question: ANSWER, progress=False)


def ragas(shared: Assessor) -> Work:
    """Make Ragas' metric."""
    from factscope.integrations.ragas import FactscopeScore

    metric = FactscopeScore(checker=shared)
    return lambda: asyncio.run(metric.ascore(ANSWER, CONTEXTS, QUESTION))


if __name__ == "__main__":
    main()
