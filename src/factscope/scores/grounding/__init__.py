"""FACTS Grounding (Jacovi et al. 2025): from the verdicts of several judges to a table that one can trust.

Pure functions of arrays (`Verdicts`): nothing here asks a model.
"""

from factscope.scores.grounding.agreement import Agreement, agreement
from factscope.scores.grounding.board import (
    Average,
    Cell,
    Difference,
    Effect,
    Row,
    averages,
    columns,
    differences,
    effects,
    rows,
)
from factscope.scores.grounding.correction import Corrected, rogan_gladen
from factscope.scores.grounding.fused import Standing, fused_rank
from factscope.scores.grounding.preference import Preference, Preferences, self_preference
from factscope.scores.grounding.summary import Refusals, SplitAgreement, Summary, Table, summarise
from factscope.scores.grounding.templates import CRITERIA, Choice, Metrics, Tried, choose, metrics
from factscope.scores.grounding.verdicts import MIN_CONSENSUS, Verdicts, disqualified, final

__all__ = [
    "CRITERIA",
    "MIN_CONSENSUS",
    "Agreement",
    "Average",
    "Cell",
    "Choice",
    "Corrected",
    "Difference",
    "Effect",
    "Metrics",
    "Preference",
    "Preferences",
    "Refusals",
    "Row",
    "SplitAgreement",
    "Standing",
    "Summary",
    "Table",
    "Tried",
    "Verdicts",
    "agreement",
    "averages",
    "choose",
    "columns",
    "differences",
    "disqualified",
    "effects",
    "final",
    "fused_rank",
    "metrics",
    "rogan_gladen",
    "rows",
    "self_preference",
    "summarise",
]
