"""Reading of JSON objects from outside, which may be malformed in any way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from factscope.core.errors import UsageError

T = TypeVar("T", dict[str, Any], list[Any])
NOT_UTF8 = "is not UTF-8; save the file as UTF-8"


def json_object(source: bytes) -> dict[str, Any]:
    """Parse JSON text or bytes into an object. Raises ValueError, worded as the end of a sentence ("is not JSON …")."""
    try:
        values = json.loads(source.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError(NOT_UTF8) from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg.removesuffix(' at')} at character {error.pos + 1:,}") from None
    except (RecursionError, ValueError) as error:  # nested too deeply, or a number of thousands of digits
        raise ValueError(f"can't be read: {str(error)[:100]}") from None
    if not isinstance(values, dict):
        raise ValueError("is not a JSON object")
    return values


def model_settings(path: Path, default: T) -> T:
    """Read a settings file of a neural network; `default` when there is none.

    Raises UsageError when it can't be read, or is not of the default's type.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return default
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"The model's file {path} can't be read: {error}.", "Copy the model again.") from None
    if not isinstance(value, type(default)):
        raise UsageError(f"The model's file {path} is not laid out as one.", "Copy the model again.")
    return value
