"""`facts-and-evidence`: the tool of that name (Boonsanong et al. 2025), its verdict asked for three ways.

Each sentence becomes claims that stand alone and are searched for as they are; each of three passages is judged by
itself. As published: a claim is factual when at least 0.3 of its evidence supports it, and evidence that is beside the
point counts against it. The context of a passage is counted in sentences on each side: the paper names no unit.
"""

from factscope.methods import Evidence, Extract, Judge, Measure, Method, Passages, RollUp

FACTS_AND_EVIDENCE = Method(
    name="facts-and-evidence",
    title="Facts&Evidence: claims of each sentence, each piece of evidence judged by itself, credibility",
    cites="Facts&Evidence: An Interactive Tool for Transparent Fine-Grained Factual Verification of Machine-Generated"
    " Text (Boonsanong et al. 2025)",
    segment="sentences",
    extract=Extract(prompt="facts_and_evidence/claims", form="claim_lines", segments_per_call=1),
    evidence=Evidence(passages=Passages(top_k=3, window=15, per_document=1), most=3),
    judge=Judge(
        prompt="facts_and_evidence/judge",
        form="marked",
        marker="Final Verdict",
        labels={"supported": "supports", "contradicted": "contradicts", "irrelevant": "irrelevant"},
        passages_per_call="one",
    ),
    roll_up=RollUp(unit="share", threshold=0.3),
    scores=(Measure.parse("credibility"), Measure.parse("factual_precision")),
)
