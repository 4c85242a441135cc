"""Documents too long for a judge: it reads pieces until every open sentence was compared with all of them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.core.records import Report
from factscope.judging import by_worth, cut, pick, runs, shortened
from factscope.methods import Judge, Method
from factscope.methods.library import TEMPLATES, with_judges
from tests import lab

from .test_grounding import judged, response, said

FILLER = "The council met in the morning. Members spoke about roads and hedges. Nobody wanted to vote yet.\n\n"
FACTS = ("The Marlow bridge was opened in 1931.", "The town hall of Marlow was finished in 1908.")
DOCUMENT = f"{FACTS[0]}\n\n{FILLER * 150}{FACTS[1]}\n\n{FILLER * 150}"
"""About 7,500 tokens."""
WINDOW = 4_000
LURES = "The Marlow bridge was opened. In 1931 hedges grew. The town hall of Marlow was finished. Nobody knew in 1908. "
LURING = f"{LURES * 220}\n\n{FILLER * 3}{FACTS[0]}\n\n{FILLER * 3}{FACTS[1]}\n\n{FILLER * 3}"
"""All words of the facts, many times and without stating them, ahead of the facts."""


def long_judged(text: str, server: lab.Server, *templates: str, document: str = DOCUMENT) -> Report:
    method = with_judges(templates, windows=[WINDOW] * len(templates), eligibility=None)
    return judged(response(text, document), server, method)


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_finds_facts_far_apart_and_misses_nothing(server: lab.Server, template: str) -> None:
    assert said(long_judged(" ".join(FACTS), server, template, "json"))["judge_1"] == "supported"
    wrong = f"{FACTS[0]} The town hall of Marlow has six gates."
    report = long_judged(wrong, server, template, "json")
    assert said(report)["judge_1"] in ("not_supported", "not_enough_evidence")
    assert "in_pieces" in report.judgements[0].flags
    # No sentence counts as unsupported before the judge has seen every piece.
    pieces = len(cut((DOCUMENT,)))
    assert f"{pieces} of {pieces} seen" in str(report.judgements[0].rationale)


def test_no_call_is_longer_than_the_window(server: lab.Server) -> None:
    long_judged(" ".join(FACTS), server, "json", "implicit", document=LURING)
    for row in server.log():
        body = json.loads(row["body"])
        assert sum(len(one["content"]) for one in body["messages"]) / 4 + body["max_tokens"] <= WINDOW


def test_evidence_missed_by_the_first_look_is_found_by_a_later_one(server: lab.Server) -> None:
    found = long_judged(" ".join(FACTS), server, "json", "span", document=LURING)
    assert set(said(found).values()) == {"supported"}
    first, second = found.findings[:2]
    assert [first.label, second.label] == ["supported", "supported"]
    assert "in 1 looks" not in str(found.judgements[0].rationale)
    assert [quote.text for quote in first.quotes] == [FACTS[0]]
    assert found.passages[0].text[first.quotes[0].span.start :].startswith(FACTS[0])  # offsets in the whole document


def test_the_report_states_that_documents_were_judged_in_pieces(server: lab.Server) -> None:
    report = long_judged(" ".join(FACTS), server, "json", "json")
    told = "openai/lab-a as judge_1, openai/lab-b as judge_2 read the documents in pieces"
    assert report.warnings[0].startswith(told)
    assert "Judged in pieces:" in str(report.judgements[0].rationale)


def test_a_document_that_fits_is_judged_whole(server: lab.Server) -> None:
    report = long_judged(FACTS[0], server, "json", "implicit", document=FACTS[0])
    assert all(one.flags == () for one in report.judgements)
    assert report.warnings == ()


def test_a_contradiction_settles_a_sentence(server: lab.Server) -> None:
    report = long_judged("The Marlow bridge was opened in 1950.", server, "json", "json")
    assert said(report)["judge_1"] == "contradicted"


def test_a_sentence_unreadable_in_every_look_leaves_no_verdict(server: lab.Server) -> None:
    bad = json.dumps({"sentence": FACTS[0], "label": "unsupported"}) + '\n{"sentence": "The town", "label": "unsu'
    server.script([{"when": {"contains": "Be very strict"}, "do": {"text": bad}}])
    report = long_judged(" ".join(FACTS), server, "json", "implicit")
    assert said(report) == {"judge_2": "supported"}


def test_a_window_without_room_is_reported(server: lab.Server) -> None:
    method = with_judges(["json", "json"], windows=[900, 0], eligibility=None)
    report = judged(response(FACTS[0], DOCUMENT), server, method)
    assert said(report) == {"judge_2": "supported"}
    assert "no room for a piece of the documents" in report.failures[0].message


def test_phase_b_sees_the_pieces_relevant_to_the_request(server: lab.Server) -> None:
    method = with_judges(["json", "json"], windows=[WINDOW, WINDOW])
    report = judged(response(" ".join(FACTS), DOCUMENT), server, method)
    assert [one.eligible for one in report.eligibility] == [True, True]
    own = [json.loads(row["body"])["messages"] for row in server.log()]
    (asked, *_) = [messages[0]["content"] for messages in own if len(messages) == 1]
    assert len(asked) / 4 < WINDOW
    assert FACTS[0] in asked  # "Tell me about the bridge."


@pytest.mark.parametrize(
    "changes",
    [{"window": 4000, "form": "bracketed"}, {"window": 4000, "samples": 2, "temperature": 1}, {"in_pieces": "self"}],
)
def test_a_judge_that_cannot_read_in_pieces_is_refused(changes: dict[str, object]) -> None:
    judge = with_judges(["json", "json"]).judge.judges[0].model_dump()  # type: ignore[union-attr]
    if changes.get("in_pieces"):
        changes = {"in_pieces": judge}
    with pytest.raises(ValueError, match=r"window|asked for once"):
        Judge.model_validate({**judge, **changes})


def test_a_window_is_only_allowed_for_whole_responses() -> None:
    values = with_judges(["implicit", "implicit"], windows=[4000, 4000], eligibility=None).model_dump()
    with pytest.raises(ValueError, match="needs segment 'whole'"):
        Method.model_validate({**values, "segment": "sentences"})


# Pieces

TEXTS = st.lists(st.text("ab. \n。x", max_size=400).map(lambda one: one * 20), min_size=1, max_size=3)


@given(TEXTS)
def test_pieces_cover_every_word(texts: list[str]) -> None:
    pieces = cut(tuple(texts))
    for number, text in enumerate(texts):
        covered = {at for one in pieces if one.text == number for at in range(one.start, one.end)}
        assert all(at in covered or text[at].isspace() for at in range(len(text)))
    everything = runs(pieces, range(len(pieces)))
    assert sum(span.end - span.start for _, span in everything) <= sum(map(len, texts))  # no text is shown twice


@given(TEXTS, st.integers(0, 5000))
def test_looks_terminate_and_show_every_piece(texts: list[str], room: int) -> None:
    pieces = cut(tuple(texts))
    unseen = set(range(len(pieces)))
    while unseen:
        chosen = pick([by_worth("ab x", pieces), by_worth("aa", pieces)], unseen, room, pieces)
        assert chosen
        assert chosen <= unseen
        assert len(chosen) == 1 or sum(pieces[place].tokens for place in chosen) <= room
        unseen -= chosen


def test_the_best_piece_comes_first() -> None:
    pieces = cut((DOCUMENT,))
    best = by_worth("When was the town hall finished?", pieces)[0]
    assert FACTS[1] in DOCUMENT[pieces[best].start : pieces[best].end]
    assert shortened([FACTS[0]], "bridge", 1000) == [FACTS[0]]
    short = shortened([FILLER * 100 + FACTS[1], FACTS[0] + FILLER * 100], "town hall", 700)
    assert FACTS[1] in short[0]
