"""Claims that deny a statement: "It is not true that the Tamsel is in Orland", judged by the statement.

The network reads the statement and not the denial, and takes the claim for supported by a passage that states it.
"""

from __future__ import annotations

import re

from factscope.core import Label
from factscope.judging.verifiers.protocol import LabelProbabilities, Prediction
from factscope.judging.verifiers.wording.analysis import analyse
from factscope.judging.verifiers.wording.claim_sentences import text_of
from factscope.judging.verifiers.wording.text_items import AnalysedText, WordWeights

_DENIAL = re.compile(
    r"""\W*it(?:(?:\s+(?:is|was)|['’]s)\s+(?:\w+ly\s+|just\s+)?not|\s+(?:is|was)n['’]t)\s+(?:\w+ly\s+)?
    (?:true|correct|the\s+case|so)\s+that\s+
    |\W*it(?:\s+(?:is|was)|['’]s)\s+(?:\w+ly\s+|just\s+)?
    (?:false|untrue|incorrect|wrong\s+to\s+say|an?\s+(?:\w+\s+)?(?:myth|lie|misconception|fallacy|falsehood))\s+that\s+""",
    re.IGNORECASE | re.VERBOSE,
)
_TURNED: dict[Label, Label] = {"supported": "contradicted", "contradicted": "supported"}


def affirmed(claim: AnalysedText, weights: WordWeights) -> AnalysedText:
    """Return the statement that a claim denies; the claim itself where it denies none."""
    text = text_of(claim)
    denial = _DENIAL.match(text)
    if not denial or not text[denial.end() :].strip(" ."):
        return claim
    statement = text[denial.end()].upper() + text[denial.end() + 1 :]
    analysed = analyse(statement, 0, len(statement), weights)
    return AnalysedText(statement, tuple(analysed)) if analysed[0].items else claim


def turned(prediction: Prediction) -> Prediction:
    """Return the prediction for the denial of a statement."""
    likely = prediction.probabilities
    return prediction._replace(
        label=_TURNED.get(prediction.label, prediction.label),
        rationale=f"judged by the statement that the claim denies: {prediction.rationale}",
        probabilities=likely and LabelProbabilities(likely.contradicted or 0.0, likely.supported, likely.not_enough),
    )
