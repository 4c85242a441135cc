"""Files that users name: their text, values or hash, with one message for each way to fail.

A byte order mark, which some editors write, is never part of the text.
"""

from __future__ import annotations

import tomllib
from codecs import BOM_UTF8
from glob import glob
from hashlib import file_digest
from pathlib import Path
from typing import Any

from factscope.core.errors import FactscopeError, InputError, UsageError, system_reason
from factscope.core.json_object import json_object

Broken = type[FactscopeError]


def matching_paths(path: Path) -> list[Path]:
    """Return the path if it exists or matches nothing, otherwise the files and folders that it matches as a pattern.

    Patterns such as `docs/*.md` and `docs/**/*.txt` leave hidden files out. A shell expands them itself, but not in
    quotation marks; nor are they expanded in settings or on Windows.
    """
    try:
        if path.exists():
            return [path]
    except (OSError, ValueError):  # too long for a name, or a NUL character
        return [path]
    return [Path(name) for name in sorted(glob(str(path), recursive=True))] or [path]  # noqa: PTH207 - Path.glob finds hidden files


def user_bytes(path: Path, label: str = "", hint: str = "") -> bytes:
    """Return the content of a file. Raises UsageError, which calls it `label`, by default by its path."""
    try:
        return path.read_bytes().removeprefix(BOM_UTF8)
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL character
        raise UsageError(f"{label or path} can't be read: {system_reason(error)}.", hint) from None


def user_text(path: Path, label: str = "", hint: str = "", broken: Broken = UsageError) -> str:
    """Return the text of a file. Raises UsageError as `user_bytes`, and `broken` for one that is not UTF-8."""
    try:
        text = user_bytes(path, label, hint).decode()
    except UnicodeDecodeError as error:
        raise broken(f"{label or path} is not UTF-8 text (byte {error.start:,}).", "Save it as UTF-8.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def user_toml(path: Path, label: str = "", hint: str = "", broken: Broken = UsageError) -> dict[str, Any]:
    """Return the values of a TOML file. Raises as `user_text`."""
    text = user_text(path, label, hint, broken)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise broken(f"{label or path} is not TOML: {reason}.", hint) from None


def user_json(path: Path, label: str = "", hint: str = "", broken: Broken = UsageError) -> dict[str, Any]:
    """Return the values of a JSON file. Raises as `user_text`."""
    try:
        return json_object(user_bytes(path, label, hint))
    except ValueError as error:
        raise broken(f"{label or path} {error}.", hint) from None


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits. Raises InputError when it can't be read."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path} can't be read: {system_reason(error)}.") from None
