"""A stage of curation: a name, its dependencies, and a function from a table to a smaller one; and their shared tools.

A stage keeps all columns of its input and may add some. Every row is kept or dropped with a reason; the runner
(`build_release`) checks that. Its work may be a coroutine, when it calls a model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import polars as pl

from factscope.benchmarks.curate.parameters import TIERS, CurationParameters, Tier
from factscope.core import InputError, Record, UsageError, many
from factscope.engine import Tools
from factscope.evidence.embedding_models import Encoders
from factscope.llm import Ledger, ModelError, json_reader, schema_of
from factscope.llm.session import ModelSession, StepQuestion, Variables, Words, for_each
from factscope.methods import Ask

if TYPE_CHECKING:
    from factscope.engine.run_store import Store

V = TypeVar("V")
T = TypeVar("T")
R = TypeVar("R", bound=Record)
DROPPED = pl.Schema({"id": pl.String, "reason": pl.String, "detail": pl.String})
"""Columns of the rows that a stage drops."""
BASELINE = "baseline"
"""Name of the rater where a rule decides in place of a model: it looks at words, and not at meaning."""
FAILED = "failed"
"""Reason for a row that failed, for example because of a failed call: the next build tries it again."""
WAITING = "waiting"
"""Reason for a row whose call waits in a batch folder: the build stops after the stage, and resumes later."""


@dataclass(frozen=True)
class StageTools:
    """Parameters, models and sources of stages."""

    parameters: CurationParameters = field(default_factory=CurationParameters)
    tools: Tools | None = None
    """Models and evidence; `None` with `--no-models`: then a baseline takes the place of every question to a model."""
    store: Store | None = None
    """Store of the checks; there whenever `tools` or `evidence` are."""
    encoders: Encoders | None = None
    """Sentence-embedding models by name; needed where the parameters name one."""
    evidence: Tools | None = None
    """Tools that check answers even with `--no-models`; `None`: nothing is checked."""


@dataclass(frozen=True)
class StageContext(StageTools):
    """Context of a stage, besides its table."""

    tables: Mapping[str, Path] = field(default_factory=dict)
    """Files of the side tables of earlier stages, by name."""
    scratch: Path = Path()
    """A folder of this stage alone, emptied after it."""
    ledger: Ledger = field(default_factory=Ledger)
    """Usage by the questions of this stage."""
    progress: Callable[[int, int], None] = lambda done, total: None
    """Called with the number of finished rows, and of all rows."""
    log: Callable[[str], None] = lambda text: None
    """Called with a line for the user."""

    @property
    def session(self) -> ModelSession:
        """Return the model session. Raises UsageError when no model is configured."""
        if self.tools is None or self.tools.models is None:
            raise UsageError(
                "This stage asks a language model, and none is configured.",
                "Name one: --model openai/gpt-4.1-mini, or make do with the baselines: --no-models.",
            )
        return ModelSession(self.tools.models, self.ledger)

    def scan(self, name: str) -> pl.LazyFrame:
        """Return a side table of an earlier stage, read lazily. Raises InputError when there is none."""
        if name not in self.tables:
            raise InputError(
                f"There is no table {name!r} of an earlier stage.", f"Choose from: {', '.join(self.tables)}."
            )
        return pl.scan_parquet(self.tables[name], glob=False)

    def side(self, name: str) -> pl.DataFrame:
        """Return a whole side table of an earlier stage. Raises InputError if there is none."""
        return self.scan(name).collect()


class StageResult(NamedTuple):
    """Result of a stage on its table."""

    table: pl.DataFrame
    """The kept rows, with all their columns."""
    dropped: pl.DataFrame
    """The dropped rows: columns id, reason, detail."""
    facts: Mapping[str, Any] = {}
    """Facts for the manifest; the runner adds counts by reason."""
    tables: Mapping[str, pl.DataFrame | pl.LazyFrame] = {}
    """Side tables, kept beside the stage's own."""
    unanswered: Mapping[str, int] = {}
    """Number of unanswered questions about something other than a row, by `FAILED` and `WAITING`: the next build asks
    them again."""


class Stage(NamedTuple):
    """One step of the chain."""

    name: str
    """Its name, such as `language`; its table is `02-language.parquet`."""
    about: str
    """Its purpose, in one sentence for people."""
    work: Callable[[pl.DataFrame, StageContext], StageResult | Awaitable[StageResult]]
    """The function that does it."""
    roles: tuple[str, ...] = ()
    """Roles of the models that it calls; the stage is repeated for another model."""
    configuration: str = ""
    """Hash of its inputs besides its table, such as the prompts of the previous release; empty for none. A stage that
    has it may add rows."""
    parameters: tuple[str, ...] | None = None
    """The parameters in `CurationParameters` that it depends on; `None` for those under its own name."""

    @property
    def uses(self) -> tuple[str, ...]:
        """The parts of the parameters whose change repeats this stage and those after it."""
        return (self.name,) if self.parameters is None else self.parameters


def no_drops() -> pl.DataFrame:
    """Return the table of dropped rows when there are none."""
    return pl.DataFrame(schema=DROPPED)


def drops(rows: pl.DataFrame, reason: str | pl.Expr, detail: str | pl.Expr = "") -> pl.DataFrame:
    """Return the table of dropped rows for these, with a reason and a detail.

    Both are texts, or expressions over the rows' columns.
    """
    return rows.select(
        "id",
        reason=pl.lit(reason) if isinstance(reason, str) else reason,
        detail=pl.lit(detail) if isinstance(detail, str) else detail,
    ).cast(DROPPED)


def sifted(
    rows: pl.DataFrame,
    keep: pl.Expr,
    reason: str | pl.Expr,
    detail: str | pl.Expr = "",
    facts: Mapping[str, Any] = {},
    tables: Mapping[str, pl.DataFrame | pl.LazyFrame] = {},
) -> StageResult:
    """Return the result of a stage that keeps the rows for which `keep` holds, and drops the others."""
    return StageResult(rows.filter(keep), drops(rows.filter(~keep), reason, detail), facts, tables)


def by_frequency(values: pl.Series) -> dict[str, int]:
    """Count each value; the most frequent come first, equally frequent ones in their own order."""
    return dict(values.value_counts().sort("count", values.name, descending=[True, False]).iter_rows())


def tier_counts(table: pl.DataFrame) -> dict[Tier, int]:
    """Count the rows of each tier."""
    counts = Counter(table["tier"])
    return {tier: counts[tier] for tier in TIERS}


def topic_count(table: pl.DataFrame) -> int:
    """Count the topics of the rows; those outside of all topics, as old prompts may be, have −1."""
    return table["topic"].filter(table["topic"] >= 0).n_unique()


async def ask_each(
    rows: Mapping[str, V], ask: Callable[[V], Awaitable[T]], progress: Callable[[int, int], None]
) -> dict[str, T | ModelError]:
    """Apply `ask` to each row; return its result or its error, by id and in the order of `rows`.

    Raises the ModelError that would affect every other question too: a wrong key, an outage, a budget that is used up.
    Answers are in the cache, so that the next attempt pays only for the rest.
    """
    results: dict[str, T | ModelError] = {}

    async def ask_one(name: str) -> None:
        try:
            results[name] = await ask(rows[name])
        except ModelError as error:
            if error.fatal or error.kind == "budget":
                hint = f"{error.hint} The same command carries on: what was answered is kept.".strip()
                progress_made = f"After {len(results):,} of {many(len(rows), 'row')}"
                raise ModelError(error.kind, f"{progress_made}: {error.message}", hint) from None
            results[name] = error
        progress(len(results), len(rows))

    await for_each(rows, ask_one)
    return {name: results[name] for name in rows}


def reason_of(error: ModelError) -> str:
    """Return the reason for dropping a row without an answer.

    It is tried again, now or when its reply has arrived.
    """
    return WAITING if error.kind == "pending" else FAILED


async def ask_about(
    rows: Mapping[str, Variables],
    ask: Ask,
    form: type[R],
    context: StageContext,
    words: Words | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, R | ModelError]:
    """Ask a model a question about each row; return its reply in this form or its error, like `ask_each`."""
    session, read, schema = context.session, json_reader(form), schema_of(form)

    async def ask_one(variables: Variables) -> R:
        return (await session.ask(StepQuestion(ask, variables, words or {}, schema), read)).value

    return await ask_each(rows, ask_one, progress or context.progress)
