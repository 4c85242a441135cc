"""The published form of a report."""

from __future__ import annotations

from typing import Any

from factscope.core.records import Report


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what `--format json` prints, with the docstring of each field.

    Nothing is left out of a printed report, so every field is required, also where reading one back has a default.
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
