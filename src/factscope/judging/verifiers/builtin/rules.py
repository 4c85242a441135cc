"""The rules that decide a claim before the network reads it, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Sequence

from factscope.core.labels import Label
from factscope.core.records import Span
from factscope.judging.verifiers.builtin.accusations import is_row
from factscope.judging.verifiers.builtin.ages import find_wrong_age
from factscope.judging.verifiers.builtin.analysis import WordWeights
from factscope.judging.verifiers.builtin.claim_sentences import text_of
from factscope.judging.verifiers.builtin.clauses import Clause, clauses, holds_as_well
from factscope.judging.verifiers.builtin.compared_figures import find_comparison
from factscope.judging.verifiers.builtin.crossed import find_crossed
from factscope.judging.verifiers.builtin.denied import Frame, find_frame
from factscope.judging.verifiers.builtin.denied_shares import find_denied_share
from factscope.judging.verifiers.builtin.elliptical_denials import find_elliptical_denial
from factscope.judging.verifiers.builtin.exceptions import find_exception
from factscope.judging.verifiers.builtin.features import AnalysedText
from factscope.judging.verifiers.builtin.numbered import is_about_another
from factscope.judging.verifiers.builtin.other_rates import find_other_rate
from factscope.judging.verifiers.builtin.other_years import find_other_year
from factscope.judging.verifiers.builtin.plain_cases import find_plain_case
from factscope.judging.verifiers.builtin.row_years import find_year_conflict
from factscope.judging.verifiers.builtin.rows import find_row_conflict, find_row_statement
from factscope.judging.verifiers.builtin.table_comparisons import find_table_comparison, needs_figures
from factscope.judging.verifiers.builtin.table_ranks import find_place
from factscope.judging.verifiers.builtin.verbatim import find_number_change, find_statement
from factscope.judging.verifiers.protocol import LabelProbabilities, Prediction

CERTAIN = 0.98
"""Probability of a label that a rule gives. 226 of 229 such labels were right on a quarter of the training families
after faults seen there were fixed, and 179 of 198 on another quarter before any fix."""
_COVERED = 0.4
"""Share of a claim that the words of its closest sentence make up, from which the rules are tried."""
ONLY_CLAIMED = 0.97
"""Probability that a claim is open which the passage only has as somebody's words: of the pairs written to try this
rule 12 of 13 are open, and the one in 52,600 others that it decides."""
_SOMEBODY_CLAIMS = "the passage only says that somebody claims it"
VERBATIM = "the passage states it word for word"


def may_decide(claim: AnalysedText, passage: AnalysedText, covered: float) -> bool:
    """Tell whether a rule may decide: the passage has enough of the claim's words, or the rows of a table."""
    is_table = any(map(is_row, passage.text.splitlines()))
    return covered >= _COVERED or is_table or needs_figures(claim.stretches[0])


def apply_rules(claim: AnalysedText, passage: AnalysedText, weights: WordWeights) -> Prediction | None:
    """Decide cases that need no model: the same statement, alone or among others, another number, or one other word."""
    text = text_of(claim)
    if match := find_statement(text, passage.text):
        return _by_rule("supported", match.sentence, VERBATIM)
    if frame := find_frame(text, passage.text):
        return _framed(*frame)
    if wrong_age := find_wrong_age(text, passage.text):
        return _by_rule("contradicted", *wrong_age)
    if other_year := find_other_year(claim, passage):
        return _by_rule("contradicted", *other_year)
    for find in (find_exception, find_elliptical_denial, find_denied_share, find_other_rate):
        if denial := find(claim, passage):
            return _by_rule("contradicted", *denial)
    case = find_plain_case(claim, passage, weights)
    if case and (case.label == "supported" or not is_about_another(text, case.sentence.of(passage.text))):
        return _by_rule(case.label, case.sentence, case.reason)
    match = find_number_change(text, passage.text)
    row_conflict = find_year_conflict(claim, passage, weights) or find_row_conflict(claim, passage, weights)
    if row_conflict:
        return _by_rule("contradicted", *row_conflict)
    if row_statement := find_row_statement(claim, passage, weights):
        return _by_rule("supported", *row_statement)
    all_clauses = clauses(passage, weights)
    if match and not _is_said_too(claim, match.claim_word, all_clauses):
        return _by_rule(
            "contradicted", match.sentence, f"the passage says {match.passage_word}, not {match.claim_word}"
        )
    comparison = find_comparison(claim, passage, all_clauses) or find_table_comparison(claim, passage, weights)
    if comparison := comparison or find_place(claim, passage, weights):
        return _by_rule(*comparison)
    if crossed := find_crossed(claim, passage, all_clauses, weights):
        return _by_rule("contradicted", *crossed)
    return None


def _is_said_too(claim: AnalysedText, number: str, all_clauses: Sequence[Clause]) -> bool:
    """Tell whether another clause gives the claim's own number to the same subject."""
    (claimed,) = claim.stretches
    differing = [item for item in claimed.items if number in claim.text[item.start : item.end]]
    return holds_as_well(claimed, differing, all_clauses)


def is_ruled(prediction: Prediction) -> bool:
    """Tell whether a rule decided, or there was nothing to read."""
    likely = prediction.probabilities
    return likely is None or CERTAIN in (likely.supported, likely.contradicted) or likely.not_enough == ONLY_CLAIMED


def _by_rule(label: Label, sentence: Span, reason: str) -> Prediction:
    supported, contradicted = (CERTAIN, 0.0) if label == "supported" else (0.0, CERTAIN)
    return Prediction(label, CERTAIN, sentence, reason, LabelProbabilities(supported, contradicted, 1.0 - CERTAIN))


def _framed(frame: Frame, sentence: Span) -> Prediction:
    if frame == "denied":
        return _by_rule("contradicted", sentence, "the passage calls this false")
    likely = LabelProbabilities(1.0 - ONLY_CLAIMED, 0.0, ONLY_CLAIMED)
    is_offered = frame == "offered"
    reason = "the passage only has it among several options" if is_offered else _SOMEBODY_CLAIMS
    return Prediction("not_enough_evidence", ONLY_CLAIMED, sentence, reason, likely)
