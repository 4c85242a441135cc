"""Short answers: SimpleQA Verified, SimpleQA, FACTS Parametric and FACTS Search, graded against one correct answer."""

from factscope.benchmarks.short_answers.figures import PENALTY, ShortAnswerSummary, summarise
from factscope.benchmarks.short_answers.grading import ROLE, STEP, Grades, grade_answers
from factscope.benchmarks.short_answers.known_benchmarks import SHORT_ANSWERS, ShortAnswerBenchmark
from factscope.benchmarks.short_answers.questions import Question, Questions, read_questions
from factscope.benchmarks.short_answers.short_answer_result import (
    KIND,
    MergedShortAnswers,
    as_json,
    print_summary,
    read_results,
)

__all__ = [
    "KIND",
    "PENALTY",
    "ROLE",
    "SHORT_ANSWERS",
    "STEP",
    "Grades",
    "MergedShortAnswers",
    "Question",
    "Questions",
    "ShortAnswerBenchmark",
    "ShortAnswerSummary",
    "as_json",
    "grade_answers",
    "print_summary",
    "read_questions",
    "read_results",
    "summarise",
]
