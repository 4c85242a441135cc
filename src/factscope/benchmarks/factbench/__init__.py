"""FactBench (Bayat et al. 2024): models answer prompts in tiers, and the claims in their answers are checked."""

from factscope.benchmarks.factbench.factbench_document import document
from factscope.benchmarks.factbench.factbench_result import (
    FactBenchSettings,
    Labels,
    MergedFactBench,
    as_json,
    read_results,
    summary_of,
)
from factscope.benchmarks.factbench.factbench_run import TITLE, FactBenchOutcome, run_factbench
from factscope.benchmarks.factbench.labellers import ARBITER, role, with_labellers
from factscope.benchmarks.factbench.refusals import ROLE as REFUSAL_ROLE
from factscope.benchmarks.factbench.refusals import STEP as REFUSAL_STEP
from factscope.benchmarks.factbench.refusals import RefusalTypes, type_by_model, type_by_rule
from factscope.benchmarks.factbench.units import distinct_units

__all__ = [
    "ARBITER",
    "REFUSAL_ROLE",
    "REFUSAL_STEP",
    "TITLE",
    "FactBenchOutcome",
    "FactBenchSettings",
    "Labels",
    "MergedFactBench",
    "RefusalTypes",
    "as_json",
    "distinct_units",
    "document",
    "read_results",
    "role",
    "run_factbench",
    "summary_of",
    "type_by_model",
    "type_by_rule",
    "with_labellers",
]
