"""The store on a disk that loses power, fills up or breaks at any write."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from factscope.core import StoreError
from factscope.engine import Store
from tests.conftest import at_least
from tests.engine.test_run_store import begin, verdict
from tests.lab.disk import FULL, IO_ERROR, after_power_cut, watched_disk

CUTS = at_least(100, in_all=400)
BATCH = 7


@pytest.fixture(autouse=True)
def reachable(tmp_path: Path) -> None:
    try:
        with watched_disk(tmp_path):
            pass
    except NotImplementedError as error:
        pytest.skip(str(error))


@pytest.mark.medium
def test_a_power_cut_at_any_moment_loses_no_acknowledged_batch(tmp_path: Path, cases: Callable[[int], None]) -> None:
    live = tmp_path / "live"
    live.mkdir()
    acknowledged: list[int] = []
    with watched_disk(live) as disk:
        for batch in range(60):
            # Close and reopen now and then, so that the log is merged into the file and removed.
            with Store(live / "runs.db") as store:
                if batch == 0:
                    begin(store)
                for _ in range(4):
                    first = len(acknowledged) * BATCH
                    store.append("a1", "r1", [verdict(first + n) for n in range(BATCH)])
                    acknowledged.append(len(disk.steps))
        steps = disk.steps
    assert {step.kind for step in steps} >= {"write", "sync", "delete"}
    chance = random.Random(20260807)
    for number in range(CUTS):
        cut = chance.randrange(acknowledged[0], len(steps) + 1)
        folder = tmp_path / f"after-{number}"
        folder.mkdir()
        for name, content in after_power_cut(steps[:cut], chance).items():
            if content or name == "runs.db":
                (folder / name).write_bytes(content)
        with Store(folder / "runs.db") as store:
            read = store.events("a1", "r1")
            assert store.database.rows("PRAGMA integrity_check") == [("ok",)]
            assert not store.damaged
        told = sum(moment <= cut for moment in acknowledged)
        assert len(read) % BATCH == 0, f"half a batch, cut {number}"
        assert len(read) >= told * BATCH, f"cut {number} after step {cut}"
    cases(CUTS)


@pytest.mark.parametrize("code", [FULL, IO_ERROR], ids=["full", "broken"])
def test_a_disk_that_stops_accepting_writes_is_an_error_and_loses_nothing_stored(
    code: int, tmp_path: Path, cases: Callable[[int], None]
) -> None:
    tried = 0
    while True:
        folder = tmp_path / str(tried)
        folder.mkdir()
        with watched_disk(folder) as disk:
            with Store(folder / "runs.db") as store:
                begin(store)
                store.append("a1", "r1", [verdict(n) for n in range(BATCH)])
            disk.refuse = {disk.writes + tried: code}
            said, told = "", 1
            try:
                with Store(folder / "runs.db") as store:
                    for batch in range(1, 4):
                        store.append("a1", "r1", [verdict(batch * BATCH + n) for n in range(BATCH)])
                        told += 1
            except StoreError as error:
                said = error.message
            disk.heal()
            with Store(folder / "runs.db") as store:
                read = store.events("a1", "r1")
                assert store.database.rows("PRAGMA integrity_check") == [("ok",)]
        assert len(read) >= told * BATCH
        if said:
            assert str(folder / "runs.db") in said
            assert "can't be" in said
        elif told == 4:
            break  # no write was left at that moment, except what closing merges into the file
        tried += 1
    cases(tried)
    assert tried >= 8
