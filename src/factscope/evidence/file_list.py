"""Paths as a user names them → the files in them, in a fixed order, with a list of skipped files.

ZIP and tar archives count as folders: their regular files are unpacked into a temporary folder while they are read. An
archive's headers may be false: bytes are counted while they are written, files with paths outside the folder, links
and devices are skipped, and archives inside an archive stay packed. A file that can't be unpacked costs only itself.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import tarfile
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import chain
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import IO, Any, NamedTuple, cast
from zipfile import BadZipFile, ZipFile, ZipInfo

from factscope.core import InputError, UsageError, many, system_reason, with_samples
from factscope.evidence.decode import clean
from factscope.evidence.formats import KINDS

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
"""File extensions of archives; `.epub` and Office files are ZIP archives too, but are read as documents."""
MOST_FILES = 20_000  # files of one archive that are read
MOST_BYTES = 2_000_000_000
"""Bytes of one archive, unpacked."""
_PIECE = 1 << 20  # bytes unpacked at once
_LONGEST_NAME = 100  # characters of a member's name in a message
_LINK_OUT = "link out of the folder"
_BY_HAND = "unpack it yourself, and name the folder"
_UTF8_FLAG = 0x800  # of a member of a ZIP: its name is UTF-8
_BROKEN = (BadZipFile, tarfile.TarError, EOFError, zlib.error, LZMAError, NotImplementedError, RuntimeError, ValueError)


_Member = tuple[str, Callable[[], IO[bytes]]]
"""The name of a file in an archive, and a function that opens it, because that fails for a protected one."""


def is_archive(path: Path) -> bool:
    """Return whether a file is an archive, by its name."""
    return path.name.lower().endswith(ENDINGS)


def _is_zip(path: Path) -> bool:
    return path.name.lower().endswith(".zip")


def _unpack(path: Path, folder: Path) -> Iterator[str]:
    """Unpack an archive as far as it can be read; yield its problems, worded to follow its name.

    Raises OSError when it can't be opened.
    """
    left, count, unreadable = MOST_BYTES, 0, list[str]()
    mode = "xb" if _is_zip(path) else "wb"  # to a tar, a newer form of a file is appended
    try:
        for name, opened in _members(path):
            target = _path_inside(name, folder)
            if target is None:
                continue
            count += 1
            if count > MOST_FILES:
                yield f"holds more than {MOST_FILES:,} files; the rest is not read"
                break
            written, error = _write(opened, target, left, mode)
            left -= written
            if left <= 0 or (error and not isinstance(error, FileExistsError)):
                with suppress(OSError):
                    target.unlink()  # half a file would be misleading
            if error:
                unreadable.append(f"{clean(name).text[:_LONGEST_NAME]} ({_reason(error)})")
            if left <= 0:
                yield f"unpacks to more than {MOST_BYTES // 1_000_000:,} MB; the rest is not read"
                break
    except (*_BROKEN, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            raise  # of the archive itself: it is missing, or may not be read
        yield f"is broken or of a kind that is not read ({error})"[:250] + f"; {_BY_HAND}"
    if unreadable:
        yield with_samples("files in it that can't be read", unreadable) + f"; {_BY_HAND}"


def _reason(error: Exception) -> str:
    """Return why a member can't be read, in a few words."""
    if isinstance(error, RuntimeError) and "password" in str(error):
        return "protected by a password"
    if isinstance(error, FileExistsError):
        return "another file in it has the same name"
    return (isinstance(error, OSError) and error.strerror) or "broken or of a kind that is not read"


def _members(path: Path) -> Iterator[_Member]:
    """Yield the regular files of an archive."""
    if _is_zip(path):
        with ZipFile(path) as packed:
            for info in packed.infolist():
                if not info.is_dir() and (info.external_attr >> 28) in (0, 8):  # no link: a regular file, or not stated
                    yield _zipped_name(info), partial(packed.open, info)
    else:
        most = max(MOST_BYTES, path.stat().st_size)
        with path.open("rb") as file:
            head = file.read(10)
        # Not by tarfile itself: it copies all that a small piece unpacks to again for each block of it.
        is_name = head.startswith(b"BZh") and head[4:] != _BZIP2_BLOCK  # of the first file in a tar: "BZhang.txt"
        stream = _DECOMPRESSORS.get(b"" if is_name else head[:3], open)(path, "rb")
        # `read1`, since `read` loses what it has where the file is cut off.
        readable = SimpleNamespace(read=getattr(stream, "read1", stream.read))
        with stream, _BoundedTar.open(fileobj=cast("IO[bytes]", readable), mode="r|") as bundle:
            for member in bundle:
                bundle.headers.n_blocks = 0
                content = bundle.extractfile(member) if member.isreg() else None
                if content is not None:
                    yield member.name, content.__enter__  # which returns the file itself
                if bundle.offset > most:  # files that are skipped have to be unpacked, too
                    raise tarfile.ReadError(f"it unpacks to more than {most // 1_000_000:,} MB")


_DECOMPRESSORS: dict[bytes, Any] = {b"\x1f\x8b\x08": gzip.open, b"BZh": bz2.open, b"\xfd7z": lzma.open}
"""Functions that open a compressed file, by its first bytes."""
_BZIP2_BLOCK = b"1AY&SY"
"""Bytes that follow the first four of a bzip2 file."""


class _BoundedStream:
    """The unpacked bytes of a tar, whose headers may not be of any size: `tarfile` holds one in memory as a whole."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.n_blocks = 0
        """Blocks read since the last member; a file's content is read in larger pieces."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def read(self, size: int) -> bytes:
        self.n_blocks += size == tarfile.BLOCKSIZE
        if size > _PIECE or self.n_blocks * tarfile.BLOCKSIZE > _PIECE:
            raise tarfile.ReadError("a header in it is too long")
        return self._stream.read(size)


class _BoundedTar(tarfile.TarFile):
    """A tar with a limit on the size of its headers."""

    def __init__(self, name: Any, mode: Any, fileobj: IO[bytes], **options: Any) -> None:
        self.headers = _BoundedStream(fileobj)
        super().__init__(name, mode, cast("IO[bytes]", self.headers), **options)


def _zipped_name(member: ZipInfo) -> str:
    """Return the name of a member; one that is UTF-8 without the flag for it is read as UTF-8, not as code page 437.

    macOS and Info-ZIP write such names.
    """
    if not member.flag_bits & _UTF8_FLAG:
        with suppress(UnicodeError):
            return member.filename.encode("cp437").decode()
    return member.filename


def _path_inside(name: str, folder: Path) -> Path | None:
    """Return the path of a member in the folder; None for a path outside it, or a hidden one."""
    steps = PurePosixPath(name.replace("\\", "/")).parts
    if not steps or "\0" in name or any(step.startswith(("/", ".")) for step in steps):
        return None
    return folder.joinpath(*steps)


def _write(opened: Callable[[], IO[bytes]], target: Path, most: int, mode: str) -> tuple[int, Exception | None]:
    """Write a member, up to a limit of bytes; return the number of bytes written, and the error that ended it."""
    written = 0
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with opened() as content, target.open(mode) as file:
            while written <= most and (piece := content.read(_PIECE)):
                file.write(piece)
                written += len(piece)
    except (*_BROKEN, OSError) as error:
        return written, error
    return written, None


class EvidenceProblem(NamedTuple):
    """A problem with the evidence; the rest is usable."""

    path: str
    """File or folder, as the user gave it."""
    line: int | None
    """Line of the file, if it is about one."""
    message: str
    """The problem and its fix."""

    def __str__(self) -> str:
        return f"{self.path}{f', line {self.line}' if self.line else ''}: {self.message}"


class NoEvidenceError(InputError):
    """Nothing of some evidence can be used."""

    def __init__(self, message: str, hint: str, problems: Iterable[EvidenceProblem]) -> None:
        super().__init__(message, hint)
        self.problems = tuple(problems)


class EvidenceFile(NamedTuple):
    """A file to read."""

    path: Path
    name: str
    """The path as the user gave it, joined with the path inside the folder; with `/`, printable."""


def printable_path(path: str | Path) -> str:
    r"""Return a path as printable text with `/`; bytes in it that are not UTF-8 become `\xNN`."""
    name = path.as_posix() if isinstance(path, Path) else path
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def must_exist(paths: Iterable[Path]) -> None:
    """Raise UsageError for a path that is not there."""
    for path in paths:
        try:
            path.stat()
        except FileNotFoundError:
            raise UsageError(
                f"Evidence {printable_path(path)} does not exist.", "Name files or folders that exist."
            ) from None
        except OSError:  # such as a folder that may not be read: a problem among others
            continue


def find_files(
    paths: Sequence[Path], archives: ExitStack, endings: Container[str] = KINDS
) -> tuple[list[EvidenceFile], list[EvidenceProblem]]:
    """Return the files under `paths`, each once, in order of name. Raises UsageError for a path that does not exist.

    ZIP and tar archives count as folders: their files are unpacked, and stay until `archives` is closed.

    Inside folders, hidden files are skipped, as are links that lead out of the folder and links to folders; links out,
    hidden files with one of the `endings` and other files without one are counted in one problem per folder. A file
    that the user named is always tried.
    """
    must_exist(paths)
    finder = _FileFinder(archives, endings, frozenset(map(os.path.realpath, paths)))
    unique: dict[str, EvidenceFile] = {}
    for file in sorted(chain.from_iterable(map(finder.named, paths)), key=lambda file: file.name):
        unique.setdefault(os.path.realpath(file.path), file)
    return list(unique.values()), finder.problems


class _FileFinder:
    """A search for files with some endings, with the problems so far."""

    def __init__(self, archives: ExitStack, endings: Container[str], named: Container[str]) -> None:
        """Make a search; `named`: the real paths that the user gave."""
        self.problems: list[EvidenceProblem] = []
        self._archives, self._endings, self._named = archives, endings, named

    def named(self, path: Path) -> Iterator[EvidenceFile]:
        """Yield the files of a path as the user named it."""
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except OSError as error:
            self._unreadable(printable_path(path), error)
            return
        yield from self._inside(path, path) if is_folder else self._expand(path, printable_path(path))

    def _unreadable(self, name: str, error: OSError) -> None:
        self.problems.append(EvidenceProblem(name, None, f"can't be read: {system_reason(error)}"))

    def _looks_readable(self, path: Path) -> bool:
        """Tell whether a person may miss a hidden file: not `._a.txt`, which macOS adds to `a.txt`."""
        is_added = path.name.startswith("._")
        return path.suffix.lower() in self._endings and not is_added and os.path.realpath(path) not in self._named

    def _expand(self, path: Path, name: str) -> Iterator[EvidenceFile]:
        """Yield a file, or the files inside an archive, in which others stay packed."""
        if not is_archive(path):
            yield EvidenceFile(path, name)
            return
        try:
            folder = TemporaryDirectory(prefix="factscope-", ignore_cleanup_errors=True)
            unpacked = Path(self._archives.enter_context(folder))
            self.problems += [EvidenceProblem(name, None, problem) for problem in _unpack(path, unpacked)]
        except OSError as error:
            self._unreadable(name, error)
        else:
            yield from self._inside(unpacked, Path(name), packed=True)

    def _inside(self, folder: Path, path_named: Path, *, packed: bool = False) -> Iterator[EvidenceFile]:
        """Yield the files in a folder, each with the name to show; `packed`: the folder of an archive."""
        root = Path(os.path.realpath(folder))
        base = PurePosixPath(path_named.as_posix())
        skipped: Counter[str] = Counter()

        def note_problem(error: OSError) -> None:
            self._unreadable(printable_path(error.filename), error)

        for at, folders, names in os.walk(folder, onerror=note_problem):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(at, name)
                inside = printable_path(str(base / path.relative_to(folder).as_posix()))
                if name.startswith("."):
                    if self._looks_readable(path):
                        skipped["hidden"] += 1
                elif path.suffix.lower() not in self._endings and (packed or not is_archive(path)):
                    if os.path.realpath(path) not in self._named:
                        skipped[printable_path(path.suffix.lower()) or "no ending"] += 1
                elif path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(root):
                    skipped[_LINK_OUT] += 1
                elif packed:
                    yield EvidenceFile(path, inside)
                else:
                    yield from self._expand(path, inside)
        if skipped:
            links = skipped.pop(_LINK_OUT, 0)
            counted = [f"{count} {kind}" for kind, count in sorted(skipped.items())]
            kinds = ", ".join([*counted, *([many(links, _LINK_OUT, "links out of the folder")] if links else [])])
            unless = "" if packed else ", unless you name them"
            message = f"files in it that are not read{unless}: {kinds}"
            self.problems.append(EvidenceProblem(printable_path(path_named), None, message))
