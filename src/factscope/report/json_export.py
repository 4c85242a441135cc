"""A report as data: one JSON record, or one record per line, which both contain everything; and its JSON Schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from factscope.core import FIELDS, InputError, Record, Report, first_problem, json_object
from factscope.report.renderers import OverAll, Reports

_KINDS = (
    "segment", "claim", "query", "hit", "document", "passage", "judgement", "verdict", "correction", "failure", "usage",
    "score",
)  # fmt: skip
_FIELDS = {kind: FIELDS[kind] for kind in _KINDS}
"""The fields of a report whose records have lines of their own, in the order in which a check emits them."""

_LEFT_OUT = "left_out"
"""Type of the lines for rows that could not be checked. They belong to no report."""

# JSON leaves these characters unescaped, but a terminal obeys the first, and text readers break or reorder lines at the
# others. They only occur inside strings, where the escape means the same character.
_UNSAFE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def to_json(report: Report) -> str:
    """Return the report as one JSON object in UTF-8, indented, fields in the order of the schema."""
    return escaped(report.model_dump_json(indent=2)) + "\n"


def to_jsonl(report: Report) -> str:
    """Return the report as one record per line, each with its `type`.

    The first line is of type `report` and holds everything that is not a separate record: versions, method, counts,
    exclusions. Then the response, segments, claims, queries, search hits, documents, passages, judgements, verdicts,
    corrections, failures, usage, scores.
    """
    head = report.model_dump_json(exclude={"response", *_FIELDS.values()})
    records: list[Record] = [report.response]
    for field in _FIELDS.values():
        records.extend(getattr(report, field))
    return "".join(f"{escaped(line)}\n" for line in [head, *(record.model_dump_json() for record in records)])


def many_to_jsonl(reports: Reports, over_all: OverAll) -> Iterator[str]:
    """Yield one report per line, whole, then a line of the type `left_out` for each row that could not be checked."""
    for report in reports():
        yield escaped(report.model_dump_json()) + "\n"
    for row in over_all.left_out:
        yield escaped(json.dumps({"type": _LEFT_OUT, "message": row}, ensure_ascii=False)) + "\n"


def reports_from_jsonl(text: str) -> tuple[Report, ...]:
    """Return the reports that `many_to_jsonl` wrote, one per line, or the one that `to_jsonl` wrote, to the last field.

    Raises InputError with the number of a bad line.
    """
    records = ((number, record) for number, record in _lines(text) if record["type"] != _LEFT_OUT)
    reports: list[Report] = []
    for number, record in records:  # of a run, only one line is held as an object at a time
        if not _is_whole(record):
            if reports or any(_is_whole(other) for _, other in _lines(text)):
                raise InputError(f"Line {number} is not a whole report, as the lines of a run are.")
            return (_from_records([(number, record), *records]),)
        reports.append(_validated(record, f"Line {number} is"))
    return tuple(reports) or (_from_records(()),)


def left_out_from_jsonl(text: str) -> tuple[str, ...]:
    """Return the messages about rows that could not be checked, from the lines that `many_to_jsonl` wrote.

    Raises InputError with the number of a bad line.
    """
    return tuple(str(record.get("message", "")) for _, record in _lines(text) if record["type"] == _LEFT_OUT)


def _lines(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json_object(line.encode())
        except ValueError:
            record = {}
        if not isinstance(record.get("type"), str):
            raise InputError(f"Line {number} is not a record of a report.", "Each line is one JSON object.")
        yield number, record


def _is_whole(record: dict[str, Any]) -> bool:
    """Return whether a line holds a whole report: the first line of a report in lines lacks the response."""
    return record["type"] == "report" and "response" in record


def _from_records(records: Iterable[tuple[int, dict[str, Any]]]) -> Report:
    values: dict[str, object] = {}
    lists: dict[str, list[object]] = {field: [] for field in _FIELDS.values()}
    for number, record in records:
        kind = record["type"]
        if kind == "report":
            values |= record
        elif kind == "response":
            values["response"] = record
        elif kind in _FIELDS:
            lists[_FIELDS[kind]].append(record)
        else:
            raise InputError(f"Line {number} contains a record of the unknown type {kind!r}.")
    return _validated(values | lists, "The lines are")


def _validated(values: dict[str, Any], subject: str) -> Report:
    try:
        return Report.model_validate_json(json.dumps(values))
    except ValidationError as error:
        field, problem = first_problem(error, "the whole")
        raise InputError(f"{subject} not a whole report: {field}: {problem}.") from None


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the output of `--format json`, with the docstring of each field.

    A printed report contains every field, so all are required, even those with a default when a report is read.
    """
    schema = Report.model_json_schema(mode="serialization")
    for record in (schema, *schema["$defs"].values()):
        if "properties" in record:
            record["required"] = list(record["properties"])
    version = Report.model_fields["schema_version"].default
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:factscope:report:{version}",
        **schema,
        "title": "Factscope report",
    }


def escaped(text: str) -> str:
    """Return JSON with escapes for characters that terminals or text readers interpret."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
