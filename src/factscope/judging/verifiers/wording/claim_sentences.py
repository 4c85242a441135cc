"""A claim cut into the sentences that are judged one by one."""

from __future__ import annotations

import re

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import tokens, words
from factscope.core.pattern_file import PatternFile
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
    """Analyse a claim by sentence; join a very short one to the one before it, and split an overlong one."""
    spans: list[Span] = []
    for span in sentences(text):
        if spans and len(tokens(span.of(text))) < SHORT:
            spans[-1] = Span(start=spans[-1].start, end=span.end)
        else:
            spans.append(span)
    edges = [piece for span in spans for piece in pieces_of(text, _without_tail(text, _without_lead(text, span)))]
    stretches = [stretch for start, end in edges or [(0, len(text))] for stretch in analyse(text, start, end, weights)]
    with_items = [stretch for stretch in stretches if stretch.items]
    return tuple(AnalysedText(text, (stretch,)) for stretch in with_items or stretches[:1])


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
