"""The formats that come with Factscope. Listing them imports none of their writers: each is imported when it writes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from factscope.core import Report
from factscope.report.renderers import RENDERERS, OverAll, Renderer


def _writer(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a module of `factscope.report`, imported when it is called."""

    def write(*arguments: object) -> Any:
        """Write with the function."""
        return getattr(import_module(f"factscope.report.{module}"), name)(*arguments)

    return write


def _of_one(many: Callable[..., Any]) -> Callable[[Report], str]:
    """Return a writer of one report, for a format in which one is written like many."""
    return lambda report: "".join(many(lambda: [report], OverAll()))


for _name, _module, _word, _media_type, *_endings in (
    ("claimreview", "claimreview", "claimreview", "application/ld+json", ".claimreview.json"),
    ("csv", "claim_table", "csv", "text/csv; charset=utf-8", ".csv"),
    ("html", "html", "html", "text/html; charset=utf-8", ".html", ".htm"),
    ("jsonl", "json_export", "jsonl", "application/jsonl", ".jsonl"),
    ("junit", "junit", "junit", "application/xml", ".xml"),
    ("md", "markdown", "markdown", "text/markdown; charset=utf-8", ".md"),
    ("parquet", "claim_table", "parquet", "application/vnd.apache.parquet", ".parquet"),
    ("sarif", "sarif", "sarif", "application/sarif+json", ".sarif", ".sarif.json"),
):
    _many = _writer(_module, f"many_to_{_word}")
    _one = _of_one(_many) if _name in ("claimreview", "junit", "sarif") else _writer(_module, f"to_{_word}")
    RENDERERS.add(_name, Renderer(_name, tuple(_endings), _media_type, _one, _many))
RENDERERS.add("json", Renderer("json", (".json",), "application/json", _writer("json_export", "to_json")))
