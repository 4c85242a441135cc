"""`safe`: the search-augmented evaluator (Wei et al. 2024).

Facts of each sentence, made to stand alone; those that do not bear on the request are set aside, and one whose
relevance can't be told is kept, as published. Five rounds of queries, three results each; the judge says supported or
not.
"""

from factscope.methods import Evidence, Extract, Judge, Measure, Method, Passages, Queries, Relevance, Rewrite, RollUp

SAFE = Method(
    name="safe",
    title="SAFE: facts of each sentence, relevant or not, five rounds of queries, supported or not",
    cites="Long-form factuality in large language models (Wei et al. 2024)",
    segment="sentences",
    extract=Extract(
        prompt="safe/facts",
        form="claim_lines",
        segments_per_call=1,
        temperature=0.1,
        rewrite=Rewrite(prompt="safe/standalone", temperature=0.1),
        relevant=Relevance(prompt="safe/relevance", temperature=0.1, if_unreadable="keep"),
    ),
    evidence=Evidence(
        results=3,
        read="snippets",
        passages=Passages(top_k=3, window=0, per_document=3),
        queries=Queries(prompt="safe/query", form="fenced", rounds=5, temperature=0.1),
        most=15,
    ),
    judge=Judge(
        prompt="safe/label",
        form="bracketed",
        labels={"supported": "Supported", "not_supported": "Not Supported"},
        temperature=0.1,
    ),
    roll_up=RollUp(unit="only"),
    scores=(Measure.parse("f1_at_k(k=64)"), Measure.parse("factual_precision")),
)
