"""The yearly update: prompts added, retained and removed, with reasons; and data that must never be lost."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from lxml import html

from factscope.benchmarks import ANSWER
from factscope.benchmarks.curate import (
    CHANGES,
    FILES,
    NAME,
    BuildConfig,
    BuildOutcome,
    ChangeLog,
    explore,
    hold_folder,
    to_html,
    update,
    update_release,
)
from factscope.core import BusyError, InputError, StoreError, UsageError, sha256_of
from factscope.engine import Tools
from tests import lab
from tests.benchmarks.curate.releases import CHAIN, contents, conversations, kit, released
from tests.lab.tools import models_for


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a release on moss and ships."""
    folder = tmp_path_factory.mktemp("old")
    return released(folder / "release-2025", conversations(folder / "logs.jsonl", "moss", "ships"))


def run(old: Path, new: Path, out: Path, wanted: BuildConfig | None = None) -> tuple[BuildOutcome, ChangeLog]:
    async def work() -> tuple[BuildOutcome, ChangeLog | None]:
        async with given.tools or Tools():
            return await update(old, [new], out, CHAIN, given)

    given = wanted or kit()
    outcome, log = asyncio.run(work())
    assert log is not None
    return outcome, log


def test_the_folder_is_locked_until_the_update_is_written(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(log: ChangeLog, prompts: dict[str, str]) -> str:
        with pytest.raises(BusyError), hold_folder(tmp_path / "new"):
            pass
        return to_html(log, prompts)

    monkeypatch.setattr(update_release, "to_html", busy)
    run(old, conversations(tmp_path / "new.jsonl", "moss"), tmp_path / "new")
    assert (tmp_path / "new" / FILES[-1]).exists()


def test_every_prompt_of_both_releases_is_added_retained_or_removed_with_a_reason(old: Path, tmp_path: Path) -> None:
    before = contents(old)
    logs = conversations(tmp_path / "new.jsonl", "moss", "stars", start=6, n=10)
    outcome, log = run(old, logs, tmp_path / "new")
    table, summary = log.table, log.summary
    assert table.columns == list(CHANGES)
    assert pl.read_parquet(tmp_path / "new" / FILES[0]).equals(table)
    assert table["id"].n_unique() == table.height
    assert table["reason"].null_count() == 0
    was = pl.read_parquet(old / "release" / "data" / "*.parquet")["id"].to_list()
    now = pl.read_parquet(tmp_path / "new" / "release" / "data" / "*.parquet")["id"].to_list()
    by = {change: set(rows["id"]) for (change,), rows in table.group_by("change")}
    assert by.get("kept", set()) | by["removed"] == set(was)
    assert by.get("kept", set()) | by["added"] == set(now)
    assert summary.added + summary.kept == summary.n_new == 18
    assert sum(summary.removed.values()) + summary.kept == summary.n_old == 18
    assert list(summary.removed.items()) == sorted(summary.removed.items(), key=lambda one: (-one[1], one[0]))
    step = outcome.manifest.step("previous")
    assert step is not None
    assert step.rows_in == step.rows_out + sum(step.dropped.values())
    assert contents(old) == before


def test_old_prompts_outside_the_new_topics_stay_and_show_in_the_distance(old: Path, tmp_path: Path) -> None:
    _, log = run(old, conversations(tmp_path / "new.jsonl", "stars", "bread"), tmp_path / "new")
    assert set(log.table.filter(pl.col("change") == "kept")["topic"]) <= {-1}
    first, _, last = log.summary.representative
    assert (first.first, first.second) == ("old", "logs")
    assert first.distance is not None
    assert first.distance.value == 1
    assert first.distance.beyond_chance
    assert (last.first, last.second) == ("old", "new")
    assert any("nothing in common" in note for note in log.summary.notes)
    assert log.summary.topics[-1].name == "outside of all topics"
    topics = {topic for topic in log.table.filter(pl.col("change") != "removed")["topic"] if topic >= 0}
    assert 0 < len(topics) <= 2
    about = json.loads((tmp_path / "new" / "release" / NAME).read_text())
    assert about["topics"] == len(topics)
    page = " ".join(html.document_fromstring(explore(tmp_path / "new")).text_content().split())
    assert f"18prompts {len(topics)}topics" in page
    assert "rows of new.jsonl, and from the 18 prompts of the last release, release-2025." in page


def test_names_of_folders_are_not_patterns(tmp_path: Path) -> None:
    """In a pattern, `[1]` stands for `1`."""
    out = tmp_path / "release [1]*"
    released(out, conversations(tmp_path / "logs [a].jsonl", "moss", "ships"))
    _, log = run(out, conversations(tmp_path / "new [b].jsonl", "moss", "stars"), tmp_path / "new [2]")
    assert log.summary.previous == out.name


def test_the_same_logs_again_change_nothing(old: Path, tmp_path: Path) -> None:
    logs = conversations(tmp_path / "logs.jsonl", "moss", "ships")
    _, log = run(old, logs, tmp_path / "new")
    assert (log.summary.added, log.summary.removed) == (0, {})
    assert set(log.table["change"]) == {"kept"}
    assert any("nothing new" in note for note in log.summary.notes)
    whole = log.summary.difficulty[0]
    assert (whole.difference, whole.kept.value) == (0, 0)


@pytest.mark.medium
def test_too_similar_prompts_are_removed_and_logged_with_their_nearest(old: Path, tmp_path: Path) -> None:
    logs = conversations(tmp_path / "new.jsonl", "moss", "ships", suffix=" Tell the moss and ships.")
    _, log = run(old, logs, tmp_path / "new")
    similar = log.table.filter(pl.col("reason").str.contains("similar"))
    assert similar.height > 6
    assert (similar["cosine"] >= 0.85).all()
    assert similar["nearest"].null_count() == 0
    stricter = kit(update={"same_cosine": 1.0, "same_topic_cosine": 1.0})
    _, other = run(old, logs, tmp_path / "stricter", stricter)
    assert not any("similar" in reason for reason in other.summary.removed)
    assert other.summary.thresholds["same_cosine"] == 1.0
    assert {one.name for one in other.summary.parameters} == {"update.same_cosine", "update.same_topic_cosine"}


@pytest.mark.medium
def test_the_same_command_resumes_and_another_old_release_repeats_the_union(old: Path, tmp_path: Path) -> None:
    logs = conversations(tmp_path / "new.jsonl", "moss", "stars", start=5)
    run(old, logs, tmp_path / "new")
    before = contents(tmp_path / "new")
    again, _ = run(old, logs, tmp_path / "new")
    assert len(again.reused) == len(CHAIN) + 1
    assert contents(tmp_path / "new") == before
    other = released(tmp_path / "other", conversations(tmp_path / "other.jsonl", "ships", start=40))
    changed, log = run(other, logs, tmp_path / "new")
    assert "sampling" in changed.reused
    assert "previous" not in changed.reused
    assert log.summary.previous == "other"


def test_a_shared_release_may_be_updated_even_without_some_columns(old: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    (shared / "data").mkdir(parents=True)
    table = pl.read_parquet(old / "release" / "data" / "*.parquet").select("id", "prompt", "tier", "response")
    table.write_parquet(shared / "data" / "all.parquet")
    files = {"data/all.parquet": sha256_of(shared / "data" / "all.parquet")}
    (shared / NAME).write_text(json.dumps({"form": 0, "files": files}))
    _, log = run(shared, conversations(tmp_path / "new.jsonl", "moss", "stars", start=6), tmp_path / "new")
    assert log.summary.n_old == 18
    assert log.summary.kept > 0
    assert log.summary.difficulty[0].old.value is None


@pytest.mark.parametrize("where", ["same", "inside", "around"])
def test_the_new_release_never_goes_into_the_old_one(old: Path, tmp_path: Path, where: str) -> None:
    out = {"same": old, "inside": old / "x", "around": old.parent}[where]
    before = contents(old)
    logs = conversations(tmp_path / "new.jsonl", "moss")
    with pytest.raises(UsageError, match="last one is there"):
        asyncio.run(update(old, [logs], out, CHAIN, kit()))
    assert contents(old) == before


def test_a_missing_release_or_one_of_a_newer_version_is_refused(old: Path, tmp_path: Path) -> None:
    logs = conversations(tmp_path / "new.jsonl", "moss")
    with pytest.raises(UsageError, match="not a release"):
        asyncio.run(update(tmp_path / "none", [logs], tmp_path / "new", CHAIN, kit()))
    newer = tmp_path / "newer"
    newer.mkdir()
    about = json.loads((old / "release" / NAME).read_text()) | {"form": 99}
    (newer / NAME).write_text(json.dumps(about))
    with pytest.raises(StoreError, match="form 99"):
        asyncio.run(update(newer, [logs], tmp_path / "new", CHAIN, kit()))
    assert not (tmp_path / "new").exists()


def test_a_failed_update_leaves_an_earlier_one_unchanged(old: Path, tmp_path: Path) -> None:
    logs, out = conversations(tmp_path / "new.jsonl", "moss", "stars", start=6), tmp_path / "new"
    run(old, logs, out)
    before, earlier = contents(out), contents(old)
    nothing: dict[str, Any] = {"tiers": {"models": {"nobody": "hard"}}}
    with pytest.raises(InputError, match="tiers keeps none"):
        asyncio.run(update(old, [logs], out, CHAIN, kit(**nothing)))
    assert {name: was for name, was in contents(out).items() if not name.startswith("unfinished")} == before
    assert contents(old) == earlier


@pytest.mark.medium
def test_models_answer_old_prompts_again(old: Path, tmp_path: Path) -> None:
    logs = conversations(tmp_path / "new.jsonl", "moss", "stars", start=6)
    with lab.model_server() as server:
        without = Tools(models=models_for(server, {"curate": "openai/lab"}))
        with pytest.raises(UsageError, match="want new answers"):
            run(old, logs, tmp_path / "x", kit(without))
        assert not (tmp_path / "x").exists()
        models = models_for(server, dict.fromkeys(("curate", ANSWER), "openai/lab"))
        alike, log = run(old, logs, tmp_path / "new", kit(Tools(models=models)))
        assert writers(alike) == {True: {"openai/lab"}, False: {"openai/lab"}}
        assert not any("answered by other models" in note for note in log.summary.notes)
        as_published, log = run(old, logs, tmp_path / "new", kit(Tools(models=models), update={"alike": False}))
    assert writers(as_published) == {True: {"openai/lab"}, False: {"gpt-4", "vicuna-33b", "mpt-30b-chat"}}
    assert any("answered by other models" in note for note in log.summary.notes)


def writers(outcome: BuildOutcome) -> dict[bool, set[str]]:
    """Return the models that answered, by whether the prompt is from the previous release."""
    table = pl.read_parquet(outcome.folder / "08-answers.parquet")
    return {bool(old): set(rows["answered_by"]) for (old,), rows in table.group_by("previous")}
