"""Inspect's entry point (group `inspect_ai`): loading it makes `factscope/…` names known."""

from factscope.integrations.inspect_scorers import factual, grounded
from factscope.integrations.inspect_tasks import facts_grounding, felm, simpleqa_verified

__all__ = ["facts_grounding", "factual", "felm", "grounded", "simpleqa_verified"]
