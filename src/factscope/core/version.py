"""What made a result: the version, in one place, and when."""

import os
from datetime import UTC, datetime

__version__ = "0.1.0"


def made_at() -> str:
    """Now, in UTC, as result files say it: `2026-11-21T20:15:00Z`.

    `SOURCE_DATE_EPOCH` (seconds since 1970) is taken for the time where it is set, so that a result can be made again
    to the letter.
    """
    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(told), UTC) if told.isdecimal() else datetime.now(UTC)
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")
