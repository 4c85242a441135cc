"""The result as tables: for the terminal, and in Markdown for a page of documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from factscope.report.wording import inert, many

from .behaviour_figures import BASIC, KindFigures, PairFigures, TextFigures
from .behaviour_result import Behaviour, BehaviourRow

if TYPE_CHECKING:
    from rich.console import Console

_NAME = 12
"""Characters of a checker's name on one line, at least."""


class BehaviourTable(NamedTuple):
    """A titled table, cells as they are shown."""

    title: str
    note: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


_PAIRS: dict[str, Callable[[PairFigures], str]] = {
    "three labels": lambda row: _decimals(row.accuracy),
    "basic kinds": lambda row: _decimals(row.basic),
    "balanced accuracy": lambda row: _decimals(row.balanced_accuracy),
    "accused": lambda row: f"{row.false_accusations}/{row.supported}",
    "passed": lambda row: f"{row.missed_errors}/{row.contradicted}",
    "failed": lambda row: str(row.failed),
}
_PAIRS_NOTE = (
    "three labels: share right; basic kinds: mean of those with *; balanced accuracy: supported or not; accused:"
    " supported claims called contradicted; passed: contradicted claims called supported."
)
_KINDS_NOTE = "Right of all; in brackets, where there are any: accused, passed."
_TEXTS: dict[str, Callable[[TextFigures], str]] = {
    "errors found": lambda row: f"{row.errors_found}/{row.errors}",
    "errors passed": lambda row: f"{row.errors_passed}/{row.errors}",
    "false accusations": lambda row: f"{row.false_accusations}/{row.accusations}",
    "true found": lambda row: f"{row.supported_found}/{row.supported}",
    "left open": lambda row: f"{row.left_open}/{row.not_enough}",
    "left alone": lambda row: f"{row.left_alone}/{row.not_checkable}",
    "quotes": lambda row: f"{row.quotes_retrieved}/{row.quotes}",
    "failed": lambda row: str(row.failed),
}
_TEXTS_NOTE = (
    "errors passed: called supported; false accusations: of all; true found: called supported; left open: what the"
    " documents do not settle; left alone: what is not checkable; quotes: the deciding one was retrieved."
)


def headline(behaviour: Behaviour) -> str:
    """Version, commit and date in a line."""
    commit = f" ({behaviour.commit})" if behaviour.commit else ""
    return f"Factscope {behaviour.factscope}{commit}, {behaviour.made[:10]}"


def tables(behaviour: Behaviour) -> Iterator[BehaviourTable]:
    """The tables of each suite: pairs, their kinds, texts."""
    for suite in dict.fromkeys((row.suite, row.digest) for row in behaviour.rows):
        rows = [row for row in behaviour.rows if (row.suite, row.digest) == suite]
        called = f"{suite[0]} ({suite[1]})"
        with_pairs = [(row, row.pairs) for row in rows if row.pairs]
        if with_pairs:
            cells = tuple(
                (row.checker, *(show(with_pair) for show in _PAIRS.values())) for row, with_pair in with_pairs
            )
            yield BehaviourTable(
                f"{called}: {many(with_pairs[0][1].n, 'pair')}", _PAIRS_NOTE, ("checker", *_PAIRS), cells
            )
            yield _kinds(called, with_pairs)
        with_texts = [(row, row.texts) for row in rows if row.texts]
        if with_texts:
            cells = tuple(
                (row.checker, *(show(with_text) for show in _TEXTS.values())) for row, with_text in with_texts
            )
            texts = len({sentence.text for sentence in with_texts[0][0].sentences})
            title = f"{called}: {many(texts, 'text')}, {many(with_texts[0][1].sentences, 'sentence')}"
            yield BehaviourTable(title, _TEXTS_NOTE, ("checker", *_TEXTS), cells)


def _kinds(called: str, rows: Sequence[tuple[BehaviourRow, PairFigures]]) -> BehaviourTable:
    kinds = sorted((kind.kind for kind in rows[0][1].kinds), key=lambda kind: (kind not in BASIC, kind))
    by_checker = [{kind.kind: kind for kind in figures.kinds} for _, figures in rows]
    cells = tuple(
        (f"{kind} *" if kind in BASIC else kind, *(_cell(each[kind]) for each in by_checker)) for kind in kinds
    )
    return BehaviourTable(f"{called}: by kind", _KINDS_NOTE, ("kind", *(row.checker for row, _ in rows)), cells)


def _cell(kind_figures: KindFigures) -> str:
    wrong = (
        f" ({kind_figures.false_accusations}, {kind_figures.missed_errors})"
        if kind_figures.false_accusations or kind_figures.missed_errors
        else ""
    )
    return f"{kind_figures.right}/{kind_figures.n}{wrong}"


def _decimals(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def to_markdown(behaviour: Behaviour) -> str:
    """The tables for a page of documentation."""
    lines = [f"{headline(behaviour)}.", ""]
    for table in tables(behaviour):
        lines += [f"**{table.title}**. {table.note}", ""]
        lines += [f"| {' | '.join(table.heads)} |", "|---|" + "--:|" * (len(table.heads) - 1)]
        lines += [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in table.rows]
        lines.append("")
    lines += [f"Left out: {reason}" for reason in behaviour.left_out]
    return "\n".join(lines).rstrip() + "\n"


def print_tables(behaviour: Behaviour, console: Console) -> None:
    """The tables for a terminal."""
    from rich.text import Text

    from factscope.report.console import close_table

    console.print(Text(headline(behaviour)))
    for table in tables(behaviour):
        console.print()
        console.print(Text(inert(table.title), style="bold"))
        console.print(Text(table.note, style="dim"))
        console.print(close_table(table.heads, table.rows, _NAME))
