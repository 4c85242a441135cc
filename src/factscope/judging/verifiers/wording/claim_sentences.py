"""A claim cut into the sentences that are judged one by one."""

from __future__ import annotations

import re

from factscope.claims.text.segments import sentences
from factscope.claims.text.table_lines import named_cells
from factscope.claims.text.terms import tokens, words
from factscope.core import PatternFile
from factscope.core.records import Span
from factscope.judging.verifiers.wording.analysis import analyse
from factscope.judging.verifiers.wording.features import pieces_of
from factscope.judging.verifiers.wording.text_items import AnalysedText, WordWeights

SHORT = 4
"""A sentence of a claim with fewer words is judged with the one before it."""
LONGEST = 500
"""Words of a sentence; a longer one is a list, not a statement, and would take minutes to compare."""
_LEAD = PatternFile(__package__, "claim_sentences.toml")["lead"]
"""Speaker, answering word or comment before a statement, which no passage could confirm."""
_ENDING = re.compile(r"[.!…\s\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u200d\ufe0f]")
"""A full stop, exclamation mark, space or emoji."""


def longest_sentence(text: str) -> int:
    """Return the number of words of the longest sentence."""
    return max((len(words(span.of(text))) for span in sentences(text)), default=0)


def read_sentences(text: str, weights: WordWeights) -> tuple[AnalysedText, ...]:
    """Analyse a claim by sentence; join a very short one to the one before it, and split an overlong one.

    A row of a table is read cell by cell.
    """
    spans: list[Span] = []
    for span in sentences(text):
        if spans and len(tokens(span.of(text))) < SHORT:
            spans[-1] = Span(start=spans[-1].start, end=span.end)
        else:
            spans.append(span)
    edges = [piece for span in spans for piece in pieces_of(text, _without_tail(text, _without_lead(text, span)))]
    pieces = [(cell, 0, len(cell)) for cell in _cell_sentences(text)] or [(text, *edge) for edge in edges]
    analysed = [
        AnalysedText(content, (stretch,))
        for content, start, end in pieces or [(text, 0, len(text))]
        for stretch in analyse(content, start, end, weights)
    ]
    return tuple(piece for piece in analysed if piece.stretches[0].items) or tuple(analysed[:1])


def _cell_sentences(row: str) -> list[str]:
    """Return the cells of a row that names its columns, as sentences; empty for another text.

    Of 57 altered cells of five tables, each read whole, 43 to 50 are contradicted and 2 to 7 supported; judged as they
    stand, 2 to 35 and 19 to 34.
    """
    is_prose = row.endswith(".")  # "He had one aim; as he put it: to win."
    (kind, label), *others = [("", "")] if is_prose else named_cells(row) or [("", "")]
    # Without a `kind`, as that of "Model: Duo", the columns are the things.
    pairs = (((name, label) if kind else (label, name), cell) for name, cell in others)
    return [f"The {_in_sentence(name)} of {thing} is {cell}." for (name, thing), cell in pairs]


def _in_sentence(name: str) -> str:
    return name[:1].lower() + name[1:] if name[1:].islower() else name


def _without_lead(text: str, span: Span) -> Span:
    lead = _LEAD.match(text, span.start)
    return Span(start=lead.end(), end=span.end) if lead and lead.end() < span.end else span


def _without_tail(text: str, span: Span) -> Span:
    """Return a sentence with one mark at its end: the network reads doubt into "!!!", and nothing into an emoji."""
    sentence = span.of(text)
    end = len(sentence)
    while end and _ENDING.match(sentence, end - 1):
        end -= 1
    end += sentence[end : end + 1] in (".", "!", "…")
    return Span(start=span.start, end=span.start + end) if end > 1 else span


def text_of(sentence: AnalysedText) -> str:
    """Return the text of a claim's sentence."""
    (stretch,) = sentence.stretches
    return sentence.text[stretch.start : stretch.end]
