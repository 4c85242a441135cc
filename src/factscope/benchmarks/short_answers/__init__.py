"""Short answers: SimpleQA Verified, SimpleQA, FACTS Parametric and FACTS Search, graded against one correct answer."""

from factscope.benchmarks.short_answers.grading import GRADE_WORDS, ROLE, STEP, Grades, grade_answers, read_grade
from factscope.benchmarks.short_answers.known_benchmarks import SHORT_ANSWERS, ShortAnswerBenchmark
from factscope.benchmarks.short_answers.question_files import Questions, read_questions
from factscope.benchmarks.short_answers.short_answer_figures import ShortAnswerSummary, f1_of, summarise
from factscope.benchmarks.short_answers.short_answer_result import (
    KIND,
    MergedShortAnswers,
    as_json,
    document,
    read_results,
)

__all__ = [
    "GRADE_WORDS",
    "KIND",
    "ROLE",
    "SHORT_ANSWERS",
    "STEP",
    "Grades",
    "MergedShortAnswers",
    "Questions",
    "ShortAnswerBenchmark",
    "ShortAnswerSummary",
    "as_json",
    "document",
    "f1_of",
    "grade_answers",
    "read_grade",
    "read_questions",
    "read_results",
    "summarise",
]
