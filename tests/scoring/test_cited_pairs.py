"""Relation of each cited source to a claim, and the problems that follow from it."""

from __future__ import annotations

from typing import Any

import pytest

from factscope.core.records import CitedSource, Exclusions, Failure, Quotation, Quote, Report, Span
from factscope.scoring.citations import CitedPair, citation_problems, cited_pairs, needs_source
from tests.scoring.cited_reports import AT, C, cited, judged

YES, NO, SILENT = "supported", "contradicted", "not_enough_evidence"
CLAIM = "Kern drew the bridge in 1929."


def pair_of(*judgements: Any, **more: Any) -> CitedPair:
    """Return the only pair of a claim that cites one source, with these judgements of it."""
    report = cited([C(CLAIM, {"b1": YES})], **({"judgements": judgements} if judgements else {}), **more)
    (pair,) = cited_pairs(report)
    return pair


def of_source(label: Any, **more: Any) -> CitedPair:
    return pair_of(judged("s1.c1", "b1", label, **more))


def failure(stage: Any, about: str | None = None, unit: str = "s1.c1") -> Failure:
    return Failure(unit_id=unit, stage=stage, boundary="model", message="no answer", about=about)


@pytest.mark.parametrize(
    ("label", "more", "outcome"),
    [
        (YES, {}, "supports"),
        (NO, {}, "contradicts"),
        (SILENT, {}, "does_not_say"),
        ("irrelevant", {}, "does_not_say"),
        (SILENT, {"flags": ("unsure",)}, "unclear"),
        (SILENT, {"gap": "partial"}, "partly"),
        (SILENT, {"gap": "outdated"}, "does_not_say"),
        (None, {}, "failed"),
    ],
)
def test_the_judgement_of_a_source_is_its_relation_to_the_claim(label: Any, more: Any, outcome: str) -> None:
    assert of_source(label, **more).outcome == outcome


@pytest.mark.parametrize(
    ("missing", "outcome"),
    [
        ((), "does_not_say"),
        ((Span(start=0, end=4),), "partly"),
        ((Span(start=0, end=4), Span(start=14, end=24)), "partly"),  # 14 of 29 letters
        ((Span(start=10, end=25),), "does_not_say"),  # 15
    ],
)
def test_a_source_lacking_at_most_half_of_the_words_supports_the_claim_partly(missing: Any, outcome: str) -> None:
    assert len(CLAIM) == 29
    assert of_source(SILENT, unsupported=missing).outcome == outcome


def test_half_of_the_letters_is_still_the_lesser_part() -> None:
    claim = "Kern drew the bridge in 1929"
    wide = judged("s1.c1", "b1", SILENT, unsupported=(Span(start=0, end=14),))
    (pair,) = cited_pairs(cited([C(claim, {"b1": YES})], judgements=(wide,)))
    assert (len(claim), pair.outcome) == (28, "partly")


def test_the_words_that_carry_the_outcome_are_placed_in_the_document() -> None:
    quote = Quote(passage_id="s1.c1.pb1", span=Span(start=3, end=7), text="3456")
    other = Quote(passage_id="s1.c1.p2", span=Span(start=0, end=1), text="0")
    silent = judged("s1.c1", "b1", SILENT, id="s1.c1.p2.j1", passage_ids=("s1.c1.p2",), rationale="no", quote=other)
    telling = judged("s1.c1", "b1", YES, quote=quote, rationale="it says so", confidence=0.75)
    report = cited([C(CLAIM, {"b1": YES})], judgements=(silent, telling))
    second = report.passages[0].model_copy(update={"id": "s1.c1.p2"})
    (pair,) = cited_pairs(report.model_copy(update={"passages": (second, *report.passages)}))
    assert (pair.quote, pair.quote_span) == ("3456", Span(start=AT + 3, end=AT + 7))
    assert (pair.reason, pair.confidence) == ("it says so", 0.75)
    assert (of_source(YES).quote, of_source(YES).quote_span, of_source(YES).reason) == (None, None, None)
    elsewhere = Quote(passage_id="s9.c9.p1", span=Span(start=3, end=7), text="3456")
    assert (of_source(YES, quote=elsewhere).quote, of_source(YES, quote=elsewhere).quote_span) == ("3456", None)


def test_an_unavailable_source_retains_its_reason_whatever_was_judged() -> None:
    (pair,) = cited_pairs(cited([C(CLAIM, {"b1": YES})], states={"b1": "dead"}))
    assert (pair.outcome, pair.reason, pair.quote) == ("not_there", "gone", None)


def test_a_source_that_was_ruled_out_is_excluded() -> None:
    pair = pair_of(excluded=Exclusions(documents=("d-b1",)))
    assert pair.outcome == "excluded"
    assert pair_of(excluded=Exclusions(documents=("d-b2",))).outcome == "supports"


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [
        (failure("judging"), "failed"),
        (failure("evidence"), "failed"),
        (failure("correction"), "does_not_say"),  # the claim was judged, just not corrected
        (failure("evidence", about="https://press.example"), "does_not_say"),
        (failure("judging", unit="s1.c2"), "does_not_say"),
    ],
)
def test_a_claim_that_failed_without_a_judgement_was_not_judged(problem: Failure, outcome: str) -> None:
    (pair,) = cited_pairs(cited([C(CLAIM, {"b1": None})], failures=(problem,)))
    assert (pair.outcome, pair.reason) == (outcome, "it could not be judged" if outcome == "failed" else None)


def test_a_failure_beside_a_judgement_does_not_undo_it() -> None:
    assert pair_of(failures=(failure("judging"),)).outcome == "supports"


def test_each_source_is_held_against_its_own_judgements_only() -> None:
    report = cited(
        [C(CLAIM, {"b1": YES, "b2": NO}), C("Low paid it.", {"b2": SILENT})], [C("Who?", {"b1": YES}, "a question")]
    )
    assert [(pair.claim.id, pair.source.id, pair.outcome) for pair in cited_pairs(report)] == [
        ("s1.c1", "b1", "supports"),
        ("s1.c1", "b2", "contradicts"),
        ("s1.c2", "b2", "does_not_say"),
    ]


def test_a_source_cited_twice_for_a_claim_is_one_pair_with_both_citations() -> None:
    report = cited([C(CLAIM, {"b1": YES, "b2": NO})])
    twice = tuple(one.model_copy(update={"source_id": "b1"}) for one in report.citations)
    (pair,) = cited_pairs(report.model_copy(update={"citations": twice}))
    assert [citation.id for citation in pair.citations] == ["k1", "k2"]


@pytest.mark.parametrize(
    ("judges", "labels", "outcome"),
    [
        (2, [YES, YES], "supports"),
        (2, [YES], "supports"),  # the other judge read only other sources
        (2, [YES, NO], "does_not_say"),
        (3, [YES, YES], "supports"),
        (3, [YES, YES, NO], "supports"),
        (2, [YES, None], "failed"),  # the other judge was asked, and might have decided
    ],
)
def test_the_judges_of_a_panel_that_read_the_source_decide(judges: int, labels: list[Any], outcome: str) -> None:
    made = [judged("s1.c1", "b1", label, id=f"s1.c1.pb1.j{n}", judge=f"judge-{n}") for n, label in enumerate(labels, 1)]
    report = cited([C(CLAIM, {"b1": YES})], judgements=tuple(made))
    one = report.method["judge"]
    panel = {**report.method, "judge": {"judges": [{**one, "name": f"judge-{n}"} for n in range(judges)]}}
    (pair,) = cited_pairs(report.model_copy(update={"method": panel}))
    assert pair.outcome == outcome


# Whether a claim needs a source


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("it was opened in 1931.", True),
        ("it has six arches.", True),
        ("he called it “ugly”.", True),
        ("it was drawn by Kern.", True),
        ("Kern drew it.", False),  # every sentence begins with a capital
        ("  Kern drew it.", False),
        ("Kern.", False),
        ("The town is old.", False),
        ("Three cheers.", False),
    ],
)
def test_a_claim_with_a_figure_a_name_or_a_quote_needs_a_source(text: str, needs: bool) -> None:
    report = cited([C(text)], [C("It stands.", {"b1": YES})])
    assert needs_source(report, report.claims[0]) is needs


def test_a_skipped_claim_or_one_in_a_text_without_citations_needs_no_source() -> None:
    skipped = cited([C(CLAIM, skipped="a question")], [C("It stands.", {"b1": YES})])
    assert needs_source(skipped, skipped.claims[0]) is False
    bare = cited([C(CLAIM)])
    assert needs_source(bare, bare.claims[0]) is False


@pytest.mark.parametrize(
    ("start", "end", "quoted"), [(0, 29, True), (0, 30, True), (1, 29, False), (0, 28, False), (30, 40, False)]
)
def test_a_claim_within_a_quotation_needs_none(start: int, end: int, quoted: bool) -> None:
    quotation = Quotation(id="q1", span=Span(start=start, end=end), text="x", outcome="verbatim")
    report = cited([C(CLAIM)], [C("It stands.", {"b1": YES})], quotations=(quotation,))
    assert needs_source(report, report.claims[0]) is not quoted
    nowhere = report.claims[0].model_copy(update={"span": None})
    assert needs_source(report, nowhere)


# Problems


def problems(report: Report) -> list[tuple[str, str | None, str | None]]:
    """List kind, source and claim of each problem."""
    return [
        (one.kind, one.source.id if one.source else None, one.claim.id if one.claim else None)
        for one in citation_problems(report)
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (YES, YES, []),
        (SILENT, None, [("does_not_say", "b1", "s1.c1")]),
        (NO, None, [("contradicts", "b1", "s1.c1")]),
        (NO, YES, [("contradicts", "b1", "s1.c1")]),  # support from another source does not change that
        (SILENT, YES, [("not_needed", "b1", None)]),
        (SILENT, SILENT, [("does_not_say", "b1", "s1.c1"), ("does_not_say", "b2", "s1.c1")]),
    ],
)
def test_a_source_that_does_not_support_its_claim_is_a_problem_unless_another_does(
    first: Any, second: Any, expected: Any
) -> None:
    labels = {"b1": first} if second is None else {"b1": first, "b2": second}
    assert problems(cited([C(CLAIM, labels)])) == expected


def test_a_source_needed_for_one_of_its_claims_is_not_a_problem_elsewhere() -> None:
    report = cited([C(CLAIM, {"b1": SILENT, "b2": YES})], [C("It is long.", {"b1": YES})])
    assert problems(report) == []
    silent = cited([C(CLAIM, {"b1": SILENT, "b2": YES})], [C("It is long.", {"b1": SILENT})])
    assert problems(silent) == [("does_not_say", "b1", "s2.c1")]


def test_a_claim_that_could_not_be_judged_is_reported_as_not_judged() -> None:
    report = cited([C(CLAIM, {"b1": None})], failures=(failure("judging"),))
    assert problems(report) == [("not_judged", "b1", "s1.c1")]
    assert citation_problems(report)[0].detail == "it could not be judged"


def test_an_unavailable_source_is_reported_at_each_citation_and_an_uncited_one_once() -> None:
    report = cited(
        [C(CLAIM, {"b1": None})], [C("It is long.", {"b1": None})], states={"b1": "dead", "b2": "dead", "b3": "read"}
    )
    report = report.model_copy(
        update={
            "sources": tuple(
                source.model_copy(update={"span": Span(start=200, end=220)}) if source.id == "b3" else source
                for source in report.sources
            )
        }
    )
    found = [(one.kind, one.source and one.source.id, one.span.start, one.detail) for one in citation_problems(report)]
    assert citation_problems(report)[0].span == Span(start=0, end=0), "it stands nowhere in the text"
    assert found == [
        ("unused", "b2", 0, None),
        ("not_there", "b1", 28, "gone"),
        ("not_there", "b1", 40, "gone"),
        ("unused", "b3", 200, None),
    ]


def test_a_copy_of_the_text_and_a_changed_source_are_problems_at_their_first_citation() -> None:
    report = cited([C(CLAIM, {"b1": YES})], [C("It is long.", {"b1": YES})])
    (source,) = report.sources
    odd = CitedSource(
        **{**dict(source), "circular": "it copies this text", "changed": "2024-05-02", "accessed": "2024-05-01"}
    )
    found = citation_problems(report.model_copy(update={"sources": (odd,)}))
    assert [(one.kind, one.span.start, one.detail) for one in found] == [
        ("changed", 28, "it was changed on 2024-05-02, after 2024-05-01, when it was read"),
        ("circular", 28, "it copies this text"),
    ]


def test_altered_and_absent_quotations_name_their_source() -> None:
    kinds: list[tuple[Any, Any]] = [
        ("altered", {"source_id": "b1", "source_ids": ("b2",)}),
        ("absent", {"source_ids": ("b2", "b1")}),
        ("absent", {}),
        ("verbatim", {"source_id": "b1"}),
        ("not_there", {"source_id": "b1"}),
    ]
    quotations = tuple(
        Quotation(id=f"q{n}", span=Span(start=90 + n, end=91 + n), text="x", outcome=outcome, **more)
        for n, (outcome, more) in enumerate(kinds)
    )
    report = cited([C(CLAIM, {"b1": YES, "b2": YES})], quotations=quotations)
    assert problems(report) == [
        ("altered_quote", "b1", None),
        ("absent_quote", "b2", None),
        ("absent_quote", None, None),
    ]
    assert [one.quotation and one.quotation.id for one in citation_problems(report)] == ["q0", "q1", "q2"]


def test_claims_that_need_a_source_and_cite_none_are_problems_in_their_order() -> None:
    report = cited([C(CLAIM)], [C("It stands.", {"b1": YES})], [C("it has six arches."), C("It is old.")])
    assert problems(report) == [("uncited", None, "s1.c1"), ("uncited", None, "s3.c1")]
    backwards = report.model_copy(update={"claims": report.claims[::-1]})
    assert problems(backwards) == problems(report)
    nowhere = tuple(claim.model_copy(update={"span": None}) for claim in report.claims)
    assert problems(report.model_copy(update={"claims": nowhere})) == []
