"""A leaderboard as values: columns, rows with intervals, and the stored run that a row may come from."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from factscope.benchmarks.comparisons import ModelComparison, Standing
from factscope.core import Interval, Report
from factscope.report import Block, State

Kind = Literal["facts-grounding", "factbench", "factual-precision", "citations", "meta", "short-answers"]


class Column(NamedTuple):
    """Meaning of a column."""

    name: str
    meaning: str
    form: Literal["share", "number", "count"] = "share"
    higher_is_better: bool = True


class Figure(NamedTuple):
    """One number of a row: a share from 0 to 1, a number or a count."""

    value: float | None
    low: float | None = None
    high: float | None = None
    mark: str = ""
    """A note beside it, such as that the judge judges its own answers."""

    @classmethod
    def of(cls, value: float | None, interval: Interval | None = None, mark: str = "") -> Figure:
        """Return a number with its interval."""
        return cls(value, interval.low, interval.high, mark) if interval else cls(value, mark=mark)


class ExampleVerdict(NamedTuple):
    """One judge's verdict on one example."""

    judge: str
    state: State
    word: str


@dataclass(frozen=True)
class BoardExample:
    """One public example under a row."""

    id: str
    verdicts: tuple[ExampleVerdict, ...]
    report: Callable[[], Report] | None = None
    """Reads all of its records, if the store has them. They are read on demand, as there may be thousands."""
    lines: tuple[str, ...] = ()
    """Lines to show without a report."""
    request: str = ""
    """The beginning of the request; empty where its text is not available."""
    shared: int | None = None
    """Number of the page that it shares with other rows' answers to the same request."""


class SharedExample(NamedTuple):
    """A public example with the answers of several rows, on one page, so that the site contains its texts once."""

    id: str
    request: str
    """The beginning of the request."""
    answers: tuple[tuple[str, Callable[[], Report]], ...]
    """By the name of the row; each reads all records of the answer."""


class ReferenceRow(NamedTuple):
    """A published row, for comparison: measured by others with other judges, so it has no rank here."""

    name: str
    figures: tuple[Figure, ...]
    """In the order of the board's columns."""
    rank: str
    """Its published rank."""
    source: str


@dataclass(frozen=True)
class BoardRow:
    """One model, or one checker."""

    name: str
    figures: tuple[Figure, ...]
    """In the order of the board's columns."""
    coverage: float
    """Share of units with a verdict among those that should have one."""
    n: int
    """Examples or responses that the first figure counts."""
    rank: Standing
    date: str | None
    signature: str
    command: str
    """Command that reproduces the row."""
    versions: tuple[tuple[str, str], ...]
    examples: tuple[BoardExample, ...]
    n_left_out: int = 0
    """Rows of its data that could not be checked, and that no figure counts."""
    notes: tuple[str, ...] = ()
    link: str | None = None
    public: Figure | None = None
    """The first figure over public splits only, for the Hub."""


class MissingRow(str):
    """A note on a model or checker without a row, with the reason."""

    __slots__ = ()


@dataclass(frozen=True)
class Leaderboard:
    """One leaderboard."""

    kind: Kind
    title: str
    about: str
    unit: str
    """Kind of row: model or checker."""
    columns: tuple[Column, ...]
    limits: tuple[str, ...]
    """Limits of the figures, for the card."""
    rows: tuple[BoardRow, ...] = ()
    """In the order of their ranks."""
    facts: tuple[tuple[str, str], ...] = ()
    """Facts about the data and the judges, for the card."""
    private: Mapping[str, int] = field(default_factory=dict)
    """Splits of which only totals are shown, with their number of examples."""
    absent: tuple[str, ...] = ()
    """Models without a row and rows of the data that no figure counts, with the reasons."""
    shared: tuple[SharedExample, ...] = ()
    """Public examples with a page for all rows."""
    details: tuple[Block, ...] = ()
    """Further tables on a separate page: about the judges, or where rows fail."""
    references: tuple[ReferenceRow, ...] = ()
    """Published rows below the board's own."""
    notes: tuple[str, ...] = ()
    """Notes for the maker of the site: parts left out, with the reasons."""


def empty_board(kind: Kind, **fields: Any) -> Leaderboard:
    """Return a board with its title, columns and limits from `boards.toml`, and with `fields` set."""
    words = _words()
    about = words["boards"][kind]
    columns = tuple(Column(**words["columns"][name]) for name in about.get("columns", ()))
    limits = tuple(words["limits"][name] for name in about["limits"])
    return Leaderboard(**{"kind": kind, **about, "columns": columns, "limits": limits, **fields})


@cache
def _words() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files(__package__).joinpath("boards.toml").read_text("utf-8"))


def in_order(rows: Iterable[BoardRow]) -> tuple[BoardRow, ...]:
    """Return rows in the order of their ranks, those of one rank by name."""
    return tuple(sorted(rows, key=lambda row: (row.rank.rank, row.name)))


def not_told_apart(name: str, comparisons: Iterable[ModelComparison]) -> Iterator[str]:
    """Yield a note on the models that a row is not told apart from, if there are any."""
    own = [pair for pair in comparisons if name in (pair.first, pair.second) and pair.finding != "differs"]
    if own:
        names = ", ".join(pair.second if pair.first == name else pair.first for pair in own)
        yield f"Not told apart from {names} by a paired test at 5\u00a0%."


def checker_facts(
    method: Mapping[str, Any], models: Mapping[str, str], evidence: str | None
) -> tuple[tuple[str, str], ...]:
    """Return the facts about the checker behind a board, for the card."""
    return (
        ("checker", f"{method.get('name')}: {method.get('title')}"),
        ("cites", str(method.get("cites") or "none")),
        *((f"model for {role}", model) for role, model in models.items()),
        ("evidence", evidence or "none"),
    )


def role_options(option: str, models: Mapping[str, str]) -> list[str]:
    """Return the words of a command that give each role its model."""
    return [word for role, model in models.items() for word in (option, f"{role}={model}")]


class RunRecord(NamedTuple):
    """One stored run."""

    id: str
    title: str
    """Title of the checked responses."""
    date: str
    """When it was finished, otherwise when it was started: ISO, starting with the day."""
    factscope: str
    """Version that made it."""
    method: Mapping[str, Any]
    models: Mapping[str, str]
    """By role."""
    evidence: str | None
    """Hash of the searched sources; `None` if there were none."""
    reports: Mapping[str, Report]
    """By response id, each read when it is asked for."""
    left_out: Mapping[str | None, int] = MappingProxyType({})
    """Rows of its data that could not be checked, by model; `None` where that is not known."""

    @property
    def signature(self) -> tuple[str, ...]:
        """Return the settings that must be equal for two runs to share a table."""
        return repr(sorted(self.method.items())), repr(sorted(self.models.items())), self.evidence or "", self.factscope


def time_of(made: object) -> str | None:
    """Return the date on which a result file of any origin says that it was made; None when that is not a date."""
    try:
        return datetime.fromisoformat(str(made)).astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return None


Find = Callable[[str], RunRecord | None]
"""Returns the stored run with this id, if there is one."""
