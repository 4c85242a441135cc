"""The store's guarantees for records on disk, tested with real files, locks and kills."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from factscope.core import BusyError, StoreError
from factscope.core.records import Claim, Failure, Query, Response, Searched, Verdict
from factscope.engine import (
    DataRows,
    LeftOutRow,
    Provenance,
    RunWriter,
    Settings,
    Store,
    check_stored,
    check_sync,
    open_tools,
)
from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.methods import method_named
from tests.conftest import TEXT, ScriptedVerifier, agreeable, at_least, with_verifier
from tests.lab.forks import Forks

BUILTIN = method_named("builtin")
KILLS = at_least(8, in_all=25)


def verdict(number: int, outcome: str = "supported") -> Verdict:
    return Verdict.model_validate(
        {"unit_id": f"s{number}.c1", "level": "claim", "outcome": outcome, "rule": "strongest"}
    )


def begin(store: Store, run: str = "a1") -> None:
    store.begin(run, Provenance(BUILTIN, Searched(id="c-1", n_documents=1, n_passages=2)), "A text")


def test_records_are_restored_unchanged(tmp_path: Path) -> None:
    events = [
        Response(text="Ünïcode 東京 \U0001f6a2"),
        verdict(1),
        Failure(unit_id="s2.c1", stage="judging", boundary="model", message="m"),
    ]
    with Store(tmp_path / "deep" / "runs.db") as store:
        begin(store)
        store.append("a1", "r1", events)
    with Store(tmp_path / "deep" / "runs.db") as store:
        assert store.events("a1", "r1") == events


def test_a_stopped_check_does_not_block_others_while_its_last_write_is_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_write = threading.Event()
    monkeypatch.setattr(Store, "append_all", lambda *_: may_write.wait(5))

    async def write(store: Store) -> None:
        async with RunWriter(store, "a1") as writer:
            await writer.write([("r1", [Response(text="A text")])])

    async def stop() -> float:
        with Store(tmp_path / "runs.db") as store:
            task = asyncio.create_task(write(store))
            await asyncio.sleep(0.1)
            task.cancel()
            began = time.monotonic()
            await asyncio.sleep(0.1)
            seconds = time.monotonic() - began
            may_write.set()
            await asyncio.wait([task])
        return seconds

    assert asyncio.run(stop()) < 3


def test_the_last_note_about_the_rows_counts_and_a_damaged_note_is_reported(tmp_path: Path) -> None:
    first = DataRows(left_out=(LeftOutRow(3, "has no text"), LeftOutRow("b", "no contexts")), dropped=("x",))
    with Store(tmp_path / "runs.db") as store:
        begin(store)
        assert store.data_rows("a1") == DataRows()
        for note in (DataRows(), first, first, first):
            store.note_data_rows("a1", note)
    with Store(tmp_path / "runs.db") as store:
        assert store.data_rows("a1") == first
        assert store.ended("a1") == []
        assert list(map(str, first.left_out)) == ["Row 3: has no text", "Response b: no contexts"]
        later = first.after([LeftOutRow("d", "refused")], read_ids={"b", "d", "x"}, counted={"b", "x"}, n_rows=2)
        assert later == DataRows(left_out=(LeftOutRow("d", "refused"), LeftOutRow(3, "has no text")), dropped=("d",))
        assert store.damaged == []
    with sqlite3.connect(tmp_path / "runs.db") as db:
        ((n,),) = db.execute("SELECT count(*) FROM events")
        db.execute("UPDATE events SET body = '{}'")
    assert n == 1
    with Store(tmp_path / "runs.db") as store:
        assert store.data_rows("a1") == DataRows()
        assert [record.type for record in store.damaged] == ["state"]


def test_left_out_rows_noted_by_an_older_version_have_no_model(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        begin(store)
        store.note_data_rows("a1", DataRows(left_out=(LeftOutRow(3, "has no text", "m"),)))
        assert [row.model for row in store.data_rows("a1").left_out] == ["m"]
    with sqlite3.connect(tmp_path / "runs.db") as db:
        db.execute("UPDATE events SET body = replace(body, ', \"m\"]', ']')")
    with Store(tmp_path / "runs.db") as store:
        assert store.data_rows("a1").left_out == (LeftOutRow(3, "has no text"),)
        assert store.damaged == []


def test_a_record_written_again_replaces_the_first(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        begin(store)
        store.append("a1", "r1", [verdict(1, "failed"), verdict(2)])
        store.append("a1", "r1", [verdict(1, "supported")])
        assert sorted(e.outcome for e in store.events("a1", "r1") if e.type == "verdict") == ["supported", "supported"]


def test_restarting_a_claim_leaves_nothing_earlier_but_its_verdict(tmp_path: Path) -> None:
    def claim(number: int) -> Claim:
        return Claim(id=f"s{number}.c1", segment_id=f"s{number}", text="x", standalone="x")

    def failure(number: int) -> Failure:
        return Failure(unit_id=f"s{number}.c1", stage="judging", boundary="model", message="down")

    with Store(tmp_path / "runs.db") as store:
        begin(store)
        for number in (1, 10):
            query = Query(id=f"s{number}.c1.q1", claim_id=f"s{number}.c1", text="x")
            store.append("a1", "r1", [claim(number), query, failure(number), verdict(number, "failed")])
        store.append("a1", "r1", [claim(1)])
        assert [e for e in store.events("a1", "r1") if e.type in ("query", "failure")] == [
            Query(id="s10.c1.q1", claim_id="s10.c1", text="x"),
            failure(10),
        ]
        assert verdict(1, "failed") in store.events("a1", "r1")


def test_a_reopened_run_is_unfinished_and_a_fresh_one_forgets_its_records(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        begin(store)
        store.append("a1", "r1", [verdict(1)])
        store.append("a1", "r2", [verdict(9)])
        store.finish("a1")
        store.reopen("a1", "r1", fresh=False)
        assert store.runs()[0].finished is None
        assert store.events("a1", "r1") == [verdict(1)]
        store.reopen("a1", "r1", fresh=True)
        assert store.events("a1", "r1") == []
        assert store.events("a1", "r2") == [verdict(9)]


def test_only_the_file_owner_can_read_the_store(tmp_path: Path) -> None:
    with Store(tmp_path / "new" / "runs.db"):
        assert (tmp_path / "new" / "runs.db").stat().st_mode & 0o077 == 0


def test_runs_are_listed_with_their_state(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        begin(store, "a1")
        begin(store, "b2")
        store.finish("a1")
        listed = {run.id: run for run in store.runs()}
    assert listed["a1"].finished
    assert listed["b2"].finished is None
    assert listed["b2"].method == BUILTIN.model_dump(mode="json")


def test_a_store_of_a_newer_version_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with Store(path) as store:
        begin(store)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE form SET version = 99")
    db.close()
    with pytest.raises(StoreError, match="newer Factscope"):
        Store(path)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM runs").fetchone() == (1,)
    db.close()


def test_a_file_that_is_not_a_store_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(b"this is not a database" * 200)
    with pytest.raises(StoreError, match=r"can't be opened: .*not a database"):
        Store(path)
    assert path.read_bytes().startswith(b"this is not")


def test_a_full_disk_is_an_error_and_preserves_existing_records(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        begin(store)
        store.append("a1", "r1", [verdict(1)])
        ((pages,),) = store.database.rows("PRAGMA page_count")
        store.database.rows(
            f"PRAGMA max_page_count = {pages}"
        )  # SQLite's own limit raises the same error as a full disk
        with pytest.raises(StoreError, match="full"):
            store.append("a1", "r1", [verdict(n) for n in range(2, 2_000)])
        assert store.events("a1", "r1") == [verdict(1)]
        store.database.rows("PRAGMA max_page_count = 1000000")
        store.append("a1", "r1", [verdict(2)])
        assert store.events("a1", "r1") == [verdict(1), verdict(2)]


def test_a_path_that_cannot_be_created_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError) as caught:
        Store(tmp_path / "file" / "runs.db")
    assert "--no-store" in caught.value.hint


def test_one_run_has_one_owner_at_a_time(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as first, Store(tmp_path / "runs.db") as second:
        with first.owned("a1"):
            with pytest.raises(StoreError, match="Another process"), second.owned("a1"):
                pass
            with second.owned("b2"):
                pass
        with second.owned("a1"):
            pass
    assert not list(tmp_path.glob("*.lock"))


def test_many_owners_in_a_row_never_overlap(tmp_path: Path) -> None:
    inside, most = 0, 0

    def worker() -> None:
        nonlocal inside, most
        held = 0
        with Store(tmp_path / "runs.db") as store:
            while held < 10:
                try:
                    with store.owned("a1"):
                        inside += 1
                        most, held = max(most, inside), held + 1
                        time.sleep(0.0005)
                        inside -= 1
                except StoreError:
                    time.sleep(0.0005)

    threads = [threading.Thread(target=worker) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def write(path: str) -> None:
    """Append batches forever, and print the number of each one once it is acknowledged."""
    with Store(Path(path)) as store:
        begin(store)
        batch = len(store.events("a1", "r1")) // 7
        while True:
            store.append("a1", "r1", [verdict(7 * batch + n).model_copy(update={"rule": "x" * 400}) for n in range(7)])
            print(batch)
            batch += 1


@pytest.mark.medium
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 18))])
def test_kills_while_writing_lose_no_acknowledged_record(
    seed: int, tmp_path: Path, cases: Callable[[int], None]
) -> None:
    """Kills at random moments, even during transactions: only whole batches, and every acknowledged one."""
    chance = random.Random(seed)
    path, told = tmp_path / "runs.db", 0
    with Forks("tests.engine.test_run_store:write") as forks:
        for _ in range(KILLS):
            child = forks.start(tmp_path, str(path))
            first = child.line()
            time.sleep(chance.uniform(0, 0.02))
            whole = [line for line in [first.strip(), *child.kill()] if line.isdigit()]
            assert whole, "the process ended before its first batch"
            told = max(told, int(whole[-1]) + 1)
            with Store(path) as store:
                kept = store.events("a1", "r1")
                assert store.database.rows("PRAGMA integrity_check") == [("ok",)]
            assert len(kept) % 7 == 0
            assert len(kept) // 7 >= told
    cases(KILLS)


def check_alone(path: str, judged: str) -> None:
    """Check a text as one of many processes, writing a byte to `judged` for each pair that is judged."""

    def answer(pair: ClaimPair) -> Prediction:
        with Path(judged).open("a") as file:
            file.write(".")
        time.sleep(0.05)  # long enough for the others to arrive
        return agreeable(pair)

    folder = Path(path).parent
    tools = open_tools(folder / "documents", settings=Settings(store=Path(path), cache=folder / "cache"))
    verifier = ScriptedVerifier(answer)
    try:
        with Store(Path(path)) as store:
            report = asyncio.run(check_stored(TEXT, BUILTIN, with_verifier(tools, verifier, workers=1), store))
        print(len(report.verdicts))
    except BusyError as error:
        print(error.message)


@pytest.mark.medium
def test_twenty_processes_starting_one_check_at_once_run_it_once(
    documents: Path, tmp_path: Path, cases: Callable[[int], None]
) -> None:
    path, judged = tmp_path / "runs.db", tmp_path / "judged"
    # Read once, so that the twenty processes find the documents in the cache.
    tools = open_tools(documents, settings=Settings(store=tmp_path / "other.db", cache=tmp_path / "cache"))
    alone = ScriptedVerifier(agreeable)
    check_sync(TEXT, BUILTIN, with_verifier(tools, alone))
    with Forks("tests.engine.test_run_store:check_alone", "factscope.evidence.ranking.dense") as forks:
        children = [forks.start(tmp_path, str(path), str(judged)) for _ in range(20)]
        said = [child.rest() for child in children]
    done = [lines for lines in said if lines[0].isdigit()]
    assert all("Another process" in lines[0] for lines in said if lines not in done)
    assert len(said) == 20
    assert done
    assert len(judged.read_text()) == len(alone.asked)
    cases(20)
