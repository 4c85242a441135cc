"""Quirks of the papers that a naive implementation would miss: each is a named setting with a tested effect."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from factscope.core.records import Report, Response
from factscope.engine import Tools
from tests import lab
from tests.conftest import TEXT
from tests.engine import reference
from tests.engine.checking import adds_up, changed, checked, outcomes, questions

NOTHING = "No good result was found."
OPEN = (
    "Tor Hald opened a bakery. The farmers of Varn grew tulips for the mainland. The Orsa telescope has a mirror of 3"
    " metres."
)
"""Claims that the documents about the reference response leave open."""
TYPES = (
    "As an AI, I read books. The Marlow bridge was opened in 1931. I think the bridge is lovely. Please visit it."
    " Have you seen it? The town hall was finished in 1908."
)


def rounds(report: Report) -> dict[str, list[int]]:
    """Return the rounds of each claim's search."""
    found: dict[str, list[int]] = {}
    for query in report.queries:
        found.setdefault(query.claim_id, []).append(query.round)
    return found


@pytest.mark.parametrize("method", ["verify", "safe"])
def test_all_five_rounds_are_made_whatever_is_found(method: str, library: Tools, server: lab.Server) -> None:
    """FactBench's code does this: its stop word occurs in no prompt."""
    assert set(map(tuple, rounds(checked(TEXT, method, library, server)).values())) == {(1, 2, 3, 4, 5)}


@pytest.mark.parametrize("method", ["verify", "safe"])
def test_with_json_queries_the_rounds_end_when_the_evidence_suffices(
    method: str, library: Tools, server: lab.Server
) -> None:
    queries = {"prompt": "standard/queries", "form": "json", "stop": "enough"}
    report = checked(TEXT, changed(method, evidence={"queries": queries}), library, server)
    made = rounds(report)
    assert {len(numbers) for numbers in made.values()} <= {1, 2}
    ended = {query.claim_id: query.ended for query in report.queries if query.ended}
    assert set(ended) == set(made)
    assert Counter(why.partition(":")[0] for why in ended.values() if why) == {
        "The evidence suffices": 3,
        "No new query was thought of": 1,
    }


@pytest.mark.parametrize(("say_empty", "told"), [(True, 1), (False, 0)])
def test_an_empty_search_is_mentioned_to_the_judge_only_on_request(
    say_empty: bool, told: int, library: Tools, server: lab.Server
) -> None:
    """VERIFY's published code passes this sentence on as if it were evidence."""
    server.script([{"when": {"contains": "DATA rounds round 1 "}, "do": {"text": "None.\n```\nzork blat\n```"}}])
    method = changed("verify", evidence={"queries": {"rounds": 2, "say_empty": say_empty}})
    checked("The Marlow bridge was opened in 1931.", method, library, server)
    (asked,) = questions(server, "You are given a statement and search results")
    assert asked["results"].count(NOTHING) == told


def test_verify_mentions_empty_searches_to_the_judge_and_safe_does_not(library: Tools, server: lab.Server) -> None:
    for method, start, told in (
        ("verify", "You are given a statement and search results", 4),
        ("safe", "You are given a statement and what web searches", 0),
    ):
        server.script([{"when": {"contains": "DATA rounds "}, "do": {"text": "None.\n```\nzork blat\n```"}}])
        checked("The Marlow bridge was opened in 1931.", method, library, server)
        (asked,) = questions(server, start)
        assert asked["results"].count(NOTHING) == told


def test_a_claim_without_any_result_is_not_judged(library: Tools, server: lab.Server) -> None:
    """Five "nothing found" sentences are not evidence, although the published code has them judged."""
    report = checked("Penguins waddle across Antarctica.", "verify", library, server)
    assert outcomes(report) == {"Penguins waddle across Antarctica": "no_evidence"}
    assert questions(server, "You are given a statement and search results") == []


@pytest.mark.parametrize(
    ("method", "most"), [("verify", 3), ("safe", 3), ("facts-and-evidence", 3), ("factscore", 5), ("veriscore", 10)]
)
def test_the_number_of_results_per_query_is_that_of_the_paper(
    method: str, most: int, library: Tools, server: lab.Server
) -> None:
    report = checked(TEXT, method, library, server)
    assert 1 <= max(Counter(passage.query_id for passage in report.passages).values()) <= most
    fewer = checked(TEXT, changed(method, evidence={"passages": {"top_k": 1}}), library, server)
    assert set(Counter(passage.query_id for passage in fewer.passages).values()) == {1}


@pytest.mark.parametrize(("if_unreadable", "failed"), [("keep", 0), ("fail", 2)])
def test_a_claim_of_undetermined_relevance_counts_as_relevant_or_fails(
    if_unreadable: str, failed: int, library: Tools, server: lab.Server
) -> None:
    """SAFE's own code keeps the claim."""
    asked = "You are given a question, a response to it"
    server.script([{"when": {"contains": asked}, "do": {"text": "Hard to say."}}])
    method = changed("safe", extract={"relevant": {"if_unreadable": if_unreadable}})
    text = Response(text="The Marlow bridge was opened in 1931. It has four arches.", prompt="When was it opened?")
    report = checked(text, method, library, server)
    assert report.counts["failed"] == len({failure.unit_id for failure in report.failures}) == failed
    assert report.counts["supported"] == 2 - failed
    assert adds_up(report)


def test_a_claim_irrelevant_to_the_question_is_set_aside(library: Tools, server: lab.Server) -> None:
    beside = "You are given a question, a response to it"
    server.script([{"when": {"contains": [beside, "four arches\\n<<<END claim"]}, "do": {"text": "No.\n[Not Foo]"}}])
    text = Response(text="The Marlow bridge was opened in 1931. It has four arches.", prompt="When was it opened?")
    report = checked(text, "safe", library, server)
    assert [claim.skipped for claim in report.claims] == [None, "it does not bear on the request"]
    assert report.counts["not_checkable"] == 1
    assert {asked["prompt"] for asked in questions(server, beside)} == {"When was it opened?"}


@pytest.mark.parametrize(
    ("threshold", "outcome"), [(0.3, "supported"), (0.5, "supported"), (0.51, "undecided"), (0.0, "supported")]
)
def test_reaching_the_threshold_is_enough_and_silent_evidence_counts_against_a_claim(
    threshold: float, outcome: str, library: Tools, server: lab.Server
) -> None:
    """Facts&Evidence, section 4: a share below 0.3 is not factual; here one of two passages supports the claim."""
    method = changed("facts-and-evidence", roll_up={"threshold": threshold})
    report = checked("The town hall was finished in 1908.", method, library, server)
    assert sorted(str(judgement.label) for judgement in report.judgements) == ["irrelevant", "supported"]
    assert set(outcomes(report).values()) == {outcome}


@pytest.mark.parametrize(
    ("keep", "checkable"), [(["fact", "claim"], 3), (["fact"], 2), (["fact", "claim", "question"], 4)]
)
def test_only_units_of_the_chosen_types_are_checked(
    keep: list[str], checkable: int, library: Tools, server: lab.Server
) -> None:
    """FactBench, section 3: facts and claims."""
    report = checked(TYPES, changed("verify", extract={"keep": keep}), library, server)
    kinds = [claim.kind for claim in report.claims]
    assert kinds == ["meta", "fact", "claim", "instruction", "question", "fact"]
    assert sum(claim.skipped is None for claim in report.claims) == checkable
    assert all((claim.skipped is None) == (claim.kind in keep) for claim in report.claims)
    assert report.counts["not_checkable"] == 6 - checkable
    assert len(rounds(report)) == checkable


def test_a_claim_is_read_with_its_window_of_sentences(reference_library: Tools, server: lab.Server) -> None:
    """VeriScore, section 3: three sentences before and one after."""
    report = checked(reference.TEXT, "veriscore", reference_library, server)
    texts = [segment.text for segment in report.segments]
    asked = {each["segment"]: each["context"] for each in questions(server, "You are given a sentence and the stretch")}
    assert len(asked) == 20
    for place, text in enumerate(texts):
        seen = [other in asked[text] for other in texts]
        assert [at for at, is_seen in enumerate(seen) if is_seen] == [
            at for at in range(20) if place - 3 <= at <= place + 1
        ]


def test_a_sentence_is_read_with_its_paragraph(reference_library: Tools, server: lab.Server) -> None:
    """Facts&Evidence, section 3.4: the sentences of the paragraph, numbered."""
    report = checked(reference.TEXT, "facts-and-evidence", reference_library, server)
    asked = questions(server, "You are given a paragraph")
    by_target = {
        each["segment"]: [text for name, text in each.items() if name.startswith("paragraph ")] for each in asked
    }
    texts = [segment.text for segment in report.segments]
    assert all(by_target[text] == texts[:10] for text in texts[:10])
    assert all(by_target[text] == texts[10:] for text in texts[10:])
    assert list(asked[0])[:2] == ["paragraph S1", "paragraph S2"]


@pytest.mark.parametrize("method", ["verify", "safe", "factscore", "veriscore", "standard"])
def test_every_undecided_claim_says_what_is_missing(method: str, reference_library: Tools, server: lab.Server) -> None:
    report = checked(OPEN, method, reference_library, server)
    on_claims = [verdict for verdict in report.verdicts if verdict.level == "claim"]
    assert sum(verdict.outcome == "undecided" for verdict in on_claims) == 3
    assert all((verdict.gap is not None) == (verdict.outcome == "undecided") for verdict in on_claims)


def test_a_method_sends_the_temperature_of_its_paper(library: Tools, server: lab.Server) -> None:
    """VERIFY's code asks for 0 but gets its default; SAFE's asks for 0.1."""
    for method, temperature in (("verify", 0.5), ("safe", 0.1), ("veriscore", 0.0)):
        server.script([])
        checked(TEXT, method, library, server)
        assert {json.loads(row["body"])["temperature"] for row in server.log()} == {temperature}
