"""`factscope schema`: the form of a report, for programs."""

from __future__ import annotations

from factscope.cli.options import Output
from factscope.cli.output import put_json
from factscope.report.json_export import report_schema


def schema(output: Output = None) -> None:
    """Print the JSON Schema that every JSON report satisfies.

    Example: factscope schema -o report.schema.json
    """
    put_json(report_schema(), output)
