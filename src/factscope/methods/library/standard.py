"""`standard`: our own method, and the default when a model is configured.

Few calls and much to look at: claims of ten segments in one call, each tied to the words that it comes from; a first
search that costs no call, and further ones only while a claim is open; eight claims judged in one call, passage by
passage, each label with a quote that is looked up; what is wrong gets an error type and a correction.
"""

from factscope.methods import Correct, Evidence, Extract, Judge, Measure, Method, Passages, Queries, RollUp

JUDGE = Judge(
    prompt="standard/judge",
    form="json",
    labels={
        "supported": "supported",
        "contradicted": "contradicted",
        "not_enough_evidence": "not_enough_evidence",
    },
    claims_per_call=12,
    max_tokens=16384,
    logprobs=True,
)

STANDARD = Method(
    name="standard",
    title="Few calls, every label with its quote: adaptive search, several claims per call, corrections",
    segment="sentences",
    extract=Extract(prompt="standard/extract", form="json", segments_per_call=10, before=6, after=2, max_tokens=8192),
    evidence=Evidence(
        results=4,
        passages=Passages(top_k=4, window=1, per_document=2),
        queries=Queries(
            prompt="standard/queries",
            form="json",
            rounds=3,
            claims_per_call=12,
            queries_per_round=2,
            begin_with="claim",
            stop="settled",
            max_tokens=4096,
        ),
        most=8,
    ),
    judge=JUDGE,
    correct=Correct(prompt="standard/correct"),
    roll_up=RollUp(unit="strongest", margin=0.1),
    scores=(Measure.parse("factual_precision"), Measure.parse("hallucination(alpha=0.5)")),
)
