"""Text that is struck out in Markdown or HTML: its author has withdrawn it, so it states nothing."""

from __future__ import annotations

import re

STRUCK = re.compile(r"~~(?=\S)[^~]{1,2000}(?<!\s)~~|<(del|s)>(?:(?!</?\1>).){1,2000}</\1>", re.DOTALL)


def without_struck(text: str) -> str:
    """Return a text with spaces for what is struck out."""
    return STRUCK.sub(lambda match: " " * len(match.group()), text)
