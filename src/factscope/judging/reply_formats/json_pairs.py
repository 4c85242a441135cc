"""The form `json`: a label with a quote for each pair of claim and passage."""

from factscope.judging.pair_judge import judge_pairs
from factscope.methods import REPLY_FORMATS, ReplyFormat

REPLY_FORMATS.add("json", ReplyFormat("json", judge_pairs, claims="some", pairs=True))
