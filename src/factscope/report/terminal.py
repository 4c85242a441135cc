"""The report in a terminal: what was found, what to look at, then the text sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from factscope.records import Failure, Report
from factscope.report import words
from factscope.report.cards import Card, Side
from factscope.report.marks import MARKS, State
from factscope.report.view import Part, Unit, View, view_of
from factscope.scores.credibility import Band

MEASURE = 100
"""Widest line of running text, in columns; longer ones are hard to read."""

LABEL = 2 + max(len(mark.word) for mark in MARKS.values())
"""Columns of a glyph and its word."""

MOST_PROBLEMS = 10
MOST_QUOTES = 2
"""Quotes shown on each side of one claim; the page shows all."""

_BAND_STYLES: dict[Band, str] = {"red": "red", "orange": "yellow", "green": "green"}

_SIDES: dict[Side, tuple[State, str]] = {
    "for": ("supported", "for"),
    "against": ("contradicted", "against"),
    "aside": ("undecided", "near"),
    "failed": ("failed", "not judged"),
}


class _Page:
    """Writes paragraphs with a hanging indent, no wider than the console and without trailing spaces."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = max(min(console.width, MEASURE + LABEL), 20)
        # Under the sentence where there is room, else near the margin.
        self.indent = LABEL + 6 if self.width >= 80 else 4

    def write(self, body: Text, label: Text | None = None, indent: int = 0) -> None:
        """Print `body`, wrapped beside `label`; further lines start under the first."""
        lead = Text(" " * indent)
        if label is not None:
            lead.append_text(label)
        body.expand_tabs(4)
        for line in body.wrap(self.console, max(self.width - lead.cell_len, 12)) or [Text()]:
            line.rstrip()
            self.console.print(lead + line, soft_wrap=True, highlight=False)
            lead = Text(" " * lead.cell_len)

    def blank(self) -> None:
        self.console.print()

    def title(self, text: str) -> None:
        self.blank()
        self.write(_styled(text, "bold"))
        self.blank()


def print_report(report: Report, console: Console) -> None:
    """Print `report` as text. Colours only where `console` has them; glyphs and words say the same without."""
    page, view = _Page(console), view_of(report)
    _head(page, view)
    _problems(page, view)
    if view.parts:
        page.title("The text, sentence by sentence")
    spaced = True
    for part in view.parts:
        # What is fine stands in one compact block; what is not stands alone.
        if not spaced and part.problem:
            page.blank()
        _part(page, part)
        if spaced := part.problem:
            page.blank()
    page.blank()
    page.write(
        _styled("A machine made these verdicts, and machines err: read the quotes before you rely on one.", "dim")
    )


def _head(page: _Page, view: View) -> None:
    report = view.report
    page.write(_styled(words.one_line(f"Factscope {report.factscope} · {words.method_title(report)}"), "dim"))
    page.blank()
    page.write(_styled(words.headline(report.counts), "bold"))
    page.write(Text(words.coverage_line(report.counts)))
    page.blank()
    for score in map(words.score_words, report.scores):
        style = f"bold {_BAND_STYLES[score.band]}" if score.band else "bold"
        line = Text.assemble((score.value, style), "  ", words.one_line(score.title))
        if score.band:
            line.append_text(_styled(f", {words.BAND_WORDS[score.band]}", "dim"))
        details = [score.over, score.interval, score.coverage]
        page.write(line)
        page.write(_styled(" · ".join(filter(None, details)), "dim"), indent=6)
    if report.scores:
        page.blank()
    counts = words.outcome_counts(report)
    line = Text(" + ").join([_chip(outcome, f"{n} {MARKS[outcome].word}") for outcome, n in counts])
    page.write(line + Text(f" = {words.many(sum(n for _, n in counts), 'unit')}" if counts else "0 units"))
    for failure in view.failures:
        _failure(page, failure, indent=0)


def _problems(page: _Page, view: View) -> None:
    if not view.problems:
        return
    page.title("What to look at")
    for part in view.problems[:MOST_PROBLEMS]:
        text = words.clip(words.one_line(part.segment.text), 160)
        page.write(Text(text), _label(part))
    if (more := len(view.problems) - MOST_PROBLEMS) > 0:
        page.write(_styled(f"and {more} more, marked below", "dim"), indent=page.indent)


def _part(page: _Page, part: Part) -> None:
    """One segment: its text beside its mark, then what was found on each of its claims."""
    style = "dim" if part.state == "not_checkable" else "bold" if part.problem else ""
    text = words.inert(part.segment.text) if part.segment.kind == "code" else words.one_line(part.segment.text)
    page.write(_styled(text, style), _label(part))
    for failure in part.failures:
        _failure(page, failure)
    for unit in part.units:
        _unit(page, unit, alone=len(part.units) == 1)


def _unit(page: _Page, unit: Unit, *, alone: bool) -> None:
    outcome, indent = unit.verdict.outcome, page.indent
    if outcome == "not_checkable" and alone:
        reason = words.one_line(unit.verdict.reason or MARKS[outcome].meaning)
        page.write(_styled(reason, "dim italic"), indent=indent)
        return
    if unit.differs:
        page.write(_styled(words.one_line(unit.text), "italic"), Text("› "), indent=indent)
        indent += 2
    told = {failure.message for failure in unit.failures}
    said = [words.sure(unit.verdict.confidence), unit.verdict.reason if unit.verdict.reason not in told else None]
    about = words.one_line(" · ".join(filter(None, said)))
    brief = alone and outcome == "supported" and not unit.verdict.reason and bool(unit.side("for"))
    if not brief and (not alone or about):
        mark = Text() if alone else _chip(outcome, MARKS[outcome].word) + Text("  " if about else "")
        page.write(mark + _styled(about, "dim"), indent=indent)
    if unit.correction and unit.correction.text:
        page.write(Text("should say: " + words.one_line(unit.correction.text)), indent=indent)
    for failure in unit.failures:
        _failure(page, failure, indent)
    _evidence(page, unit, indent, about if brief else "")


def _evidence(page: _Page, unit: Unit, indent: int, about: str) -> None:
    """What was read: quotes with their sources, or where none takes a side only the sources."""
    outcome = unit.verdict.outcome
    if outcome == "supported":
        cards = [*unit.side("for")[:1], *unit.side("against")[:1]]
    else:
        cards = [*unit.side("against")[:MOST_QUOTES], *unit.side("for")[:MOST_QUOTES]]
    for card in cards:
        _card(page, card, indent, about if card is cards[0] else "")
    if not cards and (read := [card for card in unit.side("aside") if card.passage]):
        if unit.near:
            _card(page, unit.near, indent, "")
        sources = list(dict.fromkeys(card.source for card in read))
        names = words.clip(words.one_line(", ".join(sources)), 200)
        page.write(_styled(f"read {words.many(len(read), 'passage')}: {names}", "dim"), indent=indent)
    for card in unit.side("failed"):
        message = words.one_line((card.judgement and card.judgement.failure) or "")
        page.write(Text(message), _chip(*_SIDES["failed"]) + Text(": "), indent=indent)


def _card(page: _Page, card: Card, indent: int, about: str) -> None:
    """One piece of evidence: its quote in quotation marks, then where it comes from."""
    state, side = _SIDES[card.side]
    label = _chip(state, side) + Text(" ")
    source = words.one_line(card.source)
    if card.document and card.document.title and card.document.url:
        source = f"{source}, {words.one_line(card.document.url)}"
    notes = "".join(f" [{note}]" for note in _notes(card)) + (f" · {about}" if about else "")
    if card.quote:
        body = Text(f"“{words.clip(words.one_line(card.quote), 400)}”")
    elif card.invented:
        body = _styled("quote not found in the passage", "italic")
    else:
        body = _styled("no quote given", "italic dim")
    page.write(body + _styled(f" — {source}{notes}", "dim"), label, indent)


def _notes(card: Card) -> Iterator[str]:
    if card.excluded:
        yield "ruled out by a person"
    for flag in card.document.flags if card.document else ():
        yield words.one_line(flag.replace("_", " "))


def _failure(page: _Page, failure: Failure, indent: int | None = None) -> None:
    label = _chip("failed", "failed") + _styled(f" in {failure.stage} ({failure.boundary}): ", "bold")
    page.write(label + Text(words.one_line(failure.message)), indent=page.indent if indent is None else indent)


def _styled(text: str, style: str) -> Text:
    """Text whose style ends with it: the base style of a `Text` would run on into what is added."""
    return Text.assemble((text, style))


def _chip(state: State, text: str) -> Text:
    """Glyph and words of a state in its colours."""
    mark = MARKS[state]
    return _styled(f"{mark.glyph} {text}", mark.style)


def _label(part: Part) -> Text:
    """Number and mark of a segment, padded to one width."""
    label = _styled(f"{part.number:>3} ", "dim") + _chip(part.state, MARKS[part.state].word)
    return label + Text(" " * (LABEL + 6 - label.cell_len))
