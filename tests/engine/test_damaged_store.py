"""Damaged, foreign and unwritable stores: bad records are named and skipped, and the rest stays readable."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from factscope.core import BusyError, FactscopeError, StoreError
from factscope.core.records import Report, Response
from factscope.engine import (
    Runner,
    RunProgress,
    Settings,
    Store,
    StoredRun,
    Tools,
    check_stored,
    examine_store,
    find_method,
    repair_store,
    run_many,
)
from tests.conftest import TEXT, ScriptedVerifier, agreeable, with_verifier
from tests.engine.test_run_store import begin, verdict
from tests.lab import warm

DAMAGE: dict[str, str] = {
    "bad JSON": "UPDATE events SET body = '{\"type\": \"verd' WHERE key = 's2.c1.claim'",
    "an unknown label": "UPDATE events SET body = replace(body, 'supported', 'perhaps') WHERE key = 's2.c1.claim'",
    "no UTF-8": "UPDATE events SET body = CAST(x'7b22ff' AS TEXT) WHERE key = 's2.c1.claim'",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Create a store with a text and three verdicts."""
    path = tmp_path / "runs.db"
    with Store(path) as store:
        begin(store)
        store.append("a1", "r1", [Response(text="Words."), verdict(1), verdict(2), verdict(3)])
    return path


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line."""
    return subprocess.run([warm.python(), "-m", "factscope", *arguments], input="", capture_output=True, text=True)


def change(path: Path, *statements: str) -> None:
    """Damage a store as another program might."""
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_record_is_named_and_the_others_are_read(path: Path, statement: str) -> None:
    change(path, statement)
    with Store(path) as store:
        units = [event.unit_id for event in store.events("a1", "r1") if event.type == "verdict"]
        (damaged,) = store.damaged
    assert units == ["s1.c1", "s3.c1"]
    assert (damaged.run, damaged.response, damaged.type, damaged.key) == ("a1", "r1", "verdict", "s2.c1.claim")
    look = examine_store(path)
    assert (look.runs, look.records, look.whole) == (1, 3, False)
    assert [record.key for record in look.damaged] == ["s2.c1.claim"]


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE)
def test_a_repaired_store_holds_every_readable_record_and_the_old_file_remains(path: Path, statement: str) -> None:
    change(path, statement)
    look, old = repair_store(path)
    assert (look.records, [record.key for record in look.damaged]) == (3, ["s2.c1.claim"])
    assert examine_store(path).whole
    assert not examine_store(old).whole
    with Store(path) as store:
        assert len(store.events("a1", "r1")) == 3


def test_a_run_whose_own_row_is_damaged_is_named(path: Path) -> None:
    with Store(path) as store:
        begin(store, "b2")
    change(path, "UPDATE runs SET method = '{' WHERE id = 'a1'")
    with Store(path) as store:
        assert [run.id for run in store.runs()] == ["b2"]
        assert [(record.type, record.key) for record in store.damaged] == [("run", "a1")]


@pytest.mark.parametrize("cut", [1, 700, 4096, 9000])
def test_a_truncated_file_is_repaired_or_refused_with_a_clear_error(path: Path, cut: int) -> None:
    with Store(path) as store:
        for number in range(4, 200):
            store.append("a1", "r1", [verdict(number)])
    with path.open("rb+") as file:
        file.truncate(max(path.stat().st_size - cut, 100))
    try:
        look, _ = repair_store(path)
    except StoreError:
        return
    assert examine_store(path).whole
    with Store(path) as store:
        assert len(store.events("a1", "r1")) == look.records


@pytest.mark.parametrize("offset", range(0, 24_000, 1_500))
def test_flipped_bits_never_end_in_a_traceback(path: Path, offset: int) -> None:
    data = bytearray(path.read_bytes())
    data[offset % len(data)] ^= 0x55
    path.write_bytes(data)
    messages: list[str] = []

    def tried(work: Callable[[], object]) -> None:
        try:
            work()
        except FactscopeError as error:
            messages.append(error.message)

    def read() -> None:
        with Store(path, read_only=True) as store:
            for run in store.runs():
                for response in [*store.ended(run.id), "r1"]:
                    store.events(run.id, response)

    tried(read)
    tried(lambda: examine_store(path))
    tried(lambda: repair_store(path))
    assert all(str(path) in message for message in messages)


@pytest.mark.parametrize(
    "statement", ["PRAGMA user_version = 0", "PRAGMA user_version = -3", "ALTER TABLE runs RENAME TO other"]
)
def test_a_database_of_another_program_is_identified_and_left_alone(path: Path, statement: str) -> None:
    change(path, "PRAGMA application_id = 0", statement)
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="a database of another program"):
            Store(path, read_only=read_only)
    assert path.read_bytes() == before


def test_a_store_in_a_read_only_folder_is_readable(path: Path) -> None:
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        with Store(path, read_only=True) as store:
            assert [run.id for run in store.runs()] == ["a1"]
            assert len(store.events("a1", "r1")) == 4
            if os.geteuid() != 0:  # root can write anywhere
                with pytest.raises(StoreError):
                    Store(path)
    finally:
        path.parent.chmod(0o700)
        path.chmod(0o600)


def test_an_intact_store_without_a_writable_index_file_is_not_called_damaged(path: Path) -> None:
    path.with_name("runs.db-shm").symlink_to("/nowhere/at/all")  # SQLite can't create the index of its log
    assert examine_store(path) == (1, 4, (), ())


def test_a_repair_that_cannot_be_written_is_a_clear_error_and_changes_nothing(path: Path) -> None:
    change(path, DAMAGE["bad JSON"])
    before = path.read_bytes()
    path.with_name("runs.db.repairing").mkdir()
    with pytest.raises(StoreError, match="can't be repaired"):
        repair_store(path)
    assert path.read_bytes() == before
    assert not list(path.parent.glob("*.damaged-*"))


def test_the_commands_report_damage_and_save_the_rest(path: Path) -> None:
    assert call("store", "check", "--store", str(path)).returncode == 0
    change(path, DAMAGE["bad JSON"])
    found = call("store", "check", "--store", str(path))
    assert (found.returncode, "s2.c1.claim" in found.stdout) == (1, True)
    mended = call("store", "repair", "--store", str(path))
    assert (mended.returncode, "damaged-1" in mended.stdout) == (0, True)
    assert call("store", "check", "--store", str(path)).returncode == 0
    assert call("store", "check", "--store", str(path.with_name("none.db"))).returncode == 2


def test_an_endlessly_nested_method_file_is_refused_with_a_clear_error(tmp_path: Path) -> None:
    method = tmp_path / "deep.toml"
    method.write_text("a=" + "[" * 100_000)
    done = call("check", "-", "--method", str(method), "--no-store")
    assert done.returncode == 2
    assert "nested too deeply" in done.stderr


def test_records_of_an_unknown_kind_are_not_damage_and_are_preserved(path: Path) -> None:
    change(
        path, """INSERT INTO events VALUES (99, 'a1', 'r1', 99, 'novelty', 'n1', '{"type": "novelty", "id": "n1"}')"""
    )
    assert examine_store(path).whole
    change(path, DAMAGE["bad JSON"])
    look, _ = repair_store(path)
    assert look.records == 4
    db = sqlite3.connect(path)
    assert db.execute("SELECT count(*) FROM events WHERE type = 'novelty'").fetchone() == (1,)
    db.close()


@pytest.mark.parametrize("statement", ["UPDATE events SET body = '{'", "DELETE FROM events"])
def test_a_response_that_lost_a_verdict_is_refused_with_a_clear_error_and_checked_again(
    settings: Settings, tools: Tools, statement: str
) -> None:
    def run_again() -> RunProgress:
        runner = Runner(with_verifier(tools, ScriptedVerifier(agreeable)), store, lambda read, _: seen.append(read()))
        return asyncio.run(run_many([Response(text=TEXT)], find_method("builtin"), runner, "one"))

    seen: list[Report] = []
    with Store(settings.store) as store:
        run_again()
        change(Path(settings.store), f"{statement} WHERE key = 's2.c1.claim'")
        with pytest.raises(StoreError, match=r"missing \(s2.c1 has no verdict\)"):
            dict(StoredRun(store, store.runs()[0]))
        many = run_again()
        assert (many.done, many.reused) == (1, 0)
        assert seen[0] == seen[1] == StoredRun(store, store.runs()[0])["r1"]


@pytest.mark.parametrize(
    "kind", ["response", "segment", "claim", "query", "document", "passage", "judgement", "verdict"]
)
def test_a_damaged_record_is_recreated_by_the_same_check(settings: Settings, tools: Tools, kind: str) -> None:
    def check_again() -> Report:
        verifier = ScriptedVerifier(agreeable)
        report = asyncio.run(
            check_stored(TEXT, find_method("builtin"), with_verifier(tools, verifier, workers=1), store)
        )
        asked.append(len(verifier.asked))
        return report

    asked: list[int] = []
    with Store(settings.store) as store:
        whole = check_again()
        first = f"(SELECT key FROM events WHERE type = '{kind}' ORDER BY id LIMIT 1)"
        change(Path(settings.store), f"UPDATE events SET body = '{{' WHERE type = '{kind}' AND key = {first}")
        assert [check_again() for _ in range(2)] == [whole, whole]
        assert asked[2] == 0, "what was made again stays"
        assert kind in ("response", "claim", "document") or asked[1] < asked[0], "the other claims stay as they are"
        assert dict(StoredRun(store, store.runs()[0])) == {whole.response.id: whole}


@pytest.mark.parametrize("kind", ["query", "document", "passage", "judgement"])
def test_records_missing_from_a_repaired_store_are_recreated_by_the_same_check(
    settings: Settings, tools: Tools, kind: str
) -> None:
    def check_again() -> Report:
        verifier = with_verifier(tools, ScriptedVerifier(agreeable), workers=1)
        with Store(settings.store) as store:
            return asyncio.run(check_stored(TEXT, find_method("builtin"), verifier, store))

    whole = check_again()
    first = f"(SELECT key FROM events WHERE type = '{kind}' ORDER BY id LIMIT 1)"
    change(Path(settings.store), f"UPDATE events SET body = '{{' WHERE type = '{kind}' AND key = {first}")
    repair_store(Path(settings.store))
    assert [check_again() for _ in range(2)] == [whole, whole]


def test_a_claim_whose_recheck_was_interrupted_is_not_finished(settings: Settings, tools: Tools) -> None:
    def check_again() -> Report:
        verifier = with_verifier(tools, ScriptedVerifier(agreeable), workers=1)
        return asyncio.run(check_stored(TEXT, find_method("builtin"), verifier, store))

    with Store(settings.store) as store:
        whole = check_again()
        claim = next(claim for claim in whole.claims if claim.id == whole.judgements[0].unit_id)
        # The records of an attempt that died just after starting on the claim.
        store.reopen(store.runs()[0].id, whole.response.id, fresh=False)
        store.append(store.runs()[0].id, whole.response.id, [claim])
        assert [check_again() for _ in range(2)] == [whole, whole]


@pytest.mark.parametrize("kind", ["segment", "claim", "verdict"])
@pytest.mark.parametrize("statement", ["UPDATE events SET body = '{'", "DELETE FROM events"])
def test_a_unit_lost_from_a_run_over_many_texts_is_recreated(
    settings: Settings, tools: Tools, kind: str, statement: str
) -> None:
    def run_again() -> RunProgress:
        runner = Runner(with_verifier(tools, ScriptedVerifier(agreeable)), store)
        return asyncio.run(run_many([Response(text=TEXT)], find_method("builtin"), runner, "one"))

    with Store(settings.store) as store:
        run_again()
        whole = StoredRun(store, store.runs()[0])["r1"]
        change(Path(settings.store), f"{statement} WHERE id = (SELECT min(id) FROM events WHERE type = '{kind}')")
        assert run_again().reused == 0
        assert StoredRun(store, store.runs()[0])["r1"] == whole
        assert run_again().reused == 1


@pytest.mark.parametrize("kind", ["document", "passage", "judgement"])
def test_evidence_lost_from_a_run_over_many_texts_is_recreated_after_a_repair(
    settings: Settings, tools: Tools, kind: str
) -> None:
    def run_again() -> tuple[RunProgress, Report]:
        with Store(settings.store) as store:
            runner = Runner(with_verifier(tools, ScriptedVerifier(agreeable)), store)
            many = asyncio.run(run_many([Response(text=TEXT)], find_method("builtin"), runner, "one"))
            return many, StoredRun(store, store.runs()[0])["r1"]

    _, report_before = run_again()
    damaged_id = f"(SELECT min(id) FROM events WHERE type = '{kind}')"
    change(Path(settings.store), f"UPDATE events SET body = '{{' WHERE id = {damaged_id}")
    repair_store(Path(settings.store))
    with Store(settings.store) as store:
        assert store.runs()[0].finished is None
        assert not StoredRun(store, store.runs()[0])
    progress, report = run_again()
    assert (progress.reused, report) == (0, report_before)
    assert run_again()[0].reused == 1


@pytest.mark.parametrize(
    ("kind", "change_of_run"),
    [("score", "title = title"), ("usage", "title = title"), ("judgement", "factscope = '0'")],
)
def test_a_repair_leaves_responses_that_need_nothing_or_that_no_run_makes_again(
    settings: Settings, tools: Tools, kind: str, change_of_run: str
) -> None:
    with Store(settings.store) as store:
        runner = Runner(with_verifier(tools, ScriptedVerifier(agreeable)), store)
        asyncio.run(run_many([Response(text=TEXT)], find_method("builtin"), runner, "one"))
    damaged_id = f"(SELECT min(id) FROM events WHERE type = '{kind}')"
    change(
        Path(settings.store),
        f"UPDATE runs SET {change_of_run}",
        f"UPDATE events SET body = '{{' WHERE id = {damaged_id}",
    )
    assert repair_store(Path(settings.store))[0].damaged
    with Store(settings.store) as store:
        assert list(StoredRun(store, store.runs()[0])) == ["r1"]


def test_a_store_is_not_repaired_while_a_run_writes_to_it(path: Path) -> None:
    change(path, DAMAGE["bad JSON"], "UPDATE runs SET method = '{' WHERE id = 'a1'")
    before = path.read_bytes()
    with Store(path) as store, store.owned("a1"), pytest.raises(BusyError, match="is writing to the store"):
        repair_store(path)
    assert path.read_bytes() == before
    repair_store(path)
    assert examine_store(path).whole
