"""The chain: which stages run again, which results are reused, and what a failed build leaves unchanged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from factscope.benchmarks.curate import (
    FAILED,
    UNFINISHED,
    WAITING,
    BuildConfig,
    BuildOutcome,
    CurationParameters,
    Folder,
    Stage,
    StageContext,
    StageResult,
    build,
    build_release,
    drops,
    hold_folder,
    no_drops,
    open_folder,
    up_to,
)
from factscope.core import BusyError, FactscopeError, InputError, StoreError, UsageError

DONE: list[str] = []
"""Names of the stages that ran, in order."""


def read(rows: pl.DataFrame, shop: StageContext) -> StageResult:
    DONE.append("read")
    words = Path(rows["path"][0]).read_text().split()
    table = pl.DataFrame({"id": [f"w{n}" for n in range(len(words))], "prompt": words})
    return StageResult(
        table, no_drops(), {"n": len(words)}, {"lengths": table.select("id", length=pl.col("prompt").str.len_chars())}
    )


def near(rows: pl.DataFrame, shop: StageContext) -> StageResult:
    DONE.append("near")
    long = rows["prompt"].str.len_chars() > shop.parameters.near.jaccard * 10
    return StageResult(rows.filter(~long), drops(rows.filter(long), "too long", pl.col("prompt")))


async def names(rows: pl.DataFrame, shop: StageContext) -> StageResult:
    DONE.append("names")
    table = rows.join(shop.side("lengths"), on="id", how="left", maintain_order="left")
    return StageResult(table, no_drops())


CHAIN = (
    Stage("read", "Reads.", read),
    Stage("near", "Drops long words.", near),
    Stage("names", "Adds lengths.", names, parameters=()),
)


def run(
    tmp_path: Path,
    stages: Sequence[Stage] = CHAIN,
    *,
    until: str | None = None,
    after: Callable[[Folder], None] = lambda made: None,
    **near: float,
) -> BuildOutcome:
    DONE.clear()
    log = tmp_path / "log.txt"
    if not log.exists():
        log.write_text("one two seventeen eight incomprehensible")
    values = {"near": near} if near else {}
    kit = BuildConfig(CurationParameters.model_validate(values))
    return asyncio.run(build([log], tmp_path / "out", up_to(stages, until), kit, after=after))


def state(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_every_row_goes_on_or_is_dropped_with_a_reason(tmp_path: Path) -> None:
    outcome = run(tmp_path)
    release = open_folder(tmp_path / "out")
    assert release.manifest == outcome.manifest
    assert [(step.rows_in, step.rows_out) for step in release.manifest.steps] == [(5, 5), (5, 4), (4, 4)]
    assert release.manifest.step("near").dropped == {"too long": 1}  # type: ignore[union-attr]
    assert release.drops("near").rows() == [("w4", "too long", "incomprehensible")]
    assert release.table("names")["length"].to_list() == [3, 3, 9, 5]
    assert release.side("lengths").height == 5
    assert not (tmp_path / "out" / UNFINISHED).exists()


def test_finished_stages_are_not_repeated(tmp_path: Path) -> None:
    run(tmp_path)
    before = state(tmp_path / "out")
    assert run(tmp_path).reused == ("read", "near", "names")
    assert DONE == []
    assert state(tmp_path / "out") == before


def test_a_changed_parameter_repeats_its_stage_and_those_after_it(tmp_path: Path) -> None:
    run(tmp_path)
    run(tmp_path, jaccard=0.4)
    assert DONE == ["near", "names"]
    assert open_folder(tmp_path / "out").table("near")["prompt"].to_list() == ["one", "two"]


def test_a_parameter_that_no_stage_uses_replaces_that_of_the_release(tmp_path: Path) -> None:
    run(tmp_path)
    kit = BuildConfig(CurationParameters.model_validate({"difficulty": {"panel": 0}}))
    written: list[float] = []
    outcome = asyncio.run(
        build(
            [tmp_path / "log.txt"],
            tmp_path / "out",
            CHAIN,
            kit,
            after=lambda made: written.append(made.manifest.parameters.difficulty.panel),
        )
    )
    assert outcome.reused == ("read", "near", "names")
    assert written == [open_folder(tmp_path / "out").manifest.parameters.difficulty.panel] == [0]


def test_a_changed_log_repeats_all_stages(tmp_path: Path) -> None:
    run(tmp_path)
    (tmp_path / "log.txt").write_text("six")
    run(tmp_path)
    assert DONE == ["read", "near", "names"]


def test_a_stage_that_keeps_no_rows_leaves_the_release_unchanged(tmp_path: Path) -> None:
    run(tmp_path)
    before = state(tmp_path / "out") | {"m": (tmp_path / "out" / "manifest.json").read_bytes()}
    with pytest.raises(InputError, match="near keeps none of 5 rows: 5 too long") as caught:
        run(tmp_path, jaccard=0.1)
    assert "[near]" in caught.value.hint
    after = {name: data for name, data in state(tmp_path / "out").items() if not name.startswith(UNFINISHED)}
    assert after | {"m": (tmp_path / "out" / "manifest.json").read_bytes()} == before
    run(tmp_path)
    assert DONE == []
    none_factual = Stage(
        "verifiable", "Drops all.", lambda rows, shop: StageResult(rows.head(0), drops(rows, "Neither"))
    )
    with pytest.raises(InputError, match="verifiable keeps none of 4 rows: 4 Neither") as caught:
        run(tmp_path, [*CHAIN, none_factual])
    assert "Loosen" not in caught.value.hint, "it has no threshold"


def test_a_killed_build_goes_on_to_the_same_result(tmp_path: Path) -> None:
    """Cut the build off before each stage in turn, and in the middle of the final move."""
    run(tmp_path)
    whole = state(tmp_path / "out")
    for cut in range(len(CHAIN)):

        def die(rows: pl.DataFrame, shop: StageContext) -> StageResult:
            raise KeyboardInterrupt

        there = tmp_path / f"cut{cut}"
        there.mkdir()
        (there / "log.txt").write_text((tmp_path / "log.txt").read_text())
        broken = [stage._replace(work=die) if n == cut else stage for n, stage in enumerate(CHAIN)]
        with pytest.raises(KeyboardInterrupt):
            run(there, broken)
        run(there)
        assert [stage.name for stage in CHAIN[cut:]] == DONE
        assert state(there / "out") == whole


def test_a_build_killed_while_moving_its_tables_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path)
    real, moved = Path.replace, 0

    def replace(self: Path, target: Path) -> Path:
        nonlocal moved
        moved += UNFINISHED in self.parts and UNFINISHED not in Path(target).parts
        if moved == 2:
            raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, jaccard=0.4)
    monkeypatch.undo()
    run(tmp_path, jaccard=0.4)
    assert DONE == []
    assert open_folder(tmp_path / "out").table("names").height == 2


def test_a_partial_build_does_not_replace_a_complete_one(tmp_path: Path) -> None:
    run(tmp_path)
    outcome = run(tmp_path, until="near", jaccard=0.4)
    assert outcome.folder == tmp_path / "out" / UNFINISHED
    assert open_folder(outcome.folder).table("near").height == 2
    assert open_folder(tmp_path / "out").table("near").height == 4
    run(tmp_path, jaccard=0.4)
    assert DONE == ["names"]
    assert open_folder(tmp_path / "out").table("names").height == 2
    assert run(tmp_path, until="read", jaccard=0.4).manifest == open_folder(tmp_path / "out").manifest


def test_a_stage_with_failed_rows_is_retried(tmp_path: Path) -> None:
    def flaky(rows: pl.DataFrame, shop: StageContext) -> StageResult:
        DONE.append("names")
        bad = rows["prompt"] == ("two" if len(DONE) > 1 else "")
        return StageResult(rows.filter(~bad), drops(rows.filter(bad), FAILED))

    chain = [*CHAIN[:2], CHAIN[2]._replace(work=flaky)]
    run(tmp_path, chain)
    assert open_folder(tmp_path / "out").table("names").height == 3
    run(tmp_path, chain)
    assert DONE == ["names"]
    assert open_folder(tmp_path / "out").table("names").height == 4


def test_calls_that_wait_stop_the_chain(tmp_path: Path) -> None:
    def wait(rows: pl.DataFrame, shop: StageContext) -> StageResult:
        bad = rows["prompt"] == "two"
        return StageResult(rows.filter(~bad), drops(rows.filter(bad), WAITING))

    outcome = run(tmp_path, [CHAIN[0], CHAIN[1]._replace(work=wait), CHAIN[2]])
    assert outcome.waiting
    assert outcome.folder.name == UNFINISHED
    assert "names" not in DONE


def test_a_build_waits_when_all_rows_wait_and_raises_when_all_failed(tmp_path: Path) -> None:
    def gone(reason: str) -> Sequence[Stage]:
        def work(rows: pl.DataFrame, shop: StageContext) -> StageResult:
            return StageResult(rows.clear(), drops(rows, reason))

        return [CHAIN[0], CHAIN[1]._replace(work=work), CHAIN[2]]

    outcome = run(tmp_path, gone(WAITING))
    assert outcome.waiting
    assert outcome.manifest.steps[-1].dropped == {WAITING: 5}
    with pytest.raises(InputError, match="keeps none of 5 rows: 5 failed") as caught:
        run(tmp_path, gone(FAILED))
    assert "tries again" in caught.value.hint
    assert run(tmp_path).reused == ("read",)


def test_a_stage_with_unanswered_questions_is_retried(tmp_path: Path) -> None:
    def name(**unanswered: int) -> Sequence[Stage]:
        return [
            CHAIN[0],
            CHAIN[1]._replace(work=lambda rows, shop: StageResult(rows, no_drops(), {}, {}, unanswered)),
            CHAIN[2],
        ]

    assert run(tmp_path, name(waiting=1)).waiting
    outcome = run(tmp_path, name(failed=2))
    assert outcome.reused == ("read",)
    assert not outcome.waiting
    assert outcome.manifest.steps[1].again
    assert run(tmp_path, name()).reused == ("read", "names")
    assert run(tmp_path, name()).reused == ("read", "near", "names")


def test_a_damaged_table_is_rebuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Holds even if the second run takes exactly as long as the first."""
    monkeypatch.setattr(build_release, "time", SimpleNamespace(monotonic=lambda: 1.0))
    run(tmp_path)
    before = state(tmp_path / "out")
    (tmp_path / "out" / "02-near.parquet").write_bytes(b"PAR1")
    with pytest.raises(StoreError, match="can't be read"):
        open_folder(tmp_path / "out").table("near")
    run(tmp_path)
    assert DONE == ["near"]
    assert state(tmp_path / "out") == before


def test_a_stage_that_loses_rows_is_an_internal_error(tmp_path: Path) -> None:
    def lose(rows: pl.DataFrame, shop: StageContext) -> StageResult:
        return StageResult(rows.head(1), no_drops())

    with pytest.raises(RuntimeError, match="lost rows"):
        run(tmp_path, [CHAIN[0], CHAIN[1]._replace(work=lose)])


def test_a_log_that_changes_while_being_read_is_reported(tmp_path: Path) -> None:
    def grow(rows: pl.DataFrame, shop: StageContext) -> StageResult:
        done = read(rows, shop)
        with (tmp_path / "log.txt").open("a") as file:
            file.write(" nine")
        return done

    with pytest.raises(InputError, match="changed while it was read"):
        run(tmp_path, [CHAIN[0]._replace(work=grow)])
    assert run(tmp_path).manifest.steps[0].rows_out == 6


def test_wrong_calls_of_build_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Unknown stage 'nearer'"):
        run(tmp_path, until="nearer")
    with pytest.raises(UsageError, match="no such file"):
        asyncio.run(build([tmp_path / "gone.jsonl"], tmp_path / "out", CHAIN, BuildConfig()))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("Dear …")
    with pytest.raises(UsageError, match="contains other files"):
        asyncio.run(build([tmp_path / "log.txt"], tmp_path / "full", CHAIN, BuildConfig()))
    with pytest.raises(UsageError, match="there is no release"):
        open_folder(tmp_path / "full")


def test_one_build_at_a_time(tmp_path: Path) -> None:
    def again(rows: pl.DataFrame, shop: StageContext) -> StageResult:
        with pytest.raises(BusyError):
            asyncio.run(build([tmp_path / "log.txt"], tmp_path / "out", CHAIN, BuildConfig()))
        return read(rows, shop)

    async def aside(rows: pl.DataFrame, shop: StageContext) -> StageResult:
        return await asyncio.to_thread(again, rows, shop)

    run(tmp_path, [CHAIN[0]._replace(work=aside)])


def test_the_folder_stays_locked_until_the_follow_up_of_a_build_is_written(tmp_path: Path) -> None:
    seen = []

    def after(made: Folder) -> None:
        with pytest.raises(BusyError), hold_folder(tmp_path / "out"):
            pass
        seen.append([step.name for step in made.manifest.steps])

    run(tmp_path, after=after)
    run(tmp_path, after=after)
    run(tmp_path, until="near", after=after)
    assert seen == [["read", "near", "names"]] * 3
    run(tmp_path, until="near", jaccard=0.4, after=after)
    assert len(seen) == 3, "a build that does not take the place of the one before has nothing beside it"
    with hold_folder(tmp_path / "out"):
        pass


def test_a_release_of_another_version_is_refused(tmp_path: Path) -> None:
    run(tmp_path)
    path = tmp_path / "out" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 0}))
    for work in (lambda: run(tmp_path), lambda: open_folder(tmp_path / "out")):
        with pytest.raises(FactscopeError, match=r"made by another version") as caught:
            work()
        assert isinstance(caught.value, StoreError)
    assert json.loads(path.read_text())["format"] == 0
