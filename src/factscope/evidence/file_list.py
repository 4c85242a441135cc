"""Paths as a user names them → the files in them, in a fixed order, with a list of skipped files."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from factscope.core.errors import InputError, UsageError
from factscope.evidence.archives import Archives, is_archive
from factscope.evidence.file_kinds import KINDS


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


def find_files(paths: Sequence[Path], archives: Archives) -> tuple[list[EvidenceFile], list[EvidenceProblem]]:
    """Return the files under `paths`, each once, in order of name. Raises UsageError for a path that does not exist.

    ZIP and tar archives count as folders: `archives` holds the unpacked files while they are read.

    Inside folders, hidden files are skipped, as are links that lead out of the folder and links to folders; files of
    unreadable kinds are counted in one problem per folder. A file that the user named is always tried.
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
            files_found += _inside(path, path, problems, archives)
        else:
            files_found += _expand(path, printable_path(path), problems, archives)
    unique: dict[str, EvidenceFile] = {}
    for file in sorted(files_found, key=lambda file: file.name):
        unique.setdefault(os.path.realpath(file.path), file)
    return list(unique.values()), problems


def _expand(
    path: Path, name: str, problems: list[EvidenceProblem], archives: Archives | None
) -> Iterator[EvidenceFile]:
    """Yield a file, or the files inside an archive; without `archives`, one stays packed."""
    if archives is None or not is_archive(path):
        yield EvidenceFile(path, name)
        return
    try:
        unpacked = archives.unpack(path)
    except OSError as error:
        problems.append(EvidenceProblem(name, None, f"can't be read: {error.strerror}"))
        return
    if unpacked.problem:
        problems.append(EvidenceProblem(name, None, unpacked.problem))
    yield from _inside(unpacked.folder, Path(name), problems, None)


def _inside(
    folder: Path, path_named: Path, problems: list[EvidenceProblem], archives: Archives | None
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
            if path.suffix.lower() not in KINDS and not (packed and archives):
                skipped[printable_path(path.suffix.lower()) or "no ending"] += 1
            elif path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(root):
                skipped["links out of the folder"] += 1
            else:
                yield from _expand(path, inside, problems, archives)
    if skipped:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(skipped.items()))
        problems.append(EvidenceProblem(printable_path(path_named), None, f"files in it that are not read: {kinds}"))
