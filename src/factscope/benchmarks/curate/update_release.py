"""The yearly update: new conversations against the last release (FactBench, section on the dynamic update).

1. The new logs go through the same cleaning, topics and filters as a first release, with the parameters that are given.
2. Old prompts are placed in the topics that were found among the new ones; those too similar to a new one make way.
3. Old prompts that stay get new answers by the latest models, and so do the new ones (`Update.alike`), because logged
   answers and those of a later model are not comparable. Without models all keep their answers.
4. All are evaluated, ranked and selected together, as in a first release.

The thresholds, of which FactBench gives none, are `Parameters.update`. The old release is only read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from factscope.benchmarks.curate import fresh_answers
from factscope.benchmarks.curate.build_release import BuildConfig, BuildOutcome, build, hash_of
from factscope.benchmarks.curate.changes import ChangeLog, change_log
from factscope.benchmarks.curate.changes_page import to_html, to_markdown
from factscope.benchmarks.curate.folders import Folder, whole_file, write_table
from factscope.benchmarks.curate.parameters import TIERS, Tier
from factscope.benchmarks.curate.previous_release import NewPrompts, fitted, placed
from factscope.benchmarks.curate.prompt_vectors import BASELINE, embed, matrix
from factscope.benchmarks.curate.release import Release, read_release, write_release
from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, by_frequency, drops
from factscope.benchmarks.generate import ANSWER
from factscope.core import UsageError

PREVIOUS = "previous"
"""Name of the stage that adds the prompts of the previous release."""
AFTER = "sampling"
"""The stage before it."""
ASKED_AGAIN = "in the last release"
"""Reason for a new prompt with the same words as an old one: the old one stays, under its id."""
FILES = ("changes.parquet", "changes.json", "changes.md", "changes.html")


async def update(
    previous: Path, logs: Sequence[Path], out: Path, stages: Sequence[Stage], config: BuildConfig
) -> tuple[BuildOutcome, ChangeLog | None]:
    """Make the release that follows `previous`, and beside it `changes.parquet`, `.json`, `.md` and `.html`.

    A release of an older version is used as far as possible. The change log is `None` when calls wait in a batch
    folder. Raises the errors of `build`, UsageError when `previous` holds no release or `out` is in it, StoreError when
    it is damaged or of a newer version. When anything fails, `previous` and `out` are unchanged.
    """
    old = read_release(previous)
    _separate_folder(previous, out)
    if config.tools is not None:  # now, and not after hours
        tiers = set(TIERS) if config.parameters.update.alike else set(old.prompts["tier"])
        _writers(tiers, StageContext(config.parameters, config.tools))
    log: ChangeLog | None = None

    def write_when_selected(new: Folder) -> None:
        nonlocal log
        if new.has("selected"):
            write_release(new)
            log = _write_changes(old, new)

    outcome = await build(logs, out, chain(old, stages), config, after=write_when_selected)
    return outcome, log


def _write_changes(old: Release, new: Folder) -> ChangeLog:
    """Write the changes beside the new release. Raises StoreError."""
    log = change_log(old, new, tuple(_notes(old, new)))
    write_table(log.table, new.path / FILES[0])
    prompts = dict(new.table(AFTER).select("id", "prompt").iter_rows())  # that old ones were compared with
    texts = (log.summary.model_dump_json(indent=1) + "\n", to_markdown(log), to_html(log, prompts))
    for name, text in zip(FILES[1:], texts, strict=True):
        with whole_file(new.path / name) as target:
            target.write_text(text, encoding="utf-8")
    return log


def chain(old: Release, stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """Return the stages of an update: those of a first release, with the prompts of `old` coming in after the sampling.

    Another release repeats all stages that follow.
    """
    joining = Stage(
        PREVIOUS,
        "The prompts of the last release come in; those too similar to a new one make way.",
        partial(_join, old),
        configuration=hash_of(old.manifest["files"]),
        parameters=("vectors", "update"),
    )
    changed: list[Stage] = []
    for stage in stages:
        if stage.name == fresh_answers.STAGE.name:
            stage = stage._replace(work=_answer, parameters=(*stage.uses, "update"))  # noqa: PLW2901
        changed += [stage, joining] if stage.name == AFTER else [stage]
    return tuple(changed)


def _join(old: Release, rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Return the new prompts with those of the last release that stay.

    Side tables: `placed` (see `previous_release.PLACED`), and `previous_answers` (id, response, answered_by).
    """
    before = old.prompts
    vectors = context.side("vectors")
    where = placed(
        before,
        embed(before["prompt"].to_list(), context),
        NewPrompts(rows.select("id", "prompt", "topic"), matrix(vectors, rows["id"])),
        fitted(vectors, context.side("members")),
        context.parameters.update,
    )
    joined = before.select(pl.exclude("topic", "x", "y", "topic_strength")).join(where, on="id", maintain_order="left")
    # On the map an old prompt lies where the new one does that is most like it.
    joined = joined.join(rows.select("x", "y", nearest="id"), on="nearest", how="left", maintain_order="left")
    stay, removed = joined.filter(pl.col("reason").is_null()), joined.filter(pl.col("reason").is_not_null())
    asked_again = where.filter(pl.col("twin").is_not_null() & pl.col("reason").is_null()).unique("twin", keep="first")
    twins = rows.join(asked_again.select(id="twin", old="id"), on="id", how="inner", maintain_order="left")
    fresh = rows.join(twins, on="id", how="anti", maintain_order="left").with_columns(previous=pl.lit(value=False))
    columns = [name for name in fresh.columns if name in stay.columns]
    passing = pl.concat([fresh, stay.select(columns).with_columns(previous=pl.lit(value=True))], how="diagonal_relaxed")
    likeness = pl.format("cosine {} to {}", pl.col("cosine").round(3), "nearest").fill_null("")
    dropped = [
        drops(removed, pl.col("reason"), likeness),
        drops(twins.filter(pl.col("id") != pl.col("old")), ASKED_AGAIN, pl.format("as {}", "old")),
    ]
    facts = {
        "previous": old.name,
        "prompts": before.height,
        "stay": stay.height,
        "asked_again": twins.height,
        "outside_of_topics": where.filter(pl.col("topic") < 0).height,
        "removed": by_frequency(removed["reason"]),
    }
    answers = before.select("id", "response", "answered_by").cast(pl.String)
    return StageResult(passing, pl.concat(dropped), facts, {"placed": where, "previous_answers": answers})


async def _answer(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Return the answers of the latest models to old and new prompts.

    Without models, old prompts keep their stored answers; then, or if `Update.alike` is off, new prompts get theirs as
    in a first release. Raises UsageError when models are configured and none for the prompts of a tier.
    """
    old = pl.col("previous")
    alike = context.tools is not None and context.parameters.update.alike
    again_context = _for_old(rows if alike else rows.filter("previous"), context)
    new_result = await fresh_answers.work(rows.filter(~old), again_context if alike else context)
    old_result = await fresh_answers.work(rows.filter(old), again_context)
    again = old_result.table
    if context.tools is None:  # who wrote the stored answers is not who was asked in the logs
        writers = context.side("previous_answers").select("id", "answered_by")
        again = again.drop("answered_by").join(writers, on="id", how="left", maintain_order="left")
    return StageResult(
        pl.concat([new_result.table, again], how="diagonal_relaxed"),
        pl.concat([new_result.dropped, old_result.dropped]),
        {"new": dict(new_result.facts), "previous": dict(old_result.facts)},
    )


def _for_old(rows: pl.DataFrame, context: StageContext) -> StageContext:
    """Return the context of the stage of answers, changed for prompts that are answered again."""
    models: dict[Tier, str] = {}
    tables = context.tables
    if context.tools is None:
        tables = {**tables, "responses": tables["previous_answers"]}
    else:
        models = _writers(set(rows["tier"]), context)
    answering = context.parameters.answering.model_copy(update={"fresh": models})
    parameters = context.parameters.model_copy(update={"answering": answering})
    return replace(context, parameters=parameters, tables=tables)


def _writers(tiers: set[str], context: StageContext) -> dict[Tier, str]:
    """Return the models that answer prompts again, by tier. Raises UsageError when one of `tiers` has none."""
    models = dict(context.parameters.answering.fresh)
    if wanting := tiers - models.keys():
        if not context.session.models.has(ANSWER):
            raise UsageError(
                f"The prompts of the last release want new answers, and no model writes those of tier {min(wanting)}.",
                "Name one: --model answer=openai/gpt-4.1, or one for each tier in [answering.fresh] of the parameters.",
            )
        models |= {tier: context.session.models.of(ANSWER) for tier in TIERS if tier not in models}
    return models


def _separate_folder(previous: Path, out: Path) -> None:
    old, new = previous.resolve(), out.resolve()
    if old == new or old in new.parents or new in old.parents:
        raise UsageError(
            f"The new release can't go into {out}: the last one is there.", "Name another folder: --out FOLDER"
        )


def _notes(old: Release, new: Folder) -> Iterator[str]:
    """Yield the limits of the comparison."""
    joined, selected = new.side("placed"), new.table("selected")
    if (joined["topic"] < 0).all():
        yield (
            "No old prompt falls into a topic of the new logs: the two have nothing in common. Old prompts that stay "
            "do so outside of all topics."
        )
    if not selected["previous"].any() and old.prompts.height:
        yield (
            f"Nothing of the last release stays: all {old.prompts.height:,} of its prompts are gone. See whether the"
            " answers and the evaluator are the same for old and new prompts before you publish this."
        )
    if selected["previous"].all():
        yield "The new logs brought nothing new that was selected: every prompt of this release is an old one."
    facts = new.manifest.facts
    if facts("vectors").get("by") == BASELINE:
        yield "Likeness rests on words and not on meaning: the vectors are the built-in baseline's."
    answered = facts(fresh_answers.STAGE.name)
    if answered and answered["previous"]["fresh"] != answered["new"]["fresh"]:
        yield (
            "Old prompts were answered by other models than new ones, whose answers are those of the logs: whether the "
            "release is harder can't be told by these. With alike = true in [update] both are answered again."
        )
    if new.has("evaluated") and facts("evaluated").get("evaluator") != old.manifest.get("evaluator"):
        yield "The two releases were evaluated in different ways, and scores may have changed by that alone."
