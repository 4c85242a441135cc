"""The forms of reply of most methods: those that end in one label, those about sentences, and the list of pairs."""

from __future__ import annotations

from collections.abc import Sequence

from factscope.judging.grounding_parsers import last_word
from factscope.judging.judge import judge_each, register_reply_format
from factscope.judging.pair_judge import judge_pairs
from factscope.llm.parsers import bracketed_label, marked_label
from factscope.methods import REPLY_FORMATS, Judge, ReplyFormat


@register_reply_format("bracketed", own_knowledge=True)
def bracketed(text: str, words: Sequence[str], judge: Judge) -> str:
    """Read the label in brackets on the last line (VERIFY). Raises UnreadableError."""
    return bracketed_label(text, words)


# One word, or the likeliest of the labels where the reply begins with another.
REPLY_FORMATS.add("first_word", ReplyFormat("first_word", judge_each, first_word=True, reply_tokens=(1, 8)))
# A label with a quote for each pair of claim and passage.
REPLY_FORMATS.add("json", ReplyFormat("json", judge_pairs, claims="some", pairs=True))


@register_reply_format("marked")
def marked(text: str, words: Sequence[str], judge: Judge) -> str:
    """Read the label after the marker, on a line `marker: label` (Facts&Evidence). Raises UnreadableError."""
    return marked_label(text, judge.marker, words)


# A label for each sentence of a whole response (FACTS Grounding).
REPLY_FORMATS.add("sentences", ReplyFormat("sentences", judge_each, sentences="together", excerpts=True))
REPLY_FORMATS.add("spans", ReplyFormat("spans", judge_each, sentences="each"))


@register_reply_format("worded")
def worded(text: str, words: Sequence[str], judge: Judge) -> str:
    """Read the label on the last line that holds one (FACTS Grounding, served checkers). Raises UnreadableError."""
    return last_word(text, words)
