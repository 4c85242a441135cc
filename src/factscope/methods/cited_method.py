"""A method changed to check a text against the sources that it cites, and against nothing else."""

from __future__ import annotations

from factscope.methods.evidence_settings import Evidence
from factscope.methods.judge_settings import AnyJudge, Cascade, Judge, OneJudge, Panel, VerifierJudge, judges_of
from factscope.methods.method import Method
from factscope.methods.rule_settings import Measure

CITED = "cited"
"""The evidence source of such a method."""
MEASURES = ("citation_recall", "citation_precision", "dead_sources", "altered_quotes", "uncited_claims")
_PER_SOURCE = 4
"""Most passages of one source that are judged for a claim."""
_MOST = 100  # most passages of all sources that are cited for one claim


def cited(method: Method, *, repair: bool = False) -> Method:
    """Return the method with cited sources as evidence and the scores for citations.

    Its claims and judge stay the same. With `repair`, other sources are searched when the cited ones do not support a
    claim. Raises ValueError for a method that does not judge single claims.
    """
    if method.evidence.source == CITED:
        return method
    if method.segment == "whole" or any(map(_of_whole_texts, judges_of(method.judge))):
        raise ValueError(f"method {method.name} judges a text as a whole, not claim by claim against its sources")
    passages = method.evidence.passages.model_copy(update={"top_k": _PER_SOURCE, "per_document": _PER_SOURCE})
    return method.model_copy(
        update={
            "name": f"{method.name}/cited",
            "title": f"What the text cites, source by source: {method.title[:1].lower()}{method.title[1:]}",
            "evidence": Evidence(source=CITED, passages=passages, most=_MOST, repair=repair),
            "judge": _by_source(method.judge),
            "correct": None,
            "scores": (*map(Measure.parse, MEASURES), *method.scores),
        }
    )


def _of_whole_texts(judge: OneJudge) -> bool:
    """Return whether a judge labels all claims, or all sentences, of a text in one call."""
    return isinstance(judge, Judge) and (judge.reply.sentences != "no" or judge.reply.claims == "all")


def _by_source(judge: AnyJudge) -> AnyJudge:
    """Return the judge with each passage judged separately, as one label can't fit several sources."""
    if isinstance(judge, Panel):
        arbiter = _by_source(judge.arbiter) if judge.arbiter else None
        return judge.model_copy(update={"judges": tuple(map(_by_source, judge.judges)), "arbiter": arbiter})
    if isinstance(judge, Cascade):
        return judge.model_copy(update={"judge": _by_source(judge.judge)})
    if isinstance(judge, VerifierJudge):
        return judge.model_copy(update={"together": 0})
    return judge if judge.reply.pairs else judge.model_copy(update={"passages_per_call": "one"})
