"""FACTS Grounding (Jacovi et al. 2025): from the verdicts of several judges to a table that one can trust.

Pure functions of arrays (`Verdicts`): nothing here asks a model.
"""

from factscope.benchmarks.facts_grounding.judge_agreement import Agreement, agreement
from factscope.benchmarks.facts_grounding.judge_error_correction import Corrected, rogan_gladen
from factscope.benchmarks.facts_grounding.rank_fusion import Standing, fused_rank
from factscope.benchmarks.facts_grounding.run_scores import Refusals, SplitAgreement, Summary, Table, summarise
from factscope.benchmarks.facts_grounding.score_table import (
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
from factscope.benchmarks.facts_grounding.self_preference import Preference, Preferences, self_preference
from factscope.benchmarks.facts_grounding.template_choice import CRITERIA, Choice, Metrics, Tried, choose, metrics
from factscope.benchmarks.facts_grounding.verdict_arrays import MIN_CONSENSUS, Verdicts, disqualified, final

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
