"""Paths as a user names them → the files in them, in a fixed order, with a list of skipped files.

ZIP and tar archives count as folders: their regular files are unpacked into a temporary folder while they are read. An
archive's headers may be false: bytes are counted while they are written, files with paths outside the folder, links
and devices are skipped, and archives inside an archive stay packed. A file that can't be unpacked costs only itself.
"""

from __future__ import annotations

import os
import stat
import tarfile
import zlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple
from zipfile import BadZipFile, ZipFile, ZipInfo

from factscope.core.errors import InputError, UsageError
from factscope.core.plurals import with_samples
from factscope.evidence.decode import clean
from factscope.evidence.formats import KINDS

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
"""File extensions of archives; `.epub` and Office files are ZIP archives too, but are read as documents."""
MOST_FILES = 20_000  # files of one archive that are read
MOST_BYTES = 2_000_000_000
"""Bytes of one archive, unpacked."""
_PIECE = 1 << 20  # bytes unpacked at once
_LONGEST_NAME = 100  # characters of a member's name in a message
_BY_HAND = "unpack it yourself, and name the folder"
_UTF8_FLAG = 0x800  # of a member of a ZIP: its name is UTF-8
_BROKEN = (BadZipFile, tarfile.TarError, EOFError, zlib.error, LZMAError, NotImplementedError, RuntimeError, ValueError)


_Member = tuple[str, AbstractContextManager[IO[bytes]]]
"""The name of a file in an archive, and its content, which is opened when it is read."""


class Archives:
    """Folders of unpacked archives. A context manager, which deletes them at the end."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._count = 0

    def __enter__(self) -> Archives:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder:
            self._folder.cleanup()

    def unpack(self, path: Path) -> tuple[Path, list[str]]:
        """Unpack an archive, a broken one as far as it can be read; return the folder of its files, and its problems.

        Raises OSError when it can't be opened.
        """
        self._folder = self._folder or TemporaryDirectory(prefix="factscope-", ignore_cleanup_errors=True)
        self._count += 1
        folder = Path(self._folder.name, str(self._count))
        folder.mkdir()
        return folder, _unpack(path, folder)


def is_archive(path: Path) -> bool:
    """Return whether a file is an archive, by its name."""
    return path.name.lower().endswith(ENDINGS)


def _is_zip(path: Path) -> bool:
    return path.name.lower().endswith(".zip")


def _unpack(path: Path, folder: Path) -> list[str]:
    """Unpack an archive as far as it can be read; return its problems, worded to follow its name."""
    unreadable: list[str] = []
    problem = None
    try:
        with _members(path) as members:
            # To a tar, a newer form of a file is appended.
            problem = _unpack_members(members, folder, unreadable, replaces=not _is_zip(path))
    except _BROKEN as error:
        problem = f"is broken or of a kind that is not read ({error})"[:250] + f"; {_BY_HAND}"
    problems = [problem] if problem else []
    if unreadable:
        problems.append(with_samples("files in it that can't be read", unreadable) + f"; {_BY_HAND}")
    return problems


def _unpack_members(members: Iterator[_Member], folder: Path, unreadable: list[str], *, replaces: bool) -> str | None:
    """Unpack members, adding the names of `unreadable` ones; return why the rest is not read.

    With `replaces`, a member takes the place of an earlier one of its name.
    """
    left, count = MOST_BYTES, 0
    for name, opened in members:
        target = _path_inside(name, folder)
        if target is None:
            continue
        count += 1
        if count > MOST_FILES:
            return f"holds more than {MOST_FILES:,} files; the rest is not read"
        written, error = _write(opened, target, left, replaces)
        left -= written
        if left <= 0 or (error and not isinstance(error, FileExistsError)):
            with suppress(OSError):
                target.unlink()  # half a file would be misleading
        if error:
            unreadable.append(f"{clean(name).text[:_LONGEST_NAME]} ({_reason(error)})")
        if left <= 0:
            return f"unpacks to more than {MOST_BYTES // 1_000_000:,} MB; the rest is not read"
    return None


def _reason(error: Exception) -> str:
    """Return why a member can't be read, in a few words."""
    if isinstance(error, RuntimeError) and "password" in str(error):
        return "protected by a password"
    if isinstance(error, FileExistsError):
        return "another file in it has the same name"
    return (isinstance(error, OSError) and error.strerror) or "broken or of a kind that is not read"


@contextmanager
def _members(path: Path) -> Iterator[Iterator[_Member]]:
    """Provide the regular files of an archive, one after the other."""
    if _is_zip(path):
        with ZipFile(path) as packed:
            yield _zipped(packed)
    else:
        with tarfile.open(path, "r|*") as bundle:
            yield _bundled(bundle)


def _zipped(packed: ZipFile) -> Iterator[_Member]:
    for member in packed.infolist():
        if not member.is_dir() and (member.external_attr >> 28) in (0, 8):  # no link: a regular file, or not stated
            yield _zipped_name(member), _opened(packed, member)


@contextmanager
def _opened(packed: ZipFile, member: ZipInfo) -> Iterator[IO[bytes]]:
    """Open a member only when it is read, because that fails for a protected one."""
    with packed.open(member) as content:
        yield content


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


def _bundled(bundle: tarfile.TarFile) -> Iterator[_Member]:
    for member in bundle:
        content = bundle.extractfile(member) if member.isreg() else None
        if content is not None:
            yield member.name, content


def _path_inside(name: str, folder: Path) -> Path | None:
    """Return the path of a member in the folder; None for a path outside it, or a hidden one."""
    path_parts = PurePosixPath(name.replace("\\", "/")).parts
    if (
        not path_parts
        or "\0" in name
        or any(path_part in ("/", "..") or path_part.startswith(".") for path_part in path_parts)
    ):
        return None
    return folder.joinpath(*path_parts)


def _write(
    opened: AbstractContextManager[IO[bytes]], target: Path, most: int, replaces: bool
) -> tuple[int, Exception | None]:
    """Write a member, up to a limit of bytes; return the number of bytes written, and the error that ended it."""
    written = 0
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with opened as content, target.open("wb" if replaces else "xb") as file:
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
    paths: Sequence[Path], archives: Archives, endings: Container[str] = KINDS
) -> tuple[list[EvidenceFile], list[EvidenceProblem]]:
    """Return the files under `paths`, each once, in order of name. Raises UsageError for a path that does not exist.

    ZIP and tar archives count as folders: `archives` holds the unpacked files while they are read.

    Inside folders, hidden files are skipped, as are links that lead out of the folder and links to folders; files
    without one of the `endings` are counted in one problem per folder. A file that the user named is always tried.
    """
    files_found: list[EvidenceFile] = []
    problems: list[EvidenceProblem] = []
    must_exist(paths)
    for path in paths:
        try:
            folder = stat.S_ISDIR(path.stat().st_mode)
        except OSError as error:
            problems.append(EvidenceProblem(printable_path(path), None, f"can't be read: {error.strerror}"))
            continue
        if folder:
            files_found += _inside(path, path, problems, archives, endings)
        else:
            files_found += _expand(path, printable_path(path), problems, archives, endings)
    unique: dict[str, EvidenceFile] = {}
    for file in sorted(files_found, key=lambda file: file.name):
        unique.setdefault(os.path.realpath(file.path), file)
    return list(unique.values()), problems


def _expand(
    path: Path, name: str, problems: list[EvidenceProblem], archives: Archives | None, endings: Container[str]
) -> Iterator[EvidenceFile]:
    """Yield a file, or the files inside an archive; without `archives`, one stays packed."""
    if archives is None or not is_archive(path):
        yield EvidenceFile(path, name)
        return
    try:
        folder, unpacking = archives.unpack(path)
    except OSError as error:
        problems.append(EvidenceProblem(name, None, f"can't be read: {error.strerror}"))
        return
    problems += [EvidenceProblem(name, None, problem) for problem in unpacking]
    yield from _inside(folder, Path(name), problems, None, endings)


def _inside(
    folder: Path,
    path_named: Path,
    problems: list[EvidenceProblem],
    archives: Archives | None,
    endings: Container[str],
) -> Iterator[EvidenceFile]:
    """Yield the files in a folder, each with the name to show."""
    root = Path(os.path.realpath(folder))
    base = PurePosixPath(path_named.as_posix())
    skipped: Counter[str] = Counter()

    def note_problem(error: OSError) -> None:
        problems.append(EvidenceProblem(printable_path(error.filename), None, f"can't be read: {error.strerror}"))

    for at, folders, names in os.walk(folder, onerror=note_problem):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(at, name)
            if name.startswith("."):
                continue
            inside = printable_path(str(base / path.relative_to(folder).as_posix()))
            packed = is_archive(path)
            if path.suffix.lower() not in endings and not (packed and archives):
                skipped[printable_path(path.suffix.lower()) or "no ending"] += 1
            elif path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(root):
                skipped["links out of the folder"] += 1
            else:
                yield from _expand(path, inside, problems, archives, endings)
    if skipped:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(skipped.items()))
        problems.append(EvidenceProblem(printable_path(path_named), None, f"files in it that are not read: {kinds}"))
