"""The report in a terminal: the findings, the sentences that need review, then the text sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from factscope.core import OUTCOMES, Correction, Failure, Report, Score, plurals
from factscope.report import source_notes, wording
from factscope.report.build_view import view_of
from factscope.report.console import ConsolePage, chip, styled
from factscope.report.evidence_cards import source_name
from factscope.report.judges import judges_say
from factscope.report.renderers import Reports
from factscope.report.run_summary import COUNTED, ResponseLine, RunTotal, lines, total_of
from factscope.report.states import MARKS
from factscope.report.terminal_evidence import evidence, listed_sources, search
from factscope.report.terminal_short import counts_line, segment_label, write_head
from factscope.report.usage_words import usage_words
from factscope.report.view import ReportView, SegmentView, UnitView
from factscope.scoring.credibility import Band

MOST_PROBLEMS = 10  # lines of problems that fit a screen
_VERDICT = 2 + max(len(MARKS[outcome].word) for outcome in OUTCOMES)
"""Columns of the glyph and word of an outcome."""

_BAND_STYLES: dict[Band, str] = {"red": "red", "orange": "yellow", "green": "green"}


def print_report(report: Report, console: Console) -> None:
    """Print `report` for a person. Outside text is shown inert.

    Colours only if `console` supports them; glyphs and words give the same information.
    """
    page, view = ConsolePage(console), view_of(report)
    if wording.is_about_citations(report):
        from factscope.report.citations.citation_terminal import print_citations

        print_citations(report, console, most=None)
        page.blank()
    _head(page, view)
    _problems(page, view)
    if view.parts:
        page.title("Text, sentence by sentence")
    spaced = True
    for piece in view.parts:
        # Supported claims form one compact block; each other claim has a block of its own.
        if not spaced and piece.problem:
            page.blank()
        _segment(page, piece)
        if spaced := piece.problem:
            page.blank()
    if not spaced:
        page.blank()
    _judges(page, report)
    if source_notes.is_described(report):
        listed_sources(page, report.documents)
    _provenance(page, view)
    page.note(" ".join(filter(None, [wording.REVIEW, wording.small_verifier(report)])))


def print_reports(reports: Reports, scores: Sequence[Score], console: Console, left_out: Sequence[str] = ()) -> None:
    """Print the scores over all responses, then a line for each.

    `left_out` are rows that could not be checked, such as `Row 3: it has no text`.
    """
    page, total = ConsolePage(console), total_of(reports, left_out)
    page.note(", ".join(total.methods))
    page.write(styled(total.headline, "bold"))
    if total.n:
        page.write(f"{total.ended}; {total.troubles}")
    _warnings(page, total.warnings)
    page.blank()
    _scores(page, scores)
    if total.n:
        _table(page, total, lines(reports, total))
        page.blank()
    page.note(wording.REVIEW)


def _table(page: ConsolePage, total: RunTotal, of: Iterable[ResponseLine]) -> None:
    """Write a line per response under the names of the columns, or two where the ids leave no room for them."""
    scores = [f"[{number}]" for number, _ in enumerate(total.score_names, 1)]
    heads = [*(MARKS[outcome].glyph for outcome in COUNTED), *scores, "cover", "fail"]
    meanings = [f"{MARKS[outcome].glyph} {MARKS[outcome].word}" for outcome in COUNTED]
    meanings += [
        f"{head} {wording.score_title(wording.one_line(name))}"
        for head, name in zip(scores, total.score_names, strict=True)
    ]
    page.note(", ".join(meanings))
    page.blank()
    wide = max(total.longest_id, len("response"))
    fits = wide + 2 + _VERDICT + 6 * len(heads) <= page.console.width
    if fits:
        page.line(styled(f"{'response':<{wide}}  {'verdict':<{_VERDICT}}{_cells(heads)}", "bold"))
    for line in of:
        cells = [*map(str, line.counts), *line.scores, line.coverage, str(line.failures)]
        mark = chip(line.outcome, MARKS[line.outcome].word)
        mark += Text(" " * (_VERDICT - mark.cell_len))
        name = wording.one_line(line.id)
        if fits:
            page.line(Text(f"{set_cell_size(name, wide)}  ") + mark + Text(_cells(cells)))
        else:
            page.write(name, mark + Text("  "))
            nonzero = [f"{head} {cell}" for head, cell in zip(heads, cells, strict=True) if cell not in ("", "0")]
            page.note(" · ".join(nonzero), indent=_VERDICT + 2)


def _cells(cells: Iterable[str]) -> str:
    return "".join(f" {cell:>5}" for cell in cells)


def _head(page: ConsolePage, view: ReportView) -> None:
    report = view.report
    write_head(page, report, wording.coverage_line(report))
    _warnings(page, filter(None, (*report.warnings, source_notes.not_read(report))))
    page.blank()
    _scores(page, report.scores)
    page.write(counts_line(report))
    for text in filter(None, (wording.counted_once(report.verdicts), wording.cascaded(report))):
        page.write(text)
    if origins := source_notes.origins(report):
        notes = ", ".join(f"{origin.kind} {origin.n} ({origin.share})" for origin in origins)
        page.write(f"{notes}, of {plurals.many(len(report.passages), 'passage')}", styled("sources: ", "dim"))
    for text in filter(None, (source_notes.copied(report), source_notes.excluded(report.excluded))):
        page.write(text)
    for failure in view.failures:
        _failure(page, failure, indent=0)


def _warnings(page: ConsolePage, warnings: Iterable[str]) -> None:
    for warning in warnings:
        page.write(warning, styled("! note: ", "bold yellow"))


def _scores(page: ConsolePage, scores: Sequence[Score]) -> None:
    for score in map(wording.score_words, scores):
        style = f"bold {_BAND_STYLES[score.band]}" if score.band else "bold"
        line = Text.assemble((score.value, style), "  ", wording.one_line(score.title))
        if score.band:
            line.append_text(styled(f", {wording.BAND_WORDS[score.band]}", "dim"))
        details = [score.over, score.interval, score.coverage]
        page.write(line)
        page.note(" · ".join(filter(None, details)), indent=6)
    if scores:
        page.blank()


def _problems(page: ConsolePage, view: ReportView) -> None:
    if not view.problems:
        return
    page.title("Needs review")
    for problem in view.problems[:MOST_PROBLEMS]:
        text = wording.excerpt(problem.segment.text, 160)
        page.write(text, segment_label(problem))
    if (more := len(view.problems) - MOST_PROBLEMS) > 0:
        page.note(f"and {more} more, marked below", indent=page.indent)


def _segment(page: ConsolePage, view: SegmentView) -> None:
    """Write one segment: its text beside its mark, then the outcome of each of its claims."""
    style = "dim" if view.state == "not_checkable" else "bold" if view.problem else ""
    text = wording.inert(view.segment.text) if view.segment.kind == "code" else wording.one_line(view.segment.text)
    page.write(styled(text, style), segment_label(view))
    for failure in view.failures:
        _failure(page, failure)
    for unit in view.units:
        _unit(page, unit, is_single=len(view.units) == 1)


def _unit(page: ConsolePage, unit: UnitView, *, is_single: bool) -> None:
    outcome, indent = unit.verdict.outcome, page.indent
    if outcome == "not_checkable" and is_single:
        reason = wording.one_line(unit.verdict.reason or MARKS[outcome].meaning)
        page.write(styled(reason, "dim italic"), indent=indent)
        return
    if unit.differs:
        page.write(styled(wording.one_line(unit.text), "italic"), Text("› "), indent=indent)
        indent += 2
    cause = unit.why
    text = [cause, unit.sure, None if unit.disputed else unit.agreement, unit.judged_by]
    about = wording.one_line(" · ".join(filter(None, text)))
    brief = is_single and outcome == "supported" and not cause and not unit.disputed and bool(unit.side("for"))
    if not brief and (not is_single or about):
        mark = Text() if is_single else chip(outcome, MARKS[outcome].word) + Text("  " if about else "")
        page.write(mark + styled(about, "dim"), indent=indent)
    if unit.loose:
        shown_text = ", ".join(f"“{wording.one_line(stretch)}”" for stretch, loose in unit.loose if loose)
        page.note(f"not backed by the evidence: {shown_text}", indent=indent)
    for risk in unit.risks:
        page.write(wording.rests_on(risk.id, risk.text, outcome), indent=indent)
    if unit.disputed:
        _panel(page, unit, indent)
    if unit.correction:
        _correction(page, unit, unit.correction, indent)
    for failure in unit.failures:
        _failure(page, failure, indent)
    evidence(page, unit, indent, about if brief else "")
    if outcome != "supported":
        search(page, unit, indent)


def _panel(page: ConsolePage, unit: UnitView, indent: int) -> None:
    """Print each judge's result, one a line."""
    for judge in unit.panel:
        about = [judge.judge, wording.sure(judge.confidence, judge.confidence_from), judge.labels]
        mark = chip(judge.outcome, MARKS[judge.outcome].word) + Text("  ")
        page.note(" · ".join(filter(None, about)), mark, indent + 2)


def _judges(page: ConsolePage, report: Report) -> None:
    """Print each judge's labels of the sentences of a whole response, and its eligibility."""
    if not (text := judges_say(report)):
        return
    page.title("Judge by judge")
    for prediction in text:
        page.write(styled(wording.one_line(prediction.judge), "bold"))
        eligibility = "" if prediction.eligible is None else "eligible: " if prediction.eligible else "ineligible: "
        eligible = styled(f" · {eligibility}{prediction.eligible_words}", "dim")
        page.write(chip(prediction.state, prediction.grounded) + eligible, indent=2)
        for sentence in prediction.sentences:
            mark = chip(sentence.state, sentence.word) + Text("  ")
            page.write(wording.excerpt(sentence.text, 400), mark, indent=4)
            for excerpt in sentence.excerpts:
                page.write(f"“{wording.excerpt(excerpt, 400)}”", indent=8)
            if message := " · ".join(filter(None, (sentence.reason, *sentence.remarks))):
                page.note(message, indent=8)
        page.blank()


def _correction(page: ConsolePage, unit: UnitView, correction: Correction, indent: int) -> None:
    page.write(f"{wording.ERROR_WORDS[correction.error]} ({correction.error})", Text("what is wrong: "), indent)
    if not correction.text:
        page.write(wording.UNCORRECTED, indent=indent)
        return
    page.write(correction.text, Text("should say: "), indent)
    if unit.basis and unit.basis[0] not in {card.quote for card in unit.best}:
        quote, document = unit.basis
        source = wording.one_line(source_name(document) if document else "unknown source")
        page.write(f"“{wording.excerpt(quote, 400)}” — {source}", Text("because: "), indent)


def _provenance(page: ConsolePage, view: ReportView) -> None:
    """Print the models, their prompts and the cost; nothing for a method that calls no language model."""
    report = view.report
    if not report.models:
        return
    page.write(styled("How it was checked", "bold"))
    page.blank()
    rows = [(f"model for {role}", model) for role, model in report.models.items()]
    rows += [(f"prompt {name}", digest) for name, digest in report.prompts.items()]
    for used in usage_words(report.usage):
        message = filter(None, (used.model, used.calls, used.tokens, used.cost, used.seconds))
        rows.append((f"used for {used.role}", " · ".join(message)))
    labels = [wording.excerpt(name, 32) for name, _ in rows]
    wide = max(map(cell_len, labels))
    for label, (_, value) in zip(labels, rows, strict=True):
        lead = styled(label + " " * (wide + 2 - cell_len(label)), "dim")
        page.write(value, lead)
    if view.self_reported:
        page.note(wording.SELF_REPORTED)
    page.blank()


def _failure(page: ConsolePage, failure: Failure, indent: int | None = None) -> None:
    label = chip("failed", "failed") + styled(f" in {failure.stage} ({failure.boundary}): ", "bold")
    page.write(label + Text(wording.one_line(failure.message)), indent=page.indent if indent is None else indent)
