"""Cited sources without the web: local files before recordings, a reason for each state, copies left out."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.claims.citations import Listed, Reference, read_entry
from factscope.core import StoreError, UsageError
from factscope.core.records import CitedSource, Document, Response, Span
from factscope.evidence.citations import (
    AtHand,
    Library,
    Recorded,
    is_recording,
    open_at_hand,
    read_recording,
    why_circular,
    write_recording,
)
from tests.conftest import at_least
from tests.lab.many_cases import try_all

BRIDGE = "The Marlow bridge was opened in 1931 by the mayor of the town."
RESPONSE = Response(text="# Marlow\n\nThe bridge was opened in 1931.\n\n[1] Kern, The bridge.")
URL = "https://press.example/kern"


def resolved(reference: Reference, held: AtHand, response: Response = RESPONSE) -> CitedSource:
    library = Library(held)  # without a fetcher; its reader starts no process until the first page
    return asyncio.run(library.resolve(Listed("b1", reference, cited=True, explained=True), response)).source


def held(*recorded: Recorded, documents: tuple[Document, ...] = ()) -> AtHand:
    at_hand = open_at_hand([], documents)
    at_hand.recorded += recorded
    return at_hand


def document(text: str, **names: str) -> Document:
    return Document.model_validate({"id": "d1", "text": text, "sha256": "0", **names})


WORDS = st.none() | st.text(max_size=12)
FETCHES = st.lists(
    st.builds(
        Recorded,
        url=WORDS,
        doi=WORDS,
        state=st.sampled_from(["read", "dead", "refused", "paywalled", "unreadable"]),
        reason=WORDS,
        text=WORDS,
        title=WORDS,
    ),
    max_size=4,
)


@given(FETCHES)
@settings(max_examples=at_least(20, in_all=200))
def test_a_recording_is_read_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, fetches: list[Recorded]
) -> None:
    path = tmp_path_factory.getbasetemp() / "recording.jsonl"
    write_recording(path, fetches)
    data = path.read_bytes()
    assert read_recording(path, data) == (fetches, [])
    assert is_recording(data) == bool(fetches)


@try_all(
    ("data", "expected"),
    [
        (b'{"url": "https://a.example", "state": "read"}\n{"text": "x"}', True),
        (b'\n  {"state": "dead"}', True),
        (b'{"text": "The state of the art.", "id": "1"}', False),
        (b'{"text": "x"}\n{"state": "read"}', False),
        (b'[{"state": "read"}]', False),
        (b"", False),
    ],
)
def test_a_recording_is_recognised_by_its_first_line(data: bytes, expected: bool) -> None:
    assert is_recording(data) == expected


def test_a_recording_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no/such\.jsonl can't be written: .*Name another file"):
        write_recording(tmp_path / "no" / "such.jsonl", [])


@try_all(
    ("recorded", "reference"),
    [
        (Recorded(url="http://www.press.example/kern/?utm_source=x", state="dead"), Reference("1", url=URL)),
        (Recorded(url=f"{URL}#part", state="dead"), Reference("1", url=URL)),
        (Recorded(doi="10.1234/KERN", state="dead"), Reference("1", doi="10.1234/kern")),
        (Recorded(arxiv="2305.14627v2", state="dead"), Reference("1", arxiv="2305.14627")),
        # One shared identifier is enough.
        (
            Recorded(url="https://other.example", doi="10.1234/kern", state="dead"),
            Reference(url=URL, doi="10.1234/kern"),
        ),
    ],
)
def test_a_recorded_fetch_is_found_by_any_name_of_the_same_source(recorded: Recorded, reference: Reference) -> None:
    assert resolved(reference, held(recorded)).state == "dead"


def test_of_two_recorded_fetches_the_first_counts_and_another_source_has_none() -> None:
    at_hand = held(Recorded(url=URL, state="dead"), Recorded(url=URL, state="refused"))
    assert resolved(Reference("1", url=URL), at_hand).state == "dead"
    assert resolved(Reference("1", url=f"{URL}/more"), at_hand).state == "not_fetched"


def test_a_recorded_page_is_read_with_its_metadata() -> None:
    page = Recorded(
        url=URL,
        state="read",
        text=BRIDGE,
        title="The bridge",
        author="Ida Kern",
        published="2020-01-02",
        fetched_at="2026-01-02T00:00:00+00:00",
    )

    async def look_up() -> Document:
        listed = Listed("b1", Reference("1", url=URL), cited=True, explained=True)
        found = await Library(held(page)).resolve(listed, RESPONSE)
        assert found.held is not None
        assert (found.held.text, found.recorded) == (BRIDGE, None)
        return found.held.document

    made = asyncio.run(look_up())
    assert (made.url, made.title, made.author, made.published) == (URL, "The bridge", "Ida Kern", "2020-01-02")


def test_a_recorded_page_without_text_is_unreadable_and_a_recorded_reason_is_retained() -> None:
    empty = resolved(Reference("1", url=URL), held(Recorded(url=URL, state="read", text="")))
    assert (empty.state, empty.reason) == ("unreadable", "the recording has no text of it")
    refused = resolved(Reference("1", url=URL), held(Recorded(url=URL, state="refused", reason="robots.txt")))
    assert (refused.state, refused.reason, refused.via) == ("refused", "robots.txt", None)


def test_a_local_document_takes_precedence_over_a_recorded_fetch_of_the_same_source() -> None:
    at_hand = held(Recorded(url=URL, state="dead"), documents=(document(BRIDGE, url=URL),))
    found = resolved(Reference("1", url=URL), at_hand)
    assert (found.state, found.via) == ("read", "evidence")


@try_all(
    ("accessed", "modified", "published", "changed"),
    [
        ("2024-05-03", "2025-01-01", None, "2025-01-01"),
        ("2024-05-03", None, "2024-06-01", "2024-06-01"),
        ("2024-05-03", "2024-05-04", "2024-06-01", "2024-06-01"),  # the later of the two
        ("2024-05-03", "2024-05-03", None, None),  # the same day does not count as later
        ("2024-05-03", "2023-01-01", "2022-01-01", None),
        ("2024-05-03", "soon", None, None),
        (None, "2025-01-01", None, None),
        ("some day", "2025-01-01", None, None),
    ],
)
def test_a_source_changed_after_the_day_of_access_is_marked_with_the_day(
    accessed: str | None, modified: str | None, published: str | None, changed: str | None
) -> None:
    page = Recorded(url=URL, state="read", text=BRIDGE, modified=modified, published=published)
    assert resolved(Reference("1", url=URL, accessed=accessed), held(page)).changed == changed


def test_a_source_without_any_address_is_named_with_the_line_of_its_entry() -> None:
    at = RESPONSE.text.index("[1]")
    entry = read_entry("[1] Kern, The bridge.", "1", Span(start=at, end=len(RESPONSE.text)))
    found = resolved(entry, AtHand())
    assert found.state == "no_address"
    assert "its entry, on line 5, names neither an address nor a DOI" in str(found.reason)
    assert str(found.reason).endswith("no evidence has its name, key or title: add its file")
    assert "its entry names neither" in str(resolved(Reference("1", title="The bridge"), AtHand()).reason)


def test_names_that_are_too_short_or_empty_match_nothing() -> None:
    at_hand = held(documents=(document(BRIDGE, title="It"),))
    for reference in (Reference("1", title="It"), Reference("—"), Reference(authors=("",), year="—"), Reference()):
        assert at_hand.find(reference) is None
    assert at_hand.find(Reference("d1")) is not None


def test_of_two_documents_with_one_name_the_first_counts() -> None:
    first, second = document("One.", url=URL), document("Two.", url=f"{URL}/")
    found = held(documents=(first, second)).find(Reference(url=URL))
    assert found is not None
    assert found.text == "One."


SENTENCES = (
    "The Marlow bridge was opened in 1931 by the mayor.",
    "It has four arches of grey stone from the quarry.",
    "Nobody knows who drew the plans of this old bridge.",
    "The ferry was given up in the same year.",
    "Every spring the river rises almost to the road.",
)
CHECKED = Response(text=" ".join(SENTENCES))


@try_all(
    ("text", "is_copy"),
    [
        (CHECKED.text, True),
        (" ".join(SENTENCES[:3]), True),
        (" ".join(SENTENCES[:2]), False),  # two sentences may be quotations
        # Letter case, white space, punctuation, links and citation marks make no difference.
        ("\n\n".join(SENTENCES[:3]).upper().replace(".", " [1] (Kern 2004)!"), True),
        (" ".join(SENTENCES).replace("four", "six").replace("1931", "1932").replace("plans", "maps"), False),
        ("The bridge is old. " * 9, False),
        ("", False),
    ],
)
def test_a_source_with_half_of_the_texts_sentences_is_a_copy_of_it(text: str, is_copy: bool) -> None:
    reason = why_circular(CHECKED, None, text)
    assert (reason is not None) == is_copy
    assert reason is None or "sentences stand in it word for word" in reason


def test_common_short_sentences_do_not_make_a_copy() -> None:
    short = "It is old. It is long. It is red. Who knows? Nobody knows."
    assert why_circular(Response(text=short), None, short) is None


@try_all(
    ("heading", "text", "reason"),
    [
        ("# The bridges of Marlow", "Source: “The bridges of Marlow”, 2020.", "it rests on this text"),
        ("<h1 class=a>The bridges of Marlow", "According to our report The Bridges of Marlow", "it rests on this text"),
        ("# The bridges of Marlow #", "It is based on “The bridges of Marlow”.", "it rests on this text"),
        ("# The bridges of Marlow", "We saw the bridges of Marlow.", None),
        ("# Marlow bridges", "Source: Marlow bridges", None),  # many works share a title of two words
        ("The bridges of Marlow", "Source: The bridges of Marlow", None),  # not a heading
    ],
)
def test_a_source_that_credits_the_title_of_the_text_is_circular(heading: str, text: str, reason: str | None) -> None:
    found = why_circular(Response(text=f"{heading}\n\n{BRIDGE}"), None, text)
    assert (found is None) == (reason is None)
    assert (found or "").startswith(reason or "")


def test_the_address_of_the_text_makes_a_source_circular_in_any_spelling() -> None:
    response = Response(text=BRIDGE, url="https://www.own.example/Report/")
    for url in ("http://own.example/Report", "https://own.example/Report?utm_source=x#top"):
        assert why_circular(response, url, "") == "it is this text itself"
    credited = why_circular(response, None, "Taken from HTTP://own.example/Report, last year.")
    assert credited == "it names this text, https://www.own.example/Report/, as its own source"
    assert why_circular(response, "https://own.example/", "See own.example/other.") is None
    assert why_circular(Response(text=BRIDGE, url="https://a.example/?id=7"), None, "(a.example/?id=7)") is not None
    assert why_circular(Response(text=BRIDGE), None, "") is None


@try_all(
    ("url", "text"),
    [
        ("https://own.example/report", "See https://own.example/report-2 and own.example/reports/1931."),
        ("https://own.example/report", "See https://own.example/report/part and notown.example/report."),
        ("https://own.example/?id=7", "See https://own.example/?id=77."),
        ("https://own.example", "Write to info@own.example, or see own.example/bridges."),
    ],
)
def test_a_longer_address_that_begins_like_that_of_the_text_does_not_make_a_source_circular(
    url: str, text: str
) -> None:
    assert why_circular(Response(text=BRIDGE, url=url), None, text) is None


def test_the_description_of_the_sources_changes_with_them_and_not_with_their_order() -> None:
    one, two = document("One."), document("Two.")

    def described(*documents: Document) -> str:
        return Library(held(documents=documents)).searched.id

    assert described(one, two) == described(two, one) != described(one)
    with_fetch = Library(held(Recorded(url=URL, state="dead"))).searched
    assert with_fetch.id != described()
    assert (with_fetch.n_documents, with_fetch.problems) == (0, ())


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        open_at_hand([tmp_path / "nowhere"])
