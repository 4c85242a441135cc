import csv
import io
import re
import sys
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt

from factscope.core import StoreError, UsageError
from factscope.report import COLUMNS, MARKS, escaped, inert, one_line, render, web_address
from tests.conftest import at_least
from tests.lab.many_cases import try_all
from tests.report.asked import FLASH, HAIKU, MINI, asked
from tests.report.payloads import ESCAPES, FORMULAS, SOME
from tests.report.samples import Builder, hostile, large, rich

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


def rows(report):
    return list(csv.DictReader(io.StringIO(render(report, "csv"), newline=""), strict=True))


def test_csv_has_one_row_per_unit_and_the_counts_add_up():
    report = rich()
    found = rows(report)
    assert [row["id"] for row in found] == list(report.unit_ids())
    assert Counter(row["outcome"] for row in found) == Counter(report.counts)
    assert sum(int(row["judgements"]) for row in found) == len(report.judgements)
    assert all(row["word"] == MARKS[row["outcome"]].word for row in found)


def test_csv_row_says_what_the_verdict_rests_on():
    row = next(row for row in rows(rich()) if row["id"] == "s3.c2")
    assert list(row) == list(COLUMNS)
    assert list(row.values()) == [
        "s3.c2",
        "claim",
        "It is 31 metres high, was the first in the country with electric light, and its keeper lived in the tower "
        "until 1974.",
        "The lighthouse of Sandvik was the first in the country with electric light.",
        "contradicted",
        "contradicted",
        "“Before” and another first tower named.",
        "0.830",
        "builtin-1",
        "four towers of the country had it before",
        "Harbour chronicle of Sandvik",
        "evidence/harbour.md",
        "2",
        *("", "", "", "", "", "relation", "Holmen was the first, in 1889.", "0", "0", ""),
        *("", "", "", "", "2019-04-02", "", "", "", "0", "0", "0", "", "", ""),
    ]


def test_csv_includes_the_records_only_language_models_make():
    found = {row["id"]: row for row in rows(asked())}
    assert {name: row["gap"] for name, row in found.items() if row["gap"]} == {
        "s1.c2": "conflicting",
        "s3.c1": "outdated",
        "s4.c3": "partial",
        "s5.c1": "subjective",
        "s6.c1": "insufficient",
    }
    assert found["s1.c2"]["agreement"] == "0.333"
    assert found["s1.c2"]["panel"] == f"{HAIKU}: contradicted; {FLASH}: undecided; {MINI}: supported"
    assert found["s1.c1"]["confidence_from"] == "stated"
    assert found["s2.c1"]["confidence_from"] == "logprobs"
    assert found["s1.c1"]["error"] == "entity"
    assert found["s1.c1"]["correction"] == "The Mirel bridge was opened in 1913 by Queen Ada."
    assert (found["s4.c1"]["error"], found["s4.c1"]["correction"]) == ("invented", "")
    assert found["s4.c2"]["at_risk"] == "s4.c1"
    assert found["s6.c1"]["not_counted"] == "1"
    assert found["s6.c1"]["queries"] == "3"
    assert found["s6.c1"]["search_ended"].startswith("More searching is idle")


def parquet_rows(content, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    place = tmp_path / "claims.parquet"
    place.write_bytes(content)
    with duckdb.connect() as db:
        found = db.execute("FROM read_parquet(?)", [str(place)])
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_parquet_has_the_rows_of_the_csv_with_numbers_and_nulls(tmp_path):
    for report in (asked(), rich()):
        found = parquet_rows(render(report, "parquet"), tmp_path)
        plain = rows(report)
        assert [list(row) for row in found] == [list(row) for row in plain]
        for row, told in zip(found, plain, strict=True):
            for column, kind in COLUMNS.items():
                assert row[column] is None or type(row[column]) is kind
                if kind is str:
                    assert (row[column] or "") == told[column].removeprefix("'")
                elif kind is int:
                    assert str(row[column]) == told[column]
                elif told[column]:
                    assert row[column] == pytest.approx(float(told[column]), abs=0.0005)
                else:
                    assert row[column] is None


@pytest.mark.parametrize("payload", [*ESCAPES, "=1+1", "'; DROP TABLE x; --", '"quoted" \\ back', "\ufffe\uffff"])
def test_text_stays_text_in_parquet(payload, tmp_path):
    row, _ = parquet_rows(render(hostile(payload), "parquet"), tmp_path)
    assert row["segment"] == inert(payload)
    assert row["source_title"] == inert(payload)


def test_an_empty_report_is_a_table_without_rows(tmp_path):
    assert parquet_rows(render(Builder("").build(), "parquet"), tmp_path) == []


def test_parquet_without_duckdb_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match=re.escape("pip install 'factscope[data]'")):
        render(rich(), "parquet")


def test_a_full_disk_is_reported_plainly(monkeypatch, tmp_path):
    pytest.importorskip("duckdb")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(StoreError, match="can't be made"):
        render(rich(), "parquet")


def test_csv_follows_rfc_4180():
    text = render(rich(), "csv")
    assert text.endswith("\r\n")
    assert text.count("\r\n") == len(rich().unit_ids()) + 1
    assert '"print(""beam"", 18)"' in text
    assert "المنارة" in text


@try_all("payload", SOME)
def test_no_cell_is_a_formula_or_holds_a_control(payload):
    row, _ = rows(hostile(payload))
    for cell in row.values():
        assert not re.match("[=+\\-@\t\r\n＝＋－＠]", cell)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", cell)
    assert row["segment"] in (inert(payload), "'" + inert(payload))


@try_all("payload", FORMULAS)
def test_formula_is_preserved_as_text(payload):
    row, _ = rows(hostile(payload))
    for column in ("segment", "quote", "source_title", "source_url", "reason", "judge"):
        assert row[column] == "'" + inert(payload)


@settings(deadline=None, max_examples=40)
@given(ANY_TEXT)
def test_any_text_stays_in_its_cell(payload):
    row, _ = rows(hostile(payload))
    assert row["id"] == "s1.c1"
    assert row["claim"] == inert(f"Claim: {payload}")
    assert None not in row


def rendered(report):
    """Render the Markdown as a page with raw HTML allowed: anything unescaped shows up as an element."""
    text = render(report, "md")
    return html.fromstring(f"<div>{MarkdownIt('commonmark', {'html': True}).enable('table').render(text)}</div>")


MARKDOWN_TAGS = {
    *("div", "h1", "h2", "h3", "p", "ul", "li", "table"),
    *("thead", "tbody", "tr", "th", "td", "strong", "em", "blockquote", "a", "hr"),
}


def test_markdown_reads_well_and_the_counts_add_up():
    report = rich()
    page = rendered(report)
    assert (
        page.xpath(".//h1")[0].text == "1 of 14 claims could not be checked; the evidence contradicts 2 and supports 7."
    )
    outcomes = [[cell.text_content() for cell in row] for row in page.xpath(".//table[2]//tr")[1:]]
    *single, (word, total) = outcomes
    assert {label[2:]: int(n) for label, n in single} == {MARKS[o].word: n for o, n in report.counts.items()}
    assert (word, int(total)) == ("all", sum(report.counts.values()))
    assert len(page.xpath(".//h3")) == len(report.segments)
    quotes = [" ".join(q.text_content().split()) for q in page.iter("blockquote")]
    assert (
        "On 9 October 1868 the lamp was lit for the first time — Harbour chronicle of Sandvik, evidence/harbour.md · "
        "published 2019-04-02 (against, high confidence)" in quotes
    )
    assert any(q.startswith("quote not found in the passage") for q in quotes)
    assert "The lamp was lit in May 1871" not in page.text_content()
    for failure in report.failures:
        assert page.text_content().count(failure.message) == 1


def test_markdown_links_only_to_web_addresses():
    links = {a.get("href") for a in rendered(rich()).iter("a")}
    assert links == {"https://lights.example.org/sandvik", "https://wiki.example.org/Sandvik"}


def test_markdown_of_plain_words_is_plain():
    words = "Plain words, (in brackets), 3.5 km – 100 % “quoted”: it's 1,000; a-b/c? 0.1.0"
    assert escaped(words) == words


@cache
def harmless_tags():
    return [element.tag for element in rendered(hostile("harmless")).iter()]


@try_all("payload", SOME)
def test_hostile_text_stays_text_in_markdown(payload):
    page = rendered(hostile(payload))
    assert {element.tag for element in page.iter()} <= MARKDOWN_TAGS
    if web_address(payload) is None:
        assert [element.tag for element in page.iter()] == harmless_tags()
    assert " ".join(page.text_content().split()).count(one_line(payload)) >= 8


@settings(deadline=None, max_examples=at_least(20, in_all=60))
@given(st.one_of(ANY_TEXT, st.text("\\`*_{}[]()#+-.!|<>&~:/@$^=1a \n", min_size=1, max_size=40)))
def test_escaped_text_shows_as_it_is(text):
    page = html.fromstring(f"<div>{MarkdownIt('commonmark', {'html': True}).render('x ' + escaped(text))}</div>")
    assert " ".join(page.text_content().split()) == " ".join(f"x {one_line(text)}".split())
    alone = html.fromstring(f"<div>{MarkdownIt('commonmark', {'html': True}).render(escaped(text))}</div>")
    assert {element.tag for element in alone.iter()} <= {"div", "p"}


def test_empty_and_large_reports_are_written():
    assert rows(Builder("").build()) == []
    assert "This text contains no checkable claim." in render(Builder("").build(), "md")
    assert len(rows(large(40))) == 40
