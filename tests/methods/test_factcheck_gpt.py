"""Factcheck-GPT: verdicts by evidence, and verdicts by the model's knowledge, which have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from factscope.core.records import Response
from factscope.methods import Judge, method_named
from tests import lab
from tests.conftest import DOCUMENTS
from tests.engine.checking import adds_up, checked, questions
from tests.engine.conftest import tools_over

FACTCHECK_GPT = method_named("factcheck-gpt")
FACTCHECK_GPT_PUBLISHED = method_named("factcheck-gpt/published")

TEXT = "The Marlow bridge was opened in 1931. The Marlow bridge has six arches. Zork sings blatantly in Quux."


def outcomes(method, tmp_path: Path, server: lab.Server) -> list[str]:
    report = checked(Response(text=TEXT), method, tools_over(DOCUMENTS, tmp_path), server)
    assert adds_up(report)
    return [report.verdict(claim.id).outcome for claim in report.claims]


def test_a_verdict_based_on_the_models_knowledge_is_marked_no_evidence(tmp_path: Path, server: lab.Server) -> None:
    report = checked(Response(text=TEXT), FACTCHECK_GPT, tools_over(DOCUMENTS, tmp_path), server)
    assert [report.verdict(claim.id).outcome for claim in report.claims] == ["supported", "contradicted", "no_evidence"]
    own = [judgement for judgement in report.judgements if judgement.raw_label == "True, own knowledge"]
    assert [judgement.label for judgement in own] == ["irrelevant"]
    assert own[0].rationale == "The evidence is silent."
    assert adds_up(report)


def test_the_published_variant_counts_the_models_knowledge(tmp_path: Path, server: lab.Server) -> None:
    assert outcomes(FACTCHECK_GPT_PUBLISHED, tmp_path, server) == ["supported", "contradicted", "supported"]


def test_a_judge_can_be_forbidden_to_use_its_own_knowledge(tmp_path: Path, server: lab.Server) -> None:
    strict = FACTCHECK_GPT.model_copy(
        update={"judge": FACTCHECK_GPT.judge.model_copy(update={"own_knowledge": "refused"})}
    )
    assert outcomes(strict, tmp_path, server) == ["supported", "contradicted", "no_evidence"]
    begun = "You are given a claim and pieces of evidence"
    assert len(questions(server, begun)) == 2  # a claim without results is not asked about


def test_own_knowledge_needs_a_form_that_can_say_so() -> None:
    with pytest.raises(ValueError, match="own_knowledge is for the form"):
        Judge(prompt="x", form="json", labels={"supported": "a", "contradicted": "b"}, own_knowledge="marked")
