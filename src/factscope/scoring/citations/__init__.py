"""Summary of a text's citations: pure functions of its records."""

from factscope.scoring.citations.citation_problems import CitationFault, ProblemKind, citation_problems, needs_source
from factscope.scoring.citations.counting import citation_counts
from factscope.scoring.citations.pairs import JUDGED, CitedPair, PairOutcome, cited_pairs

__all__ = [
    "JUDGED",
    "CitationFault",
    "CitedPair",
    "PairOutcome",
    "ProblemKind",
    "citation_counts",
    "citation_problems",
    "cited_pairs",
    "needs_source",
]
