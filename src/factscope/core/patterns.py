"""Long regular expressions, written over several lines."""

from __future__ import annotations


def joined(lines: str) -> str:
    """Join the lines of a pattern, without the white space around them; that inside a line counts."""
    return "".join(line.strip() for line in lines.splitlines())
