"""`factscope config`: the current settings."""

from __future__ import annotations

from factscope.cli.options import AsList
from factscope.cli.output import put_json, table
from factscope.engine.settings import load_settings


def show(format: AsList = "text") -> None:  # noqa: A002 - the option's name
    """Show every setting, its value and where that came from.

    Example: FACTSCOPE_WORKERS=8 factscope config show
    """
    _, settings = load_settings(dot_env=True)
    if format == "json":
        put_json([{"name": s.name, "value": s.value, "source": s.source} for s in settings])
        return
    table(((s.name, _value_text(s.value), s.source) for s in settings), ("setting", "value", "from"))


def _value_text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "–"
    return "–" if value is None else str(value)
