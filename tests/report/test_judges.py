"""Labels by each judge of a whole response, shown by sentence on the page and in the terminal."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from factscope.core.records import (
    Claim,
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
from factscope.report import print_report, render

TEXT = "The mole is old. <b>It glows.</b>"


def judged() -> Report:
    """Make a report by two judges of one response: one finds a sentence not grounded, the other failed in phase B."""
    span = Span(start=0, end=12)
    passage = Passage(id="s1.c1.p1", claim_id="s1.c1", document_id="d", span=span, text="An old mole.", rank=1, score=1)
    quote = Quote(passage_id=passage.id, span=Span(start=0, end=11), text="An old mole")
    base = {"unit_id": "s1.c1", "passage_ids": (passage.id,)}
    return Report(
        factscope="0.1.0",
        response=Response(text=TEXT),
        method={"name": "facts-grounding", "title": "Judges"},
        segments=(Segment(id="s1", span=Span(start=0, end=len(TEXT)), text=TEXT, kind="whole"),),
        claims=(Claim(id="s1.c1", segment_id="s1", text=TEXT, standalone=TEXT),),
        passages=(passage,),
        judgements=(
            Judgement(id="s1.c1.j1", judge="one", label="not_enough_evidence", rationale="It glows?", **base),
            Judgement(id="s1.c1.j2", judge="two", label="supported", **base),
        ),
        findings=(
            Finding(
                id="s1.c1.j1.f1",
                judgement_id="s1.c1.j1",
                text="The mole is old.",
                label="supported",
                raw_label="supported",
                quotes=(quote,),
            ),
            Finding(
                id="s1.c1.j1.f2",
                judgement_id="s1.c1.j1",
                text="<b>It glows.</b>",
                label="not_enough_evidence",
                raw_label="unsupported",
                rationale="Nothing says so.",
                flags=("quote_not_found",),
            ),
        ),
        eligibility=(Eligibility(id="r1.e1", judge="one", eligible=False, raw_label="Major Issues"),),
        verdicts=(
            Verdict(unit_id="s1.c1", level="claim", outcome="undecided", rule="majority"),
            Verdict(unit_id="s1", level="segment", outcome="undecided", rule="majority"),
            Verdict(unit_id="r1", level="response", outcome="undecided", rule="majority"),
        ),
        counts={"undecided": 1},
    )


@pytest.fixture
def report() -> Report:
    return judged()


def test_the_page_shows_each_judge_with_its_sentences(report: Report) -> None:
    page = str(render(report, "html"))
    one, two = re.findall(r'<article class="panel judge".*?</article>', page, re.DOTALL)
    words = " ".join(re.sub("<[^>]+>", " ", one).split())
    assert "not grounded" in words
    assert "ineligible it does not do what was asked" in words
    assert words.index("unsupported") < words.index("supported The mole")  # what is wrong comes first
    assert "<mark>An old mole</mark>" in one
    assert "Nothing says so." in one
    assert "is not in the document" in one
    assert "&lt;b&gt;It glows." in one
    assert "nothing on whether it does what was asked" in two
    assert " eligible" not in two


def test_the_terminal_shows_each_judge_with_its_sentences(report: Report) -> None:
    out = io.StringIO()
    print_report(report, Console(file=out, width=100))
    shown = " ".join(out.getvalue().partition("Judge by judge")[2].split())
    for part in ("? not grounded · ineligible: it does not", "“An old mole”", "Nothing says so.", "two ✓ grounded"):
        assert part in shown


def test_other_methods_have_no_section_on_judges(report: Report) -> None:
    plain = report.model_copy(update={"findings": (), "eligibility": ()})
    assert "Judge by judge" not in str(render(plain, "html"))
