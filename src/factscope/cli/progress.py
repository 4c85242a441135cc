"""Progress on standard error: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from factscope.cli.output import log, sign_of_life
from factscope.core import Event, plurals
from factscope.core.records import Usage

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from factscope.engine.run import ReadReport, RunProgress

_EVERY = 2.0
"""Seconds between plain lines."""
_EVERY_WAIT = 10.0
"""Seconds between plain lines when only the pending calls have changed."""
_SETTLED = 2.0
"""Seconds of work before the remaining time is estimated, since units that need no judging are done at once."""
_EVERY_OBJECT = 0.1
"""Seconds between JSON objects."""
Form = Literal["auto", "json"]
"""A live line on a terminal and plain lines elsewhere, or JSON lines for a program."""
_REASONS, _LONGEST = 3, 300
"""Reasons for failures that are printed, and the characters of each."""


class ProgressDisplay:
    """Display of a check's progress. Use as a context manager."""

    def __init__(self, *, quiet: bool = False, form: Form = "auto") -> None:
        self.quiet, self.form = quiet, form
        self._began = time.monotonic()
        self.segments = 0
        self.claims: set[str] = set()
        self.ended: dict[str, bool] = {}
        """Claims with a verdict, and whether they failed."""
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._last_line = 0.0
        self._open = False
        self._phase = self._last = self._held = ""
        self._shown: tuple[str, int, int, str, float | None] = ("Checking", 0, 0, "Checking", None)
        """The last state: phase, done, total, line, and seconds left."""

    def __enter__(self) -> Self:
        """Print something at once, before any slow import."""
        self._open = True
        if not self.quiet and self.form == "auto" and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}"), BarColumn(32), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("Starting", total=None)
            self._bar.start()
        elif self.form == "auto":
            self._line("Starting …")
        return self

    def __exit__(self, *_: object) -> None:
        self._open = False
        if self._bar:
            self._bar.stop()
        elif self._held:
            self._line(self._held)

    def begin(self) -> None:
        """Reset the counts and the clock, for a repeated attempt or the checks after other work."""
        self._began = time.monotonic()
        self.segments = 0
        self.claims.clear()
        self.ended.clear()

    def reading(self, done: int, total: int) -> None:
        """Show the number of evidence files read."""
        self.show("Reading evidence", done, total, f"Reading evidence: {done:,} of {plurals.many(total, 'file')}")

    def events(self, events: tuple[Event, ...]) -> None:
        """Update the display with new records."""
        for event in events:
            if event.type == "segment":
                self._began = self._began if self.segments else time.monotonic()
                self.segments += 1
            elif event.type == "claim":
                self.claims.add(event.id)
            elif event.type == "verdict" and event.level == "claim":
                self.ended[event.unit_id] = event.outcome == "failed"
        if not events:
            return
        n, failing = len(self.ended), sum(self.ended.values())
        failed = f", {failing} failed" if failing else ""
        total = max(self.segments, len(self.claims))
        left = _seconds_left(self._began, n, total)
        remaining = f", about {_span(left)} left" if left else ""
        self.show(
            f"Checking{failed}{remaining}", n, total, f"{_counted(n, total, 'claim')} done{failed}{remaining}", left
        )

    def show(self, phase: str, done: int, total: int, line: str, left: float | None = None) -> None:
        """Show the progress of a phase: on the live line, or as `line` every two seconds; `left` is in seconds."""
        self._shown = phase, done, total, line, left
        if self.form == "json":
            self._object()
        elif self._bar and self._task is not None:
            self._bar.update(self._task, description=phase, completed=done, total=total or None)
        elif _stage(phase) != self._phase or done == total or time.monotonic() - self._last_line >= _EVERY:
            self._phase = _stage(phase)
            self._line(line)
        else:
            self._held = line

    def waiting(self, text: str) -> None:
        """Add the pending calls to the display while it is open; an empty text adds nothing."""
        if not text or not self._open:
            return
        phase, _, _, line, _ = self._shown
        if self.form == "json":
            self._object(text)
        elif self._bar and self._task is not None:
            self._bar.update(self._task, description=f"{phase} · {text}")
        elif time.monotonic() - self._last_line >= _EVERY_WAIT:
            self._line(f"{line} · {text}")

    def _object(self, waiting: str = "") -> None:
        """Write a JSON object on a line, at most ten a second, besides the first and the last of a phase."""
        phase, done, total, _, left = self._shown
        stage, now = _stage(phase), time.monotonic()
        if stage == self._phase and done != total and now - self._last_line < _EVERY_OBJECT:
            return
        self._phase, self._last_line = stage, now
        values: dict[str, object] = {"stage": stage, "done": done, "total": total or None}
        values |= {"seconds": round(now - self._began, 1), "left": None if left is None else round(left, 1)}
        values |= {"waiting": waiting} if waiting else {}
        if not self.quiet:
            _print(json.dumps(values))

    def _line(self, line: str) -> None:
        if not self.quiet and line != self._last:
            self._last, self._held = line, ""
            self._last_line = time.monotonic()
            _print(line)


class RunProgressDisplay(ProgressDisplay):
    """Display of a run's progress over many responses, its cost so far and the time left.

    Use as a context manager.
    """

    def __init__(self, total: int | None, batch: Path | None, *, quiet: bool = False, form: Form = "auto") -> None:
        """`batch` is the folder of waiting calls, if there is one: waiting calls have not failed."""
        from factscope.llm.cost import Ledger

        super().__init__(quiet=quiet, form=form)
        self.total, self._batch = total, batch
        self._used = Ledger()
        self._reused = 0
        self._failed: dict[str, frozenset[str]] = {}
        """Failures of each response."""

    def __exit__(self, *_: object) -> None:
        """Print why responses have failures: the most frequent reasons."""
        super().__exit__()
        if self._batch:
            return
        from factscope.report.wording import excerpt

        reasons = Counter(reason for those in self._failed.values() for reason in those).most_common()
        for reason, n in reasons[:_REASONS]:
            log(f"{n:,} with failures: {excerpt(reason, _LONGEST)}", "yellow")
        if len(reasons) > _REASONS:
            log(f"and {plurals.many(len(reasons) - _REASONS, 'other reason')}, which the reports have", "yellow")

    def report(self, read: ReadReport, many: RunProgress) -> None:
        """Show that a response is done; one from an earlier attempt used nothing now, and is not read."""
        if many.reused == self._reused:
            report = read()
            self._failed[report.response.id] = report.failure_reasons()
            self._used.include(*report.usage)
        self._reused = many.reused
        pieces = [_counted(many.done, self.total, "response")]
        failed = "not finished" if self._batch else "with failures"
        pieces += [f"{many.with_failures:,} {failed}"] if many.with_failures else []
        costs = [row.cost for row in self.usage()]
        known_cost = sum(cost for cost in costs if cost is not None)
        pieces += [f"${known_cost:,.4f}" + (" and more" if None in costs else "")] if known_cost else []
        n_checked = many.done - many.reused
        left = _seconds_left(self._began, n_checked, n_checked + max(0, (self.total or 0) - many.done))
        pieces += [f"about {_span(left)} left"] if left else []
        phase = ": ".join(filter(None, ["Checking", ", ".join(pieces[1:])]))
        self.show(phase, many.done, self.total or 0, ", ".join(pieces), left)

    def usage(self) -> tuple[Usage, ...]:
        """Sum the usage over the responses of this run."""
        return self._used.usage()


def _print(line: str) -> None:
    with sign_of_life():
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - plain lines are this module's work


def _stage(phase: str) -> str:
    """Return the name of a phase, without its failures and the time left."""
    return re.split("[:,]", phase)[0]


def _counted(done: int, total: int | None, noun: str) -> str:
    return f"{done:,} of {plurals.many(total, noun)}" if total else plurals.many(done, noun)


def _seconds_left(began: float, done: int, total: int) -> float | None:
    """Estimate the remaining seconds at the current pace; `None` before a pace is known, and when all is done."""
    passed = time.monotonic() - began
    return passed / done * (total - done) if 0 < done < total and passed >= _SETTLED else None


def _span(seconds: float) -> str:
    """Return a duration in words."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
