"""Every method that asks a model, end to end: its results, its number of calls, and its report."""

from __future__ import annotations

from pathlib import Path

import pytest

from factscope.core import UsageError
from factscope.core.records import Report, Response
from factscope.engine import Tools, find_method
from factscope.judging import find_quote
from factscope.llm.prompts import shipped
from factscope.methods import Judge
from tests import lab
from tests.conftest import TEXT
from tests.engine import reference
from tests.engine.checking import ASKING, adds_up, calls, changed, checked, outcomes, questions

BRIDGE = "The Marlow bridge was opened in 1931"
ARCHES = "The Marlow bridge has six arches"
HALL = "The town hall was finished in 1908"
PENGUINS = "Penguins waddle across Antarctica"
CALLS = {"verify": 168, "safe": 211, "facts-and-evidence": 59, "factscore": 42, "veriscore": 43, "standard": 9}
"""For the reference response of 20 sentences and 24 claims; `standard` may make at most 12."""


@pytest.mark.parametrize("method", ASKING)
def test_a_text_is_checked_end_to_end(method: str, library: Tools, server: lab.Server) -> None:
    report = checked(TEXT, method, library, server)
    found = outcomes(report)
    binary = method in ("safe", "factscore")  # their judges call wrong claims "not supported"
    assert found[BRIDGE] == found[HALL] == "supported"
    assert found["It has six arches" if method == "factscore" else ARCHES] == (
        "undecided" if binary else "contradicted"
    )
    assert found[PENGUINS] == "no_evidence"
    assert report.counts["not_checkable"] == 2  # a heading and a question
    assert report.failures == ()
    assert adds_up(report)
    assert report.score("factual_precision").value == 0.5
    assert Report.model_validate_json(report.model_dump_json()) == report


def asked(text: str, method: str) -> Response:
    """Return a response, with the request that SAFE asks about."""
    return Response(text=text, prompt="What is there to know?" if method == "safe" else None)


@pytest.mark.parametrize("method", ASKING)
def test_each_method_makes_its_expected_number_of_calls(method: str, library: Tools, server: lab.Server) -> None:
    report = checked(asked(TEXT, method), method, library, server)
    claims = sum(claim.skipped is None for claim in report.claims)
    spoken = sum(segment.kind != "heading" for segment in report.segments)
    with_evidence = len({passage.claim_id for passage in report.passages})
    assert (claims, spoken, with_evidence) == (4, 5, 3)
    wanted = {
        "verify": {"extract": 1, "rewrite": claims, "query": 5 * claims, "judge": with_evidence},
        "safe": {
            "extract": spoken, "rewrite": claims, "relevance": claims, "query": 5 * claims, "judge": with_evidence
        },
        "facts-and-evidence": {"extract": spoken, "judge": len(report.passages)},
        "factscore": {"extract": spoken, "judge": with_evidence},
        "veriscore": {"extract": spoken, "judge": with_evidence},
        "standard": {"extract": 1, "query": 1, "judge": 1, "correct": 1},
    }[method]  # fmt: skip
    assert calls(report) == wanted
    assert server.count() == sum(wanted.values())


@pytest.mark.parametrize("method", ASKING)
def test_the_reference_response_takes_the_documented_number_of_calls(
    method: str, reference_library: Tools, server: lab.Server
) -> None:
    report = checked(asked(reference.TEXT, method), method, reference_library, server)
    assert (len(report.segments), len(report.claims)) == (20, 24)
    assert report.counts["supported"] == 16
    assert report.counts["supported"] + report.counts["contradicted"] == (16 if method in ("safe", "factscore") else 20)
    assert report.failures == ()
    assert server.count() == CALLS[method]


@pytest.mark.parametrize("method", ["verify", "facts-and-evidence", "standard"])
def test_the_report_names_models_and_prompts(method: str, library: Tools, server: lab.Server) -> None:
    report = checked(TEXT, method, library, server, models={"*": "openai/small", "judge": "openai/large"})
    assert report.models["judge"] == "openai/large"
    assert {model for role, model in report.models.items() if role != "judge"} == {"openai/small"}
    assert all(name.partition("/")[0] in (method, method.replace("-", "_")) for name in report.prompts)
    assert all(len(hash_) == 12 for hash_ in report.prompts.values())
    assert {usage.model for usage in report.usage if usage.role == "judge"} == {"openai/large"}
    assert {judgement.judge for judgement in report.judgements} == {"openai/large"}


@pytest.mark.parametrize("method", ["verify", "facts-and-evidence", "standard"])
def test_signatures_differ_with_model_prompt_and_setting(
    method: str, library: Tools, server: lab.Server, tmp_path: Path
) -> None:
    judge = find_method(method).judge
    assert isinstance(judge, Judge)
    prompt = tmp_path / "judge.md"
    text = shipped()[judge.prompt].read_text(encoding="utf-8")
    prompt.write_text(text.replace("\n# User\n", "\nBe brief.\n\n# User\n"), encoding="utf-8")
    plain, again, *others = (
        checked(f"{BRIDGE}.", method, library, server),
        checked(f"{BRIDGE}.", method, library, server),
        checked(f"{BRIDGE}.", method, library, server, models="openai/other"),
        checked(f"{BRIDGE}.", changed(method, judge={"prompt": str(prompt)}), library, server),
        checked(f"{BRIDGE}.", changed(method, judge={"temperature": 1.5}), library, server),
    )
    assert len({report.scores[0].signature for report in (plain, *others)}) == 4
    assert again.scores == plain.scores
    assert all(report.counts == plain.counts for report in others)  # this model answers alike however it is asked


def test_every_quote_is_verbatim_and_every_span_holds_its_claim(reference_library: Tools, server: lab.Server) -> None:
    report = checked(reference.TEXT, "standard", reference_library, server)
    passages = {passage.id: passage for passage in report.passages}
    quotes = [judgement.quote for judgement in report.judgements if judgement.quote]
    quotes += [correction.quote for correction in report.corrections if correction.quote]
    assert len(quotes) >= 24
    for quote in quotes:
        assert quote.span.of(passages[quote.passage_id].text) == quote.text != ""
        assert find_quote(quote.text, passages[quote.passage_id].text) == quote.span
    for claim in report.claims:
        assert claim.span is not None
        assert claim.alignment == "exact"
        assert claim.span.of(report.response.text) == claim.text


def test_factscore_names_the_request_as_its_topic(library: Tools, server: lab.Server) -> None:
    checked(Response(text=TEXT, prompt="Tell me about Marlow."), "factscore", library, server)
    topics = {asked["topic"] for asked in questions(server, "You are given a topic")}
    assert topics == {"Tell me about Marlow."}


@pytest.mark.parametrize("method", ["verify", "facts-and-evidence", "standard"])
def test_a_wrong_call_is_refused_before_the_first_question(
    method: str, library: Tools, server: lab.Server, tmp_path: Path
) -> None:
    prompt = tmp_path / "mine.md"
    prompt.write_text("version: 1\n# System\nJudge.\n# User\n{{claim}} {{moon}}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"place \{\{moon\}\}.*step judge"):
        checked(TEXT, changed(method, judge={"prompt": str(prompt)}), library, server)
    with pytest.raises(UsageError, match="No model is configured for the role 'extract'"):
        checked(TEXT, method, library, server, models={"judge": "openai/lab"})
    assert server.count() == 0
