"""One public example of FACTS Grounding as a page: its document once, then each model's answer with the judges' labels.

Judges repeat an answer and quote its document. Here each sentence is shown once, followed by the judges' labels, and an
excerpt is a link into the document, so that a board of hundreds of examples and several models stays small.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from factscope.benchmarks.leaderboard.boards import SharedExample
from factscope.claims.text.segments import sentences
from factscope.core import Finding, Quote, Report, Span
from factscope.report.judges import FLAG_WORDS, JudgeSummary, judges_say, number_of
from factscope.report.states import LABELS, State
from factscope.report.wording import clip

_LONGEST = 400
"""Characters of the reason of a judge that does not label sentences."""
_GRAVE: tuple[State, ...] = ("contradicted", "undecided")
"""Labels whose reasons are shown, because the sentence is not grounded."""


class Mark(NamedTuple):
    """A label after a sentence."""

    state: State
    judges: str
    """Numbers of the judges that gave it; empty for all judges that label sentences."""
    targets: tuple[str, ...]
    """Anchors in the document of their excerpts, the first of each judge."""


class Reason(NamedTuple):
    """Reason why a sentence is not grounded."""

    judge: int
    word: str
    text: str


class MarkedSentence(NamedTuple):
    """A sentence of an answer with the judges' labels."""

    text: str
    marks: tuple[Mark, ...]
    reasons: tuple[Reason, ...]


class Judged(NamedTuple):
    """Verdict of some judges on a whole answer."""

    state: State
    judges: str
    word: str


class AnswerView(NamedTuple):
    """The answer of one row."""

    name: str
    slug: str
    judged: tuple[Judged, ...]
    """Phase A, then the judges that call it ineligible."""
    reasons: tuple[Reason, ...]
    """Reasons of judges that do not label sentences."""
    sentences: tuple[MarkedSentence, ...]
    loose: tuple[MarkedSentence, ...]
    """Labelled sentences that are not in the answer."""


class DocumentPiece(NamedTuple):
    """A piece of the document."""

    text: str
    anchor: str
    """Name to link to; empty if nothing links to it."""


class ExampleView(NamedTuple):
    """Everything on the page."""

    id: str
    request: str
    system: str
    judges: tuple[str, ...]
    """In the order of their numbers."""
    document: tuple[DocumentPiece, ...]
    answers: tuple[AnswerView, ...]


@dataclass
class _Documents:
    """Sentences of the documents, and those that excerpts refer to."""

    texts: dict[str, str] = field(default_factory=dict)
    spans: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    anchors: dict[tuple[str, int], str] = field(default_factory=dict)
    """Names of those sentences, by document and number."""

    def add(self, report: Report) -> None:
        """Add the documents of a report."""
        for name, text in (
            *((document.id, document.text) for document in report.response.context),
            *((passage.document_id, passage.text) for passage in report.passages),
        ):
            if text and name not in self.texts:
                self.texts[name], self.spans[name] = text, sentences(text)

    def anchor(self, quote: Quote, report: Report) -> str:
        """Name of the sentence in which an excerpt begins; empty when there is no such."""
        passage = next((passage for passage in report.passages if passage.id == quote.passage_id), None)
        if passage is None:
            return ""
        document = passage.document_id
        start = quote.span.start + (passage.span.start if self.texts[document] != passage.text else 0)
        number = next((n for n, span in enumerate(self.spans[document]) if start < span.end), None)
        return "" if number is None else self.anchors.setdefault((document, number), f"q{len(self.anchors) + 1}")

    def pieces(self) -> Iterable[DocumentPiece]:
        """Yield the documents in pieces, each cited sentence with its anchor."""
        for name, text in self.texts.items():
            at = 0
            for number, span in enumerate(self.spans[name]):
                if (name, number) in self.anchors:
                    yield DocumentPiece(text[at : span.start], "")
                    yield DocumentPiece(span.of(text), self.anchors[name, number])
                    at = span.end
            yield DocumentPiece(text[at:], "")


def example_view(example: SharedExample, slugs: Mapping[str, str]) -> ExampleView:
    """Return the content of the page of an example.

    `slugs` are the addresses of the rows; answers of others are left out.
    """
    documents = _Documents()
    answers, names = [], dict[int, str]()
    asked = example.answers[0][1]().response
    for name, read in example.answers:
        if name in slugs:
            report = read()
            documents.add(report)
            answers.append(_answer(name, slugs[name], report, documents))
            names |= {number: judge.judge for number, judge in enumerate(judges_say(report), 1)}
    judges = tuple(names[number] for number in sorted(names))
    frame = (asked.system or "").replace("{{context}}", "…").replace("{{prompt}}", "…")
    return ExampleView(example.id, asked.prompt or "", frame, judges, tuple(documents.pieces()), tuple(answers))


def _answer(name: str, slug: str, report: Report, documents: _Documents) -> AnswerView:
    judges, text = judges_say(report), report.response.text
    n_labelling = len({finding.judgement_id for finding in report.findings})
    marked = []
    for span in sentences(text):
        overlapping = [finding for finding in report.findings if finding.span and _holds(span, finding.span)]
        marked.append(_marked(span.of(text), overlapping, report, documents, n_labelling))
    loose = [_marked(each.text, [each], report, documents, 0) for each in report.findings if each.span is None]
    reasons = [
        Reason(number, judge.grounded, clip(judge.reason, _LONGEST))
        for number, judge in enumerate(judges, 1)
        if judge.reason and not judge.sentences
    ]
    return AnswerView(name, slug, tuple(_judged(judges)), tuple(reasons), tuple(marked), tuple(loose))


def _judged(judges: Sequence[JudgeSummary]) -> Iterator[Judged]:
    """Group the judges that give the whole answer the same verdict."""
    by_word: defaultdict[tuple[State, str], list[int]] = defaultdict(list)
    for number, judge in enumerate(judges, 1):
        by_word[judge.state, judge.grounded].append(number)
        if judge.eligible is False:
            by_word["contradicted", "ineligible"].append(number)
    for (state, word), numbers in by_word.items():
        yield Judged(state, _listed(numbers), word)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _holds(sentence: Span, labelled: Span) -> bool:
    """Return whether a judge's sentence covers half of a segment, or lies within it."""
    common = min(sentence.end, labelled.end) - max(sentence.start, labelled.start)
    return 2 * common >= min(sentence.end - sentence.start, labelled.end - labelled.start)


def _marked(
    text: str, findings: Sequence[Finding], report: Report, documents: _Documents, n_labelling: int
) -> MarkedSentence:
    judges_by_state: defaultdict[State, set[int]] = defaultdict(set)
    targets: defaultdict[State, list[str]] = defaultdict(list)
    reasons = []
    for finding in findings:
        judge, state = number_of(finding.judgement_id), LABELS[finding.label].state
        judges_by_state[state].add(judge)
        targets[state] += [anchor for quote in finding.quotes if (anchor := documents.anchor(quote, report))][:1]
        texts = [finding.rationale, *(FLAG_WORDS[flag] for flag in finding.flags)]
        if state in _GRAVE or finding.flags:
            reasons.append(Reason(judge, finding.raw_label, "; ".join(filter(None, texts))))
    marks = tuple(
        Mark(state, "" if len(own) == n_labelling else _listed(own), tuple(dict.fromkeys(targets[state])))
        for state, own in judges_by_state.items()
    )
    return MarkedSentence(text, marks, tuple(reasons))
