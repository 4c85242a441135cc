"""A bar for the number of checked texts of a run: in a notebook, or on a terminal; nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Show = Callable[[int], None]
"""Called with the number of checked texts."""


@contextmanager
def bar(total: int | None, *, requested: bool) -> Iterator[Show]:
    """Show a bar while the block runs, if `requested`; `total` is `None` when unknown."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)() if requested else None
    if shell is not None and hasattr(shell, "kernel"):
        yield _in_notebook(total)
    elif requested and sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("Checking"), BarColumn(32), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as live:
            task = live.add_task("", total=total)
            yield lambda done: live.update(task, completed=done)
    else:
        yield lambda done: None


def _in_notebook(total: int | None) -> Show:
    """Return a bar in the output of the cell, which changes in its place; no widget and no script is needed."""
    from IPython.display import HTML, display

    def progress_bar(done: int) -> Any:
        of = f" of {total:,}" if total is not None else ""
        most = f' max="{total}" value="{done}"' if total else ""
        return HTML(f"<progress{most}></progress> {done:,}{of} texts checked")

    handle = display(progress_bar(0), display_id=True)
    return lambda done: handle.update(progress_bar(done))
