"""Factscope checks what a text claims against evidence, and measures how well models and checkers get facts right.

    import factscope

    tools = factscope.open_tools(evidence="documents/")
    report = factscope.check_sync("The bridge opened in 1931.", factscope.find_method("builtin"), tools)
    print(report.verdict().outcome, report.score("factual_precision").value)

Names are imported when they are first used, so that `import factscope` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from factscope.version import __version__

if TYPE_CHECKING:
    from factscope.config import find_method, method_names, open_tools
    from factscope.engine import Tools, check, check_sync, fold, stream
    from factscope.errors import FactscopeError, InputError, StoreError, UsageError
    from factscope.method import Measure, Method
    from factscope.method_file import method_from_toml
    from factscope.records import Exclusions, Report, Response
    from factscope.report import render
    from factscope.rescoring import rescore
    from factscope.run import check_kept
    from factscope.scores import summarise
    from factscope.store import Store

_HOMES = {
    "config": ("find_method", "method_names", "open_tools"),
    "engine": ("Tools", "check", "check_sync", "fold", "stream"),
    "errors": ("FactscopeError", "InputError", "StoreError", "UsageError"),
    "method": ("Measure", "Method"),
    "method_file": ("method_from_toml",),
    "records": ("Exclusions", "Report", "Response"),
    "report": ("render",),
    "rescoring": ("rescore",),
    "run": ("check_kept",),
    "scores": ("summarise",),
    "store": ("Store",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Exclusions",
    "FactscopeError",
    "InputError",
    "Measure",
    "Method",
    "Report",
    "Response",
    "Store",
    "StoreError",
    "Tools",
    "UsageError",
    "__version__",
    "check",
    "check_kept",
    "check_sync",
    "find_method",
    "fold",
    "method_from_toml",
    "method_names",
    "open_tools",
    "render",
    "rescore",
    "stream",
    "summarise",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'factscope' has no attribute {name!r}")
    value = getattr(import_module(f"factscope.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
