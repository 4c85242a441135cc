"""`factscore`: facts against the pages about their topic (Min et al. 2023).

Facts of each sentence as they stand, five passages for each, true or false. The score has the published penalty for
answers of fewer than ten facts. The topic is the request that the response answers; give documents about it.
"""

from factscope.methods import Evidence, Extract, Judge, Measure, Method, Passages, RollUp

FACTSCORE = Method(
    name="factscore",
    title="FActScore: facts of each sentence, five passages, true or false",
    cites="FActScore: Fine-grained Atomic Evaluation of Factual Precision in Long Form Text Generation"
    " (Min et al. 2023)",
    segment="sentences",
    extract=Extract(prompt="factscore/facts", form="claim_lines", segments_per_call=1),
    evidence=Evidence(about_request=True, passages=Passages(top_k=5, window=3, per_document=5), most=5),
    judge=Judge(prompt="factscore/judge", form="bracketed", labels={"supported": "True", "not_supported": "False"}),
    roll_up=RollUp(unit="only"),
    scores=(Measure.parse("factscore(gamma=10)"), Measure.parse("factual_precision")),
)
