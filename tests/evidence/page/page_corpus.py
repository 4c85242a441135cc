"""Handwritten pages that look like real ones, with their main text marked, and how much of it a reader finds.

Main text is the part of a page that a fact checker needs: headline, standfirst, body, captions, lists and tables; not
bylines, share tools, advertisements, related links, comments below news, or references. A page marks it with
`<!--main-->` and `<!--/main-->`, and exceptions with `<!--not-->` and `<!--/not-->`. The first line states what a
reader should find out about the page.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "pages"
TUNED_ON = 2
"""One page in this many, by name, was used to choose the extraction; the others were held out."""


class Sample(NamedTuple):
    """A page and its expected reading."""

    name: str
    content: bytes
    gold: dict[str, Any]
    main: str
    """The marked text; empty for a page without any."""
    held_out: bool


@cache
def samples() -> tuple[Sample, ...]:
    """Return all pages, by name."""
    pieces = dict(
        re.findall(
            r"^=== (\S+)\n(.*?)(?=^=== |\Z)", (FOLDER / "chrome.txt").read_text("utf-8"), re.MULTILINE | re.DOTALL
        )
    )
    found = []
    for number, path in enumerate(sorted(FOLDER.glob("*.html"))):
        first, source = path.read_text("utf-8").split("\n", 1)
        gold = json.loads(first.removeprefix("<!--gold ").removesuffix("-->"))
        source = re.sub(r"<!--chrome (\S+?)-->", lambda match: pieces[match[1]], source)
        parts = re.findall(r"<!--main-->(.*?)<!--/main-->", source, re.DOTALL)
        main = " ".join(said(re.sub(r"<!--not-->.*?<!--/not-->", " ", part, flags=re.DOTALL)) for part in parts)
        source = re.sub(r"<!--/?(?:main|not)-->", "", source)
        content = source.encode(gold.get("encoding", "gb18030" if "gb18030" in source else "utf-8"))
        found.append(Sample(path.stem, content, gold, main, number % TUNED_ON != 0))
    return tuple(found)


def said(markup: str) -> str:
    """Return the text of a piece of markup."""
    return html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?(?:b|i|em|strong|span|code|a|sup)\b[^>]*>", "", markup)))


def words(text: str) -> Counter[str]:
    """Count the words of a text, or its letters for scripts without spaces between words."""
    return Counter(re.findall(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+", text.casefold()))


class Overlap(NamedTuple):
    """Coverage of one text by another, in words."""

    precision: float
    recall: float
    f1: float


def overlap(found: str, wanted: str) -> Overlap:
    """Return the share of found words that are wanted, of wanted words that are found, and their harmonic mean."""
    have, want = words(found), words(wanted)
    both = (have & want).total()
    precision, recall = both / max(1, have.total()), both / max(1, want.total())
    return Overlap(precision, recall, 2 * both / max(1, have.total() + want.total()))


def mean(values: Iterable[float]) -> float:
    """Return the mean of the values."""
    numbers = list(values)
    return sum(numbers) / len(numbers)
