"""Evidence and contexts as callers pass them: each item is used as intended, and no string causes a crash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import factscope as fs
from factscope.evidence import text_documents
from factscope.integrations.python import (
    EvidenceParts,
    checked_text,
    must_be_draws,
    must_be_rows,
    must_be_share,
    read_contexts,
    read_evidence,
)
from tests.lab.many_cases import try_all

LENS = "The Fresnel lens was fitted in 1858."


def texts(parts: EvidenceParts) -> list[str | None]:
    return [document.text for document in parts.documents]


def test_files_addresses_and_texts_are_distinguished_in_one_list(tmp_path: Path) -> None:
    lens, folder = tmp_path / "lens.txt", tmp_path / "two words"
    lens.write_text(LENS, encoding="utf-8")
    folder.mkdir()
    document = fs.Document(id="log", text="The light is electric.")
    items = [str(lens), " https://lights.example/lens ", LENS, folder, {"text": "It cost £5."}, document]
    parts = read_evidence(items)
    assert parts.paths == (lens, folder)
    assert parts.urls == ("https://lights.example/lens",)
    assert texts(parts) == [LENS, "It cost £5.", "The light is electric."]


@try_all(
    "text",
    [
        "Yes.",
        "It is so!",
        "Is it?",
        "a b c d",
        "The lens\ncame",
        "x" * 5_000,
        "~5 million people live there.",
        "~half of the lenses are from Paris",
        "~.",
    ],
)
def test_a_string_that_reads_like_a_sentence_is_evidence_itself(text: str) -> None:
    parts = read_evidence(text)
    assert (parts.paths, parts.urls) == ((), ())
    assert texts(parts) == [text]


@try_all(
    "name",
    [
        "lens",
        "two words",
        "lens.pdf",
        "the notes of the keeper of the light.docx",
        "all the notes of the keeper.zip",
        "ftp://lights.example/lens",
        "nul\0character",
        "~nobody-by-this-name/lens.txt",
        Path("~nobody-by-this-name/lens"),
        Path("a sentence with many words in it."),
    ],
)
def test_a_string_that_reads_like_a_file_must_be_one(name: str | Path) -> None:
    with pytest.raises(fs.UsageError, match="does not exist") as caught:
        read_evidence(name)
    assert "contexts=[text]" in caught.value.hint


def test_a_tilde_is_the_users_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "lens.txt").write_text(LENS, encoding="utf-8")
    assert read_evidence("~/lens.txt").paths == read_evidence(Path("~/lens.txt")).paths == (tmp_path / "lens.txt",)


def test_a_pattern_names_the_files_that_it_matches(tmp_path: Path) -> None:
    for name in ("b.md", "a.md", "c.txt"):
        (tmp_path / name).write_text(LENS, encoding="utf-8")
    assert read_evidence(f"{tmp_path}/*.md").paths == (tmp_path / "a.md", tmp_path / "b.md")
    (tmp_path / "[new]").mkdir()
    assert read_evidence(f"{tmp_path}/[new]").paths == (tmp_path / "[new]",), "a file of that name comes first"
    with pytest.raises(fs.UsageError, match="does not exist"):
        read_evidence(f"{tmp_path}/*.pdf")


@settings(max_examples=30)
@given(st.text(max_size=30) | st.text(alphabet="~/. ab\0\n", max_size=12))
def test_any_string_becomes_evidence_or_a_usage_error(item: str) -> None:
    try:
        parts = read_evidence(item)
    except fs.UsageError:
        return
    assert len(parts.paths) + len(parts.urls) + len(parts.documents) <= 1


@try_all("make", [list, tuple, iter, lambda items: (item for item in items)])
def test_any_iterable_is_a_list_of_contexts(make: Callable[[list[str]], Any]) -> None:
    given_texts = ["It came in 1858.", "It went in 1957."]
    assert [document.text for document in read_contexts(make(given_texts))] == given_texts


@dataclass
class Retrieved:
    """A document in the form of Haystack's."""

    content: str | None
    id: str = "7"
    meta: dict[str, str] = field(default_factory=dict)


def test_documents_of_retrievers_are_contexts() -> None:
    chain = SimpleNamespace(page_content=LENS, metadata={"source": "kb/lens.md", "page": 3}, id=None)
    node = SimpleNamespace(text="It cost £5.", metadata={"file_name": "log.txt"}, get_content=lambda: "It cost £5.")
    scored = SimpleNamespace(node=node, score=0.5)
    of_haystack = Retrieved("It is electric.", meta={"title": "Log", "url": "https://lights.example/log"})
    documents = read_contexts([chain, scored, of_haystack])
    assert [document.text for document in documents] == [LENS, "It cost £5.", "It is electric."]
    assert [document.title for document in documents] == ["lens.md", "log.txt", "Log"]
    assert [document.url for document in documents] == ["kb/lens.md", "log.txt", "https://lights.example/log"]
    assert documents[2].id == "7"
    assert read_evidence(chain).documents == documents[:1]
    with pytest.raises(fs.UsageError, match=r"contexts\[0\] is a Retrieved, not a text"):
        read_contexts(Retrieved(None))


class Chunk(pydantic.BaseModel):
    """A document that is iterable."""

    text: str
    id: int = 7


class Row(NamedTuple):
    """A row of a table."""

    text: str
    id: int = 7


@try_all("item", [Chunk(text=LENS), Row(LENS), pd.DataFrame({"text": [LENS], "id": [7]}).iloc[0]])
def test_a_single_document_that_is_iterable_is_one_context(item: Any) -> None:
    (document,) = read_contexts(item)
    assert (document.text, document.id) == (LENS, "7")
    assert read_evidence(item).documents == text_documents(item) == (document,)


class Metadata(pydantic.BaseModel):
    """A model without a text."""

    title: str = "Log"


@pytest.mark.parametrize("read", [read_contexts, read_evidence])
def test_a_model_without_a_text_is_refused_as_one_item(read: Any) -> None:
    with pytest.raises(fs.UsageError, match=r"\[0\] is a Metadata, not a text"):
        read(Metadata())


class Unready:
    """An object of which most attributes raise."""

    content = LENS
    text = page_content = node = metadata = property(lambda self: 1 / 0)


@try_all("item", [Unready(), SimpleNamespace(text=LENS, node=object()), {"text": " ", "content": LENS}])
def test_the_first_text_of_an_item_that_can_be_read_and_is_not_blank_is_used(item: Any) -> None:
    assert [document.text for document in read_contexts([item])] == [LENS]


@try_all(
    ("source", "title", "url"),
    [
        ("Interview 3/4", "Interview 3/4", None),
        ("Section 2.1", "Section 2.1", None),
        ("Dr.Smith", "Dr.Smith", None),
        ("kb/lens.md", "lens.md", "kb/lens.md"),
    ],
)
def test_only_a_name_with_a_suffix_is_that_of_a_file(source: str, title: str, url: str | None) -> None:
    (document,) = read_contexts({"text": LENS, "metadata": {"source": source}})
    assert (document.title, document.url) == (title, url)


def test_contexts_are_named_by_their_number_unless_they_have_a_name() -> None:
    documents = read_contexts(["One.", {"text": "Two.", "id": 7}, {"text": "Three.", "title": "Log"}, "Four."])
    assert [document.id for document in documents[:2]] == ["context-1", "7"]
    assert documents[2].title == "Log"
    assert documents[3].id == "context-4", "a named one counts"
    assert documents[2].id == read_contexts({"text": "Three.", "title": "Log"})[0].id, "a name of its own stays"


def test_blank_contexts_are_left_out_and_equal_ones_are_merged() -> None:
    assert read_contexts(["", "  \n", {"text": ""}]) == read_contexts(None) == read_contexts([]) == ()
    (only,) = read_contexts([LENS, {"text": LENS, "id": "again"}])
    assert only.id == "context-1"


@try_all(
    ("contexts", "message"),
    [
        ([LENS, None], r"contexts\[1\] is None, not a text"),
        ([[LENS]], r"contexts\[0\] is a list, not a text"),
        (b"bytes", r"contexts\[0\] is bytes"),
        ([np.int64(3)], r"contexts\[0\] is an int64"),
        ([{}], "it has nothing"),
        ([{"url": "https://x.example", "title": None}], "it has 'url'"),
        (["half \ud800 a sign"], "half a character"),
        ([{"text": "a", "id": "x"}, {"text": "b", "id": "x"}], "two texts with the id 'x'"),
    ],
)
def test_a_context_that_is_not_text_is_named_by_its_position(contexts: Any, message: str) -> None:
    with pytest.raises(fs.UsageError, match=message) as caught:
        read_contexts(contexts)
    assert caught.value.hint


def test_a_text_can_mention_a_path_if_it_is_not_a_path_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answer.md").write_text(LENS, encoding="utf-8")
    for text in ("Read answer.md for more.", "answer.md answer.md", "answer.txt", "a\0b", "x" * 9_000):
        assert checked_text(text, "check") == text
    with pytest.raises(fs.UsageError, match="is a file"):
        checked_text(" answer.md\n", "check")


@try_all(
    ("check", "good", "bad"),
    [
        (lambda value: must_be_share(value, "min_score"), [0, 1, 0.5], [-0.01, 1.01, float("nan"), None, "1"]),
        (must_be_rows, [None, 1, 10**9], [0, -1, True, 1.0, "5"]),
        (lambda value: must_be_draws(value, 0, fewest=2), [2, 10_000], [1, 0, -5, True, 2.0, "9", None]),
        (lambda value: must_be_draws(2, value, fewest=2), [0, 2**70], [-1, False, 0.0, None]),
    ],
)
def test_numbers_outside_their_range_are_refused_and_its_limits_are_allowed(
    check: Callable[[object], None], good: list[object], bad: list[object]
) -> None:
    for value in good:
        check(value)
    for value in bad:
        with pytest.raises(fs.UsageError) as caught:
            check(value)
        assert caught.value.hint, value


def test_documents_without_a_text_are_merged_by_address() -> None:
    addresses = ["https://x.example/1", "https://x.example/2", "https://x.example/1"]
    items = [fs.Document(id=f"d{number}", text=None, url=url) for number, url in enumerate(addresses)]
    assert [document.url for document in read_contexts(items)] == addresses[:2]
