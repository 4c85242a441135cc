"""A disk that can lose power, fill up or fail, for SQLite files: it records or refuses what SQLite writes.

SQLite reaches the disk through a table of functions, and lets a program put another in front of it. This one wraps the
system's: it passes everything on, records every write and sync of files in one folder, and may refuse a write.
After a power cut a file holds everything synced and any of the sectors written later; a removed file may be back unless
its folder was synced. `after_power_cut` makes such files.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

SECTOR = 512
FULL, IO_ERROR = 13, 778
"""SQLITE_FULL and SQLITE_IOERR_WRITE: the codes of a full disk and of a failing one."""
_CREATE, _LOGS = 0x4, 0x80800  # flags for opening: create the file; it is a journal or a write-ahead log
_OPEN = ctypes.CFUNCTYPE(
    # The name as an address: SQLite keeps it valid as long as the file is open.
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_void_p,
)
_DELETE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)
_WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)
_TRUNCATE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64)
_SYNC = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)


class _Vfs(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("size_of_file", ctypes.c_int),
        ("longest_path", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("open", _OPEN),
        ("delete", _DELETE),
        ("others", ctypes.c_void_p * 14),
    )


class _Methods(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("close", ctypes.c_void_p),
        ("read", ctypes.c_void_p),
        ("write", _WRITE),
        ("truncate", _TRUNCATE),
        ("sync", _SYNC),
        ("others", ctypes.c_void_p * 13),
    )


class Step(NamedTuple):
    """One recorded operation on the disk."""

    kind: str
    """write, truncate, sync, delete, or sync folder."""
    file: str
    offset: int = 0
    data: bytes = b""


class Disk:
    """The disk under one folder, while `watched_disk` is open."""

    def __init__(self, folder: Path, library: Any) -> None:
        self.steps: list[Step] = []
        self.refuse: dict[int, int] = {}
        """Error codes by the number of the write that gets them; every later write gets the same."""
        self._writes = 0
        self._folder = str(folder.resolve())
        self._names: dict[int, str] = {}
        self._new_logs: set[int] = set()
        self._refused: int | None = None
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        library.sqlite3_vfs_find.argtypes = [ctypes.c_char_p]
        self._below = library.sqlite3_vfs_find(None)
        self._below_open, self._below_delete = self._below.contents.open, self._below.contents.delete
        self._methods: list[tuple[_Methods, _Methods]] = []
        self.vfs = _Vfs.from_buffer_copy(self._below.contents)
        self.vfs.name = b"watched"
        self.vfs.open, self.vfs.delete = _OPEN(self._open), _DELETE(self._delete)

    @property
    def writes(self) -> int:
        """Return the number of writes so far, including refused ones."""
        return self._writes

    def heal(self) -> None:
        """Accept all writes again."""
        self.refuse, self._refused = {}, None

    def _open(self, vfs: int, name: int | None, file: int, flags: int, out: int | None) -> int:
        code = self._below_open(ctypes.addressof(self._below.contents), name, file, flags, out)
        path = ctypes.string_at(name).decode() if name else ""
        if code == 0 and path.startswith(self._folder):
            methods = ctypes.cast(file, ctypes.POINTER(ctypes.c_void_p))
            below = _Methods.from_address(methods[0] or 0)
            above = _Methods.from_buffer_copy(below)
            above.write = _WRITE(lambda *call: self._write(below, *call))
            above.truncate = _TRUNCATE(lambda *call: self._truncate(below, *call))
            above.sync = _SYNC(lambda *call: self._sync(below, *call))
            self._methods.append((below, above))  # SQLite holds them until the file is closed
            self._names[file] = Path(path).name
            if flags & _CREATE and flags & _LOGS:
                self._new_logs.add(file)
            methods[0] = ctypes.addressof(above)
        return int(code)

    def _write(self, below: _Methods, file: int, data: int, length: int, offset: int) -> int:
        self._refused = self.refuse.get(self._writes, self._refused)
        self._writes += 1
        if self._refused is not None:
            return self._refused
        self.steps.append(Step("write", self._names[file], offset, ctypes.string_at(data, length)))
        return int(below.write(file, data, length, offset))

    def _truncate(self, below: _Methods, file: int, size: int) -> int:
        self.steps.append(Step("truncate", self._names[file], size))
        return int(below.truncate(file, size))

    def _sync(self, below: _Methods, file: int, flags: int) -> int:
        self.steps.append(Step("sync", self._names[file]))
        if file in self._new_logs:  # the system's functions then sync its folder too
            self._new_logs.discard(file)
            self.steps.append(Step("sync folder", ""))
        return int(below.sync(file, flags))

    def _delete(self, vfs: int, name: bytes, sync_folder: int) -> int:
        if name.decode().startswith(self._folder):
            self.steps.append(Step("delete", Path(name.decode()).name))
            if sync_folder:
                self.steps.append(Step("sync folder", ""))
        return int(self._below_delete(ctypes.addressof(self._below.contents), name, sync_folder))


@contextmanager
def watched_disk(folder: Path) -> Iterator[Disk]:
    """Record what SQLite does to files of a folder opened from now on; close them before this context ends.

    Raises NotImplementedError where SQLite's functions can't be reached.
    """
    try:
        library = ctypes.CDLL(_sqlite3.__file__)
        register, unregister = library.sqlite3_vfs_register, library.sqlite3_vfs_unregister
        disk = Disk(folder, library)
    except (AttributeError, OSError) as error:
        raise NotImplementedError("SQLite is built into this Python, out of reach.") from error
    register(ctypes.byref(disk.vfs), 1)
    try:
        yield disk
    finally:
        unregister(ctypes.byref(disk.vfs))


def after_power_cut(steps: list[Step], chance: random.Random) -> dict[str, bytes]:
    """Return what the files may hold if the power fails after these steps."""
    synced = {step.file: number for number, step in enumerate(steps) if step.kind == "sync"}
    names_synced = max((number for number, step in enumerate(steps) if step.kind == "sync folder"), default=-1)
    files: dict[str, bytearray] = {}
    still_the_old = set[str]()  # files whose removal was lost, and with it whatever replaced them
    for number, step in enumerate(steps):
        content = files.setdefault(step.file, bytearray())
        certain = number < synced.get(step.file, -1)
        if step.file in still_the_old:
            continue
        if step.kind == "write":
            lucky = 1.0 if certain else chance.choice((0.0, 0.5, 1.0))
            for start in range(0, len(step.data), SECTOR):
                if chance.random() < lucky:
                    _put(content, step.offset + start, step.data[start : start + SECTOR])
        elif step.kind == "truncate" and (certain or chance.random() < 0.5):
            del content[step.offset :]
        elif step.kind == "delete" and (number < names_synced or chance.random() < 0.5):
            content.clear()
        elif step.kind == "delete":
            still_the_old.add(step.file)
    return {name: bytes(content) for name, content in files.items()}


def _put(content: bytearray, offset: int, data: bytes) -> None:
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data
