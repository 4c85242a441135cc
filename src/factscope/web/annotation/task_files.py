"""A file → tasks: FELM's form, or a plain one of texts that are cut into sentences here.

    {"index": "0", "domain": "wk", "prompt": "…", "response": "…", "segmented_response": ["…", "…"], "ref": ["https://…"]}
    {"id": "a", "prompt": "…", "response": "…", "references": ["https://…"]}

Labels that a row has already (`labels`, `type`, `comment`) become a suggestion. `segments` may be written for
`segmented_response`, and `text`, `answer` or `output` for `response`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pydantic import ValidationError

from factscope.benchmarks.datasets.io import BadRow, file_rows
from factscope.benchmarks.datasets.io.row import is_broken
from factscope.benchmarks.datasets.labelled_cells import identity, items, locate_parts, optional
from factscope.benchmarks.datasets.labelled_rows import RowLocation, UnusableSampleError
from factscope.claims.text.segments import segment
from factscope.core import InputError
from factscope.web.annotation import annotation_forms as forms
from factscope.web.annotation.task_answers import blank, fits

_RESPONSE = ("response", "text", "answer", "output")
_PROMPT = ("prompt", "question", "input")


_PARALLEL_COLUMNS = ("segmented_response", "labels", "type", "comment")
"""Columns with an entry for each segment."""


class ReadTasks(NamedTuple):
    """The tasks of a file."""

    tasks: tuple[forms.StoredTask, ...]
    left_out: tuple[str, ...]
    """Unusable rows and empty segments, with the reasons."""


def read_tasks(path: Path) -> ReadTasks:
    """Return the tasks of a file. Raises UsageError when it does not exist, InputError when it has none."""
    tasks: dict[str, forms.StoredTask] = {}
    bad: list[str] = []
    for row in file_rows(path):
        if isinstance(row, BadRow):
            bad.append(f"row {row.number:,}: {row.reason}")
            continue
        values, empty = _with_words(row.values)
        bad += [f"row {row.number:,}: segment {number} is empty text" for number in empty]
        try:
            result = _task(values, RowLocation(path.name.partition(".")[0], row.number))
        except (UnusableSampleError, ValidationError) as error:
            reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            bad.append(f"row {row.number:,}: {reason.removeprefix('Value error, ')}")
            continue
        if result.task.id in tasks:
            bad.append(f"row {row.number:,}: another has the id {result.task.id!r}")
        else:
            tasks[result.task.id] = result
    if not tasks:
        cause = f" The first: {bad[0]}." if bad else ""
        raise InputError(
            f"{path} holds nothing to annotate.{cause}", "Each row needs a column `response`, or `segmented_response`."
        )
    return ReadTasks(tuple(tasks.values()), tuple(bad))


def _with_words(values: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[int]]:
    """Return a row without its segments of empty text, as FELM has four of, and their numbers."""
    supplied = _list(values.get("segmented_response"))
    empty = [number for number, answer in enumerate(supplied, 1) if isinstance(answer, str) and not answer.strip()]
    if not empty or len(empty) == len(supplied):
        return values, []
    neighbours = {name: cell for name in _PARALLEL_COLUMNS if len(cell := _list(values.get(name))) == len(supplied)}
    shorter = {
        name: [cell for number, cell in enumerate(cells, 1) if number not in empty]
        for name, cells in neighbours.items()
    }
    return {**values, **shorter}, empty


def _task(values: Mapping[str, Any], where: RowLocation) -> forms.StoredTask:
    """Return the task of a row. Raises UnusableSampleError, ValidationError."""
    response = _first(values, _RESPONSE)
    supplied = [_segment_text(item) for item in items(values, "segmented_response") or items(values, "segments")]
    if not all(isinstance(answer, str) and answer.strip() and not is_broken(answer) for answer in supplied):
        raise UnusableSampleError("has a segment that is not text")
    if response is None and not supplied:
        raise UnusableSampleError("has no response")
    text, cuts = _cut(response, supplied)
    references = _references(values)
    task = forms.AnnotationTask(
        id=identity(values, where, "index" if values.get("index") is not None else "id"),
        domain=optional(values, "domain"),
        source=optional(values, "source"),
        prompt=_first(values, _PROMPT),
        text=text,
        cuts=cuts,
        references=tuple(references),
    )
    suggestion = _suggestion(values, len(cuts) + 1)
    if wrong := fits(blank(task), task):
        raise UnusableSampleError(wrong)
    return forms.StoredTask(
        task=task,
        segments=tuple(supplied) or None,
        response=response,
        contents=tuple(references.values()),
        suggestion=suggestion,
    )


def _segment_text(item: Any) -> Any:
    """Return the text of a segment; in Factscope's own labelled files it is an object with its label."""
    return item.get("text") if isinstance(item, Mapping) else item


def _cut(response: str | None, supplied: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """Return the text to label, and its cuts: the response if the segments make it up, otherwise their lines."""
    if response is not None and supplied:
        spans = locate_parts(supplied, response)
        if spans and all(spans):
            return response, tuple(span.start for span in spans[1:] if span)
    if supplied:
        cuts, at = [], 0
        for item, after in pairwise(supplied):
            at += len(item) + 1
            cuts.append(at + len(after) - len(after.lstrip()))
        return "\n".join(supplied), tuple(cuts)
    text = response or ""
    result = segment(text, "sentences")
    return text, tuple(result.span.start for result in result[1:])


def _suggestion(values: Mapping[str, Any], count: int) -> forms.Suggestion | None:
    """Return the labels of a row, if it has one for each segment."""
    labels = _list(values.get("labels"))
    if len(labels) != count or not all(isinstance(label, bool) for label in labels):
        return None
    kinds, reasons = (_parallel_column(values.get(column), count) for column in ("type", "comment"))
    return forms.Suggestion(
        marks=tuple(
            forms.SegmentMark(
                correct=right,
                kind=kind if not right and kind in get_args(forms.Kind) else None,
                reason=reason if isinstance(reason, str) and not right else "",
            )
            for right, kind, reason in zip(labels, kinds, reasons, strict=True)
        )
    )


def _parallel_column(cell: object, count: int) -> list[Any]:
    result = _list(cell)
    return result if len(result) == count else [None] * count


def _list(cell: object) -> list[Any]:
    return list(cell) if isinstance(cell, list | tuple) else []


def _references(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the addresses of a row with their details: a list of addresses, or of objects with a `url`."""
    links, contents = _list(values.get("ref")), _list(values.get("ref_contents"))
    pairs = [*zip_longest(links, contents[: len(links)]), *((item, "") for item in _list(values.get("references")))]
    result = ((pair.get("url") if isinstance(pair, Mapping) else pair, content) for pair, content in pairs)
    usable = {
        result.strip(): content if isinstance(content, str) else ""
        for result, content in result
        if isinstance(result, str) and result.strip() and not is_broken(result) and len(result) <= forms.MAX_LINK
    }
    return dict(list(usable.items())[: forms.MAX_LINKS])


def _first(values: Mapping[str, Any], columns: Sequence[str]) -> str | None:
    return next((result for column in columns if (result := optional(values, column)) is not None), None)
