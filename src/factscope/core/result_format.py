"""The output formats of commands, and the file extension of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

from factscope.core.errors import UsageError

FormatName = Literal["table", "json", "md", "csv", "latex", "html"]
TABLE: FormatName = "table"
ENDINGS: dict[str, FormatName] = {
    ".json": "json",
    ".md": "md",
    ".csv": "csv",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".txt": TABLE,
}


def by_ending(requested: str | None, output: Path | None, names: Sequence[str] = get_args(FormatName)) -> str:
    """Return the requested format, otherwise that of the file extension, otherwise the first of `names`.

    A device such as /dev/stdout has no extension. Raises UsageError.
    """
    if requested is not None or output is None or (not output.suffix and output.exists() and not output.is_file()):
        return requested or names[0]
    if ENDINGS.get(output.suffix.lower()) not in names:
        raise UsageError(f"The file extension of {output} is not a known format.", f"Add --format {'|'.join(names)}.")
    return ENDINGS[output.suffix.lower()]
