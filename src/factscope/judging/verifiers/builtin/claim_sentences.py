"""A claim cut into the sentences that are judged one by one."""

from __future__ import annotations

import re

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import tokens
from factscope.core.records import Span
from factscope.judging.verifiers.builtin.analysis import WordWeights, analyse
from factscope.judging.verifiers.builtin.features import AnalysedText, pieces_of

SHORT = 4
"""A sentence of a claim with fewer words is judged with the one before it."""
LONGEST = 500
"""Words of a sentence; a longer one is a list, not a statement, and would take minutes to compare."""
# Labels in small letters ("Tour guide") are told from "Opening hours" and "The result" by who speaks in dialogues; not
# by offices, since "Town mayor: Ida Kern" states something. In "Big Ben: It was built in 1859" the name is the subject.
_SPEAKERS = (
    r"agent|announcer|assistant|boy|caller|commentator|correspondent|customer|girl|guest|guide|historian|host|"
    r"interviewee|interviewer|journalist|listener|man|moderator|narrator|passenger|presenter|pupil|ranger|reporter|"
    r"resident|speaker|student|teacher|tourist|user|visitor|voice|witness|woman"
)
_LEAD = re.compile(
    r"(?:(?:[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2}(?!: (?:It|Its|He|His|She|Her|They|Their)\b)|"
    rf"(?=[A-Z])(?:[\w'’-]+ ){{0,2}}(?i:{_SPEAKERS})(?: \d{{1,2}})?)"
    r": (?=[A-Z]\S*\s+(?:\S+\s+){2}))?"
    r"(?:(?:Yes|No|Well|Sure|Certainly|Of course|Unfortunately|Fortunately|Luckily|Happily|Sadly|Tragically|"
    r"Regrettably|Surprisingly|Interestingly|Curiously|Remarkably|Notably|Impressively|Importantly|Ironically|Admittedly|"
    r"Understandably|Indeed|In fact|As it happens|Needless to say|To be fair|To be sure), )?"
)
"""Speaker, answering word or comment before a statement, which no passage could confirm."""


def longest_sentence(text: str) -> int:
    """Return the number of words of the longest sentence."""
    return max((len(tokens(span.of(text))) for span in sentences(text)), default=0)


def read_sentences(text: str, weights: WordWeights) -> tuple[AnalysedText, ...]:
    """Analyse a claim by sentence; join a very short one to the one before it, and split an overlong one."""
    spans: list[Span] = []
    for span in sentences(text):
        if spans and len(tokens(span.of(text))) < SHORT:
            spans[-1] = Span(start=spans[-1].start, end=span.end)
        else:
            spans.append(span)
    edges = [piece for span in spans for piece in pieces_of(text, _without_lead(text, span))]
    stretches = [stretch for start, end in edges or [(0, len(text))] for stretch in analyse(text, start, end, weights)]
    with_items = [stretch for stretch in stretches if stretch.items]
    return tuple(AnalysedText(text, (stretch,)) for stretch in with_items or stretches[:1])


def _without_lead(text: str, span: Span) -> Span:
    lead = _LEAD.match(text, span.start)
    return Span(start=lead.end(), end=span.end) if lead and lead.end() < span.end else span


def text_of(sentence: AnalysedText) -> str:
    """Return the text of a claim's sentence."""
    (stretch,) = sentence.stretches
    return sentence.text[stretch.start : stretch.end]
