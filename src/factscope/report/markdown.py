"""The report as Markdown for a reader, without raw HTML and images; its layout is in `report_text.md` beside this."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from urllib.parse import quote

from markupsafe import Markup

from factscope.core import Document, Report
from factscope.report import searches, source_notes, wording
from factscope.report.citations.lines import KIND_WORDS, STATE_WORDS
from factscope.report.evidence_cards import Card, source_address, source_name
from factscope.report.html import report_values
from factscope.report.markdown_text import escaped
from factscope.report.renderers import OverAll, Reports
from factscope.report.run_summary import template_values
from factscope.report.states import MARKS, State
from factscope.report.templates import Pages

_LONGEST_REASON = 600
"""Characters of a judge's reason; the page has all of it."""
_SAFE_IN_LINK = "%/:?#@!$&'+,;=~-._"


def to_markdown(report: Report) -> str:
    """Return head, scores and counts, units that need review, then every sentence with its evidence."""
    return _PAGES.fill("report_text.md", **report_values(report))


def many_to_markdown(reports: Reports, over_all: OverAll) -> Iterator[str]:
    """Yield head, scores over all, a line per response, then the contradicted claims of the first responses."""
    yield from _PAGES.stream("run_text.md", **template_values(reports, over_all))


def _escaped_value(value: object) -> Markup:
    """Escape a value, so that it is shown literally: everything that a template prints passes through here."""
    return value if isinstance(value, Markup) else Markup(escaped(str(value)))  # noqa: S704 - escaped


def blocks(caller: Callable[[], str]) -> Markup:
    """Return the text of a template with one blank line between its paragraphs, lists and tables."""
    return Markup(re.sub(r"\n{3,}", "\n\n", caller().strip()) + "\n")  # noqa: S704 - escaped by the template


def joined(separator: str, *values: str | None) -> Markup:
    """Join those values that are not empty, each escaped."""
    return Markup(separator).join(map(_escaped_value, filter(None, values)))  # noqa: S704 - our own words


def mark(state: State) -> Markup:
    """Return the glyph and the word of a state."""
    return Markup(f"{MARKS[state].glyph} {MARKS[state].word}")  # noqa: S704 - our own words


def shortened(text: str) -> str:
    """Return the beginning of a judge's reason."""
    return wording.excerpt(text, _LONGEST_REASON)


def linked(url: str | None, name: str) -> Markup:
    """Return the name, linked where the address is one of the web."""
    address = wording.web_address(url)
    # Every character that could end the target of a link is percent-encoded.
    target = f"[{escaped(name)}]({quote(address, safe=_SAFE_IN_LINK)})" if address else escaped(name)
    return Markup(target)  # noqa: S704 - escaped


def source(document: Document | None) -> Markup:
    """Return the source, linked when it has a web address."""
    if document is None:
        return _escaped_value("unknown source")
    name, is_linked = source_name(document), wording.web_address(document.url)
    return linked(document.url, name) if is_linked else joined(", ", name, source_address(document))


def sources_of(cards: Iterable[Card]) -> Iterable[Markup]:
    """Return the sources of these cards, each once."""
    return dict.fromkeys(source(card.document) for card in cards if card.document)


_PAGES = Pages(
    "factscope.report",
    (),
    (blocks, joined, linked, mark, shortened, source, sources_of),
    finalize=_escaped_value,
    dotted=partial(joined, " · "),
    KIND_WORDS=KIND_WORDS,
    STATE_WORDS=STATE_WORDS,
    USE_WORDS=searches.USE_WORDS,
    sources=source_notes,
)
