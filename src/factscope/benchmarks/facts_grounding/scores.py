"""FACTS Grounding (Jacovi et al. 2025): the verdicts of several judges → a table with intervals.

Pure functions of arrays (`VerdictArrays`), without model calls.
"""

from factscope.benchmarks.facts_grounding.judge_agreement import JudgeAgreement, agreement
from factscope.benchmarks.facts_grounding.judge_error_correction import CorrectedShare, rogan_gladen
from factscope.benchmarks.facts_grounding.rank_fusion import FusedRank, fused_rank
from factscope.benchmarks.facts_grounding.run_scores import (
    GroundingSummary,
    Refusals,
    ScoreTable,
    SplitAgreement,
    summarise,
)
from factscope.benchmarks.facts_grounding.score_table import (
    Average,
    Cell,
    Effect,
    ModelDifference,
    ModelRow,
    averages,
    columns,
    differences,
    effects,
    rows,
)
from factscope.benchmarks.facts_grounding.self_preference import Preference, Preferences, self_preference
from factscope.benchmarks.facts_grounding.template_choice import (
    CRITERIA,
    TemplateChoice,
    TemplateMetrics,
    TemplateScore,
    choose,
    metrics,
)
from factscope.benchmarks.facts_grounding.verdict_arrays import MIN_CONSENSUS, VerdictArrays, disqualified, final

__all__ = [
    "CRITERIA",
    "MIN_CONSENSUS",
    "Average",
    "Cell",
    "CorrectedShare",
    "Effect",
    "FusedRank",
    "GroundingSummary",
    "JudgeAgreement",
    "ModelDifference",
    "ModelRow",
    "Preference",
    "Preferences",
    "Refusals",
    "ScoreTable",
    "SplitAgreement",
    "TemplateChoice",
    "TemplateMetrics",
    "TemplateScore",
    "VerdictArrays",
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
