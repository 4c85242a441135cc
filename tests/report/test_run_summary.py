"""Many reports: one after another, with totals first where a form begins with them."""

import csv
import io
import json
import re
import weakref
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console

from factscope.core import UsageError
from factscope.core.records import Report
from factscope.report import (
    COLUMNS,
    MOST_CLAIMS,
    MOST_DETAILS,
    format_of,
    formats_of_many,
    one_line,
    print_reports,
    render,
    render_many,
    reports_from_jsonl,
)
from factscope.scoring import summarise_all
from tests.lab.many_cases import try_all
from tests.report.asked import asked
from tests.report.payloads import SOME
from tests.report.samples import Builder, hostile, large
from tests.report.test_html import assert_harmless, of_class

BAD = asked()
GOOD = large(3).model_copy(update={"method": BAD.method})


def named(report, name):
    """Rename the report's response."""
    verdicts = [v.model_copy(update={"unit_id": name}) if v.level == "response" else v for v in report.verdicts]
    response = report.response.model_copy(update={"id": name})
    return report.model_copy(update={"response": response, "verdicts": tuple(verdicts)})


REPORTS = [named(BAD, "first"), named(GOOD, "second"), named(GOOD, "third"), named(BAD, "fourth")]
SCORES = summarise_all(REPORTS)


def made(form, reports=None, scores=SCORES):
    return "".join(render_many(lambda: REPORTS if reports is None else reports, scores, form))


def printed(width=120, reports=None, scores=SCORES, **console):
    out = io.StringIO()
    print_reports(lambda: REPORTS if reports is None else reports, scores, Console(file=out, width=width, **console))
    return out.getvalue()


def page(reports=None):
    return html.document_fromstring(made("html", reports))


@pytest.mark.parametrize("form", ["html", "md", "text"])
def test_rows_that_could_not_be_checked_are_named(form):
    rows = [f"Row {number}: It has no <text>." for number in range(1, 13)]
    if form == "text":
        out = io.StringIO()
        print_reports(lambda: REPORTS, SCORES, Console(file=out, width=120), rows)
        shown = out.getvalue()
    else:
        shown = "".join(render_many(lambda: REPORTS, SCORES, form, rows))
    shown = html.document_fromstring(shown).text_content() if form == "html" else shown.replace("\\", "")
    assert "12 rows of the data could not be checked, and no score counts them." in shown
    assert "Row 10: It has no" in shown
    assert "Row 11" not in shown
    assert "2 more rows: JSON and JSON Lines name them all." in shown


@pytest.mark.parametrize("form", ["html", "md"])
def test_an_uncheckable_run_is_not_described_as_free_of_contradictions(form):
    failed, skipped = Builder("It opened."), Builder("Really?")
    failed.verdict(failed.claim(failed.segment("It opened."), "It opened."), "claim", "failed")
    skipped.skip("Really?", reason="a question")
    reports = [named(failed.build(), "a"), named(skipped.build(), "b")]
    for text in (made(form, reports, ()), printed(80, reports, ())):
        assert "Nothing could be checked in 2 responses." in text
        assert "contradicts nothing" not in text


def test_a_unit_that_failed_without_a_failed_step_counts_as_a_failure():
    failed = Builder("It opened.")
    failed.verdict(failed.claim(failed.segment("It opened."), "It opened."), "claim", "failed")
    reports = [named(GOOD, "a"), named(failed.build(), "b")]
    assert "1 failed · 1 failure" in page(reports).text_content()
    shown = printed(reports=reports)
    assert "1 failed; 1 failure" in shown
    assert [line.split()[-1] for line in shown.splitlines() if line.startswith("b  ")] == ["1"]


def test_a_single_omitted_row_is_described_in_the_singular():
    text = "".join(render_many(lambda: REPORTS, SCORES, "md", ["Row 3: It has no text."]))
    assert "1 row of the data could not be checked, and no score counts it." in text


def test_json_lines_hold_every_report_whole():
    lines = made("jsonl").splitlines()
    assert [Report.model_validate_json(line) for line in lines] == REPORTS


def test_omitted_rows_are_included_in_machine_readable_formats():
    rows = ["Row 3: It has no <text>.", "Response b: It has no contexts."]
    texts = {form: "".join(render_many(lambda: REPORTS, (), form, rows)) for form in ("jsonl", "junit", "sarif")}
    lines = [json.loads(line) for line in texts["jsonl"].splitlines()[len(REPORTS) :]]
    assert lines == [{"type": "left_out", "message": row} for row in rows]
    assert reports_from_jsonl(texts["jsonl"]) == tuple(REPORTS)
    suite = etree.fromstring(texts["junit"].encode())[-1]
    assert (suite.get("tests"), suite.get("errors")) == ("2", "2")
    assert [case[0].get("message") for case in suite] == rows
    (invocation,) = json.loads(texts["sarif"])["runs"][0]["invocations"]
    assert [note["message"]["text"] for note in invocation["toolExecutionNotifications"]][:2] == rows
    assert invocation["executionSuccessful"] is False


def test_csv_has_the_rows_of_all_with_the_response_first():
    found = list(csv.reader(io.StringIO(made("csv"), newline=""), strict=True))
    assert found[0] == ["response", *COLUMNS]
    alone = [
        [report.response.id, *row]
        for report in REPORTS
        for row in list(csv.reader(io.StringIO(render(report, "csv"), newline="")))[1:]
    ]
    assert found[1:] == alone


def test_parquet_has_the_rows_of_all(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    place = tmp_path / "claims.parquet"
    place.write_bytes(b"".join(render_many(lambda: REPORTS, (), "parquet")))
    with duckdb.connect() as db:
        found = db.execute("SELECT response, id FROM read_parquet(?)", [str(place)]).fetchall()
    assert found == [(report.response.id, name) for report in REPORTS for name in report.unit_ids()]


@pytest.mark.parametrize("form", formats_of_many())
def test_one_report_at_a_time_is_held(form):
    if form == "parquet":
        pytest.importorskip("duckdb")
    held, most = set(), []

    def reports():
        for number in range(30):
            report = named(GOOD, f"r{number}")
            held.add(number)
            weakref.finalize(report, held.discard, number)
            yield report
            del report
            most.append(len(held))

    assert sum(len(piece) for piece in render_many(reports, (), form)) > 0
    assert max(most) <= 3


@pytest.mark.parametrize("form", ["jsonl", "csv", "junit", "claimreview"])
def test_data_streams_from_the_first_report_on(form):
    drawn = []

    def reports():
        for number in range(50):
            drawn.append(number)
            yield named(GOOD, f"r{number}")

    pieces = render_many(reports, (), form)
    text = next(pieces)
    while "r0" not in text:
        text += next(pieces)
    assert len(drawn) <= 2


def test_the_page_shows_totals_scores_and_a_row_for_each_response():
    found = page()
    assert_harmless(found)
    assert found.xpath("//h1")[0].text == "The evidence contradicts something in 2 of 4 responses."
    assert "2 supported, 2 contradicted · 2 failures" in found.text_content()
    (lead, _) = of_class(found, "score")
    shown = " ".join(lead.text_content().split())
    assert "mean over 4 responses · 95% interval" in shown
    heads, *rows = [[" ".join(cell.text_content().split()) for cell in row] for row in found.iter("tr")]
    assert heads == [
        *("response", "verdict", "supported", "contradicted", "undecided", "no evidence", "failed"),
        *("Claims supported", "Hallucination (alpha=0.5)", "coverage", "failures"),
    ]
    assert rows == [
        ["first", "✗ contradicted", "2", "3", "5", "1", "1", "0.20", "1.58", "91%", "1"],
        ["second", "✓ supported", "3", "0", "0", "0", "0", "", "", "100%", "0"],
        ["third", "✓ supported", "3", "0", "0", "0", "0", "", "", "100%", "0"],
        ["fourth", "✗ contradicted", "2", "3", "5", "1", "1", "0.20", "1.58", "91%", "1"],
    ]


def test_only_responses_with_something_contradicted_lead_to_details_and_back():
    found = page()
    links = {a.text: a.get("href") for a in found.find(".//tbody").iter("a")}
    assert links == {"first": "#p1", "fourth": "#p4"}
    ids = found.xpath("//@id")
    assert len(ids) == len(set(ids))
    for target in found.xpath("//a/@href[starts-with(., '#')]"):
        assert target[1:] in ids
    details = found.get_element_by_id("p4")
    assert "3 of 12 claims contradicted" in details.text_content()
    assert [h4.text for h4 in details.iter("h4")] == [
        "The Mirel bridge was opened in 1911.",
        "The Mirel bridge has a ferry house.",
        "The ferry house of the Mirel bridge was built in 1890.",
    ]
    assert [ins.text for ins in details.iter("ins")] == ["1913"]


def contradicted(n):
    """Make a report with `n` contradicted claims."""
    sentences = [f"Tower {i} is {i} metres high." for i in range(n)]
    b = Builder(" ".join(sentences))
    source = b.document("Towers", None)
    for sentence in sentences:
        s = b.segment(sentence)
        c = b.claim(s)
        j = b.judged(c, 1, source, "All towers are lower.", "contradicted", "All towers are lower.")
        b.verdict(c, "claim", "contradicted", judgement_ids=(j,))
        b.close(s)
    return b.build()


@pytest.mark.parametrize("form", ["html", "md"])
def test_details_are_capped_and_say_so(form):
    text = made(form, [contradicted(MOST_CLAIMS + 2)], ())
    assert text.count("Tower 0 is 0 metres high.") == 1
    assert f"Tower {MOST_CLAIMS - 1} is" in text
    assert f"Tower {MOST_CLAIMS} is" not in text
    assert "and 2 more" in text
    one = contradicted(1)
    text = made(form, (named(one, f"r{n}") for n in range(0)), ())
    assert "There are no responses." in text
    many = [named(one, f"r{n}") for n in range(MOST_DETAILS + 3)]
    text = made(form, many, ())
    assert text.count("Tower 0 is 0 metres high.") == MOST_DETAILS
    assert "and something in 3 more responses" in text
    assert f"r{MOST_DETAILS + 2}" in text


def test_markdown_is_a_table_and_its_details():
    root = html.fromstring(f"<div>{MarkdownIt('commonmark').enable('table').render(made('md'))}</div>")
    scores, responses = root.iter("table")
    assert len(scores.findall(".//tbody/tr")) == 2
    assert [row[0].text_content() for row in responses.findall(".//tbody/tr")] == ["first", "second", "third", "fourth"]
    assert [h3.text for h3 in root.iter("h3")] == ["first", "fourth"]
    assert "Should say: The Mirel bridge was opened in 1913 by Queen Ada." in root.text_content()


def test_terminal_is_a_table_where_it_fits():
    text = printed(120)
    lines = text.splitlines()
    (head,) = [n for n, line in enumerate(lines) if line.startswith("response")]
    assert lines[head].split()[2:] == ["✓", "✗", "?", "∅", "!", "[1]", "[2]", "cover", "fail"]
    first = lines[head + 1].split()
    assert first == ["first", "✗", "contradicted", "2", "3", "5", "1", "1", "0.20", "1.58", "91%", "1"]
    for width in (60, 80, 120):
        for line in printed(width).splitlines():
            assert cell_len(line) <= width
            assert line == line.rstrip()
    assert "first" in printed(60)
    assert "✗ 3 · ? 5 · ∅ 1 · ! 1 · [1] 0.20" in printed(80, [named(BAD, "a-long-name-" * 4)])


@try_all("payload", SOME)
def test_hostile_names_and_texts_stay_text(payload):
    reports = [named(hostile(payload), payload or "x"), named(GOOD, f"{payload} 2")]
    found = page(reports)
    assert_harmless(found)
    assert len(list(found.iter("article"))) == 1
    shown = " ".join(found.text_content().split())
    assert shown.count(one_line(payload)) >= 5
    written = made("md", reports, ())
    for text in (written, printed(80, reports, ())):
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)
    root = MarkdownIt("commonmark", {"html": True}).enable("table").render(written)
    tags = {element.tag for element in html.fromstring(f"<div>{root}</div>").iter()}
    assert not tags & {"script", "img", "iframe", "svg", "style", "form", "object", "embed", "input", "meta", "link"}


@settings(deadline=None, max_examples=15)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40), max_size=4))
def test_every_response_gets_a_row_whatever_its_name(names):
    reports = [named(GOOD, f"x{name}") for name in names]
    assert len(page(reports).findall(".//tbody/tr")) == len(names)
    rows = list(csv.reader(io.StringIO(made("csv", reports), newline="")))[1:]
    assert len(rows) == 3 * len(names)
    for width in (60, 120):
        assert all(cell_len(line) <= width for line in printed(width, reports, ()).split("\n"))


@pytest.mark.parametrize("form", [form for form in formats_of_many() if form != "parquet"])
def test_no_reports_at_all(form):
    text = made(form, [], ())
    if form == "claimreview":
        assert len(json.loads(text)["@graph"]) == 1
    if form in ("html", "md"):
        assert "There are no responses." in text
    assert "There are no responses." in printed(80, [], ())


def test_totals_agree_with_the_reports():
    units = Counter()
    for report in REPORTS:
        units.update(report.counts)
    rows = [[cell.text_content() for cell in row] for row in page().findall(".//tbody/tr")]
    for column, outcome in enumerate(("supported", "contradicted", "undecided", "no_evidence", "failed"), 2):
        assert sum(int(row[column]) for row in rows) == units[outcome]


def test_an_unknown_format_is_refused_at_once():
    with pytest.raises(UsageError, match="Choose one of: claimreview, csv"):
        render_many(lambda: REPORTS, (), "json")


@try_all(
    ("name", "form"),
    [
        ("report.html", "html"),
        ("REPORT.HTM", "html"),
        ("a.b.md", "md"),
        ("x.json", "json"),
        ("x.claimreview.json", "claimreview"),
        ("x.jsonl", "jsonl"),
        ("x.junit.xml", "junit"),
        ("x.xml", "junit"),
        ("x.parquet", "parquet"),
        ("x.csv", "csv"),
        ("x.txt", "text"),
        ("x.docx", None),
        ("json", None),
        ("", None),
    ],
)
def test_the_file_extension_determines_the_format(name, form):
    assert format_of(name) == form
