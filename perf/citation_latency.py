"""Time of a check of 40 citations to 25 pages, as a ratio to its longest chain of waits.

    python perf/citation_latency.py [--page 0.5] [--model 1.0] [--rounds 3]

Each page stands on a host of its own on the laboratory's web, and answers after 0.5 s, as does its robots.txt; a call
to the model takes 1.0 s. The chain: robots.txt and page, meanwhile the model splits the text; then the judge. The
built-in verifier needs no call, so that its chain is the pages alone. A first round, which is printed and not counted,
loads the modules and proves the key: until the first call to a model has been answered, or for 0.4 s, the others wait.
Later rounds open everything but the models afresh. Exits with 1 when the least of the rounds with the model takes more
than 1.3 times the chain.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests import lab
from tests.lab.pages import Answer, Asked, Net, Page, site
from tests.lab.tools import models_for

from factscope.core.records import Response
from factscope.engine import Tools, check
from factscope.engine.find_method import find_method, with_citations
from factscope.engine.open_tools import open_library, open_tools
from factscope.engine.settings import Settings
from factscope.evidence.fetch import Fetcher
from factscope.llm.limits import CallLimits
from factscope.llm.models_by_role import Models

CITATIONS, PAGES = 40, 25
WITHIN = 1.3


def report() -> str:
    """Return a text of 40 sentences, each with a citation of one of 25 pages."""
    facts = [_fact(number) + f" [{number % PAGES + 1}]." for number in range(CITATIONS)]
    paragraphs = "\n\n".join(" ".join(facts[at : at + 5]) for at in range(0, CITATIONS, 5))
    entries = "\n".join(f"[{n}] Kern, I. (2004). House {n}. http://house{n}.example/page" for n in range(1, PAGES + 1))
    return f"# The houses of Marlow\n\n{paragraphs}\n\n## References\n\n{entries}\n"


def _fact(number: int) -> str:
    word = ("built", "roofed", "painted", "sold")[number % 4]
    return f"House {number % PAGES + 1} of Marlow was {word} in {1700 + 7 * number}"


def _answers(seconds: float) -> Answer:
    """Serve the cited pages; no robots.txt forbids reading them."""

    def answer(asked: Asked) -> Page:
        if asked.path == "/robots.txt":
            return Page(b"", 404, delay=seconds)
        host = int(asked.host.partition(".")[0].removeprefix("house"))
        facts = ". ".join(_fact(number) for number in range(host - 1, CITATIONS, PAGES))
        text = f"<!doctype html><title>House {host}</title><main><h1>House {host}</h1><p>{facts}.</p></main>"
        return Page(text.encode(), delay=seconds)

    return answer


async def seconds_of(method_name: str, models: Models | None, page: float, folder: Path) -> tuple[float, float]:
    """Check the report once, with everything opened afresh; seconds from its text to its scores, and of processor."""
    settings = Settings(store=folder / "runs.db", cache=folder, cited=True, method=method_name)
    method = with_citations(find_method(method_name), settings)
    verifiers = open_tools(settings=settings.model_copy(update={"cited": False})).verifiers
    if models is None:
        verifiers["builtin"]()  # a program that checks loads its verifier once
    async with site(_answers(page)) as server:
        net = Net(server.port, server.port)
        library = open_library(settings)
        library.fetcher = Fetcher(None, resolve=net.resolve, open_socket=net.open_socket)
        tools = Tools(sources={"cited": library}, verifiers=verifiers, models=models)
        began, processor = time.monotonic(), time.process_time()
        checked = await check(Response(text=report()), method, tools)
        took, processor = time.monotonic() - began, time.process_time() - processor
        await library.close()
    read = sum(source.state == "read" for source in checked.sources)
    judged = sum(bool(claim.skipped is None) for claim in checked.claims)
    if (len(checked.citations), read) != (CITATIONS, PAGES) or judged < CITATIONS or checked.failures:
        sys.exit(f"{len(checked.citations)} citations, {read} pages, {judged} claims, {checked.failures[:1]}")
    return took, processor


async def rounds(name: str, models: Models | None, page: float, number: int) -> list[tuple[float, float]]:
    """Return the seconds of each round, in one process and with the same connections to the model."""
    times = []
    for _ in range(number):
        with tempfile.TemporaryDirectory() as folder:
            times.append(await seconds_of(name, models, page, Path(folder)))
    if models:
        await models.close(1.0)
    return times


def main() -> int:
    """Print both methods' times beside their chains."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--page", type=float, default=0.5)
    options.add_argument("--model", type=float, default=1.0)
    options.add_argument("--rounds", type=int, default=3)
    asked = options.parse_args()
    worst = 0.0
    print(f"{'method':10} {'least':>7} {'chain':>7} {'ratio':>6} {'processor':>9}   first round, others")
    with lab.model_server([{"do": {"delay": asked.model}}]) as server:
        for name, chain in (
            ("builtin", 2 * asked.page),
            ("standard", max(2 * asked.page, asked.model) + asked.model),
        ):
            models = None
            if name == "standard":
                models = models_for(server, timeout=60.0, head_start=CallLimits().head_start)
            first, *times = asyncio.run(rounds(name, models, asked.page, asked.rounds + 1))
            least, processor = min(times)[0], min(processor for _, processor in times)
            worst = least / chain  # of the last method, which asks the model
            shown = " ".join(f"{seconds:.2f}" for seconds, _ in times)
            print(
                f"{name:10} {least:6.2f}s {chain:6.2f}s {worst:6.2f} {processor:8.2f}s   {first[0]:.2f}, {shown}",
                flush=True,
            )
    return int(worst > WITHIN)


if __name__ == "__main__":
    sys.exit(main())
