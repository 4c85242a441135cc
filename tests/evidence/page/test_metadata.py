"""Metadata of pages, and the precedence of its sources."""

import json

import pytest

from factscope.evidence.page import ReadPage, iso_date, read_page
from tests.lab.many_cases import try_all

BODY = "<h1>The Marlow bridge reopens</h1><p>The bridge reopened on Friday after two years of work on its arches.</p>"


def read(head: str = "", body: str = BODY, url: str = "https://example.org/a") -> ReadPage:
    return read_page(f"<html><head>{head}</head><body>{body}</body></html>".encode(), "text/html", None, url)


def data(**fields: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", **fields})}</script>'


def test_titles_are_read_in_order_of_preference() -> None:
    whole = "<title>The Marlow bridge reopens | The Marlow Gazette</title>"
    assert read(data(headline="Bridge open") + "<meta property=og:title content=Other>" + whole).title == "Bridge open"
    assert read("<meta property=og:title content='Bridge is open'>" + whole).title == "Bridge is open"
    assert read(whole).title == "The Marlow bridge reopens"
    assert read("<title>Bridge open again – Gazette</title>", "<p>It is open.</p>").title == "Bridge open again"
    assert read("<title>Bridge open again – gov.uk</title>", "<p>It is open.</p>").title == "Bridge open again"
    assert read().title == "The Marlow bridge reopens"
    assert read(body=f"<svg><title>Menu</title></svg>{BODY}").title == "The Marlow bridge reopens"
    assert read("<title>" + "x" * 9_999 + "</title>", "<p>It is open.</p>").title == "x" * 300


def test_authors_are_read_from_metadata_and_bylines() -> None:
    stated = data(author=[{"name": "Ada Lee"}, {"@type": "Person", "name": "Bo Fox"}])
    assert read(stated + "<meta name=author content='No One'>").author == "Ada Lee, Bo Fox"
    assert read("<meta name=author content='By Ada Lee'>").author == "Ada Lee"
    assert read("<meta property=article:author content=https://example.org/ada>").author is None
    assert read(body=BODY + "<a rel=author href=/ada>Ada Lee</a>").author == "Ada Lee"
    assert read(body=BODY + "<p class=byline>By Ada Lee</p>").author == "Ada Lee"
    assert read(data(author={"name": "Gazette"}, publisher={"name": "Gazette"})).author is None


def test_publishers_are_read_from_metadata() -> None:
    assert read(data(publisher={"name": "Gazette"}) + "<meta property=og:site_name content=G>").publisher == "Gazette"
    assert read("<meta property=og:site_name content=Gazette>").publisher == "Gazette"
    assert read().publisher is None


def test_publication_dates_are_read_from_metadata_or_text() -> None:
    meta = "<meta property=article:published_time content=2021-03-04T10:00:00Z>"
    time = "<time datetime=2020-01-02>yesterday</time>"
    assert read(data(datePublished="2022-05-06T00:00Z", dateModified="2023-01-01") + meta).published == "2022-05-06"
    assert read(meta, BODY + time).published == "2021-03-04"
    assert read(body=BODY + time).published == "2020-01-02"
    assert read(body=f"{BODY}<div class=comments>{time}</div>").published is None
    assert read(body=BODY.replace("</h1>", "</h1><p>By Ada Lee, 3 May 2019</p>")).published == "2019-05-03"
    assert read(body=BODY.replace("</h1>", "</h1><p>Joined: 3 May 2019</p>")).published is None
    assert read(url="https://example.org/2018/07/09/bridge").published == "2018-07-09"
    assert read(url="https://example.org/2018/77/09/bridge").published is None


@try_all(
    ("text", "date"),
    [
        ("2024-05-17T08:30:00+01:00", "2024-05-17"),
        ("20240517", "2024-05-17"),
        ("2024/05/17", "2024-05-17"),
        ("Fri, 17 May 2024 08:30:00 GMT", "2024-05-17"),
        ("May 17th, 2024", "2024-05-17"),
        ("17. Mai 2024", "2024-05-17"),
        ("le 1er août 2023", "2023-08-01"),
        ("20 de febrero de 2023", "2023-02-20"),
        ("1 czerwca 2024", "2024-06-01"),
        ("22 августа 2020", "2020-08-22"),
        ("2024年4月8日", "2024-04-08"),
        ("22.08.2020, 14:05", "2020-08-22"),
        ("05/17/2024", "2024-05-17"),
        ("17/05/2024", "2024-05-17"),
        ("05/06/2024", None),
        ("17-05-2024", "2024-05-17"),
        ("05-06-2024", None),
        ("17-May-2024 08:30", "2024-05-17"),
        ("2024-02-30", None),
        ("9999-01-01", None),
        ("0001-01-01", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_are_normalised_to_iso_format(text: str, date: str | None) -> None:
    assert iso_date(text) == date


def test_languages_are_read_from_metadata_or_detected() -> None:
    assert read_page(b"<html lang=de-AT><p>x y z", None, None, "").language == "de"
    assert read("<meta property=og:locale content=fr_FR>").language == "fr"
    assert read().language == "en"
    assert (
        read(body="<p>Die Brücke ist nach zwei Jahren wieder offen und wird von vielen genutzt.</p>").language == "de"
    )
    assert read(body="<p>Мост снова открыт после ремонта.</p>").language == "ru"
    assert read(body="<p>1932 1933 1934</p>").language is None


def test_metadata_hints_at_the_kind_of_source() -> None:
    assert read(data()).hints == ("news",)
    assert read("<meta name=generator content='WordPress 6.2'>").hints == ("blog",)
    assert read("<meta name=generator content='MediaWiki 1.4'>").hints == ("wiki",)
    assert read("<meta name=citation_title content=x>").hints == ("scientific_medical",)
    assert read(url="https://www.gov.example.gov/x").hints == ("government",)
    assert read().hints == ()


@pytest.mark.parametrize(
    "source",
    [
        "{",
        "[" * 100_000,
        '{"@type": ["NewsArticle", 3, null], "author": [[[{"name": 5}]]], "headline": ["x"], "datePublished": {}}',
        '{"@graph": {"@graph": []}, "@type": null}',
        '{"@type": "NewsArticle", "publisher": "", "author": {"name": {"name": null}}}',
        "null",
    ],
)
def test_broken_structured_data_is_ignored(source: str) -> None:
    found = read(f'<script type="application/ld+json">{source}</script>')
    assert found.title == "The Marlow bridge reopens"
    assert found.author is None
