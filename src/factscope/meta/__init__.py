"""Evaluating the evaluators: a checker's verdicts against people's labels.

samples → tasks (given) → reports (running) → what is said of each piece (said, recorded) → laid against the labels
(matching) → figures (evaluating, result) → tables and pages
"""

from factscope.meta.asked import Evaluator, ask
from factscope.meta.evaluating import Data, Side, Wanted, compare
from factscope.meta.given import Units, default_units, tasks
from factscope.meta.recorded import read_predictions
from factscope.meta.result import Checker, Result, as_json
from factscope.meta.running import run_method, with_own_evidence
from factscope.meta.said import Rule

__all__ = [
    "Checker",
    "Data",
    "Evaluator",
    "Result",
    "Rule",
    "Side",
    "Units",
    "Wanted",
    "as_json",
    "ask",
    "compare",
    "default_units",
    "read_predictions",
    "run_method",
    "tasks",
    "with_own_evidence",
]
