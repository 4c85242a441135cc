"""A report on one screen: the findings, then only the sentences that need review."""

from __future__ import annotations

from textwrap import wrap

from rich.console import Console
from rich.text import Text

from factscope.core import Report, plurals
from factscope.report import source_notes, wording
from factscope.report.build_view import view_of
from factscope.report.console import LABEL, ConsolePage, chip, plain_text, styled
from factscope.report.evidence_cards import source_name
from factscope.report.states import MARKS
from factscope.report.view import ReportView, SegmentView, UnitView
from factscope.scoring import measure
from factscope.scoring.verdicts.roll_up import worst

MOST = 10
"""Sentences listed: with two lines of evidence each, head and foot, a report then fits into 40 lines or a few more."""
_QUOTED = ("contradicted", "mixed")
_WIDTH = 100  # columns of a line; a warning takes two at most
_MOST_WARNINGS = 2  # warnings that fit a screen
_MOST_QUOTED = 2  # lines of a quote: one often ends before the words that decide
_NO_BREAK = "\xa0"
_MOST_LINES = 5  # characters of a reason: the error and how to fix it


def print_short(report: Report, console: Console) -> None:
    """Print the headline, the score with its coverage, the counts, and what needs review."""
    if wording.is_about_citations(report):
        from factscope.report.citations.citation_terminal import print_citations  # few reports need it

        print_citations(report, console)
        return
    page, view = ConsolePage(console), view_of(report)
    write_head(page, report, score_line(report))
    page.write(counts_line(report))
    not_read = source_notes.not_read(report, _MOST_WARNINGS)
    for warning in filter(None, (*report.warnings[:_MOST_WARNINGS], not_read)):
        page.write(wording.excerpt(warning, 2 * _WIDTH), styled("! ", "bold yellow"))
    for failure in view.failures[:_MOST_WARNINGS]:
        page.write(wording.excerpt(failure.message, 2 * _WIDTH), chip("failed", ""))
    if view.problems:
        _review_list(page, view)
    if note := wording.small_verifier(report):
        page.note(note)


def write_head(page: ConsolePage, report: Report, below: str) -> None:
    """Print what made the report, its headline, and the line below that."""
    results = [f"Factscope {report.factscope}", wording.method_title(report), source_notes.searched(report)]
    page.note(" · ".join(filter(None, results)))
    page.blank()
    page.write(styled(wording.headline(report), "bold"))
    page.write(below)


def counts_line(report: Report) -> Text:
    """Return the number of claims by outcome, their sum, and how much can't be checked: no claim by the headline."""
    counts = dict(wording.outcome_counts(report))
    not_checkable = counts.pop("not_checkable", 0)
    line = Text(" + ").join([chip(outcome, f"{n} {MARKS[outcome].word}") for outcome, n in counts.items()])
    line += Text(f" = {plurals.many(sum(counts.values()), 'claim')}" if counts else "0 claims")
    if not_checkable:
        line += Text(", ") + chip("not_checkable", f"{not_checkable} {MARKS['not_checkable'].word}")
    return line


def segment_label(view: SegmentView) -> Text:
    """Return the number and mark of a segment, padded to one width."""
    label = styled(f"{view.number:>3} ", "dim") + chip(view.state, MARKS[view.state].word)
    return label + Text(" " * (LABEL + 6 - label.cell_len))


def short_text(report: Report) -> str:
    """Return the output of `print_short` as plain text without colours, with a final line end."""
    return plain_text(lambda console: print_short(report, console), _WIDTH)


def brief_text(report: Report) -> str:
    """Return the headline and the score in one line, without a line end."""
    if wording.is_about_citations(report):
        from factscope.report.citations.lines import headline, problem_lines

        return headline(report, problem_lines(report))
    return f"{wording.headline(report)} {score_line(report)}"


def score_line(report: Report) -> str:
    """Return text such as `Claims supported 0.50 (95% interval 0.25 to 0.75), coverage 100%, 3 of 9 excluded`."""
    precision, coverage = measure(report, ("factual_precision", "coverage"))
    words = wording.score_words(precision)
    interval = f" ({words.interval})" if words.interval else ""
    covered = f"coverage {wording.percent(coverage.value)}" if coverage.value is not None else "nothing to judge"
    return ", ".join(filter(None, (f"{words.title} {words.value}{interval}", covered, wording.excluded_share(report))))


def _review_list(page: ConsolePage, view: ReportView) -> None:
    page.blank()
    more = len(view.problems) - MOST
    shown = view.problems[:MOST] if more > 1 else view.problems  # a line that stands for one saves none
    for problem in shown:
        _segment_line(page, problem)
    if more > 1:
        page.note(f"{more} more sentences need review: the full report lists them (--full).")
    page.blank()


def _segment_line(page: ConsolePage, view: SegmentView) -> None:
    """Print a sentence on one line; below it the claim that decides, the words against it, or why it failed."""
    label = segment_label(view)
    room = max(page.width - label.cell_len, 24)
    page.write(wording.excerpt(view.segment.text, room), label)
    if view.state == "failed" and (reason := _failure_reason(view)):
        for line in wrap(wording.excerpt(reason, _MOST_LINES * room), room):
            page.note(line, indent=LABEL + 6)
    decisive = _decisive(view) if len(view.units) > 1 else None
    if decisive:
        claim = wording.excerpt(decisive.text, room - 2)
        page.write(claim, chip(decisive.verdict.outcome, ""), indent=LABEL + 6)
    if view.state not in _QUOTED:
        return
    against = next((card for unit in view.units for card in unit.side("against") if card.quote), None)
    if against is None or against.quote is None:
        return
    source = wording.excerpt(source_name(against.document) if against.document else "unknown", 30)
    quote = wording.excerpt(against.quote, max(_MOST_QUOTED * room - len(source) - 16, 24))
    for line in wrap(f"“{quote}” {f'— {source}'.replace(' ', _NO_BREAK)}", room):
        page.note(line.replace(_NO_BREAK, " "), indent=LABEL + 6)


def _decisive(view: SegmentView) -> UnitView | None:
    """Return the claim that decides the verdict on a sentence of several; `None` for a failure, shown otherwise."""
    outcome = worst([unit.verdict.outcome for unit in view.units])
    return next((unit for unit in view.units if unit.verdict.outcome == outcome), None) if outcome != "failed" else None


def _failure_reason(view: SegmentView) -> str | None:
    """Return why a sentence failed: the reason of its first failed unit."""
    failed = [unit for unit in view.units if unit.verdict.outcome == "failed"]
    messages = [failure.message for unit in failed for failure in (*unit.failures, *unit.unread)]
    return next(filter(None, [*messages, *(unit.verdict.reason for unit in failed)]), None)
