"""Problems of a text's citations, one line each, with line and column."""

from factscope.report.citations.citation_cells import citation_cells
from factscope.report.citations.lines import CitationProblem, problem_lines
from factscope.report.citations.overview import CitationView, SourceRow, citation_view

__all__ = [
    "CitationProblem",
    "CitationView",
    "SourceRow",
    "citation_cells",
    "citation_view",
    "problem_lines",
]
