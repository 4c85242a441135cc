import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.report import NOTICE, render, render_many
from tests.lab.many_cases import try_all

from .asked import asked
from .payloads import SOME
from .samples import Builder, hostile, rich

JUDGED = ("supported", "contradicted", "undecided")


def graph(text):
    data = json.loads(text)
    assert list(data) == ["@context", "@graph"]
    assert data["@context"] == "https://schema.org"
    notice, *reviews = data["@graph"]
    assert notice["creativeWorkStatus"] == "Draft"
    assert "a person must review each of these verdicts" in notice["description"]
    assert "url, author and datePublished" in notice["description"]
    return reviews


def reviews(report):
    return graph(render(report, "claimreview"))


@pytest.mark.parametrize("make", [rich, asked])
def test_only_judged_claims_are_reviewed_each_as_a_draft(make):
    report = make()
    found = reviews(report)
    claims = {claim.id: claim for claim in report.claims}
    judged = [claims[name] for name in report.unit_ids() if report.verdict(name).outcome in JUDGED]
    assert [review["claimReviewed"] for review in found] == [claim.standalone for claim in judged]
    for review, claim in zip(found, judged, strict=True):
        assert review["@type"] == "ClaimReview"
        assert review["creativeWorkStatus"] == "Draft"
        assert review["description"].startswith(NOTICE)
        assert not {"url", "author", "datePublished"} & {*review, *review["itemReviewed"]}
        item = review["itemReviewed"]
        segment = next(segment for segment in report.segments if segment.id == claim.segment_id)
        assert (item["@type"], item["text"]) == ("Claim", claim.standalone)
        assert item["appearance"]["text"] == segment.text
        assert item["appearance"]["identifier"] == f"{report.response.id}/{segment.id}"


def test_the_rating_states_its_scale_and_undecided_has_no_number():
    found = {review["claimReviewed"]: review["reviewRating"] for review in reviews(asked())}
    scale = {"bestRating": 5, "worstRating": 1}
    wrong = found["The Mirel bridge was opened in 1911."]
    assert {key: wrong[key] for key in ("ratingValue", *scale)} == {"ratingValue": 1, **scale}
    assert wrong["alternateName"] == "contradicted"
    assert "should say: The Mirel bridge was opened in 1913" in wrong["ratingExplanation"]
    right = found["The Mirel bridge is made of iron."]
    assert {key: right[key] for key in ("ratingValue", *scale)} == {"ratingValue": 5, **scale}
    open_ = found["The Mirel bridge carries 9,000 cars a day."]
    assert open_ == {
        "@type": "Rating",
        "alternateName": "undecided",
        "ratingExplanation": "the evidence is about a different time",
    }


def test_evidence_is_cited_with_its_words_and_only_web_addresses():
    found = {review["claimReviewed"]: review.get("citation") for review in reviews(rich())}
    built = found["The lighthouse of Sandvik was built in 1868 and stands on a granite rock."]
    assert [citation["text"] for citation in built] == [
        "The lighthouse was raised on the granite rock of Sandvik in 1868, after two winters of work.",
        "First lit 1868.",
    ]
    assert built[0]["isPartOf"] == {
        "@type": "CreativeWork",
        "name": "Harbour chronicle of Sandvik",
        "datePublished": "2019-04-02",
    }
    assert built[1]["isPartOf"]["url"] == "https://lights.example.org/sandvik"
    electric = found["The lighthouse of Sandvik was the first in the country with electric light."]
    assert [citation["description"] for citation in electric] == ["contradicts it"]  # the other is ruled out


@try_all("payload", SOME)
def test_claimreview_is_safe_inside_a_page_and_in_a_terminal(payload):
    text = render(hostile(payload), "claimreview")
    assert not re.search("[<>&\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)
    first, second = graph(text)
    assert first["claimReviewed"] == f"Claim: {payload}"
    assert first["citation"][0]["text"] == payload
    assert second["claimReviewed"] == f"Claim that rests on it: {payload}"


@settings(deadline=None, max_examples=30)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_any_text_survives(payload):
    assert reviews(hostile(payload))[0]["claimReviewed"] == f"Claim: {payload}"


def test_a_report_with_nothing_judged_is_a_graph_with_only_the_notice():
    assert reviews(Builder("").build()) == []


def test_many_reports_are_one_graph():
    reports = [rich(), Builder("").build(), asked()]
    together = graph("".join(render_many(lambda: reports, (), "claimreview")))
    assert together == [review for report in reports for review in reviews(report)]
