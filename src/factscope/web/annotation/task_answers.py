"""Computations on the answers to one task: segments, differences, an adjudicator's starting point, final labels."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from factscope.web.annotation.annotation_forms import (
    MAX_LINKS,
    Annotation,
    AnnotationTask,
    ItemState,
    QueueMember,
    Role,
    SegmentMark,
    StoredTask,
)


def segments(text: str, cuts: Sequence[int]) -> list[str]:
    """Return the segments of a text; together they are the text."""
    return [text[start:end] for start, end in pairwise((0, *cuts, len(text)))]


def fits(answer: Annotation, task: AnnotationTask) -> str | None:
    """Return the problem with an answer on this task; None when there is none."""
    if answer.cuts and answer.cuts[-1] >= len(task.text):
        return f"A cut lies at {answer.cuts[-1]}, and the text ends at {len(task.text)}."
    if at := next((cut for cut in answer.cuts if task.text[cut].isspace()), None):
        return f"The cut at {at} lies before white space; a segment begins with something."
    return "The first segment is blank." if not segments(task.text, answer.cuts)[0].strip() else None


def blank(task: AnnotationTask) -> Annotation:
    """Return the empty first answer."""
    return Annotation(cuts=task.cuts, marks=(SegmentMark(),) * (len(task.cuts) + 1), references=task.references)


def stretches(answers: Sequence[Annotation]) -> list[int]:
    """Return the starts of the parts between the cuts of all these answers."""
    return sorted({0, *(cut for answer in answers for cut in answer.cuts)})


def mark_at(answer: Annotation, at: int) -> SegmentMark:
    """Return an answer's mark on the segment that contains an offset in the text."""
    return answer.marks[bisect_right(answer.cuts, at)]


def differ(answers: Sequence[Annotation]) -> bool:
    """Return whether answers differ: in keeping the sample, in right and wrong anywhere, or in the kind of error."""
    if len({answer.keep for answer in answers}) > 1:
        return True
    if not all(answer.keep for answer in answers):
        return False
    label = [
        {(mark_at(answer, at).correct, mark_at(answer, at).kind) for answer in answers} for at in stretches(answers)
    ]
    return any(len(labels) > 1 for labels in label)


def together(answers: Sequence[Annotation]) -> Annotation:
    """Merge the answers into a starting point: all of their cuts, and marks where all agree."""
    positions = stretches(answers)
    links = dict.fromkeys(link for answer in answers for link in answer.references)
    return Annotation(
        keep=any(answer.keep for answer in answers),
        done=not differ(answers),
        cuts=tuple(positions[1:]),
        marks=tuple(_common(answers, at) for at in positions),
        references=tuple(links)[:MAX_LINKS],
    )


def _common(answers: Sequence[Annotation], at: int) -> SegmentMark:
    """Return the mark that all give to an offset in the text, with the first reason for it; otherwise an empty one."""
    results = [mark_at(answer, at) for answer in answers]
    if len({(result.correct, result.kind) for result in results}) > 1:
        return SegmentMark()
    return next((result for result in results if result.reason), results[0])


@dataclass(frozen=True)
class TaskAnswers:
    """A task with all answers to it."""

    number: int
    """Its place in the queue."""
    stored: StoredTask
    answers: Mapping[QueueMember, Annotation]
    annotators: int
    """Number of annotators of the queue."""

    def of_role(self, role: Role) -> list[Annotation]:
        """Return the finished answers of members with one role."""
        return [answer for member, answer in self.answers.items() if member.role == role and answer.done]

    @property
    def answered(self) -> bool:
        """Whether every annotator has finished."""
        return len(self.of_role("annotator")) == self.annotators

    @property
    def decided(self) -> Annotation | None:
        """The answer that is final without a reviewer: an adjudicator's, or the annotators' common one."""
        supplied = self.of_role("annotator")
        common = together(supplied) if self.answered and not differ(supplied) else None
        return next(iter(self.of_role("adjudicator")), common)

    @property
    def final(self) -> Annotation | None:
        """The final answer: a reviewer's, otherwise an adjudicator's, otherwise the annotators' common one."""
        return next(iter(self.of_role("reviewer")), self.decided)

    def beginning(self, member: QueueMember) -> Annotation | None:
        """Return a person's starting point; None while the task waits for others, or is not theirs."""
        if member.role == "annotator":
            return blank(self.stored.task)
        if member.role == "reviewer":
            return self.decided and self.decided.model_copy(update={"done": False, "edits": (), "seconds": 0.0})
        supplied = self.of_role("annotator")
        return together(supplied) if self.answered and differ(supplied) else None

    def state(self, member: QueueMember) -> ItemState:
        """Return a person's progress on the task."""
        individual = self.answers.get(member)
        if individual is None:
            return "open" if self.beginning(member) else "waiting"
        return "done" if individual.done else "begun" if individual.begun else "open"
