import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from factscope.core import NOT_READ
from factscope.core.records import Exclusions, Failure
from factscope.report import inert, one_line, percent, render, render_many
from tests.lab.many_cases import try_all
from tests.scoring.cited_reports import C, cited, rolled_up

from .asked import asked
from .payloads import SOME
from .samples import Builder, hostile, large, rich, unsettled

# The parts of the Jenkins xUnit plug-in's junit-10 schema that are used: attributes (the required ones
# first) and children.
ALLOWED = {
    "testsuites": ((), ("name",), ("testsuite",)),
    "testsuite": (
        ("name", "tests", "failures", "errors"),
        ("skipped",),
        ("properties", "testcase", "system-out", "system-err"),
    ),
    "properties": ((), (), ("property",)),
    "property": (("name", "value"), (), ()),
    "testcase": (("name",), ("classname", "time"), ("skipped", "error", "failure", "system-out", "system-err")),
    "failure": ((), ("type", "message"), ()),
    "error": ((), ("type", "message"), ()),
    "skipped": ((), ("type", "message"), ()),
    "system-out": ((), (), ()),
    "system-err": ((), (), ()),
}
KINDS = {"supported": None, "contradicted": "failure", "failed": "error"}


def parsed(report):
    root = etree.fromstring(render(report, "junit").encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        required, optional, children = ALLOWED[element.tag]
        assert set(required) <= set(element.attrib) <= {*required, *optional}
        assert {child.tag for child in element} <= set(children)
    for suite in root:
        ended = Counter(child.tag for case in suite.iter("testcase") for child in case)
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        assert int(suite.get("failures")) == ended["failure"]
        assert int(suite.get("errors")) == ended["error"]
        assert int(suite.get("skipped")) == ended["skipped"]
    return root


def cases(report):
    return {case.get("name").partition(":")[0]: case for case in parsed(report).iter("testcase")}


@pytest.mark.parametrize("make", [rich, asked, unsettled, large, lambda: Builder("").build()])
def test_each_claim_is_a_test_case_with_the_result_of_the_claim(make):
    report = make()
    found = cases(report)
    assert list(found) == list(report.unit_ids())
    for name, case in found.items():
        verdict = report.verdict(name)
        assert case.get("classname") == f"{report.response.id}.{name.partition('.')[0]}"
        kind = KINDS.get(verdict.outcome, "skipped")
        ended = [child for child in case if child.tag != "system-out"]
        assert [child.tag for child in ended] == ([kind] if kind else [])
        assert all(child.get("type") == verdict.outcome for child in ended)


def test_a_failure_says_what_the_evidence_says_instead():
    case = cases(asked())["s1.c1"]
    (failure,) = case
    assert failure.get("message") == "the evidence contradicts it: “opened to traffic in May 1913”"
    for part in (
        "sentence: The Mirel bridge was opened in 1911 by Queen Ada.",
        "what is wrong: a name, number, date or place",
        "should say: The Mirel bridge was opened in 1913 by Queen Ada.",
        "contradicts it: “opened to traffic in May 1913” — County roads, https://example.org/",
    ):
        assert part in failure.text


def test_an_undecided_claim_is_skipped_with_the_reason():
    found = cases(asked())
    assert found["s3.c1"][0].get("message") == "the evidence is about a different time"
    assert found["s8.c1"][0].get("message") == "no passage was found"
    assert "so its label does not count" in found["s6.c1"][0].text
    assert "the search ended: More searching is idle" in found["s6.c1"][0].text
    assert "rests on s4.c1, which is contradicted; not counted again" in found["s4.c2"][0].text


def test_a_claim_in_a_language_no_judge_reads_is_an_error():
    reason = f"{NOT_READ}: it is in German, and builtin reads English"
    b = Builder("Die Brücke ist lang. Who knows?")
    segment = b.segment("Die Brücke ist lang.")
    b.verdict(b.claim(segment, skipped=reason), "claim", "not_checkable", reason=reason)
    b.close(segment)
    b.skip("Who knows?", reason="a question")
    found = cases(b.build())
    (error,) = found["s1.c1"]
    assert (error.tag, error.get("type"), error.get("message")) == ("error", "not_judged", reason)
    assert found["s2"][0].tag == "skipped"


def test_the_suite_reports_the_method_scores_warnings_and_general_failures():
    (suite,) = parsed(asked())
    properties = {p.get("name"): p.get("value") for p in suite.iter("property")}
    assert properties["factual_precision"] == "0.20"
    assert properties["method"] == "Two judges and an arbiter, adaptive search, corrections"
    assert "it may be lenient" in suite.findtext("system-err")
    (suite,) = parsed(rich())
    assert suite.findtext("system-err") == "evidence/broken.pdf is not a PDF; it was left out."


def test_a_failure_without_a_claim_is_still_an_error():
    b = Builder("Some text.")
    b.failures.append(Failure(unit_id="r1", stage="segment", boundary="internal", message="It could not be cut."))
    (case,) = parsed(b.build()).iter("testcase")
    assert (case.get("name"), case[0].tag, case[0].get("message")) == ("r1", "error", "It could not be cut.")
    report = large(2)
    lost = Failure(unit_id="s1", stage="claims", boundary="model", message="A part of it could not be cut.")
    report = report.model_copy(update={"failures": (lost,)})
    found = cases(report)
    assert found["s1"][0].tag == "error"
    assert len(found) == 3


@try_all("payload", SOME)
def test_hostile_text_stays_text(payload):
    root = parsed(hostile(payload))
    (suite,) = root
    assert suite.findtext("properties") is not None
    case, other = suite.iter("testcase")
    assert one_line(payload) in case[0].text
    assert other[0].get("message") == f"{one_line(payload)}; the evidence supports only some of it"
    text = render(hostile(payload), "junit")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_every_score_has_its_coverage_beside_it():
    for report in (rich(), unsettled(), Builder("").build()):
        properties = {each.get("name"): each.get("value") for each in parsed(report).iter("property")}
        for score in report.scores:
            shown = "none" if score.coverage is None else percent(score.coverage)
            assert properties[f"{score.name} coverage"] == shown
    assert rich().scores


@settings(deadline=None, max_examples=40)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_any_text_makes_sound_xml(payload):
    case, _ = parsed(hostile(payload)).iter("testcase")
    allowed = re.sub("[\ufffe\uffff]", "\ufffd", inert(payload))
    assert " ".join(allowed.split()) in " ".join(case[0].text.split())


def test_many_reports_are_many_suites():
    reports = [rich(), asked(), large(3)]
    text = "".join(render_many(lambda: reports, (), "junit"))
    suites = etree.fromstring(text.encode())
    assert [int(suite.get("tests")) for suite in suites] == [len(report.unit_ids()) for report in reports]
    alone = [etree.fromstring(render(report, "junit").encode())[0] for report in reports]
    assert [etree.tostring(suite).strip() for suite in suites] == [etree.tostring(suite).strip() for suite in alone]


OPENED, LONG = "The bridge was opened in 1931.", "It is long."
LATE = Failure(unit_id="s1.c1", stage="judging", boundary="timeout", message="It timed out.")
DOWN = Failure(unit_id="s1", stage="claims", boundary="model", message="The model is down.")
GERMAN = f"{NOT_READ}: it is in German"
YES, SILENT = "supported", "not_enough_evidence"
CITATIONS = {
    "its source supports it": (cited([C(OPENED, {"b1": YES})]), ["supports"]),
    "only the other source supports it": (
        cited([C(OPENED, {"b1": YES, "b2": SILENT})], [C(LONG, {"b2": YES})]),
        ["supports", "skipped does_not_say", "supports"],
    ),
    "its source is silent": (cited([C(OPENED, {"b1": SILENT})]), ["failure does_not_say"]),
    "the language is not read": (cited([C("Sie ist lang.", {"b1": None}, GERMAN)]), [f"error not_judged {GERMAN}"]),
    "the language is not read, and nothing is cited": (
        cited([C("Sie ist lang.", {}, GERMAN)], [C(LONG, {"b1": YES})]),
        ["supports", f"error not_judged {GERMAN}"],
    ),
    "judging failed": (cited([C(OPENED, {"b1": None})], failures=(LATE,)), ["error not_judged"]),
    "extraction failed": (
        cited([C(OPENED, {"b1": None})], claims=(), failures=(DOWN,)),
        ["error not_judged The model is down."],
    ),
    "extraction failed in part": (
        cited([C(OPENED, {"b1": YES})], failures=(DOWN,)),
        ["supports", "error failed The model is down."],
    ),
    "extraction failed for words that cite nothing": (
        cited([C("Long ago.")], [C(LONG, {"b1": YES})], failures=(DOWN,)).model_copy(
            update={"claims": cited([C("Long ago.")], [C(LONG, {"b1": YES})]).claims[1:]}
        ),
        ["supports", "error failed The model is down."],
    ),
    "nobody checks it": (cited([C("Who?", {"b1": None}, "a question")]), ["skipped no_claim"]),
    "its source was ruled out": (
        cited([C(OPENED, {"b1": YES})], excluded=Exclusions(documents=("d-b1",))),
        ["skipped excluded"],
    ),
    "its source was not fetched": (
        cited([C(OPENED, {"b1": None})], [C(LONG, {"b1": None})], states={"b1": "not_fetched"}),
        ["skipped not_fetched", "skipped not_there"],
    ),
}


@try_all("case", list(CITATIONS))
def test_a_citation_passes_only_if_its_source_supports_a_claim(case):
    report, expected = CITATIONS[case]
    (suite,) = parsed(rolled_up(report))
    ended = [
        f"{e[0].tag} {e[0].get('type')} {e[0].get('message')}" if len(e) else "supports" for e in suite.iter("testcase")
    ]
    assert len(ended) == len(expected), ended
    assert all(found.startswith(text) for found, text in zip(sorted(ended), sorted(expected), strict=True)), ended


def test_a_text_with_citations_that_could_not_be_split_is_an_error():
    down = DOWN.model_copy(update={"unit_id": "r1", "stage": "segment"})
    report = cited([C(OPENED)], segments=(), claims=(), failures=(down,))
    (case,) = parsed(rolled_up(report)).iter("testcase")
    assert (case[0].tag, case[0].get("message")) == ("error", "The model is down.")
