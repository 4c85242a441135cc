"""Long regular expressions, written over several lines."""

from __future__ import annotations

import re


def joined(lines: str) -> str:
    """Join the lines of a piece of a pattern, without the white space around them; that inside a line counts."""
    return "".join(line.strip() for line in lines.splitlines())


def pattern(lines: str) -> re.Pattern[str]:
    """Compile a pattern that is written over several lines, as `joined` reads them; its first may be its flags."""
    return re.compile(joined(lines))
