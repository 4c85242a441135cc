"""JSON objects from outside, about which nothing is assumed."""

from __future__ import annotations

import json
from typing import Any

NOT_UTF8 = "is not UTF-8; save the file as UTF-8"


def json_object(source: bytes) -> dict[str, Any]:
    """Read an object. Raises ValueError with the problem, worded as the end of a sentence."""
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
