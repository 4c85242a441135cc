"""Signs of life on standard error: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from factscope.events import Event

_EVERY = 2.0
"""Seconds between plain lines."""


class Progress:
    """What a check is doing. Use as a context manager."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.segments = self.judged = self.failed = 0
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._said = 0.0
        self._phase = self._last = ""

    def __enter__(self) -> Progress:
        """Say at once that something is going on, before anything heavy is imported."""
        if not self.quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}"), BarColumn(32), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("Starting", total=None)
            self._bar.start()
        else:
            self._line("Starting …")
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def begin(self) -> None:
        """Forget the counts of an attempt that is made anew."""
        self.segments = self.judged = self.failed = 0

    def reading(self, done: int, total: int) -> None:
        """So many of so many evidence files are read."""
        self._show("Reading evidence", done, total, f"Reading evidence: {done} of {total} files")

    def events(self, events: tuple[Event, ...]) -> None:
        """Take note of new records."""
        for event in events:
            if event.type == "segment":
                self.segments += 1
            elif event.type == "verdict" and event.level == "claim":
                self.judged += 1
                self.failed += event.outcome == "failed"
        if not events:
            return
        failed = f", {self.failed} failed" if self.failed else ""
        of_all = f" of {self.segments}" if self.segments else ""  # carrying on, before the text is cut
        self._show(f"Checking{failed}", self.judged, self.segments, f"{self.judged}{of_all} units judged{failed}")

    def _show(self, phase: str, done: int, total: int, line: str) -> None:
        if self._bar and self._task is not None:
            self._bar.update(self._task, description=phase, completed=done, total=total or None)
        elif phase != self._phase or done == total or time.monotonic() - self._said >= _EVERY:
            self._phase = phase
            self._line(line)

    def _line(self, line: str) -> None:
        if not self.quiet and line != self._last:
            self._last = line
            self._said = time.monotonic()
            print(line, file=sys.stderr, flush=True)  # noqa: T201 - plain lines are this module's work
