"""The routes of the annotation page. A person is identified by the key in the address that they were given.

An annotator does not see the answers of others, nor their agreement.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Response

from factscope.web.annotation import annotation_forms as forms
from factscope.web.annotation.annotator_agreement import agreement
from factscope.web.annotation.export import felm, hugging_face
from factscope.web.annotation.queue_store import Annotations, Queue
from factscope.web.annotation.task_answers import TaskAnswers, blank, fits
from factscope.web.checks import revision_in
from factscope.web.problems import ProblemError, not_found
from factscope.web.services import Serving

router = APIRouter(prefix="/api/v1/annotation", tags=["annotation"])
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
_JSONL = "application/x-ndjson"


def _annotations(services: Serving) -> Annotations:
    return services.annotations


Keeping = Annotated[Annotations, Depends(_annotations)]


async def _entered(
    queue_id: str, annotations: Keeping, annotator_key: Annotated[str, Header(max_length=100)]
) -> tuple[Queue, forms.QueueMember]:
    """Return the queue and the member that the key belongs to."""
    if "\x00" in queue_id + annotator_key:
        raise not_found("queue of yours")
    return await asyncio.to_thread(annotations.enter, queue_id, annotator_key)


Entered = Annotated[tuple[Queue, forms.QueueMember], Depends(_entered)]


@router.get("/{queue_id}")
async def annotation_queue(entered: Entered, annotations: Keeping) -> forms.AnnotationQueue:
    """Return a queue as you see it: the samples that you can work on, and how far you are with each."""
    queue, member = entered

    def view_queue() -> forms.AnnotationQueue:
        return forms.AnnotationQueue(
            id=queue.id,
            name=queue.name,
            seat=member,
            alone=len(queue.annotators) == 1,
            guidelines=queue.guidelines,
            items=tuple(
                forms.QueueItem(
                    number=entry.number,
                    id=entry.stored.task.id,
                    domain=entry.stored.task.domain,
                    state=entry.state(member),
                )
                for entry in annotations.items(queue)
            ),
        )

    return await asyncio.to_thread(view_queue)


@router.get("/{queue_id}/items/{number}")
async def annotation_item(
    number: Number, entered: Entered, annotations: Keeping, response: Response
) -> forms.AnnotationItem:
    """Return a sample with your answer so far. An adjudicator and a reviewer see those before them too."""
    queue, member = entered
    item, revision = await asyncio.to_thread(annotations.item, queue, number, member)
    response.headers["ETag"] = f'"{revision}"'
    return forms.AnnotationItem(
        number=number,
        task=item.stored.task,
        state=item.state(member),
        revision=revision,
        answer=item.answers.get(member) or item.beginning(member) or blank(item.stored.task),
        suggestion=_suggestion(queue, member, item),
        others=tuple(
            forms.OtherAnswer(seat=author, answer=answer)
            for author, answer in item.answers.items()
            if item.answered and author.role in _BEFORE[member.role]
        ),
    )


_BEFORE: dict[forms.Role, tuple[forms.Role, ...]] = {
    "annotator": (),
    "adjudicator": ("annotator",),
    "reviewer": ("annotator", "adjudicator"),
}
"""Roles whose answers a person sees, by the person's own."""


def _suggestion(queue: Queue, member: forms.QueueMember, item: TaskAnswers) -> forms.Suggestion | None:
    """Return the file's suggestion; for an annotator only after their own first answer, unless the queue allows it."""
    answer = item.answers.get(member)
    displayed = queue.suggest or member.role != "annotator" or (answer is not None and answer.begun)
    return item.stored.suggestion if displayed else None


@router.put("/{queue_id}/items/{number}")
async def save_annotation(
    number: Number,
    body: forms.Annotation,
    entered: Entered,
    annotations: Keeping,
    response: Response,
    if_match: Annotated[str, Header(max_length=40)],
) -> forms.SavedAnnotation:
    """Keep your answer; it is on disk once this is answered.

    `If-Match: "revision"` names the one that you changed, 0 before the first: an answer that another tab changed
    meanwhile is not overwritten (412).
    """
    queue, member = entered

    def check_and_save() -> forms.SavedAnnotation:
        item, _ = annotations.item(queue, number, member)
        if wrong := fits(body, item.stored.task):
            raise ProblemError(422, wrong, "Load the sample again.")
        if item.state(member) == "waiting":
            raise ProblemError(
                409,
                "There is nothing to decide on this sample yet.",
                "Continue with another sample, and come back later.",
            )
        revision = annotations.save(queue, number, member, revision_in(if_match, "an answer"), body)
        now = replace(item, answers={**item.answers, member: body})
        return forms.SavedAnnotation(
            revision=revision, state=now.state(member), suggestion=_suggestion(queue, member, now)
        )

    saved = await asyncio.to_thread(check_and_save)
    response.headers["ETag"] = f'"{saved.revision}"'
    return saved


@router.get("/{queue_id}/agreement")
async def annotation_agreement(entered: Entered, annotations: Keeping) -> forms.AnnotationAgreement:
    """Measure the agreement of annotators so far, with 95 % intervals.

    Annotators who must not see each other may not ask.
    """
    queue, member = entered
    _must_see_all(queue, member)
    return await asyncio.to_thread(lambda: agreement(queue.annotators, annotations.items(queue)))


@router.get(
    "/{queue_id}/export",
    response_class=Response,
    responses={200: {"content": {_JSONL: {"schema": {"type": "string"}}}}},
)
async def export_annotation(
    entered: Entered, annotations: Keeping, form: Annotated[Literal["felm", "hf"], Query()] = "felm"
) -> Response:
    """Return JSON lines.

    `felm`: what counts on each sample that is kept and decided; `hf`: every answer, and whose it is.
    """
    queue, member = entered
    _must_see_all(queue, member)
    write = felm if form == "felm" else hugging_face
    content = await asyncio.to_thread(lambda: write(annotations.items(queue)))
    headers = {"Content-Disposition": f'attachment; filename="annotation-{queue.id}-{form}.jsonl"'}
    return Response(content, 200, headers, _JSONL)


def _must_see_all(queue: Queue, member: forms.QueueMember) -> None:
    if member.role == "annotator" and len(queue.annotators) > 1:
        raise ProblemError(
            403, "Annotators can't see the answers of others.", "Use the address of the adjudicator or reviewer."
        )
