"""One grader compares each answer with the correct one: correct, incorrect, or not attempted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from factscope.benchmarks import Answers, Example, Marks, ask_each
from factscope.llm import ModelSession, StepQuestion, marked_label
from factscope.methods import Ask

Grade = Literal["correct", "incorrect", "not_attempted"]
ROLE = "grader"
"""Which of the configured models grades."""
STEP = Ask(prompt="short_answers/grade", role=ROLE, max_tokens=500)
_WORDS: dict[str, Grade] = {"CORRECT": "correct", "INCORRECT": "incorrect", "NOT_ATTEMPTED": "not_attempted"}
GRADE_WORDS: dict[str, str] = {grade: word for word, grade in _WORDS.items()}
"""Words of the grader, by grade, as its prompt wants them."""


class Graded(NamedTuple):
    """An answer with its grade."""

    grade: Grade
    reason: str
    """The grader's words before it; empty for a grade that nobody had to give."""


Grades = Marks[Graded]
"""All answers with their grades, by the grader."""


async def grade_answers(
    rows: Sequence[Example],
    answers: Answers,
    session: ModelSession,
    on_graded: Callable[[int, int], None] = lambda done, total: None,
) -> Grades:
    """Have every answer graded by the model of the role `grader`.

    An empty answer, and one that its provider refused to write, is not attempted; nobody is asked. Replies are kept in
    the cache, so that the same call carries on after any stop. Raises UsageError when the role has no model, and errors
    that would affect every call.
    """
    questions = {row.id: row for row in rows}
    texts = {key: text for key, text in answers.texts.items() if key[1] in questions}

    async def grade_one(key: tuple[str, str]) -> Graded:
        """Grade one answer."""
        question = questions[key[1]]
        variables = {"prompt": question.request.prompt or "", "gold": question.gold, "response": texts[key]}
        return (await session.ask(StepQuestion(STEP, variables, {"grade": GRADE_WORDS}), read_grade)).value

    graded, missing = await ask_each([key for key, text in texts.items() if text], grade_one, on_graded)
    grades = {key: Graded("not_attempted", "") for key, text in texts.items() if not text} | graded
    return Grades(grades, session.models.described(ROLE), missing, session.ledger.usage())


def read_grade(text: str) -> Graded:
    """Read a reply of the grader. Raises UnreadableError."""
    grade = _WORDS[marked_label(text, "Grade", list(_WORDS))]
    return Graded(grade, text.strip().rpartition("\n")[0].strip())
