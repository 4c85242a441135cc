"""Evaluation of checkers: their verdicts against human labels.

samples → tasks (`tasks`) → reports (`run_methods`) → predictions for each part (`predictions`, `prediction_files`)
→ matched with the labels (`matching`) → figures (`evaluate`, `evaluation_result`) → tables and pages
"""

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.meta_eval.evaluate import CheckerSide, EvaluationOptions, compare
from factscope.benchmarks.meta_eval.evaluation_result import EvaluationResult, as_json
from factscope.benchmarks.meta_eval.evaluator import Evaluator, ask
from factscope.benchmarks.meta_eval.prediction_files import read_predictions
from factscope.benchmarks.meta_eval.run_methods import run_method, with_own_evidence
from factscope.benchmarks.meta_eval.tasks import default_units, tasks

__all__ = [
    "CheckerSide", "EvaluationOptions", "EvaluationResult", "Evaluator", "LabelledData", "as_json", "ask", "compare",
    "default_units", "read_predictions", "run_method", "tasks", "with_own_evidence",
]  # fmt: skip
