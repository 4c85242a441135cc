"""Weight and speed of the page: bytes sent, and a result of 400 claims with 5 passages each.

    python perf/page.py [--rounds 5]

Opening counts from the navigation to the first frame that shows score and text; a toggle from the click on a kind of
source to the frame that shows the new count. The server, which reads the result from its store, the browser and the
page run on this machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser.chrome import chrome
from tests.browser.crafted import Builder
from tests.web.served import Process

from factscope.core.attempts import LogEntry
from factscope.core.database import Cursor, open_database
from factscope.core.labels import CATEGORIES, Label
from factscope.core.records import Report
from factscope.engine import Provenance
from factscope.methods.method_catalogue import method_named
from factscope.web.check_tables import NewCheck, insert
from factscope.web.forms import StoredRequest
from factscope.web.replay import PROVENANCE

FACTS_AND_EVIDENCE = method_named("facts-and-evidence")

SENTENCES, CLAIMS, PASSAGES = 200, 2, 5
LABELS: tuple[Label, ...] = ("supported", "supported", "contradicted", "irrelevant", "supported")
_OPENED = """() => new Promise((done) => {
    const look = () => document.querySelector('[data-testid=score]') && document.querySelector('.text a.m')
        ? requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0))
        : requestAnimationFrame(look);
    look();
})"""
_ANSWERED = "performance.getEntriesByType('resource').find((one) => one.name.endsWith('/checks/large')).responseEnd"
_TOGGLED = """async () => {
    const times = [];
    for (let turn = 0; turn < 9; turn++) {
        const box = document.querySelectorAll('.kinds > li > label input[type=checkbox]')[turn % 7];
        const start = performance.now();
        box.click();
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
        times.push(performance.now() - start);
    }
    return times;
}"""


def main() -> None:
    """Measure, and print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often the large result is opened (default: 5)")
    rounds = parser.parse_args().rounds
    report = large_report()
    with chrome() as browser, tempfile.TemporaryDirectory() as state:
        process = Process(Path(state))
        site = process.address.rstrip("/")
        try:
            visitor = browser.new_context(viewport={"width": 1440, "height": 900})
            print(f"sent: {sent(visitor, site) / 1000:.1f} kB of scripts and sheets, compressed")
            keep(report, Path(state, "server.db"))
            opened, answered, toggled = [], [], []
            for _ in range(rounds):
                page = visitor.new_page()
                page.goto(f"{site}/checks/large", wait_until="commit")
                opened.append(page.evaluate(_OPENED))
                answered.append(page.evaluate(_ANSWERED))
                toggled += page.evaluate(_TOGGLED)
                page.close()
        finally:
            process.end()
    size = len(report.model_dump_json()) / 1e6
    print(f"{SENTENCES * CLAIMS} claims × {PASSAGES} passages ({size:.1f} MB)")
    print(f"open:   {described(opened)}")
    print(f"of it until the answer has come: {described(answered)}")
    print(f"toggle: {described(toggled)}")


def described(times: list[float]) -> str:
    """Return the median of times in milliseconds, and the worst."""
    return f"{statistics.median(times):.0f} ms, at most {max(times):.0f} ms ({len(times)} times)"


def sent(visitor: BrowserContext, site: str) -> int:
    """Return bytes of scripts and sheets on the way from the start page to the result of a sample."""
    found: dict[str, int] = {}
    page: Page = visitor.new_page()

    def note(request: Any) -> None:
        if request.url.endswith((".js", ".css")):
            found[request.url] = request.sizes()["responseBodySize"]

    page.on("requestfinished", note)
    page.goto(f"{site}/")
    page.locator("section[aria-labelledby=samples] button").first.click()
    page.get_by_test_id("score").wait_for()
    page.wait_for_load_state("networkidle")
    page.close()
    return sum(found.values())


def keep(report: Report, store: Path) -> None:
    """Put a finished check with this report into the server's store, for the visitor who made the check of a sample."""
    kinds = (report.segments, report.claims, report.documents, report.passages, report.judgements, report.verdicts)
    records = [report.response, *(record for kind in kinds for record in kind)]

    def work(cursor: Cursor) -> None:
        ((owner,),) = cursor.rows("SELECT DISTINCT owner FROM checks")
        check = NewCheck(
            id="large",
            owner=str(owner),
            title=report.response.text[:80],
            request=StoredRequest(text=report.response.text, method=FACTS_AND_EVIDENCE.name),
            basis=PROVENANCE.dump_json(Provenance(FACTS_AND_EVIDENCE)).decode(),
            events=[LogEntry.of(record) for record in records],
            state="done",
            counts=json.dumps(dict(report.counts)),
        )
        insert(cursor, check)

    database = open_database(str(store))
    database.do(work)
    database.close()


def large_report() -> Report:
    """Return a report on many claims, its evidence from forty sites of all kinds."""
    make = Builder()
    for number in range(SENTENCES):
        make.gap = "\n\n" if number % 12 == 0 else " "
        segment = make.sentence(f"House {number} was built in {1500 + number} and has {number % 9 + 2} rooms.")
        for turn, text in enumerate((f"House {number} was built in {1500 + number}.", f"House {number} has rooms.")):
            claim = make.claim(segment, text)
            for place in range(PASSAGES):
                at = number * CLAIMS * PASSAGES + turn * PASSAGES + place
                make.evidence(
                    claim,
                    LABELS[place],
                    f"Source {place} writes at length of house {number}, its rooms, its owners and its year. " * 6,
                    url=f"https://site{at % 40}.example/{at}",
                    title=f"On house {number}, by site {at % 40}",
                    category=CATEGORIES[at % 7],
                )
    report: Report = make.report()
    return report


if __name__ == "__main__":
    main()
