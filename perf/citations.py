"""Citations: how well each form is read, and how many planted faults are found, on reports against a pretended web.

    python perf/citations.py [--seconds 0.05]

Sixty-six short reports are put together from hand-written sentences and pages, six in each of eleven forms of citation.
Each has sound sentences and planted faults: a wrong page, an altered number in a quotation, a dead link, the right
source for another sentence, a circular citation. The built-in verifier judges; nothing leaves the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.lab.pages import Answer, Asked, Net, Page, site

from factscope.core.records import Report, Response
from factscope.engine import Tools, check
from factscope.engine.find_method import chosen_method
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings
from factscope.evidence.citations import AtHand, Library
from factscope.evidence.fetch import Fetcher, FetchLimits
from factscope.evidence.page.reader import PageReader
from factscope.methods import Method
from factscope.scoring.citations.citation_problems import SERIOUS, citation_problems

TOPICS = (
    ("Kern", 2004, "The bridge at Marlow", (
        "The Marlow bridge was opened in 1931", "The Marlow bridge is 212 metres long",
        "The Marlow bridge was designed by Ida Kern", "the deck rests on four arches of granite")),
    ("Low", 2010, "The mill of Harsby", (
        "Harsby mill was built in 1764", "Harsby mill ground 40 tonnes of rye a week",
        "Harsby mill burned down in 1888", "the wheel turned at nine rounds a minute")),
    ("Hale", 2012, "The quay of Penwick", (
        "Penwick quay was finished in 1903", "Penwick quay has 18 moorings",
        "Penwick quay was paid for by the herring trade", "the stones came by barge from Skerry in 60 loads")),
    ("Birch", 2017, "The observatory on Tor Hill", (
        "Tor Hill observatory was founded in 1872", "Tor Hill observatory has a refractor of 66 centimetres",
        "Tor Hill observatory employs 14 people", "the dome turns once in eleven minutes")),
    ("Pell", 1999, "The canal of Dunmore", (
        "Dunmore canal is 47 kilometres long", "Dunmore canal has 29 locks",
        "Dunmore canal was closed to trade in 1961", "each lock takes about 18 minutes to pass")),
    ("Stone", 2021, "The forest of Ellwood", (
        "Ellwood forest covers 3,100 hectares", "Ellwood forest was planted after 1919",
        "Ellwood forest is owned by the county", "the oldest oak was measured at 7 metres around")),
)  # fmt: skip
"""Author, year and title of a page, three statements on it, and words on it that reports quote."""
FORMS = (
    "markdown_link", "reference_link", "footnote", "numbered", "author_year", "key", "html_anchor", "bare_url", "doi",
    "arxiv", "pdf_link",
)  # fmt: skip
FAULTS = ("wrong_page", "altered_quote", "dead_link", "wrong_sentence", "circular")


class Sentence(NamedTuple):
    """One sentence of a report, with its mark."""

    text: str
    mark: str
    fault: str | None


class Made(NamedTuple):
    """A report with its true facts."""

    form: str
    text: str
    sentences: tuple[Sentence, ...]
    pages: dict[str, Page]


def made(form: str, number: int) -> Made:
    """Return one report of a form, the same for the same number."""
    seed = random.Random(f"{form}-{number}")
    topics = list(TOPICS)
    seed.shuffle(topics)
    title = f"A survey of {form.replace('_', ' ')} number {number}"
    cite = Citing(form)
    pages = {}
    for author, year, name, (*facts, quoted) in TOPICS:
        words = ". ".join([*facts, f"{quoted[0].upper()}{quoted[1:]}"])
        pages[f"{author.lower()}.example/page"] = page_of(name, f"{words}. It was written down by {author} in {year}.")
    pages["copy.example/page"] = page_of("Digest", f"Source: {title}. The towns are well worth knowing.")
    sentences = []
    for place, (author, year, name, (*facts, quoted)) in enumerate(topics):
        fault = FAULTS[(number + place) % len(FAULTS)] if place < 3 else None
        own, other = (author, year, name), topics[(place + 1) % len(topics)][:3]
        sound = cite.mark(*own)
        sentences.append(sentence_of(facts[0], sound, None))
        if fault == "wrong_page":
            sentences.append(sentence_of(facts[1], cite.mark("Nook", 1987, "Garden notes"), fault))
        elif fault == "altered_quote":
            digits = [word for word in quoted.split() if word.isdigit()]
            old, new = (digits[0], str(int(digits[0]) + 7)) if digits else (_count(quoted), "thirteen")
            changed = quoted.replace(old, new)
            sentences.append(sentence_of(f"{author} writes that “{changed}”", sound, fault))
        elif fault == "dead_link":
            sentences.append(sentence_of(facts[1], cite.mark("Gone", 1975, "Lost pages"), fault))
        elif fault == "wrong_sentence":
            sentences.append(sentence_of(facts[2], cite.mark(*other), fault))
        elif fault == "circular":
            sentences.append(sentence_of(facts[1], cite.mark("Copy", 2023, "Digest"), fault))
        else:
            sentences += [
                sentence_of(facts[1], sound, None),
                sentence_of(f"{author} writes that “{quoted}”", sound, None),
            ]
    pages["nook.example/page"] = page_of("Garden notes", "Roses want sun and a deep soil. Prune them in March.")
    body = "\n\n".join(" ".join(s.text for s in sentences[at : at + 3]) for at in range(0, len(sentences), 3))
    if form in ("doi", "arxiv", "pdf_link"):
        pages |= {cite.place(host): page for place, page in list(pages.items()) for host in [place.partition(".")[0]]}
    return Made(form, f"# {title}\n\n{body}\n{cite.list()}", tuple(sentences), pages)


def _count(words: str) -> str:
    return next(word for word in words.split() if word in ("four", "nine", "eleven"))


def sentence_of(words: str, mark: str, fault: str | None) -> Sentence:
    """Return words with their mark, as a sentence."""
    text = f"{words}{mark}." if not mark.startswith(".") else f"{words}{mark}"
    return Sentence(text, mark, fault)


def page_of(title: str, words: str) -> Page:
    """Return a page with these words."""
    body = f"<h1>{escape(title)}</h1><p>{escape(words)}</p>"
    return Page(f"<!doctype html><title>{escape(title)}</title><main>{body}</main>".encode())


class Citing:
    """Writes the marks of one form, and the list that they need."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.works: dict[str, tuple[str, int, str]] = {}

    def place(self, host: str) -> str:
        """Return where a page of this form is looked for: host and path."""
        number = 1000 + sum(map(ord, host)) % 9000
        return {
            "doi": f"doi.example/10.1234/{host}",
            "arxiv": f"arxiv.example/pdf/2305.{number:05}",
            "pdf_link": f"{host}.example/page.pdf",
        }[self.form]

    def mark(self, author: str, year: int, title: str) -> str:
        """Return the citation of a work, as it stands behind words."""
        self.works.setdefault(author, (author, year, title))
        host, number = author.lower(), list(self.works).index(author) + 1
        url = f"http://{host}.example/page"
        arxiv = f"2305.{1000 + sum(map(ord, host)) % 9000:05}"
        return {
            "markdown_link": f" ([{title}]({url}))",
            "reference_link": f" [see there][{host}]",
            "footnote": f".[^{host}]",
            "numbered": f" [{number}]",
            "author_year": f" ({author}, {year})",
            "key": f" [@{host}{year}]",
            "html_anchor": f' (<a href="{url}">{title}</a>)',
            "bare_url": f" ({url})",
            "doi": f" (doi:10.1234/{host})",
            "arxiv": f" (arXiv:{arxiv})",
            "pdf_link": f" ([PDF]({url}.pdf))",
        }[self.form]

    def list(self) -> str:
        """Return the list at the end of the report."""
        rows = [(n, author.lower(), *work) for n, (author, work) in enumerate(self.works.items(), 1)]
        url = "http://{}.example/page"
        match self.form:
            case "reference_link":
                return "\n" + "\n".join(f"[{host}]: {url.format(host)}" for _, host, *_ in rows) + "\n"
            case "footnote":
                return "\n" + "\n".join(f"[^{h}]: {a}, *{t}*, {y}, {url.format(h)}" for _, h, a, y, t in rows) + "\n"
            case "numbered":
                entries = [f"[{n}] {a}, I. ({y}). {t}. {url.format(h)}" for n, h, a, y, t in rows]
            case "author_year":
                entries = [f"- {a}, I. ({y}). {t}. {url.format(h)}" for _, h, a, y, t in rows]
            case _:
                return ""
        return "\n## References\n\n" + "\n".join(entries) + "\n"


def expected(report: Made) -> Counter[str]:
    """Return the marks in a report, without the brackets around them."""
    return Counter(_bare(sentence.mark) for sentence in report.sentences)


def _bare(mark: str) -> str:
    core = mark.lstrip(". ")
    if core.startswith("(") and not core.startswith("(<") and "(http" not in core[:5]:
        return core if core[1:2].isupper() else core[1:-1].removeprefix("doi:")
    return core[1:-1] if core.startswith("(") else core


async def measure(reports: Iterable[Made], seconds: float) -> None:
    """Check reports by the built-in verifier and print the figures."""
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    found, planted, alarms, sound = Counter[str](), Counter[str](), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            store=Path(folder) / "runs.db", cache=Path(folder), cited=True, offline=True, method="builtin"
        )
        method, tools = chosen_method(settings), open_tools(settings=settings)
        reader = PageReader()  # one for all reports: its child processes take seconds to start
        for report in reports:
            checked = await _checked(report, method, tools, reader, seconds)
            got = Counter(one.text for one in checked.citations)
            right = sum((got & expected(report)).values())
            forms[report.form].update(right=right, read=sum(got.values()), there=sum(expected(report).values()))
            wrong = {one.span.start for one in citation_problems(checked) if one.kind in SERIOUS}
            for sentence in report.sentences:
                at = report.text.find(sentence.text)
                hit = any(at <= start < at + len(sentence.text) for start in wrong)
                if sentence.fault:
                    planted[sentence.fault] += 1
                    found[sentence.fault] += hit
                else:
                    sound += 1
                    alarms += hit
    print(f"{'form':<16} {'precision':>9} {'recall':>7}")
    for form, n in forms.items():
        print(f"{form:<16} {n['right'] / max(n['read'], 1):>9.3f} {n['right'] / n['there']:>7.3f}")
    for fault in planted:
        print(f"{fault:<16} found {found[fault]} of {planted[fault]}")
    print(f"planted faults found: {found.total()} of {planted.total()} ({found.total() / planted.total():.1%})")
    print(f"false alarms: {alarms} of {sound} sound sentences ({alarms / sound:.1%})")


async def _checked(report: Made, method: Method, tools: Tools, reader: PageReader, seconds: float) -> Report:
    """Return one report against a web of its own pages."""
    async with site(_answers(report, seconds)) as server:
        net = Net(server.port, server.port)
        limits = FetchLimits(per_second=1_000)
        fetcher = Fetcher(None, limits=limits, resolve=net.resolve, open_socket=net.open_socket)
        library = Library(AtHand(), fetcher, reader, "http://doi.example/", ("http://arxiv.example/pdf/",))
        if report.form == "key":
            from factscope.claims.citations.reference import Reference

            names = [(a, y, t) for a, y, t, _ in TOPICS] + [
                ("Nook", 1987, "Garden notes"),
                ("Gone", 1975, "Lost pages"),
                ("Copy", 2023, "Digest"),
            ]
            library.held.references += [
                Reference(f"{a.lower()}{y}", title=t, authors=(a,), year=str(y), url=f"http://{a.lower()}.example/page")
                for a, y, t in names
            ]
        async with fetcher:
            own = Tools(sources={"cited": library}, verifiers=tools.verifiers)
            return await check(Response(text=report.text), method, own)


def _answers(report: Made, seconds: float) -> Answer:
    def answer(asked: Asked) -> Page:
        page = report.pages.get(f"{asked.host}{asked.path}", Page(b"no", 404))
        return Page(page.body, page.status, page.type, page.headers, delay=seconds)

    return answer


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--seconds", type=float, default=0.0, help="How long each page takes.")
    asyncio.run(measure((made(form, n) for form in FORMS for n in range(6)), options.parse_args().seconds))
