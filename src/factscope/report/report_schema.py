"""The JSON Schema of a report."""

from __future__ import annotations

from typing import Any

from factscope.core.records import Report


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
