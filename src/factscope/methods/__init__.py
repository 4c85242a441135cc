"""A method is a frozen value that holds all settings of a check.

A paper's method is one such value, and so is a user's TOML file.

segment → extract → evidence → judge → correct → roll_up → scores

Without `extract` each checkable segment is one claim. The engine reads a `Method` and knows nothing else about a paper.
A file is validated into the same type; it holds only values, no code.
"""

from factscope.methods.base import ROLES, Ask
from factscope.methods.cited_method import CITED, cited
from factscope.methods.claim_settings import Correct, Extract, Relevance, Rewrite
from factscope.methods.evidence_settings import Evidence, Passages, Queries
from factscope.methods.judge_settings import (
    AnyJudge,
    Cascade,
    Eligible,
    Judge,
    OneJudge,
    Panel,
    Rubric,
    VerifierJudge,
    judges_of,
    n_judges,
)
from factscope.methods.method import Domain, Method, Segmenting
from factscope.methods.method_catalogue import METHODS, method_named, register_method
from factscope.methods.method_file import for_domain, method_from_toml, method_from_values
from factscope.methods.reply_format import REPLY_FORMATS, ReplyFormat
from factscope.methods.rule_settings import LEAST_COVERAGE, Measure, RollUp, UnitRule

__all__ = [
    "CITED", "LEAST_COVERAGE", "METHODS", "REPLY_FORMATS", "ROLES", "AnyJudge", "Ask", "Cascade", "Correct",
    "Domain", "Eligible", "Evidence", "Extract", "Judge", "Measure", "Method", "OneJudge", "Panel", "Passages",
    "Queries", "Relevance", "ReplyFormat", "Rewrite", "RollUp", "Rubric", "Segmenting", "UnitRule", "VerifierJudge",
    "cited", "for_domain", "judges_of", "method_from_toml", "method_from_values", "method_named", "n_judges",
    "register_method",
]  # fmt: skip
