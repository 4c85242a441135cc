"""`factscope schema`: the form of a report, for programs."""

from __future__ import annotations

from factscope.cli.options import Output

EXAMPLE = "Example: factscope schema -o report.schema.json"


def schema(output: Output = None) -> None:
    """Print the JSON Schema that every JSON report satisfies."""
    import json

    from factscope.cli.output import put_text
    from factscope.report.report_schema import report_schema

    put_text(json.dumps(report_schema(), ensure_ascii=False, indent=2) + "\n", output)
