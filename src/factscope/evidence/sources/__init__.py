"""Categories of web sources by their host names: tables and rules first, a model for the rest."""

from factscope.evidence.sources.assign import own_table
from factscope.evidence.sources.model_classifier import ASK, SourceClassifier

from .assign import UNKNOWN, AssignedCategory, categorise, of_address

__all__ = ["ASK", "UNKNOWN", "AssignedCategory", "SourceClassifier", "categorise", "of_address", "own_table"]
