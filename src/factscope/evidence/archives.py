"""ZIP and tar archives as folders: their regular files are unpacked into a temporary folder while they are read.

An archive's headers may be false: bytes are counted while they are written, files with paths outside the folder, links
and devices are skipped, and archives inside an archive stay packed.
"""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, NamedTuple
from zipfile import BadZipFile, ZipFile, ZipInfo

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
"""File extensions of archives; `.epub` and Office files are ZIP archives too, but are read as documents."""
MOST_FILES = 20_000  # files of one archive that are read
MOST_BYTES = 2_000_000_000
"""Bytes of one archive, unpacked."""
_PIECE = 1 << 20  # bytes unpacked at once
_UTF8_FLAG = 0x800  # of a member of a ZIP: its name is UTF-8
_BROKEN = (BadZipFile, tarfile.TarError, EOFError, zlib.error, LZMAError, NotImplementedError, RuntimeError, ValueError)


class Unpacked(NamedTuple):
    """Files from an archive."""

    folder: Path
    problem: str | None
    """Items that could not be unpacked, worded to follow the archive's name."""


class Archives:
    """Folders of unpacked archives. A context manager, which deletes them at the end."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._count = 0

    def __enter__(self) -> Archives:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def unpack(self, path: Path) -> Unpacked:
        """Unpack an archive; a broken one as far as it can be read. Raises OSError when it can't be opened."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="factscope-"))
        self._count += 1
        folder = self._folder / str(self._count)
        folder.mkdir()
        return Unpacked(folder, _unpack(path, folder))


def is_archive(path: Path) -> bool:
    """Return whether a file is an archive, by its name."""
    return path.name.lower().endswith(ENDINGS)


def _unpack(path: Path, folder: Path) -> str | None:
    left, count = MOST_BYTES, 0
    try:
        with _members(path) as members:
            for name, content in members:
                target = _inside(name, folder)
                if target is None:
                    continue
                count += 1
                if count > MOST_FILES:
                    return f"holds more than {MOST_FILES:,} files; the rest is not read"
                target.parent.mkdir(parents=True, exist_ok=True)
                left -= _write(content, target, left)
                if left <= 0:
                    target.unlink(missing_ok=True)  # cut off: half a file would be misleading
                    return f"unpacks to more than {MOST_BYTES // 1_000_000:,} MB; the rest is not read"
    except _BROKEN as error:
        protected = isinstance(error, RuntimeError) and "password" in str(error)
        reason = "is protected by a password" if protected else f"is broken or of a kind that is not read ({error})"
        return f"{reason}; unpack it yourself, and name the folder"[:300]
    return None


@contextmanager
def _members(path: Path) -> Iterator[Iterator[tuple[str, IO[bytes]]]]:
    """Provide the names and contents of the regular files of an archive, one after the other."""
    if path.name.lower().endswith(".zip"):
        with ZipFile(path) as packed:
            yield _zipped(packed)
    else:
        with tarfile.open(path, "r|*") as bundle:
            yield _bundled(bundle)


def _zipped(packed: ZipFile) -> Iterator[tuple[str, IO[bytes]]]:
    for member in packed.infolist():
        if not member.is_dir() and (member.external_attr >> 28) in (0, 8):  # no link: a regular file, or not stated
            with packed.open(member) as content:
                yield _zipped_name(member), content


def _zipped_name(member: ZipInfo) -> str:
    """Return the name of a member; one that is UTF-8 without the flag for it is read as UTF-8, not as code page 437.

    macOS and Info-ZIP write such names.
    """
    if member.flag_bits & _UTF8_FLAG:
        return member.filename
    try:
        return member.filename.encode("cp437").decode()
    except UnicodeError:
        return member.filename


def _bundled(bundle: tarfile.TarFile) -> Iterator[tuple[str, IO[bytes]]]:
    for member in bundle:
        content = bundle.extractfile(member) if member.isreg() else None
        if content is not None:
            yield member.name, content


def _inside(name: str, folder: Path) -> Path | None:
    """Return the path of a member in the folder; None for a path outside it, or a hidden one."""
    path_parts = PurePosixPath(name.replace("\\", "/")).parts
    if (
        not path_parts
        or "\0" in name
        or any(path_part in ("/", "..") or path_part.startswith(".") for path_part in path_parts)
    ):
        return None
    return folder.joinpath(*path_parts)


def _write(content: IO[bytes], target: Path, most: int) -> int:
    """Write a member, up to a limit of bytes, and return the number of bytes written."""
    written = 0
    with target.open("wb") as file:
        while written <= most and (piece := content.read(_PIECE)):
            file.write(piece)
            written += len(piece)
    return written
