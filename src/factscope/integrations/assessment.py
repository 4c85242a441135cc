"""The assessment of one answer with its contexts: a report with a score, or an exception with the reason for none."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from factscope.core import NOT_READ, FactscopeError, UsageError, many
from factscope.core.records import Response
from factscope.evidence.text_documents import is_blank, kind_word
from factscope.integrations.python.arguments import Contexts, as_list, read_contexts
from factscope.integrations.python.checker import Checker
from factscope.integrations.python.report import Report
from factscope.scoring.counts import count_units

MIN_SCORE = 0.8
"""The score from which an answer passes, unless the caller names another."""
MIN_COVERAGE = 1.0
"""The coverage from which it passes, likewise."""
_SHOWN = 10
"""Problems that an explanation lists."""
_LONGEST = 300
"""Characters of a claim or quote in an explanation."""


class NotAssessedError(Exception):
    """There was nothing to check the answer against, or nothing in it to check, so it has no score."""

    def __init__(self, message: str, report: Report | None = None) -> None:
        """`report` is that of an answer of which too little could be judged."""
        super().__init__(message)
        self.report = report


class CheckFailedError(FactscopeError):
    """Something failed during the check, so a score would not cover the whole answer."""


class OwnLoop:
    """A checker that runs in its own event loop on its own thread, from the first call on."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process: int | None = None
        self.end: Callable[[], object] = lambda: None

    def assess(self, answer: str | None, contexts: Contexts | None, question: str | None) -> Future[Report]:
        """Start an assessment in the loop; the first call in a process opens the checker."""
        with self._lock:
            if self._loop is None or self._process != os.getpid():  # the thread of a parent that forked is not here
                self._process = os.getpid()
                loop = self._loop = asyncio.new_event_loop()
                thread = threading.Thread(target=loop.run_forever, name="factscope", daemon=True)
                thread.start()
                asyncio.run_coroutine_threadsafe(self._checker.__aenter__(), loop).result()
                self.end = weakref.finalize(self, _end, loop, thread, self._checker, self._process)
        return asyncio.run_coroutine_threadsafe(_assess(self._checker, answer, contexts, question), self._loop)


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread, checker: Checker, process: int) -> None:
    if process != os.getpid():
        return
    asyncio.run_coroutine_threadsafe(checker.aclose(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


class Assessor:
    """A checker that any thread may call, whether or not an event loop runs there.

    It works in a thread with an event loop of its own, so that connections, evidence and cache are shared by all calls.
    """

    def __init__(self, checker: Checker | Assessor | None = None) -> None:
        """Use this checker, another assessor's checker, or by default a new one with the current settings."""
        self._shared: OwnLoop = checker._shared if isinstance(checker, Assessor) else OwnLoop(checker or Checker())

    def assess(self, answer: str | None, contexts: Contexts | None, question: str | None = None) -> Report:
        """Check an answer and wait.

        Raises:
            NotAssessedError: there is no answer, nothing to check it against, or nothing in it to check.
            UsageError: the answer is not a text.
            CheckFailedError: something failed for a unit.
            FactscopeError: the check could not be made at all.
        """
        return self._shared.assess(answer, contexts, question).result()

    async def aassess(self, answer: str | None, contexts: Contexts | None, question: str | None = None) -> Report:
        """Check an answer without blocking. Raises the errors of `assess`."""
        return await asyncio.wrap_future(self._shared.assess(answer, contexts, question))

    def close(self) -> None:
        """Close connections and write recordings; happens by itself at the end of the process."""
        self._shared.end()


def explain(report: Report) -> str:
    """Describe the result of a check in a few lines.

    The headline, why claims were not judged, then the problems, with quote and source.
    """
    from factscope.report.states import MARKS
    from factscope.report.terminal_short import brief_text
    from factscope.report.wording import excerpt

    reasons = [claim.reason for claim in report.claims if (claim.reason or "").startswith(NOT_READ)]
    lines = [brief_text(report.record), *dict.fromkeys(filter(None, reasons))]
    for claim in report.problems[:_SHOWN]:
        lines.append(f"{MARKS[claim.verdict].word}: {excerpt(claim.text, _LONGEST)}")
        if claim.quote:
            lines.append(f"    “{excerpt(claim.quote, _LONGEST)}” ({claim.source})")
        elif claim.reason:
            lines.append(f"    {claim.reason}")
    more = len(report.problems) - _SHOWN
    return "\n".join([*lines, *([f"… and {more:,} more"] if more > 0 else [])])


def score_of(report: Report) -> float:
    """Return the score of an assessed report. Raises NotAssessedError when it has none."""
    if report.score is None:
        raise NotAssessedError("Nothing in the answer could be judged.")
    return report.score


def assessed(report: Report, min_score: float, min_coverage: float) -> tuple[bool, str]:
    """Return whether a report passes, and its explanation, which begins with what it lacks to pass.

    Raises UsageError for a bound that is not a share.
    """
    if report.passed(min_score, min_coverage):
        return True, explain(report)
    return False, f"{shortfall(report, min_score, min_coverage)}\n{explain(report)}"


def graded(report: Report, min_score: float, min_coverage: float) -> tuple[float, bool, str]:
    """Return the score of an assessed report, and with it what `assessed` returns.

    Raises NotAssessedError when it has no score, and UsageError for a bound that is not a share.
    """
    return score_of(report), *assessed(report, min_score, min_coverage)


def shortfall(report: Report, min_score: float, min_coverage: float) -> str:
    """Describe why a report does not pass: `score 0.50 is below 0.80`."""
    shares = ("score", report.score, min_score), ("coverage", report.coverage, min_coverage)
    return ", ".join(
        "{} {} is below {}".format(name, *_told_apart(share, least))
        for name, share, least in shares
        if share is not None and share < least
    )


def _told_apart(share: float, least: float) -> tuple[str, str]:
    """Return two shares with two decimals, or as many as it takes to show that they differ."""
    from factscope.report.wording import decimals

    digits = next((n for n in range(2, 9) if decimals(share, n) != decimals(least, n)), 9)
    return decimals(share, digits), decimals(least, digits)


def failure_of(report: Report) -> str | None:
    """Describe the failure in a check: of some units, or of the whole answer if it could not be split into units."""
    failures = report.record.failures
    if failed := [claim for claim in report.claims if claim.verdict == "failed"]:
        messages = (f.message for f in failures if f.about is None and f"{failed[0].id}.".startswith(f"{f.unit_id}."))
        reason = next(messages, failed[0].reason) or "no reason was given"
        first = f"{failed[0].id} ({failed[0].text:.80})"
        return f"{len(failed):,} of {many(len(report.claims), 'unit')} could not be checked, first {first}: {reason}"
    if whole := [f for f in failures if f.about is None and f.unit_id == report.record.response.id]:
        return f"The answer could not be checked: {whole[0].stage} failed. {whole[0].message}"
    return None


@contextmanager
def needs(install: str, extra: str | None = None) -> Iterator[None]:
    """Guard the import of a library; `extra` is our extra that installs it.

    Raises UsageError with the line that installs it, also for an installed library that lacks something.
    """
    try:
        yield
    except ImportError as error:
        line, library = f"pip install 'factscope[{extra}]'" if extra else f"pip install {install}", install.split()[0]
        lacked = (error.name or library).partition(".")[0]
        if library.replace("-", "_").startswith(lacked.replace("-", "_")):
            raise UsageError(f"This needs {library}, which is not installed.", line) from error
        raise UsageError(
            f"This needs {library}, which can't be imported: {error}.", f"Mend that, or try: {line}"
        ) from error


def with_words(contexts: Contexts | None) -> list[Any] | None:
    """Return the contexts that hold words; `None` when none does."""
    return [text for text in as_list(contexts) if not is_blank(text)] or None


async def _assess(checker: Checker, answer: str | None, contexts: Contexts | None, question: str | None) -> Report:
    from factscope.engine import lacks_evidence

    if answer is not None and not isinstance(answer, str):  # such as JSON that a model or a program answered with
        raise UsageError(f"The answer is {kind_word(answer)}, not a text.", "Give the text in it.")
    if answer is None or not answer.strip():
        raise NotAssessedError("Not assessed: the answer is empty.")
    texts = with_words(contexts)
    async with checker.session() as tools:
        without_text = texts is None and checker.method.evidence.source == "context"
        if without_text or lacks_evidence(Response(text=answer, context=read_contexts(texts)), checker.method, tools):
            raise NotAssessedError("Not assessed: the answer came without contexts, and the checker has no evidence.")
    report = await checker.acheck(answer, contexts=texts, question=question)
    if failure := failure_of(report):
        raise CheckFailedError(failure)
    if report.score is None and count_units(report.record).coverage is not None:
        raise NotAssessedError("Not assessed: too little of the answer could be judged.", report)
    if report.score is None:
        raise NotAssessedError("Not assessed: nothing in the answer can be checked.")
    return report
