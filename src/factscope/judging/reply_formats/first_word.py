"""The form `first_word`: one word, or the likeliest of the labels where the reply begins with another."""

from factscope.judging.judge import judge_each
from factscope.methods import REPLY_FORMATS, ReplyFormat

REPLY_FORMATS.add("first_word", ReplyFormat("first_word", judge_each, first_word=True, reply_tokens=(1, 8)))
