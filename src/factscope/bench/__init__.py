"""Benchmarks of language models: candidates answer, judges judge, and a table says how sure it is."""

from factscope.judging.answers import Answers

from .facts_grounding import Outcome, Seats, answer_all, run_grounding
from .result import as_json, judge_names, summary_of
from .terminal import print_summary

__all__ = [
    "Answers",
    "Outcome",
    "Seats",
    "answer_all",
    "as_json",
    "judge_names",
    "print_summary",
    "run_grounding",
    "summary_of",
]
