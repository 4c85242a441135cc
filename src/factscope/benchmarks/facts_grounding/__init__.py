"""FACTS Grounding (Jacovi et al. 2025): models answer from a document, judges say whether they did, a table is made."""

from factscope.benchmarks.facts_grounding.grounding_document import document
from factscope.benchmarks.facts_grounding.grounding_result import as_json, summary_of
from factscope.benchmarks.facts_grounding.grounding_run import (
    GroundingJudges,
    GroundingOutcome,
    run_grounding,
)
from factscope.benchmarks.generate import Answers

__all__ = [
    "Answers",
    "GroundingJudges",
    "GroundingOutcome",
    "as_json",
    "document",
    "run_grounding",
    "summary_of",
]
