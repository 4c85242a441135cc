"""Time of a check relative to its longest chain of waits, with slow services on the loopback interface.

    python perf/latency.py [--method standard …] [--rounds 3] [--cold | --recheck] [--model 1.0 --search 0.3 --page 0.5]

Seven sentences, fifteen claims, three pages for each, each page on a host of its own: the model takes 1.0 s for a call,
the search 0.3 s, a page 0.5 s and so does its robots.txt. Search, fetcher, readers and ranking are the product's own,
over real HTTP to servers in processes of their own; the model is the laboratory's stand-in, so that the numbers are
about our own waiting and nothing else.

Warm: a process that has made a check before, as a server has; nothing of the check is cached. With `--cold` the same by
command line, from the start of the process to its end. With `--recheck` one sentence of a checked text is changed, and
only what must be checked again is. The least of several rounds counts, because other programs can
only add to it. Exits with 1 when a ratio to the chain is above its target.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests import lab
from tests.lab.pages import Net

from factscope.core.events import Event
from factscope.core.records import Response
from factscope.engine import Tools, check, stream
from factscope.engine.find_method import find_method
from factscope.engine.open_tools import load_readers, open_tools, open_web_source
from factscope.engine.recheck import carried
from factscope.engine.settings import Settings
from factscope.evidence.fetch import Fetcher
from factscope.evidence.page_access import PageAccess
from factscope.evidence.search.engine_registry import open_search
from factscope.methods import Method

TEXT = (
    "The Marlow bridge was opened in 1931 and it has four arches and it carries two lanes. "
    "The town hall was finished in 1908 and it stands on the market square. "
    "The harbour was dug in 1850 and it was deepened in 1972 and it holds ninety boats. "
    "The lighthouse was built in 1868 and it is thirty metres high. "
    "The museum opened in 1990 and it shows old nets. "
    "The ferry leaves at noon and it takes forty minutes. "
    "The school was founded in 1921 and it has nine classes."
)
CHANGED = TEXT.replace("finished in 1908", "finished in 1911")
FIRST_WITHIN, END_WITHIN, COLD_WITHIN = 1.15, 1.2, 1.5
METHODS = ["standard", "facts-and-evidence", "veriscore", "verify"]


class Times(NamedTuple):
    """One check: seconds to the first verdict and to the end, and the chain of each claim."""

    first: float
    end: float
    chains: list[float]
    processor: float
    """Processor seconds of the process, and by command line of its children too."""


def main() -> int:
    """Print, for each method, the times and their ratios to the chains."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", nargs="*", default=METHODS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--recheck", action="store_true")
    parser.add_argument("--model", type=float, default=1.0)
    parser.add_argument("--search", type=float, default=0.3)
    parser.add_argument("--page", type=float, default=0.5)
    asked = parser.parse_args()
    rules = [
        {"when": {"contains": "/search"}, "do": {"delay": asked.search, "pages_at": "http://*.example"}},
        {"do": {"delay": asked.page}},
    ]
    late = False
    kind = "cold" if asked.cold else "recheck" if asked.recheck else "warm"
    print(f"load {os.getloadavg()[0]:.1f}; {kind}; least of {asked.rounds}")
    with lab.model_server([{"do": {"delay": asked.model}}]) as model, lab.web_server(rules) as web:
        services = {
            "OPENAI_BASE_URL": model.base_url,
            "OPENAI_API_KEY": "sk-lab",
            "SERPER_BASE_URL": f"{web.url}/serper",
            "SERPER_API_KEY": "k",
            "LAB_WEB_PORT": str(urlsplit(web.url).port),
        }
        os.environ |= services
        for name in asked.method:
            checks = [_measured(find_method(name), asked, services) for _ in range(asked.rounds + (not asked.cold))]
            checks = checks[not asked.cold :]  # the first loads the modules
            longest, shortest = max(checks[0].chains), min(checks[0].chains)
            end, first = min(check.end for check in checks), min(check.first for check in checks)
            late = late or end / longest > (COLD_WITHIN if asked.cold else END_WITHIN)
            late = late or (not asked.cold and first / shortest > FIRST_WITHIN)
            shown = "" if asked.cold else f"   first {first:5.2f} s, chain {shortest:5.2f} s: {first / shortest:.2f}"
            every = " ".join(f"{check.end:.2f}" for check in checks)
            print(
                f"{name:20} {len(checks[0].chains):2} claims   end {end:5.2f} s, chain {longest:5.2f} s:"
                f" {end / longest:.2f} ({every}){shown}   processor {min(check.processor for check in checks):.2f} s",
                flush=True,
            )
    print(f"load {os.getloadavg()[0]:.1f}")
    return int(late)


def _measured(method: Method, asked: argparse.Namespace, services: dict[str, str]) -> Times:
    with tempfile.TemporaryDirectory() as folder:
        if asked.cold:
            return _cold(method, asked, Path(folder), services)
        return asyncio.run(_warm(method, asked, Path(folder)))


async def _warm(method: Method, asked: argparse.Namespace, folder: Path) -> Times:
    """Check in this process, with everything but modules and parsers opened afresh."""
    settings = Settings(store=folder / "runs.db", cache=folder, model={"*": "openai/lab"}, method=method.name)
    port = int(os.environ["LAB_WEB_PORT"])
    net, access = Net(port, port), PageAccess(folder)
    access.fetcher = Fetcher(folder / "pages.db", resolve=net.resolve, open_socket=net.open_socket)
    load_readers(method, settings.model_copy(update={"search": "serper"}))
    search = open_search("serper", os.environ, folder / "searches.db")
    opened = open_tools(settings=settings)
    tools = Tools(
        sources={"web": open_web_source(settings, search, access=access)},
        verifiers=opened.verifiers,
        models=opened.models,
    )
    async with tools:
        times = await _checked(method, tools, asked)
    await search.close()
    await access.close()
    return times


async def _checked(method: Method, tools: Tools, asked: argparse.Namespace) -> Times:
    """Check the text, or what changed in it."""
    text, known = Response(text=TEXT), tuple[Event, ...]()
    if asked.recheck:
        report = await check(text, method, tools)
        text, known = Response(text=CHANGED), carried(report, CHANGED)
    began, processor, first, events = time.monotonic(), time.process_time(), 0.0, []
    async for event in stream(text, method, tools, known):
        events.append(event)
        if event.type == "verdict" and event.level == "claim" and not first and event.outcome != "not_checkable":
            first = time.monotonic() - began
    end, processor = time.monotonic() - began, time.process_time() - processor
    if failures := [event for event in events if event.type == "failure"]:
        sys.exit(f"{method.name}: {failures[0]}")
    claims = {event.id for event in events if event.type == "claim" and event.skipped is None}
    queries = [(event.claim_id, event.round, event.ended) for event in events if event.type == "query"]
    return Times(first, end, _chains(method, claims, queries, asked), processor)


def _cold(method: Method, asked: argparse.Namespace, folder: Path, services: dict[str, str]) -> Times:
    """Check by command line."""
    root = Path(__file__).parent.parent
    command = [sys.executable, "-m", "tests.lab.launch", "check", TEXT, "--method", method.name]
    command += ["--search", "serper", "--model", "openai/lab", "--format", "json", "-q"]
    own = {"FACTSCOPE_STORE": str(folder / "runs.db"), "FACTSCOPE_CACHE": str(folder / "cache")}
    dropped = ("FACTSCOPE_", "PYTHONDONTWRITEBYTECODE")  # Python keeps what it compiled, as in an install
    environment = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    environment |= own | services | {"PYTHONPATH": os.pathsep.join(map(str, (root, root / "src")))}
    began, before = time.monotonic(), os.times()
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder, env=environment)
    end, after = time.monotonic() - began, os.times()
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(done.stderr)
    report = json.loads(done.stdout)
    if report["failures"]:
        sys.exit(f"{method.name}: {report['failures'][0]}")
    claims = {claim["id"] for claim in report["claims"] if claim.get("skipped") is None}
    queries = [(query["claim_id"], query["round"], query.get("ended")) for query in report["queries"]]
    return Times(0.0, end, _chains(method, claims, queries, asked), sum(after[2:4]) - sum(before[2:4]))


def _chains(
    method: Method, claims: Iterable[str], queries: Sequence[tuple[str, int, str | None]], asked: argparse.Namespace
) -> list[float]:
    """Return seconds of waits, one after another, until the verdict on each claim."""
    before = 1 + bool(method.extract and method.extract.rewrite) + bool(method.extract and method.extract.relevant)
    page = 2 * asked.page if method.evidence.read == "pages" else 0.0  # robots.txt, then the page
    chains = []
    for claim in claims:
        own = [(number, ended) for claim_id, number, ended in queries if claim_id == claim]
        rounds = len({number for number, _ in own})
        planned, judged = 0, 1
        if spec := method.evidence.queries:
            planned = rounds - (spec.begin_with == "claim")
            if spec.stop == "settled":
                judged = rounds  # what each round found
            else:
                planned += any(ended for _, ended in own)
        chains.append(float((before + planned + judged) * asked.model + rounds * (asked.search + page)))
    return chains


if __name__ == "__main__":
    sys.exit(main())
