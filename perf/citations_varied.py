"""Citations of sources that say it in other words: planted faults found, and false alarms, by the built-in verifier.

    python perf/citations_varied.py

Sixty short reports on ten hand-written sources (`citations_varied.jsonl`). Unlike in `perf/citations.py` a source never
repeats the sentence that it is cited for: it says it in other words, among figures and dates that belong to other
things. Planted are a figure, a year or a direction changed in the sentence; a page on the same place that does not say
it; the source of another sentence; a quotation with one word changed; a dead link; a circular source. No sentence with
the same citation occurs twice.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citations import FORMS, Citing, Made, Sentence, measure, page_of, sentence_of
from tests.lab.pages import Page

SOURCES = Path(__file__).with_suffix(".jsonl")
REPORTS = 6
"""Reports on each source."""


def reports() -> Iterator[Made]:
    """Yield all reports, in a fixed order."""
    sources = [json.loads(line) for line in SOURCES.read_text(encoding="utf-8").splitlines()]
    forms = [form for form in FORMS if form != "key"]  # its entries stand in a file of their own
    for number, source in enumerate(sources):
        other = sources[(number + 1) % len(sources)]
        for turn in range(REPORTS):
            yield _report(source, other, turn, forms[(number * REPORTS + turn) % len(forms)])


def _report(source: dict[str, Any], other: dict[str, Any], turn: int, form: str) -> Made:
    cite = Citing(form)
    title = f"Notes on {source['title']}, number {turn + 1}"
    own = (source["author"], source["year"], source["title"])
    near = (f"{source['author']}by", 2019, f"A visit: {source['title']}")
    claims, quoted = source["claims"], f"{source['author']} has it that “{{}}”"
    sound = [*claims, quoted.format(source["quote"])][turn : turn + 1]
    faults = [
        *((claim, own, "altered_fact") for claim in source["altered"]),
        *((claim, near, "wrong_page") for claim in claims),
        *((claim, (other["author"], other["year"], other["title"]), "wrong_sentence") for claim in claims),
        (quoted.format(source["altered_quote"]), own, "altered_quote"),
        (claims[0], ("Gone", 1975, "Lost pages"), "dead_link"),
        (claims[1], ("Copy", 2023, "Digest"), "circular"),
    ][turn::REPORTS]
    sentences: list[Sentence] = [sentence_of(claim, cite.mark(*own), None) for claim in sound]
    sentences += [sentence_of(claim, cite.mark(*work), fault) for claim, work, fault in faults]
    pages: dict[str, Page] = {}
    for author, name, words in (
        (source["author"], source["title"], source["page"]),
        (near[0], near[2], source["near"]),
        (other["author"], other["title"], other["page"]),
        ("Copy", "Digest", f"Source: {title}. The places are well worth knowing."),
    ):
        place = cite.place(author.lower()) if form in ("doi", "arxiv", "pdf_link") else f"{author.lower()}.example/page"
        pages[place] = page_of(name, words)
    body = " ".join(sentence.text for sentence in sentences)
    return Made(form, f"# {title}\n\n{body}\n{cite.list()}", tuple(sentences), pages)


if __name__ == "__main__":
    asyncio.run(measure(reports(), 0.0))
