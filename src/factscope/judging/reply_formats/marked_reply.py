"""The form `marked`: a line `marker: label` (Facts&Evidence)."""

from __future__ import annotations

from collections.abc import Sequence

from factscope.judging.judge import register_reply_format
from factscope.llm.parsers import marked_label
from factscope.methods import Judge


@register_reply_format("marked")
def marked(text: str, words: Sequence[str], judge: Judge) -> str:
    """Read the label after the marker. Raises UnreadableError."""
    return marked_label(text, judge.marker, words)
