"""Origin of a result: the version of Factscope, the commit, and the date."""

__version__ = "0.1.0"


def made_at() -> str:
    """Return the current time in UTC as result files state it: `2026-11-21T20:15:00Z`.

    `SOURCE_DATE_EPOCH` (seconds since 1970) replaces the time if it is set, so that a result can be reproduced exactly.
    """
    import os
    from datetime import UTC, datetime

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def commit() -> str | None:
    """Return the short hash of the running checkout, with `-dirty` if it was changed; None for an installed package."""
    import shutil
    import subprocess
    from pathlib import Path

    git, root = shutil.which("git"), Path(__file__).parents[3]
    if git is None or not (root / ".git").exists():
        return None
    command = [git, "-C", str(root), "describe", "--always", "--dirty", "--exclude", "*"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - no outside text
    return done.stdout.strip() or None
