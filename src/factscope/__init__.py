"""Factscope checks what a text claims against evidence, and measures how well models and checkers get facts right.

    import factscope as fs

    report = fs.check("The bridge opened in 1931.", evidence="docs/")
    print(report)
    report.score, report.coverage, report.problems

Names are imported when they are first used, so that `import factscope` costs next to nothing.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from factscope.core.version import __version__

if _TYPE_CHECKING:
    from factscope.core.errors import FactscopeError, InputError, StoreError, UsageError
    from factscope.core.records import Document, Exclusions
    from factscope.integrations.python.benchmarks import BenchmarkResult, benchmark
    from factscope.integrations.python.checker import Checker
    from factscope.integrations.python.checking import acheck, check, stream
    from factscope.integrations.python.evaluation import Evaluation, evaluate
    from factscope.integrations.python.report import Claim, Report
    from factscope.integrations.python.runs import Run
    from factscope.integrations.python.verification import Verification, verify
    from factscope.methods import Measure, Method

_HOMES = {
    "integrations.python.benchmarks": ("BenchmarkResult", "benchmark"),
    "integrations.python.checker": ("Checker",),
    "integrations.python.checking": ("acheck", "check", "stream"),
    "integrations.python.evaluation": ("Evaluation", "evaluate"),
    "integrations.python.report": ("Claim", "Report"),
    "integrations.python.runs": ("Run",),
    "integrations.python.verification": ("Verification", "verify"),
    "core.errors": ("FactscopeError", "InputError", "StoreError", "UsageError"),
    "core.records": ("Document", "Exclusions"),
    "methods": ("Measure", "Method"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BenchmarkResult",
    "Checker",
    "Claim",
    "Document",
    "Evaluation",
    "Exclusions",
    "FactscopeError",
    "InputError",
    "Measure",
    "Method",
    "Report",
    "Run",
    "StoreError",
    "UsageError",
    "Verification",
    "__version__",
    "acheck",
    "benchmark",
    "check",
    "evaluate",
    "stream",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'factscope' has no attribute {name!r}")
    value = getattr(_import_module(f"factscope.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
