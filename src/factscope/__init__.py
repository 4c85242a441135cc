"""Factscope checks what a text claims against evidence, and measures how well models and checkers get facts right.

    import factscope

    tools = factscope.open_tools(evidence="documents/")
    report = factscope.check_sync("The bridge opened in 1931.", factscope.find_method("builtin"), tools)
    print(report.verdict().outcome, report.score("factual_precision").value)

Names are imported when they are first used, so that `import factscope` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from factscope.core.version import __version__

if TYPE_CHECKING:
    from factscope.core.errors import FactscopeError, InputError, StoreError, UsageError
    from factscope.core.records import Exclusions, Report, Response
    from factscope.engine import Tools, check, check_sync, fold, stream
    from factscope.engine.run import check_kept
    from factscope.engine.run_store import Store
    from factscope.engine.settings import find_method, method_names, open_tools
    from factscope.methods import Measure, Method
    from factscope.methods.method_file import method_from_toml
    from factscope.report import render
    from factscope.scoring import summarise
    from factscope.scoring.rescore import rescore

_HOMES = {
    "core.errors": ("FactscopeError", "InputError", "StoreError", "UsageError"),
    "core.records": ("Exclusions", "Report", "Response"),
    "engine": ("Tools", "check", "check_sync", "fold", "stream"),
    "engine.run": ("check_kept",),
    "engine.run_store": ("Store",),
    "engine.settings": ("find_method", "method_names", "open_tools"),
    "methods": ("Measure", "Method"),
    "methods.method_file": ("method_from_toml",),
    "report": ("render",),
    "scoring": ("summarise",),
    "scoring.rescore": ("rescore",),
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
