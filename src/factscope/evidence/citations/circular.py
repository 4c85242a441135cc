"""Circular sources: the checked text itself, a copy of it, or a page based on it."""

from __future__ import annotations

import re

from factscope.claims.citations.reference import identity
from factscope.claims.text.segments import sentences
from factscope.core.records import Response

COPIED = 0.5
"""Share of the text's sentences, word for word, from which a source counts as a copy of it."""
_FEWEST_COPIED = 3
"""Sentences; fewer may be a quotation."""
_FEWEST_WORDS = 6  # shorter sentences occur in many texts
_LONGEST = 200  # sentences of the text that are searched for
_TITLE = re.compile(r"\A\s*(?:#[ \t]+|<h1[^<>]*>)([^\n<]{12,200})")
_MARK = re.compile(r"\[[^\]\n]*\]\([^)\n]*\)|\[[^\]\n]{1,40}\]|\([^()\n]*\d{4}[^()\n]*\)|[\W_]+")
_FEWEST_TITLE_WORDS = 3  # shorter titles belong to many works


def why_circular(response: Response, url: str | None, text: str) -> str | None:
    """Return why a source can't be evidence for a text; None if there is no reason.

    A source is circular when it has the text's address, when it credits that address or the text's title as its origin,
    or when it contains at least half of the text's sentences and at least three.
    """
    if response.url and identity(url) == identity(response.url):
        return "it is this text itself"
    if response.url and (identity(response.url) or "url:?").removeprefix("url:") in text.casefold():
        return f"it names this text, {response.url}, as its own source"
    title = _TITLE.match(response.text)
    listing = " ".join(title[1].split()).rstrip("#").strip() if title else ""
    if len(listing.split()) >= _FEWEST_TITLE_WORDS and re.search(
        rf"(?:source|according to|from|report|based on|via)\W{{0,3}}(?:\w+\W+){{0,4}}?{re.escape(listing)}",
        text,
        re.IGNORECASE,
    ):
        return f"it rests on this text, “{listing}”"
    folded = _folded(text)
    individual = [
        words
        for span in sentences(response.text)[:_LONGEST]
        if len((words := _folded(span.of(response.text))).split()) >= _FEWEST_WORDS
    ]
    copied = sum(words in folded for words in individual)
    if copied >= _FEWEST_COPIED and copied >= COPIED * len(individual):
        return f"it is a copy of this text: {copied} of {len(individual)} sentences stand in it word for word"
    return None


def _folded(text: str) -> str:
    return " ".join(_MARK.sub(" ", text).casefold().split())
