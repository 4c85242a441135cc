"""Stores in forms that were never released: refused in words, and left as they are."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from factscope.core.errors import StoreError
from factscope.engine.event_log import open_log
from factscope.engine.run_store import Store
from factscope.engine.store_repair import examine_store, repair_store

RUNS = """
    CREATE TABLE runs (id TEXT PRIMARY KEY, started TEXT NOT NULL);
    CREATE TABLE records (run TEXT NOT NULL, response TEXT NOT NULL, type TEXT NOT NULL, key TEXT NOT NULL);
    INSERT INTO runs VALUES ('a1', '2026-01-01');
    PRAGMA user_version = 2;
"""
CHECKS = """
    PRAGMA application_id = 1179866949;
    CREATE TABLE form (version INTEGER NOT NULL);
    INSERT INTO form VALUES ({version});
    CREATE TABLE events (check_id TEXT NOT NULL, n INTEGER NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL);
    INSERT INTO events VALUES ('c1', 1, 'state', '{{"state": "running"}}');
"""


@pytest.mark.parametrize(
    ("tables", "message", "way_on"),
    [
        (RUNS, "a database of another program or of Factscope before its release", "It is left as it is: name another"),
        (CHECKS.format(version=1), r"written by an older Factscope \(form 1;", "It is left as it is: name another"),
        (CHECKS.format(version=99), r"written by a newer Factscope \(form 99;", "Update Factscope, or name another"),
    ],
)
def test_a_store_in_another_form_is_refused_with_the_way_on(
    tmp_path: Path, tables: str, message: str, way_on: str
) -> None:
    path = tmp_path / "runs.db"
    db = sqlite3.connect(path)
    db.executescript(tables)
    db.close()
    before = path.read_bytes()
    for opening in (Store, open_log, examine_store, repair_store):
        with pytest.raises(StoreError, match=message) as raised:
            opening(path)
        assert way_on in raised.value.hint
    with pytest.raises(StoreError, match=message):
        Store(path, read_only=True)
    assert path.read_bytes()[100:] == before[100:], "only the marks in its head may change"
