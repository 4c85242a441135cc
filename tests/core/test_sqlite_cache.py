"""The one cache: typed values by key, bounded, upgraded from its first form, with errors that name the remedy."""

from __future__ import annotations

import sqlite3
import time
import zlib
from pathlib import Path

import pytest

from factscope.core import CacheKind, CacheRow, SqliteCache, StoreError, unpacked


class Numbers(SqliteCache[str, int]):
    """Numbers by name."""

    kind = CacheKind(of="numbers", saves="counting", encode=str, decode=int, most=3, days=2)


def test_values_are_restored_typed_and_a_row_of_another_kind_is_missing(tmp_path: Path) -> None:
    with Numbers(tmp_path / "deep" / "n.db") as cache:
        assert cache.put_many(CacheRow(str(n), n) for n in range(2_000)) == 2_000
        cache.put("7", 70, "a note")
        assert cache.get("7") == 70
        assert len(cache.get_many([str(n) for n in range(-5, 2_000)])) == 2_000
        assert next(row.note for row in cache.rows() if row.key == "7") == "a note"
        database = sqlite3.connect(tmp_path / "deep" / "n.db")
        database.execute("UPDATE numbers SET value = 'x' WHERE key = '8'")
        database.commit()
        database.close()
        assert cache.get("8") is None


def test_expired_and_excess_entries_are_removed_when_the_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Numbers(tmp_path / "n.db") as cache:
        cache.put_many(CacheRow(str(n), n) for n in range(5))
    with Numbers(tmp_path / "n.db") as cache:
        assert [row.key for row in cache.rows()] == ["2", "3", "4"]
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3 * 86_400)
    with Numbers(tmp_path / "n.db") as cache:
        assert not list(cache.rows())


@pytest.mark.parametrize("worth_it", [False, True])
def test_a_file_in_the_first_format_is_upgraded(tmp_path: Path, worth_it: bool) -> None:
    path = tmp_path / "n.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE numbers (name TEXT PRIMARY KEY, number INTEGER)")
        database.execute("INSERT INTO numbers VALUES ('one', 1)")
        database.execute("PRAGMA user_version = 1")
    database.close()
    move = "INSERT INTO numbers (key, note, value, made) SELECT name, '', number, 0 FROM old_numbers;"

    class Moved(SqliteCache[str, int]):
        kind = CacheKind(of="numbers", saves="counting", encode=str, decode=int, upgrade=move if worth_it else "")

    for _ in range(2):
        with Moved(path) as cache:
            assert cache.get("one") == (1 if worth_it else None)
            cache.put("two", 2)
            assert cache.get("two") == 2


def test_two_caches_share_a_file(tmp_path: Path) -> None:
    class Words(SqliteCache[str, str]):
        kind = CacheKind(of="words", saves="spelling", encode=str, decode=str)

    with Numbers(tmp_path / "both.db") as numbers, Words(tmp_path / "both.db") as words:
        numbers.put("one", 1)
        words.put("one", "eins")
        assert (numbers.get("one"), words.get("one")) == (1, "eins")


def test_errors_name_the_file_and_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "broken.db").write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError, match=r"cache of numbers .*broken\.db can't be opened") as caught:
        Numbers(tmp_path / "broken.db")
    assert "it only saves counting" in caught.value.hint


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "n.db"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="written by a newer Factscope") as caught:
        Numbers(path)
    assert "it only saves counting" in caught.value.hint
    assert path.read_bytes() == before


def test_a_cache_without_a_file_lasts_as_long_as_it_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Numbers() as cache:
        cache.put("one", 1)
        assert cache.get("one") == 1
    with Numbers() as cache:
        assert cache.get("one") is None
    assert not list(tmp_path.iterdir())
    with pytest.raises(StoreError, match="The cache of numbers can't be read: "):
        cache.get("one")


def test_an_entry_says_when_it_was_written_and_the_last_value_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    with Numbers() as cache:
        for moment, value in ((1_000.5, 1), (2_000.5, 2)):
            monkeypatch.setattr(time, "time", lambda moment=moment: moment)
            cache.put("one", value, f"note {value}")
        assert cache.entry("one") == (2, "note 2", 2_000.5)
        assert cache.entry("none") is None
        assert cache.put_many([]) == 0
        assert cache.get_many([]) == {}


def test_a_cache_can_keep_its_first_values() -> None:
    class Firsts(SqliteCache[str, int]):
        kind = CacheKind(of="firsts", saves="counting", encode=str, decode=int, keep_first=True)

    with Firsts() as cache:
        cache.put_many([CacheRow("one", 1), CacheRow("one", 2)])
        cache.put("one", 3)
        assert cache.get("one") == 1


def test_a_value_that_cannot_be_stored_keeps_the_rest_of_its_group_out_too() -> None:
    class Lengths(SqliteCache[str, str]):
        kind = CacheKind(of="lengths", saves="counting", encode=lambda text: str(len(text)), decode=str)

    with Lengths() as cache:
        with pytest.raises(TypeError):
            cache.put_many([CacheRow("a", "a"), CacheRow("b", None)])
        assert not list(cache.rows())
        cache.put("a", "aaa")
        assert cache.get("a") == "3"


def test_compressed_values_are_restored_and_damaged_ones_raise_an_error() -> None:
    class Texts(SqliteCache[str, bytes]):
        kind = CacheKind(of="texts", saves="reading", encode=zlib.compress, decode=unpacked)

    with Texts() as cache:
        cache.put("a", b"text" * 100)
        assert cache.get("a") == b"text" * 100
    with pytest.raises(ValueError, match="incorrect header"):
        unpacked(b"not compressed")
