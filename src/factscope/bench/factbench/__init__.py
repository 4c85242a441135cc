"""FactBench (Bayat et al. 2024): models answer prompts in tiers, and what they state is checked."""

from .refusals import ROLE as REFUSAL_ROLE
from .refusals import Typing, type_by_model, type_by_rule
from .result import Labels, Recorded, Settings, as_json, read_results, summary_of
from .run import Outcome, distinct_units, have_answers, response_id, responses, run_factbench
from .terminal import print_leaderboard

__all__ = [
    "REFUSAL_ROLE",
    "Labels",
    "Outcome",
    "Recorded",
    "Settings",
    "Typing",
    "as_json",
    "distinct_units",
    "have_answers",
    "print_leaderboard",
    "read_results",
    "response_id",
    "responses",
    "run_factbench",
    "summary_of",
    "type_by_model",
    "type_by_rule",
]
