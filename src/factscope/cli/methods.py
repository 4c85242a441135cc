"""`factscope methods`: the ways to check a text."""

from __future__ import annotations

from factscope.cli.options import AsList, ListFormat

EXAMPLE = "Example: factscope methods list --format json"


def list_methods(format: AsList = ListFormat.TEXT) -> None:  # noqa: A002 - the option's name
    """List the methods. `--format json` gives every setting of each; as TOML, that is a method file."""
    from factscope.asking import seats
    from factscope.cli.output import put_text, table
    from factscope.config import find_method, method_names
    from factscope.method import Judge, Method

    methods = [find_method(name) for name in method_names()]
    if format is ListFormat.JSON:
        import json

        values = [method.model_dump(mode="json") for method in methods]
        put_text(json.dumps(values, ensure_ascii=False, indent=2) + "\n", None)
        return

    def judge(method: Method) -> str:
        return " + ".join(one.role if isinstance(one, Judge) else one.name for one in seats(method.judge))

    rows = ((m.name, m.title, judge(m), ", ".join(map(str, m.scores)), m.cites or "–") for m in methods)
    table(rows, ("method", "what it does", "judge", "scores", "paper"))
