"""FACTS Grounding (Jacovi et al. 2025): models answer from a document, judges label the answers."""

from factscope.benchmarks.facts_grounding.grounding_document import document
from factscope.benchmarks.facts_grounding.grounding_panel import GroundingPanel, panel_of
from factscope.benchmarks.facts_grounding.grounding_result import as_json, summary_of
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome, run_grounding

__all__ = [
    "GroundingOutcome",
    "GroundingPanel",
    "as_json",
    "document",
    "panel_of",
    "run_grounding",
    "summary_of",
]
