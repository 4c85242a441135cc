"""The form `bracketed`: a last line `[Label]` (VERIFY)."""

from __future__ import annotations

from collections.abc import Sequence

from factscope.judging.judge import register_reply_format
from factscope.llm.parsers import bracketed_label
from factscope.methods import Judge


@register_reply_format("bracketed", own_knowledge=True)
def bracketed(text: str, words: Sequence[str], judge: Judge) -> str:
    """Read the label in brackets at the end. Raises UnreadableError."""
    return bracketed_label(text, words)
