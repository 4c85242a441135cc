"""The sentence of a passage that is quoted for a label: not a title or a question, which state nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from factscope.claims.text.titles import is_title
from factscope.core.records import Span
from factscope.judging.verifiers.wording.clauses import same_quantity
from factscope.judging.verifiers.wording.features import closest
from factscope.judging.verifiers.wording.numbers import words_of
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, AnalysedText
from factscope.judging.verifiers.wording.windows import SentenceChunk

_NEIGHBOURS = 2
"""Sentences before and after a quote of which one may have the amount that decides."""


def deciding_sentence(
    sentence: AnalysedText,
    passage: AnalysedText,
    nearest: Span,
    read_chunks: list[SentenceChunk],
    scores: NDArray[np.float64],
) -> Span:
    """Return `nearest` if it is in the chunk that decides, else that chunk's sentence closest to the claim.

    In the place of a question, and of a title that has not all words of the claim, the text below it is returned.
    """
    chunk = read_chunks[int(scores.argmax())]
    inside = passage.stretches[chunk.low : chunk.high]
    if not any(stretch.start == nearest.start for stretch in inside) and any(stretch.items for stretch in inside):
        best = inside[closest(sentence.stretches[0], inside)]
        nearest = best.span
    return _below_title(sentence, passage, nearest, inside)


def with_details(sentence: AnalysedText, passage: AnalysedText, nearest: Span) -> Span:
    """Return the sentence with more of the claim's numbers and names than the nearest has, if there is one.

    `closest` lets another number count half, which is right for a contradiction.
    """
    details = {item.key for item in sentence.stretches[0].items if item.kind in NUMERIC or item.kind == "name"}
    shared = [details.intersection(stretch.keys) for stretch in passage.stretches]
    at = next(number for number, stretch in enumerate(passage.stretches) if stretch.start == nearest.start)
    best = max(range(len(shared)), key=lambda number: (shared[number] > shared[at], len(shared[number])))
    stretch = passage.stretches[best if shared[best] > shared[at] else at]
    return stretch.span


def rival_sentence(sentence: AnalysedText, passage: AnalysedText, quote: Span) -> tuple[Span, str] | None:
    """Return the sentence nearest to a quote with another amount where the claim's is nowhere, and a reason.

    It is for a contradiction that nothing in the quote explains: "The rent may rise once a year. The increase is at
    most 4 %." A number without a unit may count anything, and another sentence with a year be about another event.
    """
    (claimed,) = sentence.stretches
    at = next((number for number, stretch in enumerate(passage.stretches) if stretch.start == quote.start), None)
    if at is None:
        return None
    nearby = sorted(
        passage.stretches[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1], key=lambda s: abs(s.start - quote.start)
    )
    absent = [
        item
        for item in claimed.of_kind("count", "percent", "year")
        if (item.unit or item.kind != "count") and not any(same_quantity(item, other) for other in passage.items)
    ]
    return next(
        (
            (stretch.span, f"the passage has {words_of(passage.text, theirs)}, not {words_of(sentence.text, ours)}")
            for ours in absent
            for stretch in nearby
            if ours.kind != "year" or stretch.start == quote.start
            for theirs in stretch.of_kind(ours.kind)
            if theirs.unit == ours.unit and not any(same_quantity(theirs, item) for item in claimed.items)
        ),
        None,
    )


def answers_no(pair: SentencePair) -> bool:
    """Tell whether the closest sentence is a question that the next one answers with "no"."""
    following = pair.passage.stretches[pair.nearest_at + 1 : pair.nearest_at + 2]
    return _is_question(pair.nearest, pair.passage.text) and any(stretch.lower[:1] == ("no",) for stretch in following)


def _below_title(
    sentence: AnalysedText, passage: AnalysedText, nearest: Span, inside: Sequence[AnalysedSentence]
) -> Span:
    """Return the text below a title or question, that which shares most of its other words with the claim."""
    title = {item.key for stretch in inside if stretch.start == nearest.start for item in stretch.items}
    others = sentence.stretches[0].keys - title
    below = [stretch for stretch in inside if stretch.start >= nearest.end and not _is_heading(stretch, passage.text)]
    is_silent = _is_question(nearest, passage.text) or (others and _is_heading(nearest, passage.text))
    if not below or not is_silent:
        return nearest
    best = max(below, key=lambda stretch: (len(others & stretch.keys), len(stretch.items) > 1))
    return best.span


def _is_heading(stretch: Span | AnalysedSentence, text: str) -> bool:
    line = text[stretch.start : stretch.end].strip()
    return line.startswith("#") or is_title(line)


def _is_question(stretch: Span | AnalysedSentence, text: str) -> bool:
    return text[stretch.start : stretch.end].rstrip("*_ ").endswith("?")
