"""Calls and input tokens of a run over one-sentence answers, in separate calls and in shared ones.

    .venv/bin/python perf/shared_calls.py [--responses 100] [--methods standard cascade] [--delay 0.05]

Answers of one sentence, a fifth of them wrong and a tenth that no document says anything about: checked against one
collection, and each against a document of its own. The model is the laboratory's stand-in on the loopback interface,
which answers after `--delay` seconds; tokens are characters of the whole request / 4. Prints how many verdicts are the
same, and when the first and the last report were there. Exits with 1 when a verdict differs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests import lab
from tests.lab.tools import models_for

from factscope.core.records import Document, Report, Response
from factscope.engine import Tools
from factscope.engine.find_method import find_method
from factscope.engine.open_tools import open_tools
from factscope.engine.run import ReadReport, Runner, RunProgress, run_many
from factscope.engine.run_store import Store
from factscope.engine.settings import Settings
from factscope.llm.call_cache import Cache

TOKEN = 4
"""Characters of a token."""
STEPS = {"You are given segments": "claims", "You plan searches": "planning", "You are given passages": "judging"}
CORRECTING = "correcting"


class Measured(NamedTuple):
    """Calls, tokens and verdicts of one run."""

    calls: Counter[str]
    tokens: Counter[str]
    verdicts: dict[tuple[str, str], str]
    first: float
    seconds: float


def answer(number: int) -> str:
    """Return an answer of one sentence."""
    if number % 10 == 9:
        return f"Tor Hald opened bakery {number} of Osk."
    return f"House {number} of Marlow was built in {1800 + number + 300 * (number % 5 == 0)}."


def document(number: int) -> str:
    """Return the document about its subject."""
    return (
        f"House {number} of Marlow stands on the hill. House {number} of Marlow was built in {1800 + number}."
        f" It was painted white in {1900 + number}. Its owner keeps {number + 2} hens and a dog."
    )


def responses(number: int, *, own: bool) -> list[Response]:
    """Return the answers, with a document each or without."""

    def context(text: str) -> tuple[Document, ...]:
        return (Document(id="d1", text=text, sha256=sha256(text.encode()).hexdigest()),) if own else ()

    return [Response(id=f"a{n}", text=answer(n), context=context(document(n))) for n in range(number)]


def run(
    method: str, server: lab.Server, tools: Callable[[Path], Tools], rows: list[Response], share: bool, delay: float
) -> Measured:
    """Check all answers with a fresh store and cache."""
    server.script([{"do": {"delay": delay}}])
    reports: dict[str, Report] = {}
    first: list[float] = []

    def take(read: ReadReport, so_far: RunProgress) -> None:
        first.append(time.monotonic())
        report = read()
        reports[report.response.id] = report

    async def work(folder: Path) -> float:
        with Cache(folder / "replies.db") as cache, Store(folder / "runs.db") as store:
            wired = replace(tools(folder), models=models_for(server, cache=cache), share_calls=share)
            async with wired as using:
                began = time.monotonic()
                await run_many(rows, find_method(method), Runner(using, store), "perf", take)
                return began

    with tempfile.TemporaryDirectory() as name:
        began = asyncio.run(work(Path(name)))
        ended = time.monotonic()
    calls: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for request in server.log():
        system = json.loads(request["body"])["messages"][0]["content"]
        step = next((words for start, words in STEPS.items() if system.startswith(start)), CORRECTING)
        calls[step] += 1
        tokens[step] += len(request["body"]) // TOKEN
    outcomes: dict[tuple[str, str], str] = {
        (name, verdict.unit_id): verdict.outcome
        for name, report in reports.items()
        for verdict in report.verdicts
        if verdict.level == "claim"
    }
    return Measured(calls, tokens, outcomes, first[0] - began, ended - began)


def main() -> int:
    """Print a table for each method and kind of evidence."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--responses", type=int, default=100)
    parser.add_argument("--methods", nargs="+", default=["standard", "cascade"])
    parser.add_argument("--delay", type=float, default=0.05)
    options = parser.parse_args()
    differing = 0
    with lab.model_server() as server:
        for method in options.methods:
            for own in (False, True):
                rows = responses(options.responses, own=own)

                def tools(folder: Path, own: bool = own) -> Tools:
                    settings = Settings(cache=folder / "cache")
                    if own:
                        return open_tools(settings=settings, contexts=True)
                    (folder / "documents").mkdir()
                    for n in range(options.responses):
                        (folder / "documents" / f"{n}.txt").write_text(document(n), encoding="utf-8")
                    return open_tools(folder / "documents", settings=settings)

                alone, shared = (run(method, server, tools, rows, share, options.delay) for share in (False, True))
                same = sum(alone.verdicts[key] == shared.verdicts.get(key) for key in alone.verdicts)
                differing += len(alone.verdicts) - same
                print(
                    f"{method}, {'a document each' if own else 'one collection'}: {same} of {len(alone.verdicts)}"
                    f" verdicts are the same; first report after {alone.first:.2f} and {shared.first:.2f} s, all after"
                    f" {alone.seconds:.1f} and {shared.seconds:.1f} s"
                )
                print(f"{'calls':>7}{'shared':>8}{'tokens':>10}{'shared':>10}  step")
                for step in [*STEPS.values(), CORRECTING]:
                    columns = (alone.calls[step], shared.calls[step], alone.tokens[step], shared.tokens[step])
                    print("{:>7,}{:>8,}{:>10,}{:>10,}  ".format(*columns) + step)
                sums = (alone.calls.total(), shared.calls.total(), alone.tokens.total(), shared.tokens.total())
                print("{:>7,}{:>8,}{:>10,}{:>10,}  all".format(*sums), flush=True)
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
