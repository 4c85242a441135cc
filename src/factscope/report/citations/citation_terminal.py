"""The citations of a text in a terminal: a summary, then one line per problem."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from factscope.core import Report, Score
from factscope.report import ConsolePage, styled, wording
from factscope.report.citations.lines import KIND_WORDS, CitationProblem, headline, problem_lines

MOST = 20
"""Problems listed unless all are asked for."""
_SHOWN = {
    "citation_recall": "recall",
    "citation_precision": "precision",
    "dead_sources": "dead sources",
    "altered_quotes": "altered quotes",
    "uncited_claims": "uncited claims",
}
_WIDTH = max(map(len, KIND_WORDS.values()))


def print_citations(report: Report, console: Console, most: int | None = MOST) -> None:
    """Print the counts, the scores of the citations and the first problems."""
    page, lines = ConsolePage(console), problem_lines(report)
    page.note(f"Factscope {report.factscope} · {wording.method_title(report)}")
    page.blank()
    page.write(styled(headline(report, lines), "bold"))
    for score in report.scores:
        if score.name in _SHOWN:
            page.write(Text(f"{_SHOWN[score.name]:<15} {_figure(score)}"), indent=2)  # a string would lose its spaces
    page.blank()
    for line in lines[:most]:
        _print(page, line)
    if most is not None and len(lines) > most:
        page.note(f"{len(lines) - most} more: see --full.")


def _figure(score: Score) -> str:
    words = wording.score_words(score)
    interval = f" ({words.interval})" if words.interval else ""
    difference = f", {score.n_failed} not scored" if score.n_failed else ""
    return f"{words.value}{interval} of {score.n}{difference}"


def _print(page: ConsolePage, line: CitationProblem) -> None:
    where = f"{line.line}:{line.column}"
    style = "red" if line.serious else "yellow"
    label = styled(f"{where:>7}  ", "dim") + styled(f"{KIND_WORDS[line.kind]:<{_WIDTH}}  ", style)
    about = f" {line.about}" if line.kind in ("uncited", "does_not_say", "unclear", "partly") else ""
    page.console.print(label + Text(wording.one_line(f"{line.message}{about}")), soft_wrap=True, highlight=False)
    if line.proposal:
        text = styled(wording.one_line(f"instead: {line.proposal}"), "green")
        page.console.print(Text(" " * label.cell_len) + text, soft_wrap=True, highlight=False)
