"""Functions that check one text in one call: blocking, asynchronous and streaming."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypedDict, Unpack

from factscope.core import Event
from factscope.integrations.python.arguments import Contexts, Evidence, checked_text, must_be_outside_a_loop
from factscope.integrations.python.checker import Checker
from factscope.integrations.python.report import Report
from factscope.methods import Method


class CheckArguments(TypedDict, total=False):
    """Arguments of a check besides the text: those of `check`."""

    evidence: Evidence | None
    contexts: Contexts | None
    question: str | None
    method: str | Path | Method | None
    model: str | Mapping[str, str] | None
    search: str | None
    verifier: str | None
    cited: bool
    repair: bool
    max_cost: float | None
    max_calls: int | None
    settings: Mapping[str, object] | None


def check(
    text: str,
    *,
    evidence: Evidence | None = None,
    contexts: Contexts | None = None,
    question: str | None = None,
    method: str | Path | Method | None = None,
    model: str | Mapping[str, str] | None = None,
    search: str | None = None,
    verifier: str | None = None,
    cited: bool = False,
    repair: bool = False,
    max_cost: float | None = None,
    max_calls: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> Report:
    """Check a text against evidence and wait for the report.

        report = factscope.check("The lens came in 1858.", evidence="docs/")

    `evidence` is one or several files, folders, addresses or texts; `contexts` are texts that came with the answer.
    With `cited` the text is checked against its own citations, and `evidence` holds local copies of the sources (see
    `report.citations`). `Checker` and `Checker.acheck` describe the other arguments.

    Raises:
        UsageError: an argument is wrong, there is no evidence, or an event loop is running (`await acheck(…)` there).
        InputError: there is nothing to check in the text, or none of the evidence can be read.
    """
    must_be_outside_a_loop("check", "await factscope.acheck(…)")
    checked_text(text, "check")
    options: dict[str, Any] = {"method": method, "model": model, "search": search, "verifier": verifier}
    options |= {"settings": settings, "cited": cited, "repair": repair}
    checker = Checker(evidence=evidence, max_cost=max_cost, max_calls=max_calls, **options)
    return checker.check(text, contexts=contexts, question=question)


async def acheck(text: str, **arguments: Unpack[CheckArguments]) -> Report:
    """Check a text without blocking. Takes the same arguments and raises the same errors as `check`."""
    checker, about = _checker(arguments)
    return await checker.acheck(text, **about)


async def stream(text: str, **arguments: Unpack[CheckArguments]) -> AsyncGenerator[Event, None]:
    """Check a text and yield each record as it is made.

    Takes the same arguments and raises the same errors as `check`.
    """
    checker, about = _checker(arguments)
    async with aclosing(checker.stream(text, **about)) as events:
        async for event in events:
            yield event


def _checker(arguments: CheckArguments) -> tuple[Checker, dict[str, Any]]:
    """Return the checker of a call, and the arguments about the text."""
    options: dict[str, Any] = dict(arguments)
    about: dict[str, Any] = {name: options.pop(name) for name in ("contexts", "question") if name in options}
    return Checker(**options), about
