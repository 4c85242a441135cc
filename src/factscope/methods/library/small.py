"""`small`: a method for small models on one's own machine, which lose their way in long prompts and long replies.

Every checkable sentence is a claim, each call shows one claim and one passage, and the reply is one word. The label is
the likeliest of the three at the first token, where the server gives probabilities; such a model often begins with
another word. Its verdicts are worth little: a model of 135 million parameters hardly does better than chance. Prefer
`builtin`, which needs no model, or a larger model.
"""

from factscope.methods import Evidence, Judge, Measure, Method, Passages, RollUp

SMALL = Method(
    name="small",
    title="For small local models: one claim, one passage and one word a call; its verdicts are worth little",
    segment="sentences",
    evidence=Evidence(passages=Passages(top_k=3, window=1, per_document=2), most=3),
    judge=Judge(
        prompt="small/judge",
        form="first_word",
        labels={"supported": "Yes", "contradicted": "No", "not_enough_evidence": "Unclear"},
        passages_per_call="one",
        max_tokens=8,
        if_cut_off="whole",
        logprobs=True,
    ),
    roll_up=RollUp(unit="strongest", margin=0.1),
    scores=(Measure.parse("factual_precision"), Measure.parse("hallucination(alpha=0.5)")),
)
