"""A store in one SQLite file: transactions, other programs' files, locks, damaged text, and errors with a remedy."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from factscope.core import APPLICATION, Cursor, Sqlite, StoreError, UsageError, open_database
from tests.lab.many_cases import try_all


def store(path: Path) -> Sqlite:
    """Open a store with one table of words."""
    database = Sqlite(path)
    database.do(lambda cursor: cursor.execute(f"CREATE TABLE IF NOT EXISTS words (id {Sqlite.serial}, word TEXT)"))
    return database


def words(database: Sqlite) -> list[str]:
    return [word for (word,) in database.rows("SELECT word FROM words ORDER BY id")]


def test_a_transaction_is_written_whole_and_numbers_its_rows(tmp_path: Path) -> None:
    database = store(tmp_path / "deep" / "runs.db")

    def fill(cursor: Cursor) -> int:
        cursor.many("INSERT INTO words (word) VALUES (?)", [("a",), ("b",), ("c",)])
        assert cursor.rows("SELECT count(*) FROM words") == [(3,)]
        return cursor.execute("UPDATE words SET word = word || ? WHERE word > ?", ("!", "a"))

    assert database.do(fill) == 2
    database.close()
    again = store(tmp_path / "deep" / "runs.db")
    assert words(again) == ["a", "b!", "c!"]
    assert again.rows("SELECT max(id) FROM words WHERE word = ?", ("c!",)) == [(3,)]
    again.close()


def test_a_transaction_that_fails_leaves_nothing_behind_and_the_next_one_works(tmp_path: Path) -> None:
    database = store(tmp_path / "runs.db")

    def fail(cursor: Cursor) -> None:
        cursor.execute("INSERT INTO words (word) VALUES ('lost')")
        raise KeyError("a mistake of ours")

    with pytest.raises(KeyError, match="a mistake"):
        database.do(fail)
    database.do(lambda cursor: cursor.execute("INSERT INTO words (word) VALUES ('kept')"))
    assert words(database) == ["kept"]
    database.close()


def test_the_file_is_private_to_its_owner_and_carries_the_application_id(tmp_path: Path) -> None:
    path = tmp_path / "new" / "runs.db"
    store(path).close()
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0
    with sqlite3.connect(path) as raw:
        assert raw.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
    raw.close()


@pytest.mark.parametrize("read_only", [False, True])
def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "photos.db"
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE photos (name TEXT)")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"photos\.db is not a store of checks, but a database of another program"):
        Sqlite(path, read_only=read_only)
    assert path.read_bytes() == before


def test_stores_older_than_the_application_id_are_recognised_by_their_tables(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as raw:
        raw.executescript("CREATE TABLE runs (id); CREATE TABLE records (id); PRAGMA user_version = 1;")
    raw.close()
    database = Sqlite(path)
    assert database.rows("PRAGMA application_id") == [(APPLICATION,)]
    database.close()


def test_a_file_that_is_not_a_database_is_named_with_a_way_to_rescue_it(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(b"this is a letter, not a database" * 100)
    with pytest.raises(StoreError, match=r"runs\.db can't be opened: file is not a database") as raised:
        Sqlite(path)
    assert "store repair" in raised.value.hint
    assert "If that says the same, move the file away, or name another with --store" in raised.value.hint


def test_a_store_that_cannot_be_read_or_created_names_the_reason(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"none\.db can't be opened: no such file") as missing:
        Sqlite(tmp_path / "none.db", read_only=True)
    assert "--store" in missing.value.hint
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(StoreError, match="can't be opened"):
        Sqlite(tmp_path)


def test_a_store_opened_read_only_shows_everything_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a ?#% name.db"  # these characters have a meaning in a URI
    writer = store(path)
    writer.do(lambda cursor: cursor.execute("INSERT INTO words (word) VALUES ('a')"))
    reader = Sqlite(path, read_only=True)
    writer.do(lambda cursor: cursor.execute("INSERT INTO words (word) VALUES ('b')"))
    assert words(reader) == ["a", "b"]
    with pytest.raises(StoreError, match="can't be written: attempt to write a readonly database"):
        reader.do(lambda cursor: cursor.execute("DELETE FROM words"))
    assert words(writer) == ["a", "b"]
    reader.close()
    writer.close()


def test_text_that_is_not_utf_8_is_marked_and_does_not_hide_other_rows(tmp_path: Path) -> None:
    database = store(tmp_path / "runs.db")
    database.do(lambda cursor: cursor.execute("INSERT INTO words (word) VALUES ('before'), (CAST(X'61FF' AS TEXT))"))
    database.do(lambda cursor: cursor.execute("INSERT INTO words (word) VALUES ('äfter')"))
    for _ in range(2):
        assert words(database) == ["before", "\ufffda\ufffd", "äfter"]
    database.close()


def test_using_a_closed_store_raises_a_clear_error(tmp_path: Path) -> None:
    database = store(tmp_path / "runs.db")
    database.close()
    database.close()
    for use in (lambda: words(database), lambda: database.do(lambda cursor: cursor.rows("SELECT 1"))):
        with pytest.raises(StoreError, match=r"runs\.db is closed") as raised:
            use()
        assert raised.value.hint == "Read what you need before it closes."


def test_an_invalid_statement_is_a_store_error_and_ends_its_transaction(tmp_path: Path) -> None:
    database = store(tmp_path / "runs.db")
    with pytest.raises(StoreError, match="no such table: sentences"):
        database.rows("SELECT * FROM sentences")
    with pytest.raises(StoreError, match="no such table: sentences"):
        database.do(lambda cursor: cursor.execute("INSERT INTO sentences VALUES (1)"))
    database.do(lambda cursor: cursor.execute("INSERT INTO words (word) VALUES ('a')"))
    assert words(database) == ["a"]
    database.close()


def test_a_name_is_held_by_one_owner_at_a_time_and_its_lock_file_is_removed(tmp_path: Path) -> None:
    first, second = store(tmp_path / "runs.db"), Sqlite(tmp_path / "runs.db")
    before = {path.name for path in tmp_path.iterdir()}
    with first.hold("c1") as held:
        assert held
        with second.hold("c1") as too:
            assert not too
        with second.hold("c2") as other:
            assert other, "another name is free"
        with second.hold("c1") as too:
            assert not too, "one that did not get it doesn't release it"
    with pytest.raises(KeyError, match="while it was held"), second.hold("c1"):
        raise KeyError("while it was held")
    with first.hold("c1") as held:
        assert held, "it is free again, after an error too"
    assert {path.name for path in tmp_path.iterdir()} == before
    first.close()
    second.close()


def test_a_lock_in_a_missing_folder_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    database = store(tmp_path / "gone" / "runs.db")
    database.close()
    (tmp_path / "gone").rename(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="can't be locked: no such file"), database.hold("c1"):
        pass


@try_all(
    ("location", "scheme"),
    [("mysql://me:secret@host/name", "mysql"), ("sqlite:///runs.db", "sqlite"), ("://x", "")],
)
def test_an_unsupported_store_address_is_refused_without_showing_its_password(location: str, scheme: str) -> None:
    with pytest.raises(UsageError, match="is not a kind of store") as raised:
        open_database(location)
    assert repr(scheme) in raised.value.message
    assert "secret" not in str(raised.value)
    assert "postgresql://user@host/name" in raised.value.hint


def test_a_path_or_a_string_opens_a_database_file(tmp_path: Path) -> None:
    for location in (tmp_path / "a.db", str(tmp_path / "b.db")):
        database = open_database(location)
        assert isinstance(database, Sqlite)
        assert database.name == str(location)
        database.close()
    with pytest.raises(StoreError):
        open_database(tmp_path / "c.db", read_only=True)
