"""The report in a terminal: what was found, what to look at, then the text sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from factscope.labels import OUTCOMES
from factscope.records import Correction, Failure, Report, Score
from factscope.report import words
from factscope.report.cards import Card, Side, source_name
from factscope.report.many import COUNTED, Line, Reports, Total, lines, total_of
from factscope.report.marks import MARKS, State
from factscope.report.view import Part, Unit, View, view_of
from factscope.scores.credibility import Band

MEASURE = 100
"""Widest line of running text, in columns; longer ones are hard to read."""

LABEL = 2 + max(len(mark.word) for mark in MARKS.values())
"""Columns of a glyph and its word."""

MOST_PROBLEMS = 10
_VERDICT = 2 + max(len(MARKS[outcome].word) for outcome in OUTCOMES)
"""Columns of the glyph and word of an outcome."""

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

    def line(self, text: Text) -> None:
        """Print a line of a table as it is, cut off where the console ends."""
        text.truncate(self.console.width)
        text.rstrip()
        self.console.print(text, soft_wrap=True, highlight=False)

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
    if not spaced:
        page.blank()
    _how(page, view)
    page.write(_styled(words.REVIEW, "dim"))


def print_reports(reports: Reports, scores: Sequence[Score], console: Console) -> None:
    """Print the scores over all responses, then a line for each."""
    page, total = _Page(console), total_of(reports)
    page.write(_styled(words.one_line(", ".join(total.methods)), "dim"))
    page.write(_styled(total.headline, "bold"))
    if total.n:
        page.write(Text(f"{total.ended}; {words.many(total.n_failures, 'failure')}"))
    _warnings(page, total.warnings)
    page.blank()
    _scores(page, scores)
    if total.n:
        _table(page, total, lines(reports, total))
        page.blank()
    page.write(_styled(words.REVIEW, "dim"))


def _table(page: _Page, total: Total, of: Iterable[Line]) -> None:
    """A line per response under the names of the columns, or two where the ids leave no room for them."""
    scores = [f"[{number}]" for number, _ in enumerate(total.score_names, 1)]
    heads = [*(MARKS[outcome].glyph for outcome in COUNTED), *scores, "cover", "fail"]
    meanings = [f"{MARKS[outcome].glyph} {MARKS[outcome].word}" for outcome in COUNTED]
    meanings += [
        f"{head} {words.score_title(words.one_line(name))}"
        for head, name in zip(scores, total.score_names, strict=True)
    ]
    page.write(_styled(", ".join(meanings), "dim"))
    page.blank()
    wide = max(total.longest_id, len("response"))
    fits = wide + 2 + _VERDICT + 6 * len(heads) <= page.console.width
    if fits:
        page.line(_styled(f"{'response':<{wide}}  {'verdict':<{_VERDICT}}{_cells(heads)}", "bold"))
    for line in of:
        cells = [*map(str, line.counts), *line.scores, line.coverage, str(line.failures)]
        chip = _chip(line.outcome, MARKS[line.outcome].word)
        chip += Text(" " * (_VERDICT - chip.cell_len))
        name = words.one_line(line.id)
        if fits:
            page.line(Text(f"{set_cell_size(name, wide)}  ") + chip + Text(_cells(cells)))
        else:
            page.write(Text(name), chip + Text("  "))
            told = " · ".join(
                f"{head} {cell}" for head, cell in zip(heads, cells, strict=True) if cell not in ("", "0")
            )
            page.write(_styled(told, "dim"), indent=_VERDICT + 2)


def _cells(cells: Iterable[str]) -> str:
    return "".join(f" {cell:>5}" for cell in cells)


def _head(page: _Page, view: View) -> None:
    report = view.report
    page.write(_styled(words.one_line(f"Factscope {report.factscope} · {words.method_title(report)}"), "dim"))
    page.blank()
    page.write(_styled(words.headline(report.counts), "bold"))
    page.write(Text(words.coverage_line(report.counts)))
    _warnings(page, report.warnings)
    page.blank()
    _scores(page, report.scores)
    counts = words.outcome_counts(report)
    line = Text(" + ").join([_chip(outcome, f"{n} {MARKS[outcome].word}") for outcome, n in counts])
    page.write(line + Text(f" = {words.many(sum(n for _, n in counts), 'unit')}" if counts else "0 units"))
    if once := words.counted_once(report.verdicts):
        page.write(Text(once))
    for failure in view.failures:
        _failure(page, failure, indent=0)


def _warnings(page: _Page, warnings: Iterable[str]) -> None:
    for warning in warnings:
        page.write(Text(words.one_line(warning)), _styled("! warning: ", "bold yellow"))


def _scores(page: _Page, scores: Sequence[Score]) -> None:
    for score in map(words.score_words, scores):
        style = f"bold {_BAND_STYLES[score.band]}" if score.band else "bold"
        line = Text.assemble((score.value, style), "  ", words.one_line(score.title))
        if score.band:
            line.append_text(_styled(f", {words.BAND_WORDS[score.band]}", "dim"))
        details = [score.over, score.interval, score.coverage]
        page.write(line)
        page.write(_styled(" · ".join(filter(None, details)), "dim"), indent=6)
    if scores:
        page.blank()


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
    why = words.why(unit.verdict)
    sure = words.sure(unit.verdict.confidence, stated=unit.stated)
    said = [why if unit.verdict.reason not in told else None, sure, None if unit.disputed else unit.agreement]
    about = words.one_line(" · ".join(filter(None, said)))
    brief = alone and outcome == "supported" and not why and not unit.disputed and bool(unit.side("for"))
    if not brief and (not alone or about):
        mark = Text() if alone else _chip(outcome, MARKS[outcome].word) + Text("  " if about else "")
        page.write(mark + _styled(about, "dim"), indent=indent)
    for risk in unit.risks:
        page.write(Text(words.one_line(words.rests_on(risk.id, risk.text, outcome))), indent=indent)
    if unit.disputed:
        _panel(page, unit, indent)
    if unit.correction:
        _correction(page, unit, unit.correction, indent)
    for failure in unit.failures:
        _failure(page, failure, indent)
    _evidence(page, unit, indent, about if brief else "")
    if outcome != "supported":
        _search(page, unit, indent)


def _panel(page: _Page, unit: Unit, indent: int) -> None:
    """What each judge comes to, one a line."""
    for seat in unit.panel:
        about = [seat.judge, words.sure(seat.confidence, stated=seat.stated), seat.labels]
        line = _styled(words.one_line(" · ".join(filter(None, about))), "dim")
        page.write(line, _chip(seat.outcome, MARKS[seat.outcome].word) + Text("  "), indent + 2)


def _correction(page: _Page, unit: Unit, correction: Correction, indent: int) -> None:
    page.write(Text(f"{words.ERROR_WORDS[correction.error]} ({correction.error})"), Text("what is wrong: "), indent)
    if not correction.text:
        page.write(Text(words.UNCORRECTED), indent=indent)
        return
    page.write(Text(words.one_line(correction.text)), Text("should say: "), indent)
    if unit.basis and unit.basis[0] not in {card.quote for card in unit.best}:
        quote, document = unit.basis
        source = words.one_line(source_name(document) if document else "unknown source")
        page.write(Text(f"“{words.clip(words.one_line(quote), 400)}” — {source}"), Text("because: "), indent)


def _evidence(page: _Page, unit: Unit, indent: int, about: str) -> None:
    """What was read: quotes with their sources, or where none takes a side only the sources."""
    outcome = unit.verdict.outcome
    if outcome == "supported":
        cards = [*unit.side("for")[:1], *unit.side("against")[:1]]
    else:
        cards = [*unit.side("against")[:MOST_QUOTES], *unit.side("for")[:MOST_QUOTES]]
    for card in cards:
        _card(page, unit, card, indent, about if card is cards[0] else "")
    if not cards and (read := [card for card in unit.side("aside") if card.passage]):
        if unit.near:
            _card(page, unit, unit.near, indent, "")
        sources = list(dict.fromkeys(card.source for card in read))
        names = words.clip(words.one_line(", ".join(sources)), 200)
        page.write(_styled(f"read {words.many(unit.n_aside, 'passage')}: {names}", "dim"), indent=indent)
        if unit.near is None:
            _reason(page, read[0], indent)
    for card in unit.void:
        said = [f"{judgement.judge} said “{judgement.raw_label}”" for judgement in card.judgements]
        label = _chip("failed", "not counted") + Text(": ")
        page.write(Text(words.one_line(f"{', '.join(said)}, but {words.VOID}")), label, indent)
    for card in unit.side("failed"):
        message = words.one_line((card.judgement and card.judgement.failure) or "")
        page.write(Text(message), _chip(*_SIDES["failed"]) + Text(": "), indent=indent)


def _search(page: _Page, unit: Unit, indent: int) -> None:
    """How evidence was sought, where that says more than that it was."""
    if len(unit.queries) > 1:
        asked = ", ".join(f"“{query.text}”" for query in unit.queries)
        told = f"searched {words.many(len(unit.rounds), 'round')}: {words.clip(words.one_line(asked), 240)}"
        page.write(_styled(told, "dim"), indent=indent)
    if unit.ended:
        page.write(_styled(f"the search ended: {words.clip(words.one_line(unit.ended), 240)}", "dim"), indent=indent)


def _card(page: _Page, unit: Unit, card: Card, indent: int, about: str) -> None:
    """One piece of evidence: its quote in quotation marks, where it comes from, and why where it matters."""
    state, side = _SIDES[card.side]
    label = _chip(state, side) + Text(" ")
    source = words.one_line(card.source)
    if card.document and card.document.title and card.document.url:
        source = f"{source}, {words.one_line(card.document.url)}"
    notes = "".join(f" [{note}]" for note in _notes(unit, card)) + (f" · {about}" if about else "")
    if card.quote:
        body = Text(f"“{words.clip(words.one_line(card.quote), 400)}”")
    elif card.invented:
        body = _styled("quote not found in the passage", "italic")
    else:
        body = _styled("no quote given", "italic dim")
    page.write(body + _styled(f" — {source}{notes}", "dim"), label, indent)
    if unit.verdict.outcome != "supported":
        _reason(page, card, indent + 2)


def _reason(page: _Page, card: Card, indent: int) -> None:
    """The beginning of what the first judge of a card gives as its reason; the page has all of it."""
    said = next((judgement.rationale for judgement in card.judgements if judgement.rationale), None)
    if said:
        page.write(_styled(f"the machine’s reason: {words.clip(words.one_line(said), 240)}", "dim"), indent=indent)


def _notes(unit: Unit, card: Card) -> Iterator[str]:
    if unit.disputed and card.judgements:
        yield words.one_line("says " + ", ".join(dict.fromkeys(judgement.judge for judgement in card.judgements)))
    if card.excluded:
        yield "ruled out by a person"
    for flag in card.document.flags if card.document else ():
        yield words.one_line(flag.replace("_", " "))


def _how(page: _Page, view: View) -> None:
    """Who was asked what, and what that cost; nothing for a method that asks no language model."""
    report = view.report
    if not report.models:
        return
    page.write(_styled("How it was checked", "bold"))
    page.blank()
    rows = [(f"model for {role}", model) for role, model in report.models.items()]
    rows += [(f"prompt {name}", digest) for name, digest in report.prompts.items()]
    for used in words.usage_words(report.usage):
        told = filter(None, (used.model, used.calls, used.tokens, used.cost, used.seconds))
        rows.append((f"used for {used.role}", " · ".join(told)))
    labels = [words.clip(words.one_line(name), 32) for name, _ in rows]
    wide = max(map(cell_len, labels))
    for label, (_, value) in zip(labels, rows, strict=True):
        lead = _styled(label + " " * (wide + 2 - cell_len(label)), "dim")
        page.write(Text(words.one_line(value)), lead)
    if view.self_reported:
        page.write(_styled(words.SELF_REPORTED, "dim"))
    page.blank()


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
