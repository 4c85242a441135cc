"""`veriscore`: only what can be verified, searched for once (Song et al. 2024).

Claims of each sentence, read in a window of three sentences before and one after; the claim is the query, ten results,
one label from all of them with their sources in sight. The paper takes for K the median number of claims per domain of
a whole data set; a single response has none, so K stands in the score: set it.
"""

from factscope.methods import Evidence, Extract, Judge, Measure, Method, Passages, RollUp

VERISCORE = Method(
    name="veriscore",
    title="VeriScore: verifiable claims in their window, one search of ten results, F1 at K",
    cites="VeriScore: Evaluating the factuality of verifiable claims in long-form text generation (Song et al. 2024)",
    segment="sentences",
    extract=Extract(prompt="veriscore/claims", form="claim_lines", segments_per_call=1, before=3, after=1),
    evidence=Evidence(results=10, read="snippets", passages=Passages(top_k=10, window=0, per_document=10), most=10),
    judge=Judge(
        prompt="veriscore/judge",
        form="bracketed",
        labels={"supported": "Supported", "contradicted": "Contradicted", "not_enough_evidence": "Unverifiable"},
    ),
    roll_up=RollUp(unit="only"),
    scores=(Measure.parse("f1_at_k(k=64)"), Measure.parse("factual_precision")),
)
