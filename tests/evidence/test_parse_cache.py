"""Parsed files between openings: read once, removed when long unused, and rebuilt after any damage."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from factscope.evidence import FILE_NAME, SandboxLimits, open_collection
from factscope.methods import Passages
from tests.evidence.example_files import FACTS, messages
from tests.lab import warm


def test_an_unchanged_file_is_not_read_again(docs: Path, cache: Path, reads: list[str]) -> None:
    first = open_collection([docs], cache)
    assert sorted(reads) == ["bridge.txt", "ferry.pdf", "hall.md", "mayor.html"]
    reads.clear()
    for path in docs.iterdir():
        os.utime(path, (0, 0))
    again = open_collection([docs], cache)
    assert reads == []
    assert again.id == first.id
    assert again.search("Marlow 1931", Passages()) == first.search("Marlow 1931", Passages())


def test_only_a_changed_file_is_read_again(docs: Path, cache: Path, reads: list[str]) -> None:
    first = open_collection([docs], cache)
    reads.clear()
    (docs / "bridge.txt").write_text("The Marlow bridge opened in 1932.")
    changed = open_collection([docs], cache)
    assert reads == ["bridge.txt"]
    assert changed.id != first.id
    assert changed.search("bridge", Passages())[0].text == "The Marlow bridge opened in 1932."
    (docs / "bridge.txt").write_text(FACTS["bridge.txt"])
    assert open_collection([docs], cache).id == first.id
    assert reads == ["bridge.txt"]


@pytest.mark.medium
def test_a_damaged_cache_is_rebuilt(docs: Path, cache: Path) -> None:
    whole = open_collection([docs], cache)
    hits = whole.search("Marlow 1931", Passages())
    chance = random.Random(3)
    names = sorted(path.relative_to(cache) for path in cache.rglob("*") if path.is_file())
    assert len(names) > 5
    for name in names:
        size = (cache / name).stat().st_size
        for content in (os.urandom(size), (cache / name).read_bytes()[: size // 2]):
            draft = cache / "draft"
            draft.write_bytes(content)
            draft.replace(cache / name)
            again = open_collection([docs], cache)
            assert again.search("Marlow 1931", Passages()) == hits, name
            assert again.problems == (), name
        flipped = bytearray((cache / name).read_bytes())
        if flipped:
            flipped[chance.randrange(len(flipped))] ^= 0x10
            (cache / "draft").write_bytes(flipped)
            (cache / "draft").replace(cache / name)
            assert open_collection([docs], cache).search("Marlow 1931", Passages()) == hits, name


LONG = "\n\n".join(f"Fact {n} says {n * 7919}." for n in range(3_000, 5_000))


def script(docs: Path, cache: Path, before: str = "") -> list[str]:
    """Return a command that opens a collection in its own process and prints the results."""
    lines = [
        "from pathlib import Path",
        "from factscope.evidence.collection import open_collection",
        "from factscope.methods import Passages",
        before,
        f"collection = open_collection([Path({str(docs)!r})], Path({str(cache)!r}))",
        "print(collection.id, len(collection.search('Marlow 1931', Passages())), len(collection.problems))",
    ]
    return [warm.python(), "-c", "\n".join(lines)]


@pytest.mark.medium
def test_processes_can_open_the_same_collection_at_once(docs: Path, cache: Path, tmp_path: Path) -> None:
    (docs / "long.txt").write_text(LONG)
    alone = subprocess.run(script(docs, tmp_path / "other"), capture_output=True, text=True).stdout
    running = [subprocess.Popen(script(docs, cache), stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert {process.communicate()[0] for process in running} == {alone}
    assert alone.endswith(" 3 0\n")
    assert not list(cache.glob("*.draft"))


@pytest.mark.medium
@pytest.mark.parametrize("step", ["parse_cache.ParseCache.put", "index.np.save", "Path.rename"])
def test_a_process_killed_while_building_leaves_a_working_cache(docs: Path, cache: Path, step: str) -> None:
    owner, name = step.rsplit(".", 1)
    before = f"""
import os, signal
from factscope.evidence import index, parse_cache
setattr({owner}, {name!r}, lambda *args, **named: os.kill(os.getpid(), signal.SIGKILL))
"""
    ended = subprocess.run(script(docs, cache, before), capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    collection = open_collection([docs], cache)
    assert len(collection.search("Marlow 1931", Passages())) == 3
    assert collection.problems == ()


@pytest.mark.medium
def test_old_indexes_are_removed(docs: Path, cache: Path) -> None:
    for number in range(12):
        (docs / "bridge.txt").write_text(f"The Marlow bridge opened in {1900 + number}.")
        open_collection([docs], cache)
    assert len(list(cache.glob("index-*"))) == 8


def test_a_file_whose_reading_was_interrupted_is_tried_again(
    docs: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(docs / "no-python"))
        collection = open_collection([docs], cache)
        assert len(collection) == 2
        assert len(collection.problems) == 2
    assert len(open_collection([docs], cache)) == 4


@pytest.mark.medium
def test_a_file_that_takes_too_long_is_not_tried_again(
    docs: Path, cache: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = b"<html><body>" + b"<p>some <b>words</b></p>" * 9_000 + b"</body></html>"
    (docs / "slow.html").write_bytes(slow)
    with monkeypatch.context() as patch:
        patch.setattr(SandboxLimits.__new__, "__defaults__", (0.05, *SandboxLimits()[1:]))
        for _ in range(20):  # on a very busy machine the wall clock may end it first, and then it is retried
            reads.clear()
            first = open_collection([docs / "slow.html", docs / "bridge.txt"], cache)
            if not reads:
                break
    assert "took longer than 0.05 s" in messages(first)
    again = open_collection([docs / "slow.html", docs / "bridge.txt"], cache)
    assert reads == []
    assert (again.id, again.problems) == (first.id, first.problems)
    (docs / "slow.html").write_bytes(slow + b"\n")
    assert open_collection([docs / "slow.html", docs / "bridge.txt"], cache).problems == ()


def test_a_file_unreadable_by_a_broken_installation_is_tried_again(
    docs: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "pypdf.py").write_text("raise ImportError('half of it is missing')")
    with monkeypatch.context() as patch:
        patch.syspath_prepend(tmp_path / "broken")
        collection = open_collection([docs], cache)
    assert "installation of Factscope is incomplete (half of it is missing)" in messages(collection)
    assert len(collection) == 3
    assert len(open_collection([docs], cache)) == 4


def parsed_size(cache: Path) -> int:
    return sum(path.stat().st_size for path in cache.glob("parsed-*"))


@pytest.mark.medium
def test_entries_unused_for_long_are_dropped(
    docs: Path, cache: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for year in range(1931, 1937):
        (docs / "bridge.txt").write_text(f"The Marlow bridge opened in {year}. " * 3_000)
        open_collection([docs], cache)
    full = parsed_size(cache)
    start = time.time()
    for days in (20, 40):
        # Used on day 20, so not yet old on day 40.
        monkeypatch.setattr(time, "time", lambda days=days: start + 86_400 * days)
        reads.clear()
        assert len(open_collection([docs], cache)) == 4
        assert reads == []
    assert parsed_size(cache) < full / 3
    for index in cache.glob("index-*"):
        shutil.rmtree(index)
    assert open_collection([docs], cache).search("bridge 1936", Passages())
    assert reads == []


def test_caches_of_earlier_readers_are_removed(docs: Path, cache: Path) -> None:
    cache.mkdir()
    for name in ("parsed-0.sqlite", "parsed-0.sqlite-journal", "parsed-9999.sqlite"):
        (cache / name).write_bytes(b"left")
    open_collection([docs], cache)
    assert sorted(path.name for path in cache.glob("parsed-*")) == [FILE_NAME, "parsed-9999.sqlite"]
