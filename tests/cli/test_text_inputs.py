"""The argument of `check`: a file, or the words themselves, of any length and content."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from factscope.cli import app, read_contexts, read_text
from factscope.core import FactscopeError, InputError, UsageError
from tests.lab.many_cases import each, try_all


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(source: str) -> str:
    with pytest.raises(FactscopeError) as told:
        read_text(source)
    return str(told.value)


@try_all(
    "text",
    [
        "The train goes at 300 km/h.",
        "It goes at 300 km/h and/or stops. " * 300,
        f"{'A sentence of many words ' * 40}at 300 km/h.",
        f"See https://example.org/{'a' * 300} for more.",
        f"{'x' * 300} and so on.",
        "One/two three/four\nfive/six.",
        "The file is read.\0It is not.",
        "灯塔高31.5米。",
        "灯塔高三十一米/三层。" * 60,
        "It ends in node.js and starts there.",
        "No. 5",
        "Yes!",
        "~ about 5",
    ],
)
def test_words_are_not_taken_for_a_file(text: str) -> None:
    assert read_text(text) == text


def test_a_long_text_with_citations_is_checked_as_words(folder: Path) -> None:
    """No file name can be so long; the system raises an error."""
    (folder / "1.txt").write_text("The Marlow bridge was opened in 1931.", encoding="utf-8")
    text = f"The Marlow bridge was opened in 1931 [1]. {'Was it at 30 km/h? ' * 30}"
    words = ["check", text, "--cited", "--offline", "-e", "1.txt", "-o", "out.txt", "--dry-run"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "no call was made" in done.stdout


@settings(max_examples=60)
@given(st.lists(st.text("ab./\\ ~\n\0é", min_size=1, max_size=150), min_size=2, max_size=5))
def test_any_words_are_read_or_refused_with_one_message(words: list[str]) -> None:
    text = " ".join(words)
    try:
        assert read_text(text) == text
    except FactscopeError as error:
        assert error.message  # noqa: PT017 - what looks like a missing file may be refused


@try_all(
    ("source", "said"),
    [
        ("answer.md", "File not found: answer.md."),
        ("my answer.TXT", "File not found: my answer.TXT."),
        ("answers/one", "File not found: answers/one."),
        (f"{'x' * 300}/{'y' * 300}", "File not found: xxx"),
        (f"{'x' * 300}.txt", "File not found: xxx"),
    ],
)
def test_one_word_that_looks_like_a_file_must_be_one(source: str, said: str) -> None:
    assert said in refused(source)


def test_a_word_without_the_ending_of_a_file_is_a_text() -> None:
    assert read_text("Dr.Smith") == "Dr.Smith"


def test_a_long_file_name_is_truncated_in_the_message() -> None:
    assert len(refused(f"{'a b ' * 500}.txt")) < 400
    assert len(refused("x/" * 5_000)) < 400


def test_a_file_is_read_whatever_its_name(folder: Path) -> None:
    for name in ("answer", "an answer of mine", "a.xyz", "-dash"):
        (folder / name).write_text(f"In {name}.\r\n", encoding="utf-8", newline="")
    each("name", ["answer", "an answer of mine", "a.xyz", "-dash"], _assert_own_name)
    (folder / "sub").mkdir()
    assert "sub is a folder." in refused("sub")
    assert read_text("  \n") == "  \n"  # empty, which the check reports


def _assert_own_name(name: str) -> None:
    assert read_text(name) == f"In {name}.\r\n"


def test_bytes_that_are_not_text_are_named_with_their_place(folder: Path) -> None:
    cases = [
        (b"abc\xff", "a is not UTF-8 text (byte 3)"),
        (b"\xff\xfea", "a is not UTF-8 text"),
        (b"a\0b", "a is a binary file"),
        (b"  \n<HTML\n lang=en>", "a is a web page"),
        (b"\n%PDF-1.7", "a is a PDF"),
    ]

    def try_content(content: bytes, said: str) -> None:
        (folder / "a").write_bytes(content)
        assert said in refused("a")

    each(("content", "said"), cases, try_content)


def test_markup_inside_a_text_is_part_of_it(folder: Path) -> None:
    for text in ("It says <html> here.", "<htmlx>", "<p>It is.</p>", "A %PDF-file."):
        (folder / "a").write_text(text, encoding="utf-8")
        assert read_text("a") == text


def test_every_byte_order_mark_is_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "灯塔 and a café 😀"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (folder / "a").write_bytes(text.encode(encoding))
        assert read_text("a") == text
    (folder / "a").write_bytes(b"\xfe\xff" + text.encode("utf-16-be"))
    assert read_text("a") == text

    class Piped:
        buffer = io.BytesIO(text.encode("utf-8-sig"))

    monkeypatch.setattr(sys, "stdin", Piped)
    assert read_text("-") == text


def test_contexts_have_the_name_of_their_file_and_the_place_of_their_row(folder: Path) -> None:
    (folder / "a.txt").write_text("The lens came in 1858.", encoding="utf-8")
    (folder / "rows.jsonl").write_text(
        '{"text": "One."}\n{"id": "k", "text": "Two.", "title": "T"}\n', encoding="utf-8"
    )
    contexts = read_contexts([Path("a.txt"), Path("rows.jsonl")])
    assert [(one.text, one.title) for one in contexts] == [
        ("The lens came in 1858.", "a.txt"),
        ("One.", "rows.jsonl"),
        ("Two.", "T"),
    ]
    assert len({one.id for one in contexts}) == 3
    assert read_contexts([]) == ()


def test_a_text_named_twice_is_one_context(folder: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("The lens came in 1858.", encoding="utf-8")
    assert [one.title for one in read_contexts([Path("a.txt"), Path("b.txt"), Path("a.txt")])] == ["a.txt"]


def test_a_context_without_a_text_is_named(folder: Path) -> None:
    (folder / "empty.txt").write_text(" \n", encoding="utf-8")
    with pytest.raises(InputError, match=r"empty\.txt"):
        read_contexts([Path("empty.txt")])
    with pytest.raises(UsageError, match=r"Context missing\.txt does not exist"):
        read_contexts([Path("missing.txt")])
