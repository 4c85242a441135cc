"""Verdicts → numbers: pure functions of a report. One file per measure; intervals and means beside them."""

from factscope.scores.credibility import Share, band, shares
from factscope.scores.formula import Formula, Parameter, Reading
from factscope.scores.registry import find, measure, register, signature
from factscope.scores.summary import summarise, summarise_all
from factscope.scores.tally import Tally, tally

__all__ = [
    "Formula",
    "Parameter",
    "Reading",
    "Share",
    "Tally",
    "band",
    "find",
    "measure",
    "register",
    "shares",
    "signature",
    "summarise",
    "summarise_all",
    "tally",
]
