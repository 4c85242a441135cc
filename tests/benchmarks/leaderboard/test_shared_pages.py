"""One page for all answers to a public example: whose labels appear where, and what they point to in the document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from factscope.benchmarks.leaderboard import AnswerView, ExampleView, Mark, SharedExample, example_view
from factscope.core.records import (
    Claim,
    Document,
    Eligibility,
    Finding,
    Judgement,
    Passage,
    Quote,
    Report,
    Response,
    Segment,
    Span,
    Verdict,
)
from tests.benchmarks.leaderboard.board_values import board_of, board_row, site_of

TEXT = "The mole is old. It glows."
SOURCE = "An old mole. It sleeps. Nobody knows why."
OLD, GLOWS = Span(start=0, end=16), Span(start=17, end=26)


def quote(text: str, passage: str = "s1.c1.p1", source: str = SOURCE) -> Quote:
    start = source.index(text)
    return Quote(passage_id=passage, span=Span(start=start, end=start + len(text)), text=text)


def labelled(judge: int, label: str, span: Span | None, *quotes: Quote, **more: Any) -> Finding:
    """Build a judge's label of a sentence; without a span if the sentence isn't in the answer."""
    text = TEXT[span.start : span.end] if span else "It sings."
    values = {"judgement_id": f"s1.c1.j{judge}", "text": text, "label": label, "raw_label": label, "span": span}
    return Finding(id=f"s1.c1.j{judge}.f1", quotes=quotes, **values | more)


def report(*findings: Finding, grounded: Sequence[str | None] = ("supported", "supported"), **more: Any) -> Report:
    """Build an answer with one judge for each finding, and labels for its sentences."""
    passage = Passage(id="s1.c1.p1", claim_id="s1.c1", document_id="d", span=Span(start=0, end=len(SOURCE)),
                      text=SOURCE, rank=1, score=1)  # fmt: skip
    judgements = [
        Judgement(id=f"s1.c1.j{number}", unit_id="s1.c1", passage_ids=("s1.c1.p1",), judge=f"judge {number}",
                  label=label, failure=None if label else "No reply.", rationale=f"Reason {number}.")
        for number, label in enumerate(grounded, 1)
    ]  # fmt: skip
    values: dict[str, Any] = {
        "factscope": "1",
        "response": Response(text=TEXT, prompt="How old?", system="Use {{context}} for {{prompt}}."),
        "method": {"name": "facts-grounding", "title": "Judges"},
        "segments": (Segment(id="s1", span=Span(start=0, end=len(TEXT)), text=TEXT, kind="whole"),),
        "claims": (Claim(id="s1.c1", segment_id="s1", text=TEXT, standalone=TEXT),),
        "passages": (passage,),
        "judgements": tuple(judgements),
        "findings": findings,
        "verdicts": tuple(
            Verdict(unit_id=unit, level=level, outcome="undecided", rule="majority")
            for unit, level in (("s1.c1", "claim"), ("s1", "segment"), ("r1", "response"))
        ),
        "counts": {"undecided": 1},
    }
    return Report(**values | more)


def view(*reports: Report, names: Sequence[str] = "abc") -> ExampleView:
    """Build the page of an example with these answers, each from the row of that name."""
    answers = tuple((name, lambda one=one: one) for name, one in zip(names, reports, strict=False))
    return example_view(SharedExample("ex", "How", answers), {name: f"slug-{name}" for name in "abc"})


def answer(*findings: Finding, **more: Any) -> AnswerView:
    return view(report(*findings, **more)).answers[0]


def test_a_label_given_by_all_judges_has_no_judge_numbers() -> None:
    both = [labelled(judge, "supported", OLD) for judge in (1, 2)]
    apart = [labelled(1, "supported", GLOWS), labelled(2, "not_supported", GLOWS)]
    first, second = answer(*both, *apart).sentences
    assert (first.text, second.text) == ("The mole is old.", "It glows.")
    assert first.marks == (Mark("supported", "", ()),)
    assert second.marks == (Mark("supported", "1", ()), Mark("undecided", "2", ()))


def test_judges_that_label_no_sentence_do_not_count_towards_all_judges() -> None:
    (first, _) = answer(labelled(2, "supported", OLD), grounded=("supported", "supported", "not_supported")).sentences
    assert first.marks == (Mark("supported", "", ()),)


def test_only_reasons_against_a_sentence_and_remarks_on_its_excerpt_are_shown() -> None:
    sentences = answer(
        labelled(1, "supported", OLD, rationale="It says so."),
        labelled(1, "contradicted", GLOWS, rationale="It is dark."),
        labelled(2, "supported", OLD, rationale="It does.", flags=("quote_missing",)),
        labelled(2, "not_supported", GLOWS),
    ).sentences
    told = [[(reason.judge, reason.word, reason.text) for reason in sentence.reasons] for sentence in sentences]
    assert told == [
        [(2, "supported", "It does.; no excerpt given")],
        [(1, "contradicted", "It is dark."), (2, "not_supported", "")],
    ]


def test_a_label_marks_every_sentence_it_covers_half_of() -> None:
    both = labelled(1, "supported", Span(start=0, end=len(TEXT)))
    part = labelled(1, "contradicted", Span(start=4, end=8))  # inside the first
    edge = labelled(1, "not_supported", Span(start=13, end=22))  # more than half of the second, little of the first
    first, second = answer(both, part, edge).sentences
    assert {mark.state for mark in first.marks} == {"supported", "contradicted"}
    assert {mark.state for mark in second.marks} == {"supported", "undecided"}


def test_labels_of_sentences_not_in_the_answer_are_listed_below_it() -> None:
    shown = answer(labelled(1, "supported", OLD), labelled(2, "contradicted", None))
    (loose,) = shown.loose
    assert (loose.text, loose.marks) == ("It sings.", (Mark("contradicted", "2", ()),))
    assert all(mark.judges != "2" for sentence in shown.sentences for mark in sentence.marks)


def test_an_excerpt_links_to_the_sentence_in_which_it_begins() -> None:
    found = view(report(
        labelled(1, "supported", OLD, quote("sleeps. Nobody"), quote("knows")),
        labelled(2, "supported", OLD, quote("It sleeps")),
        labelled(1, "contradicted", GLOWS, quote("Nobody knows")),
    ))  # fmt: skip
    first, second = found.answers[0].sentences
    assert [mark.targets for mark in first.marks] == [("q1",)]  # the first of each judge, which are the same
    assert second.marks[0].targets == ("q2",)
    anchored = {piece.anchor: piece.text.strip() for piece in found.document if piece.anchor}
    assert anchored["q1"] == "It sleeps."
    assert anchored["q2"] == "Nobody knows why."
    assert "".join(piece.text for piece in found.document) == SOURCE


def test_an_excerpt_of_a_missing_passage_has_no_link() -> None:
    (first, _) = answer(labelled(1, "supported", OLD, quote("sleeps", passage="s1.c1.p9"))).sentences
    assert first.marks[0].targets == ()


def test_an_excerpt_of_a_passage_is_found_in_the_whole_document() -> None:
    """The response came with a document of which the passage is a later part."""
    whole = f"A first sentence. {SOURCE}"
    document = Document(id="d", sha256="", text=whole, url=None, title=None)
    response = Response(text=TEXT, prompt="How old?", context=(document,))
    passage = Passage(id="s1.c1.p1", claim_id="s1.c1", document_id="d", span=Span(start=18, end=len(whole)),
                      text=SOURCE, rank=1, score=1)  # fmt: skip
    found = view(report(labelled(1, "supported", OLD, quote("sleeps")), response=response, passages=(passage,)))
    (piece,) = (piece for piece in found.document if piece.anchor)
    assert piece.text.strip() == "It sleeps."
    assert "".join(piece.text for piece in found.document) == whole


def test_an_excerpt_is_found_in_a_passage_whose_document_is_not_stored() -> None:
    passage = Passage(id="s1.c1.p1", claim_id="s1.c1", document_id="d", span=Span(start=900, end=900 + len(SOURCE)),
                      text=SOURCE, rank=1, score=1)  # fmt: skip
    found = view(report(labelled(1, "supported", OLD, quote("sleeps")), passages=(passage,)))
    assert [piece.text.strip() for piece in found.document if piece.anchor] == ["It sleeps."]


def test_judges_with_the_same_verdict_are_grouped_and_ineligibility_shown() -> None:
    ineligible = Eligibility(id="r1.e2", judge="judge 2", eligible=False, raw_label="Major Issues")
    shown = answer(grounded=("supported", "not_supported", "supported", None), eligibility=(ineligible,),
                   findings=(labelled(1, "supported", OLD),))  # fmt: skip
    assert [(one.state, one.judges, one.word) for one in shown.judged] == [
        ("supported", "1, 3", "grounded"),
        ("undecided", "2", "not grounded"),
        ("contradicted", "2", "ineligible"),
        ("failed", "4", "no verdict"),
    ]


def test_reasons_of_judges_that_label_no_sentence_are_truncated() -> None:
    first = report(labelled(1, "supported", OLD))
    long = first.judgements[1].model_copy(update={"rationale": "word " * 200})
    (reason,) = view(first.model_copy(update={"judgements": (first.judgements[0], long)})).answers[0].reasons
    assert (reason.judge, reason.word) == (2, "grounded")
    assert 300 < len(reason.text) <= 401


def test_documents_are_shown_once_and_rows_without_a_page_left_out() -> None:
    one = report(labelled(1, "supported", OLD, quote("It sleeps")))
    found = view(one, one, one, names=("a", "left out", "b"))
    assert [(each.name, each.slug) for each in found.answers] == [("a", "slug-a"), ("b", "slug-b")]
    assert "".join(piece.text for piece in found.document) == SOURCE
    assert found.judges == ("judge 1", "judge 2")
    assert (found.request, found.system) == ("How old?", "Use … for ….")


def test_pages_of_examples_link_to_each_other_and_to_the_rows() -> None:
    example = SharedExample("e<1>", "How", (("a", lambda: report(labelled(1, "supported", OLD))),))
    files = site_of(board_of(board_row("a"), shared=(example, example, example)))
    pages = [files[f"factual-precision/examples/{number}.html"] for number in (1, 2, 3)]
    links = [[name for name in ("1.html", "2.html", "3.html") if f'<a href="{name}">' in page] for page in pages]
    assert links == [["2.html"], ["1.html", "3.html"], ["2.html"]]
    for page in pages:
        assert "e&lt;1&gt;" in page
        assert '<article id="a">' in page
        assert 'href="../a.html"' in page
        assert "<script" not in page
