"""Delays before another attempt: the wait that a server asks for in its headers or body, and exponential back-off."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_IN_BODY = re.compile(rb'"retryDelay"\s*:\s*"([0-9.]{1,12}s)"')
_SPAN = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")


def asked_wait(headers: Mapping[str, str], now: float, content: bytes = b"") -> float | None:
    """Return the seconds that a reply asks to wait, never negative; None when it states no wait that can be read.

    `Retry-After` holds seconds or a date (RFC 9110, section 10.2.3), and some servers add `retry-after-ms`. Only
    without these do the resets of the rate limits count: the latest of those that are used up. Google states the wait
    in the body. `headers` must look names up case-insensitively; `now` is the time in seconds since 1970.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    if (text := headers.get("retry-after")) is not None:
        return _moment(text, now)
    resets = []
    for name, text in headers.items():
        match = re.fullmatch(r"((?:x|anthropic)-ratelimit)-(?:(.*)-)?reset(?:-(.*))?", name.lower())
        if not match:
            continue
        amount = match[2] or match[3]
        left_names = (
            (f"{match[1]}-remaining-{amount}", f"{match[1]}-{amount}-remaining")
            if amount
            else (f"{match[1]}-remaining",)
        )
        left = next((headers[left] for left in left_names if left in headers), "0")
        wait = _moment(text, now)
        if wait is not None and (_number(left) or 0) <= 0:
            resets.append(wait)
    if not resets and (statement := _IN_BODY.search(content)):
        return _moment(statement[1].decode(), now)
    return max(resets, default=None)


def _moment(text: str, now: float) -> float | None:
    """Return the seconds from now: a plain number, `6m0.5s`, a time since 1970, or a date in either of two formats."""
    text = text.strip()
    if (number := _number(text)) is not None:
        if number > 1e12:  # milliseconds since 1970
            number /= 1000
        return max(0.0, number - now) if number > 1e9 and abs(number - now) < 1e7 else number
    if text and (match := _SPAN.fullmatch(text.lower())):
        days, hours, minutes, seconds, thousandths = (float(group or 0) for group in match.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + seconds + thousandths / 1000
    try:
        date = parsedate_to_datetime(text) if "," in text else datetime.fromisoformat(text)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _number(text: str) -> float | None:
    """Return a plain non-negative number; None for anything else, such as `nan` or `1_000`."""
    if not re.fullmatch(r"\+?\d{1,18}(?:\.\d{0,18})?|\.\d{1,18}", text.strip()):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def back_off(attempt: int, first: float, longest: float) -> float:
    """Return the seconds to wait before attempt `attempt + 1`.

    The delay doubles each time, and half of it is random so that waiting clients spread out.
    """
    return float(min(longest, first * 2 ** (attempt - 1)) * (0.5 + random.random() / 2))  # noqa: S311


def after_attempts(message: str, wait: float | None, longest_wait: float, attempts: int) -> str:
    """Return the message of the last failure, with the number of attempts and the reason for giving up."""
    if wait is not None and wait > longest_wait:
        message += f" It asked to wait {wait:,.0f} s, longer than the {longest_wait:g} s that we wait at most."
    return f"{message} Gave up after {attempts} attempts." if attempts > 1 else message
