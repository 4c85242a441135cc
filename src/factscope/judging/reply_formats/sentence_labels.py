"""The forms `sentences` and `spans`: a label for each sentence of a whole response (FACTS Grounding)."""

from factscope.judging.judge import judge_each
from factscope.methods import REPLY_FORMATS, ReplyFormat

REPLY_FORMATS.add("sentences", ReplyFormat("sentences", judge_each, sentences="together", excerpts=True))
REPLY_FORMATS.add("spans", ReplyFormat("spans", judge_each, sentences="each"))
