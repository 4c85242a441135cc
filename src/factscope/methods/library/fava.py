"""`fava/…`: FavaBench's baselines (Mishra et al. 2024, section 6): a model looks for the errors of a text itself.

All sentences are judged in one call: by what the model knows, or with the five best passages that a search for the
request and the text finds. The paper searched Wikipedia by meaning (Contriever); give documents, or a search engine.
"""

from factscope.methods import Evidence, Judge, Measure, Method, Passages, RollUp

_CITES = "Fine-grained Hallucination Detection and Editing for Language Models (Mishra et al. 2024)"
_JUDGE = Judge(
    prompt="fava/self_check",
    form="wrong_ids",
    labels={"supported": "correct", "contradicted": "wrong"},
    claims_per_call=0,
)

SELF_CHECK = Method(
    name="fava/self-check",
    title="FavaBench's self-check: a model names the wrong sentences of a text by what it knows",
    cites=_CITES,
    segment="given",
    units="all",
    evidence=Evidence(source="none", per="response"),
    judge=_JUDGE,
    roll_up=RollUp(unit="only"),
    scores=(Measure.parse("factual_precision"),),
)
RETRIEVED_SELF_CHECK = SELF_CHECK.model_copy(
    update={
        "name": "fava/retrieved-self-check",
        "title": "FavaBench's self-check with the five best passages of one search for the whole text",
        "evidence": Evidence(per="response", passages=Passages(top_k=5, chunk_tokens=100, per_document=5), most=5),
        "judge": _JUDGE.model_copy(update={"prompt": "fava/retrieved_self_check", "without": "fava/self_check"}),
    }
)
