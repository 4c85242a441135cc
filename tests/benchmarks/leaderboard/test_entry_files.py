"""Entries from outside: each file is trusted only as far as its result supports it, and never ends in a traceback."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from factscope.benchmarks.leaderboard import by_model, is_entry, read_entry
from factscope.core import FactscopeError, InputError, UsageError
from tests.benchmarks.leaderboard.board_values import gathered
from tests.benchmarks.leaderboard.example_results import entry, result, written
from tests.lab.many_cases import each


def refused(path: Path) -> str:
    with pytest.raises(FactscopeError) as told:
        read_entry(path)
    return str(told.value)


def test_the_figures_of_an_entry_match_its_result(tmp_path: Path) -> None:
    """A file may round figures to three digits; they are shown in full."""
    read = read_entry(entry(tmp_path, score=0.694, coverage=0.9746))
    assert read.score == pytest.approx((13 / 18 + 12 / 18) / 2)
    assert read.coverage == pytest.approx(39 / 40)
    assert (read.path, read.result_path) == (tmp_path / "acme.toml", tmp_path / "acme.json")
    assert "its score is 0.6937, and 0.6944 by its result" in refused(entry(tmp_path, score=0.6937))
    assert "coverage = 0.9750" in refused(entry(tmp_path, coverage=0.974))


def test_an_entry_may_be_json(tmp_path: Path) -> None:
    toml = entry(tmp_path)
    values = read_entry(toml).model_dump(mode="json")
    path = written(tmp_path / "again.json", values)
    assert is_entry(path)
    assert read_entry(path).model_dump() == read_entry(toml).model_dump()


def test_nan_and_out_of_range_numbers_are_refused(tmp_path: Path) -> None:
    path = entry(tmp_path)
    text = path.read_text(encoding="utf-8")

    def try_number(name: str, number: str) -> None:
        old = {"score": "score = 0.6944", "coverage": "coverage = 0.975"}[name]
        path.write_text(text.replace(old, f"{name} = {number}"), encoding="utf-8")
        assert f"acme.toml: {name}: " in refused(path)

    each(("name", "number"), [(name, n) for name in ("score", "coverage") for n in ("nan", "inf", "-0.1", "1.1")],
         try_number)  # fmt: skip


def test_a_result_outside_the_folder_of_its_entry_is_not_read(tmp_path: Path) -> None:
    folder, other = tmp_path / "entries", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    entry(other)
    (folder / "link.json").symlink_to(other / "acme.json")
    names: list[str] = [str(other / "acme.json"), "../other/acme.json", "link.json", "..", "sub/../../other/acme.json"]
    each("name", names, lambda name: _assert_outside(folder, name))


def _assert_outside(folder: Path, name: str) -> None:
    assert "is not beside it" in refused(entry(folder, result=name))


def test_an_impossible_result_file_name_is_reported(tmp_path: Path) -> None:
    def try_name(name: str) -> None:
        assert "Put it beside the entry." in refused(entry(tmp_path, result=name))

    each("name", ["a\0b", "x" * 300, "", ".", "acme.json/more"], try_name)


def test_a_file_is_an_entry_if_it_names_a_result(tmp_path: Path) -> None:
    assert is_entry(tmp_path / "missing.toml")  # reading it reports that it is missing
    assert not is_entry(tmp_path / "missing.json")
    cases = {'{"result": "a"}': True, "{}": False, "[]": False, '"result"': False, "\xff": False, "": False}

    def try_content(content: str, expected: bool) -> None:
        path = tmp_path / "a.json"
        path.write_text(content, encoding="latin-1")
        assert is_entry(path) is expected

    each(("content", "expected"), list(cases.items()), try_content)


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"missing\.toml can't be read: no such file"):
        read_entry(tmp_path / "missing.toml")
    path = tmp_path / "bad.toml"
    path.write_bytes(b'model = "\xe9"')
    with pytest.raises(InputError, match=r"bad\.toml is not UTF-8 text"):
        read_entry(path)


def test_one_model_has_one_entry(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    entries = [read_entry(entry(first)), read_entry(entry(second))]
    assert by_model(entries[:1]) == {"acme/a": entries[0]}
    with pytest.raises(InputError, match=r"b/acme\.toml adds acme/a, and so does .*a/acme\.toml"):
        by_model(entries)


def test_an_entry_and_the_result_of_others_share_a_table(tmp_path: Path) -> None:
    others = written(tmp_path / "others.json", result(x_one=20, bad=2))
    notes = "Trained on the public split."
    (board,), said = gathered(others, entry(tmp_path, notes=notes, command=""))
    assert said == ()
    rows = {row.name: row for row in board.rows}
    assert rows.keys() == {"x/one", "acme/a", "bad"}
    assert rows["acme/a"].notes[-1] == notes
    assert rows["acme/a"].date == "2026-11-01"
    assert "--model acme/a" in rows["acme/a"].command  # an entry without a command gets ours
    assert rows["bad"].link is None


def test_an_entry_named_along_with_its_result_counts_once(tmp_path: Path) -> None:
    path = entry(tmp_path)
    (board,), said = gathered(path, tmp_path / "acme.json")
    assert ([row.name for row in board.rows], said) == (["acme/a"], ())


def test_missing_verdicts_lower_only_the_coverage(tmp_path: Path) -> None:
    """Four of ten verdicts of `blind` are missing; one of the other six is ineligible."""
    values: dict[str, Any] = result(acme_a=20)
    for number in (3, 5, 7, 9):
        values["verdicts"][number]["accurate"] = [None, None]
    content = json.dumps(values).encode()
    path = entry(tmp_path, sha256=sha256(content).hexdigest(), score=0.9167, coverage=0.775)
    (tmp_path / "acme.json").write_bytes(content)
    read = read_entry(path)
    assert (read.score, read.coverage) == (pytest.approx((1 + 5 / 6) / 2), 31 / 40)
