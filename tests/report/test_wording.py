"""Numbers and outcomes in words."""

from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from factscope.core import Outcome
from factscope.core.records import Interval, Report, Response, Score
from factscope.report import (
    coverage_line,
    decimals,
    headline,
    percent,
    print_report,
    render,
    score_line,
    score_words,
    share_of,
    short_text,
)
from tests.report.builder import Builder


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0%"), (1, "100%"), (299 / 300, "99%"), (1 / 300, "1%"), (0.5, "50%"), (0.295, "29%"), (1 - 1e-16, "100%")],
)
def test_a_percentage_is_never_rounded_to_all_or_nothing(share: float, shown: str) -> None:
    assert percent(share) == shown


def test_claims_on_excluded_evidence_are_not_a_text_without_claims() -> None:
    report = excluding({"excluded": 9, "not_checkable": 1})
    assert headline(report) == "All 9 claims rest on excluded evidence."
    assert headline(excluding({"excluded": 1})) == "The one claim rests on excluded evidence."
    assert coverage_line(report) == "9 of 9 excluded"
    assert score_line(report).endswith("nothing to judge, 9 of 9 excluded")
    partly = excluding({"supported": 6, "excluded": 3})
    assert headline(partly) == "The evidence supports all 6 claims."
    assert coverage_line(partly) == "6 of 6 claims judged, 3 of 9 excluded"
    assert "coverage 100%, 3 of 9 excluded" in score_line(partly)


def excluding(outcomes: dict[Outcome, int]) -> Report:
    return Builder("").build().model_copy(update={"counts": outcomes})


def test_a_report_by_the_small_verifier_mentions_the_large_one_in_every_roomy_format() -> None:
    small, large = (shown_when_judged_by(judge) for judge in ("builtin-6", "builtin-large-4"))
    for form in small:
        assert "factscope[large]" in small[form]
        assert "factscope[large]" not in large[form]


def shown_when_judged_by(judge: str) -> dict[str, str]:
    built = Builder("The bridge opened in 1931.")
    segment = built.segment("The bridge opened in 1931.")
    claim = built.claim(segment, "The bridge opened in 1931.")
    source = built.document("Bridges", "https://bridges.example/a")
    built.judged(claim, 1, source, "The bridge opened in 1931.", "supported", judge=judge)
    built.verdict(claim, "claim", "supported")
    built.close(segment)
    report, page = built.build(), StringIO()
    print_report(report, Console(file=page, width=200))
    short = short_text(report).replace("\n", " ")
    rendered = {form: render(report, form) for form in ("md", "html", "junit", "sarif")}
    return {"terminal": page.getvalue(), "short": short, **rendered}


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [
        (0.9999, 2, "0.99"),
        (0.9999, 3, "0.999"),
        (0.0001, 2, "0.01"),
        (0, 2, "0.00"),
        (1, 3, "1.000"),
        (1.06, 2, "1.06"),
        (-0.2, 2, "-0.20"),
        (7 / 13, 2, "0.54"),
    ],
)
def test_a_score_is_never_rounded_to_0_or_1(value: float, places: int, shown: str) -> None:
    assert decimals(value, places) == shown


@given(st.integers(1, 10_000), st.integers(1, 10_000))
@settings(deadline=None)
def test_all_and_none_are_distinguished_from_nearly_all_and_nearly_none(k: int, n: int) -> None:
    k = min(k, n)
    assert (percent(k / n) == "100%") == (decimals(k / n) == "1.00") == (k == n)
    assert percent(k / n) != "0%"
    assert decimals(k / n) != "0.00"


def test_a_score_of_nearly_one_is_not_shown_as_one() -> None:
    score = Score(
        name="factual_precision",
        value=0.9999,
        n=10_000,
        n_failed=1,
        coverage=10_000 / 10_001,
        interval=Interval(low=0.9994, high=0.99998, method="wilson"),
        signature="x",
    )
    shown = score_words(score)
    assert (shown.value, shown.coverage, shown.interval) == ("0.99", "coverage 99%", "95% interval 0.99 to 0.99")
    assert shown.over == "9,999 of 10,000 judged claims are supported, 1 failed"


@pytest.mark.parametrize(
    ("method", "title"), [({}, "unnamed method"), ({"name": "mine"}, "mine"), ({"name": "m", "title": "Mine"}, "Mine")]
)
def test_a_report_is_shown_whatever_its_method_says_of_itself(method: dict[str, object], title: str) -> None:
    report = Report(factscope="0.1.0", response=Response(text="a"), method=method)
    printed = StringIO()
    print_report(report, Console(width=80, file=printed))
    for text in (render(report, "html"), render(report, "md"), printed.getvalue()):
        assert title in text


def test_the_verb_agrees_with_the_counted_number() -> None:
    told = [share_of(n, of, "passage", "supports it", "support it") for n, of in ((1, 3), (2, 3), (0, 3), (0, 1))]
    assert told == [
        "1 of 3 passages supports it",
        "2 of 3 passages support it",
        "0 of 3 passages support it",
        "0 of 1 passage supports it",
    ]


def test_the_headline_says_none_and_not_0() -> None:
    built = Builder("One. Two. Three. Four.")
    outcomes: tuple[Outcome, ...] = ("contradicted", "contradicted", "undecided", "undecided")
    for text, outcome in zip(("One.", "Two.", "Three.", "Four."), outcomes, strict=True):
        built.verdict(built.claim(built.segment(text), text), "claim", outcome)
    assert headline(built.build()) == "The evidence contradicts 2 of 4 claims and supports none."
