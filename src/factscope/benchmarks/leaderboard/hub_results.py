"""A row as the file that the Hugging Face Hub reads from `.eval_results/` in a model's repository.

The form is that of https://huggingface.co/docs/hub/eval-results: a list with one entry of `dataset` (`id`, `task_id`,
`revision`), `value`, `date`, `source` (`url`, `name`) and `notes`. Texts from outside are written as JSON strings, but
with YAML's escapes: JSON writes 😀 as two characters, which YAML does not join.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from factscope.benchmarks.leaderboard.board import BoardRow, Leaderboard
from factscope.core.plurals import many

_NOT_ASCII = re.compile(r"[^\x20-\x7e]")


class HubTask(NamedTuple):
    """The benchmark on the Hub that the values are of."""

    dataset: str
    task: str
    revision: str | None = None


def eval_results(board: Leaderboard, row: BoardRow, task: HubTask) -> str | None:
    """Return the YAML of one row; `None` when it has no value on public examples. Percents, as the table shows them."""
    if row.public is None or row.public.value is None:
        return None
    lines = ["- dataset:", f"    id: {_text(task.dataset)}", f"    task_id: {_text(task.task)}"]
    if task.revision:
        lines.append(f"    revision: {_text(task.revision)}")
    lines.append(f"  value: {100 * row.public.value:.2f}")
    if row.date:
        lines.append(f"  date: {_text(row.date[:10])}")
    if row.link:
        lines += ["  source:", f"    url: {_text(row.link)}", f"    name: {_text('Factscope leaderboard')}"]
    left_out = f"; {many(row.n_left_out, 'row')} left out" if row.n_left_out else ""
    about = f"{board.title}, {board.columns[0].name}; coverage {100 * row.coverage:.1f} %{left_out}; {row.signature}"
    return "\n".join([*lines, f"  notes: {_text(about)}"]) + "\n"


def _text(value: str) -> str:
    """Return a YAML string: JSON, with all that is not ASCII escaped in YAML's way."""
    return _NOT_ASCII.sub(lambda match: f"\\U{ord(match[0]):08X}", json.dumps(value, ensure_ascii=False))
