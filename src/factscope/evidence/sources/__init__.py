"""Categories of web sources by their host names: tables and rules first, a model for the rest."""

from factscope.evidence.sources.assign import (
    ASK,
    UNKNOWN,
    AssignedCategory,
    SourceClassifier,
    categorise,
    of_address,
    own_table,
)

__all__ = ["ASK", "UNKNOWN", "AssignedCategory", "SourceClassifier", "categorise", "of_address", "own_table"]
