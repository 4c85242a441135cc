"""Rescoring of a report: the same numbers without a reason to change, and the right ones with one."""

from __future__ import annotations

import pytest

from factscope.core import UsageError
from factscope.core.records import Exclusions, Report
from factscope.engine import Tools, check_sync, find_method
from factscope.methods import Measure
from factscope.scoring import exclusions, must_name_something, rescore
from tests.conftest import TEXT, ScriptedVerifier, agreeable, with_verifier
from tests.scoring.example_reports import YES, make_report

METHOD = find_method("builtin").model_copy(update={"scores": (Measure(name="credibility"), Measure(name="coverage"))})


@pytest.fixture
def report(tools: Tools) -> Report:
    return check_sync(TEXT, METHOD, with_verifier(tools, ScriptedVerifier(agreeable)))


def test_nothing_changes_without_a_reason(report: Report) -> None:
    assert rescore(report) == report
    assert rescore(rescore(report, exclude=Exclusions(documents=("nowhere",))), exclude=Exclusions()) == report


def test_judgements_of_an_excluded_document_no_longer_count(report: Report) -> None:
    document = next(d for d in report.documents if d.url and d.url.endswith("bridge.md"))
    for name in (document.id, document.url or ""):
        again = rescore(report, exclude=Exclusions(documents=(name,)))
        kept = [p for p in report.passages if p.document_id != document.id]
        assert again.score("credibility").n == len(kept) < report.score("credibility").n
        assert sum(again.counts.values()) == sum(report.counts.values())
        assert again.judgements == report.judgements, "what was judged stays in the report"


def test_without_any_evidence_the_score_is_missing(report: Report) -> None:
    again = rescore(report, exclude=Exclusions(categories=("other",)))
    assert again.counts["excluded"] == report.counts["supported"] == 3
    assert again.score("credibility").value is None
    assert rescore(again, exclude=Exclusions()) == report


def test_other_measures_are_computed_from_the_same_records(report: Report) -> None:
    again = rescore(report, measures=["f1_at_k(k=2)", "coverage"])
    assert [score.name for score in again.scores] == ["f1_at_k(k=2)", "coverage"]
    assert again.verdicts == report.verdicts


def test_unknown_measures_and_categories_are_named(report: Report) -> None:
    with pytest.raises(UsageError, match="factual_precison"):
        rescore(report, measures=["factual_precison"])
    with pytest.raises(UsageError, match="categories"):
        exclusions(categories=["magazines"])


def test_excluding_something_unknown_is_an_error_that_lists_what_exists(report: Report) -> None:
    url = next(document.url for document in report.documents if document.url)
    must_name_something(Exclusions(documents=(url,), categories=("other",)), [report])
    for exclude, there in (
        (Exclusions(documents=("bridge.md",)), "bridge.md"),
        (Exclusions(passages=("s9.c9.p1",)), "s2.c1.p1"),
        (Exclusions(categories=("news",)), "other"),
    ):
        with pytest.raises(UsageError) as caught:
            must_name_something(exclude, [report])
        assert there in caught.value.hint


def test_the_error_mentions_when_there_is_nothing_to_exclude(report: Report) -> None:
    with pytest.raises(UsageError, match="No source of the report has a domain, so there is nothing to exclude"):
        must_name_something(Exclusions(domains=("nosuch.example",)), [report])
    bare = report.model_copy(update={"documents": (), "passages": ()})
    with pytest.raises(UsageError, match="The report has no documents, so there is nothing to exclude"):
        must_name_something(Exclusions(documents=("bridge.md",)), [bare])


@pytest.mark.parametrize(
    ("exclude", "hint"),
    [
        (Exclusions(documents=("bridge",)), "Did you mean https://press.example/bridge?"),
        (Exclusions(documents=("https://press.example/bridge?page=2",)), "Did you mean https://press.example/bridge?"),
        (Exclusions(domains=("pres.exampel",)), "Did you mean press.example?"),
        (Exclusions(documents=("d-1",)), f"Choose from: {', '.join(f'docs/{name}.md' for name in 'abcdefghij')}."),
        (Exclusions(documents=("docs/",)), f"Did you mean {' or '.join(f'docs/{name}.md' for name in 'abcde')}?"),
    ],
)
def test_similar_names_come_first_and_a_long_list_is_truncated(exclude: Exclusions, hint: str) -> None:
    made = make_report([[YES]])
    urls = ["https://press.example/bridge", *(f"docs/{name}.md" for name in "abcdefghijk")]
    documents = tuple(made.documents[0].model_copy(update={"id": f"x{n}", "url": url}) for n, url in enumerate(urls))
    with pytest.raises(UsageError) as caught:
        must_name_something(exclude, [made.model_copy(update={"documents": documents})])
    assert caught.value.hint == hint
