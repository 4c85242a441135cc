"""Engine replies of any content: reading gives results or an error, and only plain values."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.evidence.search import (
    EngineService,
    SearchError,
    SearchResults,
    day,
    error_words,
    kind_of,
    listed_wait,
    marked_up,
    results_from_json,
    results_to_json,
    shortened,
    text,
)
from factscope.evidence.search.engines import BRAVE, SEARXNG, SERPER, TAVILY, WIKIPEDIA
from tests.lab.many_cases import try_all

TODAY = date(2026, 11, 21)
SERVICES = [SERPER, BRAVE, TAVILY, SEARXNG, WIKIPEDIA]
FIELDS = [
    "link",
    "url",
    "fullurl",
    "title",
    "snippet",
    "content",
    "description",
    "date",
    "page_age",
    "publishedDate",
    "extract",
    "published_date",
    "attributes",
    "answer",
    "index",
    "snippetHighlighted",
    "long_desc",
    "id",
    "label",
    "value",
    "infobox",
]
NAMES = [
    "organic", "results", "web", "query", "pages", "answerBox", "knowledgeGraph", "searchParameters", "infobox", "code",
    "error", "infoboxes", "answers", "unresponsive_engines", "type", "batchcomplete", "info", "detail", "message",
]  # fmt: skip
WORDS = st.text(max_size=12) | st.sampled_from(
    ["https://a.org/x", "javascript:x", "search", "2024-05-06", "Mar 5, 2024", "3 days ago", "\ud800", "\x00\x1b[31m"]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES + FIELDS), inner, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(NAMES), JSON, max_size=4)
FOUND = st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=6) | SCALARS, max_size=3) | JSON


def in_every_form(found: object, more: dict[str, Any]) -> dict[str, Any]:
    """Return a reply with its results in every engine's place for them."""
    form = {"organic": found, "results": found, "web": {"results": found}, "query": {"pages": found}, "type": "search"}
    return form | more


def read(service: EngineService, values: dict[str, Any]) -> SearchResults | None:
    """Return the results, or None after an error."""
    try:
        return service.read(values, TODAY)
    except (ValueError, SearchError):
        return None


def strings(value: object) -> list[str]:
    if isinstance(value, tuple):
        return [each for part in value for each in strings(part)]
    return [value] if isinstance(value, str) else []


@given(values=st.builds(in_every_form, FOUND, OBJECTS) | OBJECTS)
def test_hostile_replies_are_read_or_refused(values: dict[str, Any]) -> None:
    for results in filter(None, (read(service, values) for service in SERVICES)):
        assert [hit.rank for hit in results.hits] == list(range(1, len(results.hits) + 1))
        for hit in results.hits:
            assert hit.url.lower().startswith(("http://", "https://"))
            assert hit.published is None or date.fromisoformat(hit.published)
        assert all(each.texts for each in results.direct)
        for each in strings(results):
            each.encode()  # no lone surrogates
            assert not {"\x00", "\x1b", "\n"} & set(each)
        assert results_from_json(results_to_json(results)) == results


@settings(max_examples=50)
@given(values=st.dictionaries(st.sampled_from(FIELDS) | st.just("error"), JSON, max_size=4))
def test_a_reply_in_an_unknown_format_is_never_an_empty_result(values: dict[str, Any]) -> None:
    assert all(read(service, values) is None for service in SERVICES)


@pytest.mark.parametrize(
    ("service", "values"),
    [
        (SERPER, {"organic": [{"title": "no link"}]}),
        (SERPER, {"organic": None}),
        (SERPER, {"message": "Unauthorized.", "statusCode": 403}),
        (BRAVE, {"type": "ErrorResponse", "error": {"code": "X"}}),
        (BRAVE, {"type": "search", "web": {"results": None}}),
        (BRAVE, {"type": "search", "web": {}}),
        (BRAVE, {"web": None}),
        (TAVILY, {"query": "x", "results": None}),
        (TAVILY, {"detail": "x"}),
        (SEARXNG, {"results": {}}),
        (WIKIPEDIA, {"query": None, "pages": []}),
        (WIKIPEDIA, {"query": {"pages": 7}}),
    ],
)
def test_failures_that_look_like_empty_results_are_failures(service: EngineService, values: dict[str, Any]) -> None:
    results = read(service, values)
    assert results is None or (service is WIKIPEDIA and values["query"] is None and results == SearchResults())


def test_the_pages_of_older_wikis_are_read_too() -> None:
    pages = {
        "12": {"index": 2, "title": "B", "fullurl": "https://w.org/B"},
        "7": {"index": 1, "title": "A", "fullurl": "https://w.org/A", "extract": "It is.\n\nIndeed."},
    }
    results = WIKIPEDIA.read({"query": {"pages": pages}}, TODAY)
    assert [(hit.rank, hit.title, hit.snippet) for hit in results.hits] == [(1, "A", "It is. Indeed."), (2, "B", "")]


@try_all(
    ("written", "meant"),
    [
        ("2024-05-06", "2024-05-06"),
        ("2024-05-06T23:59:59Z", "2024-05-06"),
        ("Mar 5, 2024", "2024-03-05"),
        ("March 5, 2024", "2024-03-05"),
        ("5 Sept. 2024", "2024-09-05"),
        ("5 March 2024", "2024-03-05"),
        ("Thu, 20 Jun 2024 08:00:00 GMT", "2024-06-20"),
        ("yesterday", "2026-11-20"),
        ("5 hours ago", "2026-11-21"),
        ("1 day ago", "2026-11-20"),
        ("2 weeks ago", "2026-11-07"),
        ("3 months ago", None),
        ("2 years ago", None),
        ("May 2024", None),
        ("2024", None),
        ("Feb 30, 2024", None),
        ("2024-13-01", None),
        ("Foo 5, 2024", None),
        ("999 weeks ago", "2007-09-29"),
        ("", None),
        (None, None),
        (20240506, None),
        (["2024-05-06"], None),
    ],
)
def test_dates_are_read_as_engines_write_them(written: object, meant: str | None) -> None:
    assert day(written, TODAY) == meant


@given(st.text() | st.floats() | st.integers())
def test_no_value_breaks_the_reading_of_dates_and_text(value: object) -> None:
    assert day(value, TODAY) is None or date.fromisoformat(str(day(value, TODAY)))
    assert "\n" not in text(value) + marked_up(value)


def test_text_is_bounded_and_contains_nothing_hidden() -> None:
    assert len(text("word " * 10_000)) <= 10_000
    assert text(" a\r\n\tb\u200b\U000e0041\x00 ") == "a b"
    assert marked_up("5 &lt; 6 <em class='x'>and</em> <script>alert(1)</script>") == "5 < 6 and alert(1)"
    assert text("if a < b and c > d") == "if a < b and c > d"
    assert text(float("nan")) == text(True) == text({}) == ""


@try_all(
    ("status", "words", "kind"),
    [
        (401, "", "auth"), (403, "You have no credits left", "quota"), (402, "", "quota"), (429, "slow", "rate_limit"),
        (429, "monthly quota exceeded", "quota"), (432, "", "quota"), (433, "", "quota"), (400, "quota", "bad_request"),
        (404, "", "not_found"), (302, "", "not_found"), (204, "", "bad_reply"), (500, "quota", "server"),
        (504, "", "server"), (408, "", "server"), (422, "Not ours", "bad_request"), (400, "Ours", "quota"),
    ],
)  # fmt: skip
def test_the_kind_of_failure_follows_from_the_status_and_its_message(status: int, words: str, kind: str) -> None:
    assert kind_of(status, words, {"Ours": "quota"}) == kind


@settings(max_examples=50)
@given(st.binary(max_size=300) | OBJECTS.map(lambda values: json.dumps(values).encode()))
def test_no_response_body_breaks_the_error_message(content: bytes) -> None:
    words = error_words(content, "sk-secret")
    assert 0 < len(words) <= 201
    assert "\n" not in words


@given(st.dictionaries(st.sampled_from([f"x-ratelimit-{name}" for name in ("limit", "remaining", "reset")]), st.text()))
def test_no_header_breaks_the_reading_of_wait_times(headers: dict[str, str]) -> None:
    wait = listed_wait(headers)
    assert wait is None or wait >= 0


@given(st.text(), st.integers(1, 50), st.integers(1, 10))
def test_a_shortened_query_is_the_start_of_the_query(query: str, characters: int, words: int) -> None:
    short = shortened(query, characters, words)
    assert " ".join(query.split()).startswith(short)
    assert len(short) <= characters
    assert len(short.split()) <= words
