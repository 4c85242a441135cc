"""Type of a page: one with readable text, or a placeholder such as a captcha or an error page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from factscope.core import PatternFile
from factscope.evidence.page.visible_lines import VisibleLine, count_words

if TYPE_CHECKING:
    from lxml.html import HtmlElement

Kind = Literal["article", "list", "pdf", "text", "captcha", "cookie_wall", "paywall", "error_page", "empty"]
"""`article`: any page with text of its own. The last five have no text that could be evidence."""

UNUSABLE: dict[Kind, str] = {
    "captcha": "asks whether its reader is a human instead of showing its text",
    "cookie_wall": "shows nothing but a demand to consent to cookies or tracking",
    "paywall": "shows its text to subscribers or members only",
    "error_page": "is an error page: what was looked for is not there, or not now",
    "empty": "shows no text",
}
"""Why such a page is not evidence, worded to follow its address."""

SHORT = 250
"""Words of a whole page below which it may be a captcha or a cookie wall."""
LITTLE = 60
"""Words of main text below which a page may be an error page or a placeholder."""
TEASER = 120
"""Words of main text below which a page behind a paywall has shown only a teaser."""

_WORDINGS = PatternFile(__package__, "page_type.toml")
_ENDS = 200
"""Lines at the start and the end of a page in which a demand to subscribe is looked for."""
_LONGEST_DEMAND = 720
"""Characters of a line that asks to subscribe; a longer one is prose about subscriptions."""
_LEAST_LINKS = 4
"""Links in the main text from which a page may be a list of other pages."""
_LONGEST_TEASER = 400
"""Characters of a line in a list of other pages."""
_TEASER_START = 24
"""Characters by which a line of the main text is found among the lines of the page."""
_PROSE = 8
"""Words from which a line is prose, and not a label or an entry of a menu."""
_UNRENDERED = 20
"""Words of a whole page below which its scripts have hardly run: a name and a request to turn JavaScript on."""
_ROOTS = frozenset({"root", "app", "__next", "__nuxt", "gatsby", "svelte", "app-root", "react-root", "main-app"})


class PageSigns(NamedTuple):
    """Signs of the page's type among its elements, collected before any of them is removed."""

    source: str
    """The page as it was fetched."""
    scripted: bool
    """Whether it shows its text only after its scripts have run."""


def page_signs(tree: HtmlElement, source: str) -> PageSigns:
    """Read the signs of the kind of page from its elements."""
    silent = " ".join("".join(element.itertext()) for element in tree.iter("noscript"))
    roots = any((element.get("id") or "").lower() in _ROOTS for element in tree.iter("div", "main", "app-root"))
    scripts = next(tree.iter("script"), None) is not None
    return PageSigns(source, scripts and (roots or _WORDINGS["scripted"].search(silent) is not None))


def kind_of_page(
    title: str | None, lines: Sequence[VisibleLine], main: str, free: bool, page_signs: PageSigns
) -> tuple[Kind, tuple[str, ...]]:
    """Return the kind of a page and flags of it, from its visible lines and its main text."""
    n_words = sum(count_words(line.text) for line in lines)
    is_short = n_words <= SHORT
    headings = "\n".join([title or "", *(line.text for line in lines if line.heading)][:4])
    full_text = "\n".join(line.text for line in lines) if n_words <= 2 * SHORT else ""
    demands = _demands(lines)
    is_paid = not free or bool(demands)
    own_lines = [line for line in main.split("\n") if line and not (is_paid and line.removeprefix("- ") in demands)]
    n_own_words = sum(map(count_words, own_lines))
    if n_words < _UNRENDERED and (page_signs.scripted or _WORDINGS["scripted"].search(full_text)):
        return "empty", ("needs_javascript",)
    if n_words == 0:
        return "empty", ()
    if is_short and (_WORDINGS["captcha"].search(headings) or _asks_for_human(full_text, page_signs.source)):
        return "captcha", ()
    if n_own_words <= LITTLE and _WORDINGS["error"].search(headings):
        return "error_page", ()
    if is_short and _WORDINGS["no_site"].search(full_text):
        return "error_page", ()
    if full_text and _consent_only(lines, own_lines):
        return "cookie_wall", ()
    if is_paid and n_own_words <= TEASER:
        return "paywall", ("paywalled",)
    if not main:
        is_mostly_links = sum(line.linked for line in lines) > sum(len(line.text) - line.linked for line in lines)
        return "list" if is_mostly_links else "article", ("boilerplate_only",)
    return "list" if _is_list(lines, own_lines) else "article", ("paywalled",) if is_paid else ()


def words_beside(lines: Sequence[VisibleLine], text: str) -> int:
    """Count the words of those lines that are prose and not in the text, nor demands or notices of cookies."""
    letters = _letters(text)
    prose = (line.text for line in lines if not line.is_link and count_words(line.text) >= _PROSE)
    asking = (_WORDINGS["consent"], _WORDINGS["paywall"])
    missing = [line for line in prose if _letters(line) not in letters]
    return sum(count_words(line) for line in missing if not any(wording.search(line) for wording in asking))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _asks_for_human(text: str, source: str) -> bool:
    """Return whether a page says that it asks for proof of a human, and has a script that does."""
    lowered = source.lower() if _WORDINGS["captcha"].search(text) else ""
    return any(mark in lowered for mark in _WORDINGS.values["captcha_marks"].split())


def _demands(lines: Sequence[VisibleLine]) -> set[str]:
    """Return short lines that ask the reader to subscribe in order to read on."""
    ends = lines if len(lines) < 2 * _ENDS else [*lines[:_ENDS], *lines[-_ENDS:]]
    return {line.text for line in ends if len(line.text) < _LONGEST_DEMAND and _WORDINGS.matches("paywall", line.text)}


def _consent_only(lines: Sequence[VisibleLine], main: Sequence[str]) -> bool:
    """Return whether a page has little text but notices about cookies and tracking."""
    asking = [line.text for line in lines if _WORDINGS["consent"].search(line.text)]
    terms = {match[0].lower() for text in asking for match in _WORDINGS["consent"].finditer(text)}
    if len(terms) < 3:
        return False
    other = sum(count_words(text) for text in main if not _WORDINGS["consent"].search(text))
    return other <= LITTLE and sum(map(count_words, asking)) >= other


def _is_list(lines: Sequence[VisibleLine], main: Sequence[str]) -> bool:
    """Return whether the main text is links to other pages, each with a few words."""
    starts = {line.text[:_TEASER_START] for line in lines if line.is_link}
    starts |= {after.text[:_TEASER_START] for line, after in pairwise(lines) if line.is_link}
    items = sum(text.removeprefix("- ")[:_TEASER_START] in starts for text in main)
    return items >= _LEAST_LINKS and 2 * items >= len(main) and max(map(len, main)) < _LONGEST_TEASER
