"""`factcheck-gpt`: the strongest baseline of FactBench's paper (Wang et al. 2024), which falls back on what it knows.

Claims that stand alone and are worth checking, a query for each, five passages of three pages, and a verdict of true or
false. Where the evidence is silent, the judge goes by its own knowledge. Such a verdict rests on nothing that a reader
could look at: here it is marked *no evidence*, and the judge's own word stays beside it. `factcheck-gpt/published`
counts it, as the published method does, for measurements against people's labels.
"""

from factscope.methods import Evidence, Extract, Judge, Measure, Method, Passages, Queries, RollUp

FACTCHECK_GPT = Method(
    name="factcheck-gpt",
    title="Factcheck-GPT: claims, one query each, true or false; what rests on the model's knowledge has no evidence",
    cites="Factcheck-Bench: Fine-Grained Evaluation Benchmark for Automatic Fact-checkers (Wang et al. 2024)",
    segment="sentences",
    extract=Extract(prompt="factcheck_gpt/claims", form="typed_lines", segments_per_call=1),
    evidence=Evidence(
        results=3,
        passages=Passages(top_k=5, window=1, per_document=2),
        queries=Queries(prompt="factcheck_gpt/query", form="fenced", rounds=1, say_empty=True),
        most=5,
    ),
    judge=Judge(
        prompt="factcheck_gpt/judge",
        form="bracketed",
        labels={"supported": "True", "contradicted": "False"},
        own_knowledge="marked",
    ),
    roll_up=RollUp(unit="only"),
    scores=(Measure.parse("factual_precision"), Measure.parse("hallucination(alpha=0.5)")),
)
FACTCHECK_GPT_PUBLISHED = FACTCHECK_GPT.model_copy(
    update={
        "name": "factcheck-gpt/published",
        "title": "Factcheck-GPT as published: verdicts by the model's own knowledge count like those by evidence",
        "judge": FACTCHECK_GPT.judge.model_copy(update={"own_knowledge": "counted"}),
    }
)
