"""Leaderboards as a folder of plain pages: no request, one small script of our own, all outside text escaped and inert.

index.html                    the tables
BOARD/about.html              meaning and limits of the figures
BOARD/details.html            further tables: judges, and where rows fail
BOARD/MODEL.html              a row: its figures, its examples, how to make it again
BOARD/MODEL/1.html …          an example: judges, sentences, evidence
BOARD/examples/1.html …       an example with the answers of all rows, where they answer the same
BOARD/MODEL.eval_results.yaml the row for the Hugging Face Hub
releases/NAME.html            a release of a benchmark, to explore
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from factscope.benchmarks.leaderboard.boards import BoardRow, Column, Figure, Leaderboard
from factscope.benchmarks.leaderboard.shared_examples import example_view
from factscope.core import StoreError, UsageError, __version__, many, put_folder, system_reason
from factscope.report import MARKS, Pages
from factscope.report.document import NONE
from factscope.report.html import to_html
from factscope.report.wording import percent

_MARKER = "factscope-leaderboard"
"""A file that marks a folder as ours, so that it may be overwritten."""
_RELEASES = "releases"
_TAKEN = ("about", "index", "details", "examples", _RELEASES)
"""Names of pages and folders that always exist."""
_LEGEND = (
    ("supported", "supported"),
    ("undecided", "unsupported"),
    ("contradicted", "contradicted"),
    ("not_checkable", "needs no grounding"),
)
"""Labels of sentences, in words."""
_LETTERS = dict(zip(MARKS, "abcdefghijklmnop", strict=False))
"""Short names of the states, for pages with thousands of marks."""
_NOT_ASCII = re.compile(r"[^\x20-\x7e]")


class HubTask(NamedTuple):
    """The benchmark on the Hub that the values are of."""

    dataset: str
    task: str
    revision: str | None = None


class LinkedPage(NamedTuple):
    """A page from elsewhere that the tables link to."""

    title: str
    """Text of the link."""
    text: str
    """The page, which must be self-contained."""


def write_site(
    boards: Sequence[Leaderboard], folder: Path, task: HubTask | None = None, releases: Sequence[LinkedPage] = ()
) -> int:
    """Write the site and return the number of its pages. Files of an earlier build in `folder` are removed.

    `releases` are pages of the benchmarks behind the tables. Pages are written to a folder beside it and moved when all
    are complete. Raises UsageError for a folder that holds something else, and StoreError when it can't be written.
    """
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / _MARKER).is_file())):
        raise UsageError(f"{folder} contains something other than a leaderboard.", "Name another folder with -o.")
    n = 0
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as scratch:
            new = Path(scratch) / "site"
            for name, text in pages(boards, task, releases):
                target = new / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8", errors="replace")
                n += name.endswith(".html")
            (new / _MARKER).write_text(f"Made by Factscope {__version__}.\n", encoding="utf-8")
            put_folder(new, folder, Path(scratch) / "old")
    except OSError as error:
        hint = "Name another folder with -o."
        raise StoreError(f"{folder} can't be written: {system_reason(error)}.", hint) from None
    return n


def pages(
    boards: Sequence[Leaderboard], task: HubTask | None = None, releases: Sequence[LinkedPage] = ()
) -> Iterator[tuple[str, str]]:
    """Yield every file of the site: its path within it, and its text."""
    named_boards = list(zip(_slugs([board.kind for board in boards]), boards, strict=True))
    rows = {name: _slugs([row.name for row in board.rows]) for name, board in named_boards}
    links = [f"{_RELEASES}/{slug}.html" for slug in _slugs([page.title for page in releases])]
    linked = list(zip(links, releases, strict=True))
    yield "index.html", _PAGES.fill("index.html", boards=named_boards, slugs=rows, releases=linked)
    yield from ((link, page.text) for link, page in linked)
    for name, board in named_boards:
        yield f"{name}/about.html", _PAGES.fill("about.html", board=board, name=name)
        if board.details:
            yield f"{name}/details.html", _PAGES.fill("details.html", board=board, name=name)
        yield from _shared_pages(name, board, rows[name])
        for slug, row in zip(rows[name], board.rows, strict=True):
            hub = eval_results(board, row, task) if task and board.unit == "model" else None
            page = _PAGES.fill("row.html", board=board, name=name, row=row, slug=slug, hub=hub)
            yield f"{name}/{slug}.html", page
            if hub:
                yield f"{name}/{slug}.eval_results.yaml", hub
            for number, example in enumerate(row.examples, 1):
                if example.report:
                    yield f"{name}/{slug}/{number}.html", to_html(example.report(), (f"../{slug}.html", row.name))


def _shared_pages(name: str, board: Leaderboard, row_slugs: Sequence[str]) -> Iterator[tuple[str, str]]:
    slugs = {row.name: slug for row, slug in zip(board.rows, row_slugs, strict=True)}
    for number, example in enumerate(board.shared, 1):
        view = example_view(example, slugs)
        page = _SHARED_PAGES.fill("shared.html", board=board, name=name, number=number, view=view)
        yield f"{name}/examples/{number}.html", page


def eval_results(board: Leaderboard, row: BoardRow, task: HubTask) -> str | None:
    """Return one row as the file that the Hub reads from `.eval_results/` in a model's repository, in percent.

    `None` when it has no value on public examples. The form is that of https://huggingface.co/docs/hub/eval-results, a
    list with one entry of `dataset` (`id`, `task_id`, `revision`), `value`, `date`, `source` (`url`, `name`), `notes`.
    """
    if row.public is None or row.public.value is None:
        return None
    lines = ["- dataset:", f"    id: {_yaml_text(task.dataset)}", f"    task_id: {_yaml_text(task.task)}"]
    if task.revision:
        lines.append(f"    revision: {_yaml_text(task.revision)}")
    lines.append(f"  value: {100 * row.public.value:.2f}")
    if row.date:
        lines.append(f"  date: {_yaml_text(row.date[:10])}")
    if row.link:
        lines += ["  source:", f"    url: {_yaml_text(row.link)}", f"    name: {_yaml_text('Factscope leaderboard')}"]
    left_out = f"; {many(row.n_left_out, 'row')} left out" if row.n_left_out else ""
    about = (
        f"{board.title}, {board.columns[0].name}; coverage {percent(row.coverage, 1)[:-1]} %{left_out}; {row.signature}"
    )
    return "\n".join([*lines, f"  notes: {_yaml_text(about)}"]) + "\n"


def _yaml_text(value: str) -> str:
    """Return a YAML string: JSON, with all that is not ASCII escaped in YAML's way.

    JSON writes 😀 as two characters, which YAML does not join.
    """
    return _NOT_ASCII.sub(lambda match: f"\\U{ord(match[0]):08X}", json.dumps(value, ensure_ascii=False))


def format_number(column: Column, number: float | None) -> str:
    """Return text such as `66.7`, percent of a share; `–` for nothing."""
    if number is None:
        return NONE
    if column.form == "count":
        return f"{number:,.0f}"
    return f"{100 * number:.1f}" if column.form == "share" else f"{number:.2f}"


def interval(column: Column, figure: Figure) -> str:
    """Return text such as `20.8 to 93.9`; empty without an interval."""
    if figure.low is None or figure.high is None:
        return ""
    return f"{format_number(column, figure.low)} to {format_number(column, figure.high)}"


def rank(row: BoardRow) -> str:
    """Format a rank, such as `2`, or `=2` for a shared one."""
    return f"{'=' if row.rank.tied else ''}{row.rank.rank}"


def rank_range(row: BoardRow) -> str:
    """Return the range of possible ranks, such as `1–3`."""
    best, worst = row.rank.best, row.rank.worst
    return str(best) if best == worst else f"{best}–{worst}"


def digest(signature: str) -> str:
    """Return eight digits that are equal for rows measured in the same way."""
    return hashlib.sha256(signature.encode()).hexdigest()[:8]


def _slugs(names: Sequence[str]) -> list[str]:
    """Return a file name for each name.

    Letters, digits and `-`, no two alike, none like a page that is always there.
    """
    slugs: list[str] = []
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "row"
        slug, number = plain, 2
        while slug in (*slugs, *_TAKEN):
            slug, number = f"{plain}-{number}", number + 1
        slugs.append(slug)
    return slugs


@cache
def site_script() -> Markup:
    """Return the script of the site's pages."""
    text = files("factscope.benchmarks.leaderboard").joinpath("site.js").read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 - our own file


def page_policy(style: str) -> str:
    """Return the policy of a page with this style: nothing from elsewhere, and no other style or script."""
    style_hash, script_hash = map(_source_hash, (style, site_script()))
    return f"default-src 'none'; style-src {style_hash}; script-src {script_hash}; base-uri 'none'; form-action 'none'"


def _source_hash(text: str) -> str:
    """Return the source expression of a strict policy for one inline element."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _pages(*styles: str) -> Pages:
    functions = (format_number, interval, rank, rank_range, digest, page_policy, site_script)
    return Pages("factscope.benchmarks.leaderboard", styles, functions, LEGEND=_LEGEND, LETTERS=_LETTERS)


_PAGES = _pages("page.css", "tables.css", "site.css")
_SHARED_PAGES = _pages("shared.css")
