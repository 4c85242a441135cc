"""The result as tables, and as a page: the tables, then every case that came out wrong. No script, no request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from factscope.benchmarks.figure_lines import FigureLine, lines_of
from factscope.core import group_by, many
from factscope.report import Block, Pages, Paragraph, Table, Title, notes, number_cell, table_of

from .behaviour_figures import BASIC, Behaviour, BehaviourRow, KindFigures, PairFigures, TextFigures

F = TypeVar("F")
_PAGES = Pages("factscope.benchmarks.behaviour", ("page.css", "tables.css"))
_PAIRS: dict[str, Callable[[PairFigures], str]] = {
    "three labels": lambda row: number_cell(row.accuracy, 3),
    "basic kinds": lambda row: number_cell(row.basic, 3),
    "balanced accuracy": lambda row: number_cell(row.balanced_accuracy, 3),
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
    """Return version, commit and date in a line."""
    commit = f" ({behaviour.commit})" if behaviour.commit else ""
    return f"Factscope {behaviour.factscope}{commit}, {behaviour.made[:10]}"


def document(behaviour: Behaviour) -> Iterator[Block]:
    """Yield the result: a table of pairs, one of their kinds and one of texts for each suite, and what was left out."""
    yield Paragraph(headline(behaviour))
    yield from tables(behaviour)
    yield from notes(f"Left out: {reason}" for reason in behaviour.left_out)


def to_html(behaviour: Behaviour) -> str:
    """Return one self-contained file; all text of a suite is escaped."""
    values = {"headline": headline(behaviour), "blocks": tables(behaviour), "version": behaviour.factscope}
    return _PAGES.fill("behaviour.html", found=behaviour, **values)


def tables(behaviour: Behaviour) -> Iterator[Block]:
    """Yield the tables of each suite, each with its title and a note."""
    by_suite = group_by(behaviour.rows, lambda row: f"{row.suite} ({row.digest})")
    for called, rows in by_suite.items():
        if with_pairs := [(row, row.pairs) for row in rows if row.pairs]:
            yield Title(f"{called}: {many(with_pairs[0][1].n, 'pair')}")
            yield Paragraph(_PAIRS_NOTE)
            yield _table(_PAIRS, with_pairs)
            yield Title(f"{called}: by kind")
            yield Paragraph(_KINDS_NOTE)
            yield _kinds(with_pairs)
        if with_texts := [(row, row.texts) for row in rows if row.texts]:
            texts = len({sentence.text for sentence in with_texts[0][0].sentences})
            yield Title(f"{called}: {many(texts, 'text')}, {many(with_texts[0][1].sentences, 'sentence')}")
            yield Paragraph(_TEXTS_NOTE)
            yield _table(_TEXTS, with_texts)


def figure_lines(behaviour: Behaviour) -> Iterator[FigureLine]:
    """Yield the figures of each checker on the pairs of a suite, on each kind of them, and on the texts."""
    for row in behaviour.rows:
        kinds = {f"pairs, {kind.kind}": kind for kind in row.pairs.kinds} if row.pairs else {}
        for name, figures in {"pairs": row.pairs, **kinds, "texts": row.texts}.items():
            if figures:
                counts = figures.model_dump(exclude={"kind", "kinds"})
                yield from lines_of(f"{row.suite} ({row.digest}): {name}", row.checker, counts)


def _table(columns: Mapping[str, Callable[[F], str]], rows: Iterable[tuple[BehaviourRow, F]]) -> Table:
    shown = ((row.checker, *(show(figures) for show in columns.values())) for row, figures in rows)
    return table_of(("checker", *columns), shown)


def _kinds(rows: Sequence[tuple[BehaviourRow, PairFigures]]) -> Table:
    kinds = sorted((kind.kind for kind in rows[0][1].kinds), key=lambda kind: (kind not in BASIC, kind))
    by_checker = [{kind.kind: kind for kind in figures.kinds} for _, figures in rows]
    shown = ((f"{kind} *" if kind in BASIC else kind, *(_cell(each[kind]) for each in by_checker)) for kind in kinds)
    return table_of(("kind", *(row.checker for row, _ in rows)), shown)


def _cell(figures: KindFigures) -> str:
    accused, passed = figures.false_accusations, figures.missed_errors
    return f"{figures.right}/{figures.n}" + (f" ({accused}, {passed})" if accused or passed else "")
