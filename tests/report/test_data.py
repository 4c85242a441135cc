import json
import re
import subprocess
import sys
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from factscope.core import InputError, UsageError
from factscope.core.records import Exclusions, Report, SearchHit
from factscope.report import RENDERERS, render, render_many, report_schema, reports_from_jsonl
from tests.lab.many_cases import try_all

from .payloads import ESCAPES, SOME
from .samples import Builder, hostile, large, rich, unsettled

VALIDATOR = Draft202012Validator(report_schema())


def test_json_holds_the_whole_report_and_nothing_else():
    for report in (rich(), large(2), Builder("").build()):
        text = render(report, "json")
        assert text.endswith("\n}\n")
        assert Report.model_validate_json(text) == report
        assert list(json.loads(text)) == list(Report.model_fields)


def test_json_is_readable_and_the_same_twice():
    text = render(rich(), "json")
    assert "المنارة مبنية من الجرانيت." in text
    assert "灯塔高三十一米。" in text
    assert text == render(rich(), "json") == render(Report.model_validate_json(text), "json")


@try_all("payload", ESCAPES)
def test_data_holds_no_character_that_a_terminal_obeys(payload):
    report = hostile(payload)
    for form in ("json", "jsonl"):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", render(report, form))
    assert Report.model_validate_json(render(report, "json")) == report
    assert reports_from_jsonl(render(report, "jsonl")) == (report,)


def test_json_validates_against_the_published_schema():
    Draft202012Validator.check_schema(report_schema())
    for report in (rich(), large(2), Builder("").build(), hostile("<x>")):
        VALIDATOR.validate(json.loads(render(report, "json")))


def test_schema_refuses_invalid_reports():
    good = json.loads(render(rich(), "json"))
    for broken in (
        {**good, "surprise": 1},
        {**good, "schema_version": 2},
        {**good, "counts": {"plausible": 1}},
        {**good, "segments": [{**good["segments"][0], "kind": "poem"}]},
        {key: value for key, value in good.items() if key != "verdicts"},
    ):
        assert not VALIDATOR.is_valid(broken)


def test_schema_has_a_name_without_a_host_and_explains_its_fields():
    schema = report_schema()
    assert schema["$id"] == "urn:factscope:report:1"
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "Factscope report"
    assert schema["description"].startswith("Everything about one checked response")
    silent = {
        f"{name}.{field}"
        for name, record in schema["$defs"].items()
        for field, value in record.get("properties", {}).items()
        if "description" not in value and field not in ("type", "id", "text")
    }
    assert silent == set()
    json.dumps(schema)


ORDER = [
    *("report", "response", "segment", "claim", "query", "document"),
    *("passage", "judgement", "verdict", "correction", "failure", "usage", "score"),
]


def test_jsonl_is_one_record_a_line_in_the_order_of_events():
    report = rich()
    lines = [json.loads(line) for line in render(report, "jsonl").splitlines()]
    kinds = [line["type"] for line in lines]
    assert sorted(kinds, key=ORDER.index) == kinds
    assert set(kinds) == set(ORDER)
    assert kinds.count("claim") == len(report.claims)
    assert lines[0]["counts"] == report.counts
    verdicts = [line for line in lines if line["type"] == "verdict"]
    units = set(report.unit_ids())
    for outcome, n in lines[0]["counts"].items():
        assert sum(v["outcome"] == outcome and v["unit_id"] in units for v in verdicts) == n


@try_all("payload", SOME)
def test_jsonl_rebuilds_the_report(payload):
    report = hostile(payload)
    text = render(report, "jsonl")
    assert text.count("\n") == len(text.splitlines())
    assert reports_from_jsonl(text) == (report,)


def test_jsonl_has_each_search_hit_on_its_line():
    hit = SearchHit(id="s2.c1.q1.h1", query_id="s2.c1.q1", rank=1, url="https://example.org", title="A", snippet="b")
    report = rich().model_copy(update={"hits": (hit,)})
    text = render(report, "jsonl")
    assert [json.loads(line)["type"] for line in text.splitlines()].count("hit") == 1
    assert reports_from_jsonl(text) == (report,)


def test_jsonl_keeps_failures_exclusions_and_every_script():
    report = rich()
    excluded = Exclusions(
        documents=("d-é", "d-文"), domains=("例え.jp",), passages=("s1.c1.pi\u0300",), categories=("blog",)
    )
    report = report.model_copy(update={"excluded": excluded})
    assert len(report.failures) > 1
    assert any(score.interval for score in report.scores)
    (again,) = reports_from_jsonl(render(report, "jsonl"))
    assert again == report
    assert again.excluded == excluded
    assert render(again, "jsonl") == render(report, "jsonl")
    for other in (large(2), unsettled(), Builder("").build(), Builder("\ufeff\u200b\r\n").build()):
        assert reports_from_jsonl(render(other, "jsonl")) == (other,)


@settings(deadline=None, max_examples=30)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_survives_as_data(payload):
    report = hostile(payload)
    assert reports_from_jsonl(render(report, "jsonl")) == (report,)
    assert Report.model_validate_json(render(report, "json")) == report


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda lines: [*lines[:3], "{broken", *lines[3:]], "Line 4 is not a record"),
        (lambda lines: [*lines, "[1]"], "is not a record"),
        (lambda lines: [*lines, '{"type": "poem"}'], "unknown type 'poem'"),
        (lambda lines: lines[1:], "not a whole report: factscope"),
        (lambda lines: [line for line in lines if '"verdict"' not in line], "units without a verdict"),
        (lambda lines: [*lines, *(line for line in lines if '"type":"claim"' in line)], "listed more than once"),
        (lambda lines: [re.sub(r'"value": ?[\d.]+', '"value": NaN', line) for line in lines], "finite number"),
    ],
)
def test_broken_lines_are_named(spoil, message):
    with pytest.raises(InputError, match=re.escape(message)):
        reports_from_jsonl("\n".join(spoil(render(rich(), "jsonl").splitlines())))


def test_the_lines_of_a_run_are_read_back_report_by_report():
    reports = [rich(), Builder("").build(), hostile("<x>\u2028")]
    text = "".join(render_many(lambda: reports, (), "jsonl"))
    assert list(reports_from_jsonl(text)) == reports
    with_row = "".join(render_many(lambda: reports, (), "jsonl", ["Row 4: it has no text"]))
    assert list(reports_from_jsonl(with_row)) == reports
    assert reports_from_jsonl(text.split("\n")[0]) == (reports[0],)
    assert reports_from_jsonl(render(rich(), "jsonl")) == (rich(),)
    with pytest.raises(InputError, match="Line 4 is not a whole report, as the lines of a run"):
        reports_from_jsonl(text + '{"type": "claim"}')
    with pytest.raises(InputError, match="Line 1 is not a whole report: counts"):
        reports_from_jsonl(text.replace('"counts":{', '"counts":{"plausible":1,', 1))


def test_reading_the_lines_of_a_run_holds_its_reports_and_not_all_of_its_json_beside_them():
    text = "".join(render_many(lambda: [large()], (), "jsonl")) * 30
    tracemalloc.start()
    try:
        reports = reports_from_jsonl(text)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(reports) == 30
    assert peak - held < 2 * len(text), (peak, held, len(text))
    for empty in ("", "\n", '{"type": "left_out", "message": "Row 1: it has no text"}\n'):
        with pytest.raises(InputError, match="The lines are not a whole report"):
            reports_from_jsonl(empty)


def test_unknown_format_lists_the_known_ones():
    with pytest.raises(UsageError, match="Unknown format 'docx'"):
        render(rich(), "docx")


@pytest.mark.parametrize("form", RENDERERS.names())
def test_a_claim_without_its_segment_is_refused_rather_than_lost(form):
    report = rich()
    orphan = report.model_copy(update={"segments": report.segments[:-1]})
    if form in ("json", "jsonl"):  # data formats show what is there
        assert '"s14.c1"' in render(orphan, form)
    else:
        with pytest.raises(InputError, match=re.escape("claim s14.c1 belongs to s14")):
            render(orphan, form)


def test_importing_the_report_package_loads_no_heavy_libraries():
    script = (
        "import sys, factscope.report as r; heavy = {'rich', 'jinja2', 'numpy', 'markupsafe'} & set(sys.modules); "
        "assert not heavy, heavy; assert r.RENDERERS"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
