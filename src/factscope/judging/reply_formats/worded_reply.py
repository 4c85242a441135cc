"""The form `worded`: the last line that holds a label (FACTS Grounding, and served checkers)."""

from __future__ import annotations

from collections.abc import Sequence

from factscope.judging.grounding_parsers import last_word
from factscope.judging.judge import register_reply_format
from factscope.methods import Judge


@register_reply_format("worded")
def worded(text: str, words: Sequence[str], judge: Judge) -> str:
    """Read the last label. Raises UnreadableError."""
    return last_word(text, words)
