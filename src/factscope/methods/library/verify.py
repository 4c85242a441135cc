"""`verify`: the evaluator of FactBench (Bayat et al. 2024), step by step.

Units of seven types, of which facts and claims are checked; each is made to stand alone, searched for in five rounds
of which each knows the ones before, and labelled from all results together. As published: temperature 0.5 (the code
asks for 0 and gets its default), all five rounds (its stop word is in no prompt), three results per query, snippets
only, and a sentence for each search without a result, which looks like evidence.
"""

from factscope.methods import Evidence, Extract, Judge, Measure, Method, Passages, Queries, Rewrite, RollUp

VERIFY = Method(
    name="verify",
    title="FactBench's evaluator: typed units, five rounds of queries, one label from all results",
    cites="FactBench: A Dynamic Benchmark for In-the-Wild Language Model Factuality Evaluation (Bayat et al. 2024)",
    segment="sentences",
    extract=Extract(
        prompt="verify/extract",
        form="typed_lines",
        segments_per_call=0,
        temperature=0.5,
        max_tokens=4096,
        rewrite=Rewrite(prompt="verify/decontextualise", temperature=0.5, if_unreadable="keep"),
    ),
    evidence=Evidence(
        results=3,
        read="snippets",
        passages=Passages(top_k=3, window=0, per_document=3),
        queries=Queries(prompt="verify/query", form="fenced", rounds=5, temperature=0.5, say_empty=True),
        most=15,
    ),
    judge=Judge(
        prompt="verify/label",
        form="bracketed",
        labels={"supported": "Supported", "contradicted": "Contradicted", "not_enough_evidence": "Unverifiable"},
        temperature=0.5,
    ),
    roll_up=RollUp(unit="only"),
    scores=(Measure.parse("factual_precision"), Measure.parse("hallucination(alpha=0.5)")),
)
