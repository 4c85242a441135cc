"""Values from outside: JSON malformed in any way, wrong names, wrong fields, file extensions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from factscope.core import (
    ENDINGS,
    UsageError,
    by_ending,
    did_you_mean,
    first_problem,
    group_by,
    json_object,
    model_settings,
)
from tests.lab.many_cases import try_all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4), st.booleans(), st.booleans())
@settings(max_examples=25, deadline=None)
def test_a_json_object_is_read_as_it_was_written(values: dict[str, Any], marked: bool, escaped: bool) -> None:
    encoded = json.dumps(values, ensure_ascii=escaped).encode("utf-8-sig" if marked else "utf-8")
    assert json_object(encoded) == values


@given(st.binary(max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_an_object_or_a_value_error(raw: bytes) -> None:
    try:
        outcome: object = json_object(raw)
    except ValueError as error:
        outcome = str(error)
    assert isinstance(outcome, dict) or str(outcome).startswith(("is not ", "can't be read: "))


@try_all(
    ("raw", "reason"),
    [
        (b"", "is not JSON: Expecting value at character 1"),
        (b'{"a": }', "is not JSON: Expecting value at character 7"),
        (b'{"a": 1} {', "is not JSON: Extra data at character 10"),
        (b'{"a": "open}', "is not JSON: Unterminated string starting at character 7"),
        (b"[1, 2]", "is not a JSON object"),
        (b'"text"', "is not a JSON object"),
        (b"null", "is not a JSON object"),
        (b'{"a": "\xff"}', "is not UTF-8; save the file as UTF-8"),
        (json.dumps({"a": 1}).encode("utf-16"), "is not UTF-8; save the file as UTF-8"),
    ],
)
def test_an_error_message_completes_a_sentence_about_the_file(raw: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match="^" + reason.replace(";", ".") + "$"):
        json_object(raw)


@pytest.mark.parametrize("raw", [b'{"a": ' + b"[" * 100_000, b'{"a": ' + b"9" * 5_000 + b"}"])
def test_input_that_exhausts_the_parser_is_an_ordinary_error_in_one_short_line(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"^can't be read: .{1,100}$"):
        json_object(raw)


def test_model_settings_are_read_or_default_when_the_file_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    default: dict[str, Any] = {"pad": 0}
    assert model_settings(path, default) is default
    path.write_text('{"pad": 1}', encoding="utf-8")
    assert model_settings(path, default) == {"pad": 1}
    path.write_text("[1, 2]", encoding="utf-8")
    assert model_settings(path, [0]) == [1, 2]


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"{", "can't be read"), (b"\xff", "can't be read"), (b"[" * 100_000, "can't be read"), (b"[]", "laid out")],
)
def test_a_damaged_model_settings_file_is_named_with_a_remedy(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=reason) as raised:
        model_settings(path, {})
    assert str(path) in raised.value.message
    assert raised.value.hint == "Copy the model again."


def test_a_folder_in_place_of_a_settings_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be read"):
        model_settings(tmp_path, {})


@try_all(
    ("wrong", "hint"),
    [
        ("verfy", "Did you mean verify?"),
        ("zzz", "Choose from: verify, felm, standard."),
        ("", "Choose from: verify, felm, standard."),
    ],
)
def test_a_wrong_name_gets_the_nearest_or_all(wrong: str, hint: str) -> None:
    assert did_you_mean(wrong, (name for name in ("verify", "felm", "standard"))) == hint


def test_several_near_names_are_joined_and_another_hint_can_replace_the_list() -> None:
    hint = did_you_mean("felm", ["felm-a", "felm-b", "verify"], n=2, cutoff=0.5)
    assert sorted(hint.removeprefix("Did you mean ").removesuffix("?").split(" or ")) == ["felm-a", "felm-b"]
    assert did_you_mean("zzz", ["verify"], otherwise="See the docs.") == "See the docs."
    assert did_you_mean("verfy", ["verify"], otherwise="See the docs.") == "Did you mean verify?"


class Inner(BaseModel):
    """A part with one number."""

    number: int


class Outer(BaseModel):
    """A list of parts."""

    parts: list[Inner]


@try_all(
    ("values", "field"),
    [
        ({"parts": [{"number": 1}, {"number": "x"}]}, "parts.1.number"),
        ({"parts": [{}]}, "parts.0.number"),
        ({}, "parts"),
        (3, "the row"),
    ],
)
def test_the_first_wrong_field_is_named_by_its_path(values: object, field: str) -> None:
    with pytest.raises(ValidationError) as raised:
        Outer.model_validate(values)
    name, problem = first_problem(raised.value, "the row")
    assert name == field
    assert problem


@given(st.lists(st.integers(0, 5), max_size=20))
@settings(max_examples=30, deadline=None)
def test_grouping_keeps_every_item_and_the_order_of_keys_and_items(items: list[int]) -> None:
    groups = group_by(enumerate(items), lambda pair: pair[1])
    assert list(groups) == list(dict.fromkeys(items))
    assert sorted(pair for group in groups.values() for pair in group) == list(enumerate(items))
    assert all(group == sorted(group) for group in groups.values())
    assert groups[99] == []


@try_all(
    ("requested", "output", "expected"),
    [
        (None, None, "table"),
        ("md", None, "md"),
        (None, "a.json", "json"),
        (None, "a.JSON", "json"),
        (None, "folder.csv/a.tex", "latex"),
        (None, "a.b.htm", "html"),
        (None, "a.txt", "table"),
        ("csv", "a.json", "csv"),
        ("csv", "a.unknown", "csv"),
    ],
)
def test_a_requested_format_takes_precedence_over_the_file_extension(
    requested: str | None, output: str | None, expected: str
) -> None:
    assert by_ending(requested, Path(output) if output else None) == expected


@try_all("name", ["a", "a.pdf", "json", ".json", "a.json.gz", "a."])
def test_a_file_name_without_a_known_extension_asks_for_the_format(name: str) -> None:
    with pytest.raises(UsageError, match=r"is not a known format") as raised:
        by_ending(None, Path(name))
    assert "--format table|json|" in raised.value.hint


def test_a_command_with_fewer_formats_refuses_the_others_and_offers_its_own() -> None:
    names = ("md", "json")
    assert by_ending(None, None, names) == by_ending(None, Path("/dev/null"), names) == "md"
    for ending, form in ENDINGS.items():
        if form in names:
            assert by_ending(None, Path(f"a{ending}"), names) == form
            continue
        with pytest.raises(UsageError) as raised:
            by_ending(None, Path(f"a{ending}"), names)
        assert raised.value.hint == "Add --format md|json."
