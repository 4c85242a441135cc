"""`builtin`: the method for a machine without a key, a network or a GPU.

Every checkable sentence is one claim; passages come from documents at hand; a small learned verifier labels each.
"""

from factscope.methods import Evidence, Measure, Method, Passages, RollUp, VerifierJudge
from factscope.methods.strictness import FLOORS

BUILTIN = Method(
    name="builtin",
    title="Sentences against your documents, judged by the built-in verifier (no key, no network)",
    segment="sentences",
    evidence=Evidence(passages=Passages(top_k=8, window=1, per_document=4, in_context=True)),
    judge=VerifierJudge(name="builtin", spans=True),
    roll_up=RollUp(unit="strongest", margin=0.05, contradiction_floor=FLOORS["normal"]),
    # Credibility is not among them: with eight passages per claim most are irrelevant, and it would say little.
    scores=(Measure.parse("factual_precision"), Measure.parse("hallucination(alpha=0.5)")),
)
