"""Files and folders that are either complete or absent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from factscope.core import put_folder, write_whole


def broken_off() -> Iterator[bytes]:
    """Yield the first piece of a file, then fail."""
    yield b"the first half"
    raise RuntimeError("killed")


def names_in(path: Path) -> list[str]:
    return [entry.name for entry in path.iterdir()]


def test_a_file_is_written_from_all_pieces_and_replaces_the_previous_contents(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_whole(path, [b"one ", b"", b"two"])
    assert path.read_bytes() == b"one two"
    write_whole(path, [b"x"])
    assert path.read_bytes() == b"x"
    write_whole(path, [])
    assert path.read_bytes() == b""


@pytest.mark.parametrize("before", [None, b"the old report"])
def test_a_writer_that_fails_halfway_leaves_everything_unchanged(tmp_path: Path, before: bytes | None) -> None:
    path = tmp_path / "report.json"
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(RuntimeError, match="killed"):
        write_whole(path, broken_off())
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == (
        {} if before is None else {"report.json": before}
    )


def test_a_link_stays_a_link_and_its_target_gets_the_contents(tmp_path: Path) -> None:
    target, link = tmp_path / "elsewhere" / "real.txt", tmp_path / "link.txt"
    target.parent.mkdir()
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    write_whole(link, [b"new"])
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names_in(target.parent) == ["real.txt"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "script.sh"
    path.touch()
    path.chmod(mode)
    write_whole(path, [b"#!/bin/sh"])
    assert path.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_has_the_permissions_of_any_other_new_file(tmp_path: Path, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "new.txt", [b"x"])
        assert os.umask(mask) == mask, "the mask of the process is the same afterwards"
    finally:
        os.umask(before)
    assert (tmp_path / "new.txt").stat().st_mode & 0o777 == mode


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    write_whole(link, [b"gone"])
    assert not Path("/dev/null").is_file()
    assert names_in(tmp_path) == ["null"]


def test_a_missing_folder_raises_file_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "nowhere" / "a.txt", [b"x"])


def folder(path: Path, content: str) -> Path:
    path.mkdir()
    (path / "file.txt").write_text(content, encoding="utf-8")
    return path


def test_a_folder_replaces_another_which_is_preserved(tmp_path: Path) -> None:
    new, target, old = folder(tmp_path / "new", "new"), folder(tmp_path / "target", "before"), tmp_path / "old"
    put_folder(new, target, old)
    assert (target / "file.txt").read_text(encoding="utf-8") == "new"
    assert (old / "file.txt").read_text(encoding="utf-8") == "before"
    assert not new.exists()


def test_a_folder_is_put_where_there_was_none(tmp_path: Path) -> None:
    put_folder(folder(tmp_path / "new", "new"), tmp_path / "target", tmp_path / "old")
    assert names_in(tmp_path) == ["target"]


def test_a_folder_that_cannot_be_moved_leaves_the_previous_one_in_place(tmp_path: Path) -> None:
    target = folder(tmp_path / "target", "before")
    with pytest.raises(FileNotFoundError):
        put_folder(tmp_path / "missing", target, tmp_path / "old")
    assert (target / "file.txt").read_text(encoding="utf-8") == "before"
    assert names_in(tmp_path) == ["target"]
