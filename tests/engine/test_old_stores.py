"""Stores in formats of earlier versions: readable unchanged, and upgraded on the first write."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from factscope.core import Event, record_key
from factscope.core.records import Claim, Query, Response, Verdict
from factscope.engine import VERSION, Store, examine_store, open_log, repair_store
from tests.engine.test_run_store import begin, verdict

WHOLE = Verdict(unit_id="r1", level="response", outcome="supported", rule="strongest")
RECORDS: Sequence[Event] = (
    Response(text="Words."),
    Claim(id="s1.c1", segment_id="s1", text="x", standalone="x"),
    Query(id="s1.c1.q1", claim_id="s1.c1", text="x"),
    verdict(1),
    WHOLE,
)
RUNS = """
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, started TEXT NOT NULL, used TEXT NOT NULL, finished TEXT,
        method TEXT NOT NULL, searched TEXT NOT NULL, factscope TEXT NOT NULL, title TEXT NOT NULL{asked}
    );
    CREATE TABLE records (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, response TEXT NOT NULL, type TEXT NOT NULL,
        key TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, response, type, key)
    );
    INSERT INTO runs VALUES ('a1', '2026-01-01', '2026-01-01', NULL, '{{"name": "builtin"}}', 'null', '0', 'A'{of});
    PRAGMA user_version = {version};
"""
CHECKS = """
    PRAGMA application_id = 1179866949;
    CREATE TABLE form (version INTEGER NOT NULL);
    INSERT INTO form VALUES (1);
    CREATE TABLE checks (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, key TEXT, hash TEXT NOT NULL, state TEXT NOT NULL,
        created TEXT NOT NULL, queued DOUBLE PRECISION NOT NULL, ended TEXT, title TEXT NOT NULL,
        request TEXT NOT NULL, basis TEXT, previous TEXT, revision INTEGER NOT NULL DEFAULT 0,
        choices TEXT NOT NULL DEFAULT '{}', progress TEXT NOT NULL, counts TEXT NOT NULL, scores TEXT NOT NULL,
        problem TEXT, last_event INTEGER NOT NULL DEFAULT 0, attempt INTEGER NOT NULL DEFAULT 0,
        stop INTEGER NOT NULL DEFAULT 0, leased_by TEXT, leased_until DOUBLE PRECISION NOT NULL DEFAULT 0,
        UNIQUE (owner, key)
    );
    CREATE TABLE events (
        check_id TEXT NOT NULL REFERENCES checks (id) ON DELETE CASCADE, n INTEGER NOT NULL, type TEXT NOT NULL,
        body TEXT NOT NULL, PRIMARY KEY (check_id, n)
    );
    CREATE TABLE documents (
        check_id TEXT NOT NULL REFERENCES checks (id) ON DELETE CASCADE, place INTEGER NOT NULL, name TEXT NOT NULL,
        body BLOB NOT NULL, PRIMARY KEY (check_id, place)
    );
"""


@pytest.fixture(params=[1, 2])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Create a store of the command line in an old format, with a run of one response."""
    path = tmp_path / "runs.db"
    db = sqlite3.connect(path)
    asked = (", asked TEXT NOT NULL DEFAULT '{}'", ", '{}'") if request.param == 2 else ("", "")
    db.executescript(RUNS.format(asked=asked[0], of=asked[1], version=request.param))
    rows = [("a1", "r1", event.type, record_key(event), event.model_dump_json()) for event in RECORDS]
    db.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?)", rows)
    db.commit()
    db.close()
    return path


def test_an_old_store_is_migrated_and_continues(old: Path) -> None:
    with Store(old) as store:
        assert [run.id for run in store.runs()] == ["a1"]
        assert store.events("a1", "r1") == list(RECORDS)
        assert store.ended("a1") == ["r1"]
        store.reopen("a1", "r1", fresh=False)
        assert store.events("a1", "r1") == [event for event in RECORDS if event != WHOLE]
        store.append("a1", "r1", [RECORDS[1]])
        assert [event.type for event in store.events("a1", "r1")] == ["response", "claim", "verdict"]
        assert store.database.rows("SELECT version FROM form") == [(VERSION,)]
        assert store.database.rows("PRAGMA user_version") == [(VERSION,)], "older versions refuse it"
    assert examine_store(old).whole


def test_an_old_store_opened_read_only_is_left_unchanged(old: Path) -> None:
    before = old.read_bytes()
    with Store(old, read_only=True) as store:
        assert [run.id for run in store.runs()] == ["a1"]
        assert store.events("a1", "r1") == list(RECORDS)
        assert store.events("a1", "r1", only_outcome=True) == [RECORDS[0], verdict(1), WHOLE]
        assert store.ended("a1") == ["r1"]
    assert examine_store(old) == (1, len(RECORDS), (), ())
    assert old.read_bytes() == before


def test_a_damaged_old_store_is_repaired_into_the_current_format(old: Path) -> None:
    db = sqlite3.connect(old)
    db.execute("UPDATE records SET body = '{' WHERE type = 'query'")
    db.commit()
    db.close()
    look, _ = repair_store(old)
    assert (look.runs, look.records, [record.key for record in look.damaged]) == (1, len(RECORDS) - 1, ["s1.c1.q1"])
    with Store(old) as store:
        assert store.events("a1", "r1") == [event for event in RECORDS if event.type != "query"]
        begin(store, "b2")
        assert {run.id for run in store.runs()} == {"a1", "b2"}


def test_a_store_from_an_old_server_keeps_its_checks_and_numbers(tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    db = sqlite3.connect(path)
    db.executescript(CHECKS)
    db.execute(
        "INSERT INTO checks (id, owner, hash, state, created, queued, title, request, progress, counts, scores,"
        " last_event) VALUES ('c1', 'o', '', 'done', '2026-01-01', 0, 'A text', '{}', '{}', 'null', '[]', 8)"
    )
    bodies = ['{"state": "running"}', *(event.model_dump_json() for event in RECORDS), "{", '{"state": "done"}']
    types = ["state", *(event.type for event in RECORDS), "score", "state"]
    rows = [("c1", n, kind, body) for n, (kind, body) in enumerate(zip(types, bodies, strict=True), 1)]
    db.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", rows)
    db.execute("INSERT INTO documents VALUES ('c1', 1, 'a.txt', x'ff00')")
    db.commit()
    db.close()
    with Store(path, read_only=True) as store:
        assert store.runs() == [], "none is of the command line"
    open_log(path).close()
    look, _ = repair_store(path)
    assert (look.runs, look.records, len(look.damaged)) == (1, 7, 1)
    database = open_log(path)
    keys = ["running", *map(record_key, RECORDS), "done"]
    assert database.rows("SELECT n, type, key FROM events WHERE run = 'c1' AND response = '' ORDER BY n") == [
        (n, kind, key) for n, kind, key in zip([*range(1, 7), 8], [*types[:6], "state"], keys, strict=True)
    ]
    assert database.rows("SELECT body FROM documents") == [(b"\xff\x00",)]
    database.close()
    with Store(path) as store:
        assert store.runs() == [], "the command line can keep its runs beside them"
        assert store.events("c1", "") == list(RECORDS)
