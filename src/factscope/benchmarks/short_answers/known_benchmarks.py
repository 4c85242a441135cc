"""The benchmarks of short answers: a question, one correct answer, and a grader that compares a model's answer with it.

    {"problem": "To whom did …?", "answer": "…", "topic": "Politics", "answer_type": "Person"}

is a row of SimpleQA Verified. All are scored alike, so each is a value.
"""

from __future__ import annotations

from typing import NamedTuple


class ShortAnswerBenchmark(NamedTuple):
    """A benchmark of questions with one correct answer each."""

    id: str
    title: str
    cites: str
    data: str | None
    """Where its owners keep the public questions; `None` where a file must be named."""
    note: str
    """Caution for a reader of its figures."""


_SUITE = "The FACTS Leaderboard: A Comprehensive Benchmark for Large Language Model Factuality (Cheng et al. 2025)"
_KNOWN = (
    ShortAnswerBenchmark(
        "simpleqa-verified",
        "SimpleQA Verified: 1,000 short questions, cleaned and balanced",
        "SimpleQA Verified: A Reliable Factuality Benchmark to Measure Parametric Knowledge (Haas et al. 2025)",
        "google/simpleqa-verified:simpleqa_verified.csv",
        "It measures what a model knows: answers are to be written without search.",
    ),
    ShortAnswerBenchmark(
        "simpleqa",
        "SimpleQA: 4,326 short questions on which a model failed",
        "Measuring short-form factuality in large language models (Wei et al. 2024)",
        "basicv8vc/SimpleQA",
        "It measures what a model knows: answers are to be written without search.",
    ),
    ShortAnswerBenchmark(
        "facts-parametric",
        "FACTS Parametric: questions of users that Wikipedia answers, without search",
        _SUITE,
        None,
        "It measures what a model knows: answers are to be written without search.",
    ),
    ShortAnswerBenchmark(
        "facts-search",
        "FACTS Search: questions that take several searches",
        _SUITE,
        None,
        "The suite gives all models one search tool. Factscope gives a model none: bring answers that were written with"
        " it (--answers), and say with which.",
    ),
)
SHORT_ANSWERS = {benchmark.id: benchmark for benchmark in _KNOWN}
"""All of them, by id."""
