"""Answers as data sets: FELM's own format, and one row for each person's answer with its author."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from factscope.web.annotation.annotation_forms import Annotation, StoredTask
from factscope.web.annotation.task_answers import TaskAnswers, segments


def felm(items: Sequence[TaskAnswers]) -> str:
    """Return the kept samples with their final answers in FELM's format: JSON lines.

    Undecided samples are left out.
    """
    finals = ((item.stored, item.final) for item in items)
    return _lines(_row(stored, answer) for stored, answer in finals if answer and answer.keep)


def hugging_face(items: Sequence[TaskAnswers]) -> str:
    """Return every answer in FELM's columns, with columns that say whose it is.

    JSON lines that `load_dataset` reads.
    """
    return _lines(
        {
            **_row(item.stored, answer),
            "annotator": member.name,
            "role": member.role,
            "keep": answer.keep,
            "done": answer.done,
            "seconds": round(answer.seconds, 1),
            "edits": [f"{edit.what} {edit.at}" for edit in answer.edits],
        }
        for item in items
        for member, answer in item.answers.items()
    )


def _row(stored_task: StoredTask, answer: Annotation) -> dict[str, Any]:
    task = stored_task.task
    as_given = stored_task.segments is not None and answer.cuts == task.cuts
    contents = dict(zip(task.references, stored_task.contents, strict=True))
    links = [link.strip() for link in answer.references if link.strip()]
    return {
        "index": task.id,
        "domain": task.domain or "",
        "source": task.source or "",
        "prompt": task.prompt or "",
        "response": stored_task.response if stored_task.response is not None else task.text,
        "segmented_response": list(stored_task.segments or ()) if as_given else segments(task.text, answer.cuts),
        "labels": [mark.correct for mark in answer.marks],
        # A segment that was called wrong before it was called right still has its reason, which nobody sees.
        "comment": ["" if mark.correct else mark.reason for mark in answer.marks],
        "type": [mark.kind for mark in answer.marks],
        "ref": links,
        "ref_contents": [contents.get(link, "") for link in links],
    }


def _lines(rows: Iterator[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
