"""User-supplied suites: files as editors write them, and unreadable rows named by file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factscope.benchmarks.behaviour.suite import examples_suite, read_suite
from factscope.core import InputError
from tests.lab.many_cases import each

PAIR = {"id": "1", "category": "negation", "claim": "It is.", "evidence": "It is not.", "label": "contradicted"}
KEY = {"sentence": "It is.", "label": "supported", "doc": "a.txt", "quote": "is"}


def suite_of(folder: Path, pairs: str | bytes | None = None, **texts: str) -> Path:
    """Write a suite with these pair rows, and with named texts whose only sentence is in their key."""
    folder.mkdir(exist_ok=True)
    if pairs is not None:
        (folder / "pairs.jsonl").write_bytes(pairs if isinstance(pairs, bytes) else pairs.encode())
    for name, text in texts.items():
        (folder / "texts" / name / "docs").mkdir(parents=True)
        (folder / "texts" / name / "text.md").write_text(text, encoding="utf-8")
        (folder / "texts" / name / "key.jsonl").write_text(json.dumps(KEY), encoding="utf-8")
    return folder


def line(**change: Any) -> str:
    return json.dumps(PAIR | change, ensure_ascii=False)


def test_lines_end_only_at_newlines_and_not_at_unicode_separators(tmp_path: Path) -> None:
    """Other characters that Unicode counts as line ends, which JSON allows inside a text, don't end a line."""
    claims = ["a\u2028b", "a\x85b", "a\u2029b", "a\x0bb"]
    rows = [json.dumps(PAIR | {"claim": claim}, ensure_ascii=claim == "a\x0bb") for claim in claims]

    def try_ending(ending: str) -> None:
        assert [case.claim for case in read_suite(suite_of(tmp_path, ending.join(rows))).pairs] == claims

    each("ending", ["\n", "\r\n", "\n\n \n"], try_ending)


def test_files_that_are_not_utf_8_are_named(tmp_path: Path) -> None:
    folder = suite_of(tmp_path, line(claim="Café.").encode("latin-1"))
    with pytest.raises(InputError, match=r"pairs\.jsonl is not UTF-8 text \(byte 49\)"):
        read_suite(folder)
    suite_of(folder, line(), one="It is.")
    for name in ("text.md", "key.jsonl"):
        path = folder / "texts" / "one" / name
        before = path.read_bytes()
        path.write_bytes(b"Caf\xe9.")
        with pytest.raises(InputError, match=rf"{name} is not UTF-8 text \(byte 3\)"):
            read_suite(folder)
        path.write_bytes(before)
    assert len(read_suite(folder).texts) == 1


def test_a_row_with_an_extra_missing_or_mistyped_field_is_refused(tmp_path: Path) -> None:
    def try_row(change: dict[str, Any], said: str) -> None:
        row = {name: value for name, value in (PAIR | change).items() if value != "-"}
        with pytest.raises(InputError) as told:
            read_suite(suite_of(tmp_path, f"\n{json.dumps(row)}\n"))
        assert f"pairs.jsonl, line 2: {said}" in str(told.value)

    cases = [({"extra": 1}, "extra"), ({"claim": "-"}, "claim"), ({"id": 7}, "id"), ({"label": "true"}, "label"),
             ({"label": "not_checkable"}, "label"), ({"evidence": None}, "evidence")]  # fmt: skip
    each(("change", "said"), cases, try_row)


def test_texts_are_sorted_by_name_and_have_their_own_documents(tmp_path: Path) -> None:
    suite = read_suite(suite_of(tmp_path / "mine", None, b="It is.", a="So it is."))
    assert (suite.name, suite.pairs) == ("mine", ())
    assert [(text.name, text.text) for text in suite.texts] == [("a", "So it is."), ("b", "It is.")]
    assert [text.documents for text in suite.texts] == [tmp_path / "mine" / "texts" / name / "docs" for name in "ab"]
    assert suite.texts[0].sentences[0].model_dump() == KEY
    assert read_suite(tmp_path / "mine", "another").name == "another"


def test_a_text_without_its_text_or_its_documents_is_named(tmp_path: Path) -> None:
    folder = suite_of(tmp_path, None, one="It is.")
    (folder / "texts/one/docs").rmdir()
    with pytest.raises(InputError, match="The text one of the suite needs"):
        read_suite(folder)
    (folder / "texts/one/docs").mkdir()
    (folder / "texts/one/text.md").unlink()
    with pytest.raises(InputError, match=r"needs .*text\.md"):
        read_suite(folder)


def test_a_suite_without_a_case_is_empty(tmp_path: Path) -> None:
    assert read_suite(suite_of(tmp_path / "a", "\n \n")).is_empty
    assert not read_suite(suite_of(tmp_path / "b", line())).is_empty
    folder = suite_of(tmp_path / "c", None, one="It is.")
    assert not read_suite(folder).is_empty
    (folder / "texts/one/key.jsonl").write_text("", encoding="utf-8")
    assert read_suite(folder).is_empty


def test_results_on_the_same_cases_have_the_same_digest_wherever_they_are(tmp_path: Path) -> None:
    first, second = (suite_of(tmp_path / name, line(), one="It is.") for name in ("a", "b"))
    digest = read_suite(first).digest
    assert digest == read_suite(second, "x").digest
    changes: list[tuple[str, str]] = [("pairs.jsonl", line(note="n")), ("texts/one/text.md", "It is!"),
                                      ("texts/one/docs/new.txt", ""), ("README", "")]  # fmt: skip
    seen = {digest}
    for name, content in changes:
        (second / name).write_text(content, encoding="utf-8")
        seen.add(read_suite(second).digest)
    assert len(seen) == 1 + len(changes)


def test_examples_share_one_documents_folder_and_need_a_key_file(tmp_path: Path) -> None:
    documents = tmp_path / "docs"
    documents.mkdir()
    (documents / "a.txt").write_text("It is.", encoding="utf-8")
    for name in ("guide.md", "notes.txt", "alone.md"):
        (tmp_path / name).write_text(f"It is. {name}", encoding="utf-8")
    for name in ("guide", "notes"):
        (tmp_path / f"{name}.key.jsonl").write_text(json.dumps(KEY), encoding="utf-8")
    suite = examples_suite(tmp_path, documents)
    assert [(text.name, text.text) for text in suite.texts] == [
        ("guide", "It is. guide.md"),
        ("notes", "It is. notes.txt"),
    ]
    assert {text.documents for text in suite.texts} == {documents}
    (tmp_path / "alone.md").write_text("changed", encoding="utf-8")  # not part of the suite
    assert examples_suite(tmp_path, documents).digest == suite.digest
    (documents / "a.txt").write_text("It is not.", encoding="utf-8")
    assert examples_suite(tmp_path, documents).digest != suite.digest
