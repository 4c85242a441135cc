"""Problems of a text's citations, shown: one line a problem, with its line and column."""

from factscope.report.citations.cells import citation_cells
from factscope.report.citations.lines import ProblemLine, problem_lines, source_label
from factscope.report.citations.overview import CitationView, citation_view

__all__ = [
    "CitationView",
    "ProblemLine",
    "citation_cells",
    "citation_view",
    "problem_lines",
    "source_label",
]
