"""The figures of `make house`: what counts as repeated, and what does not."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import factscope
from tests.test_names import modules

SCRIPTS = Path(__file__).parent.parent / "scripts"
BODY = """
def {name}(rows, limit):
    found = []
    for row in rows:
        if row.{field} > limit:
            found.append(row.{field} * {number})
    found.sort(key=len)
    return found[:{number}]
"""


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))


def test_renamed_copies_are_found_unless_they_have_their_own_description(tmp_path: Path) -> None:
    from repeated_code import repeated_pairs

    (tmp_path / "a.py").write_text(BODY.format(name="sizes", field="size", number=3), "utf-8")
    assert repeated_pairs(tmp_path) == []
    (tmp_path / "b.py").write_text("import os\n" + BODY.format(name="ages", field="age", number=40), "utf-8")
    (pair,) = repeated_pairs(tmp_path)
    assert (pair.first, pair.first_line, pair.second, pair.second_line, pair.lines) == ("a.py", 2, "b.py", 3, 7)
    assert not pair.declares
    described = BODY.format(name="ages", field="age", number=40).replace("found = []", 'found = []\n    """Ages."""')
    (tmp_path / "b.py").write_text(described, "utf-8")
    assert repeated_pairs(tmp_path) == []


def test_records_with_similar_fields_are_counted_separately(tmp_path: Path) -> None:
    from repeated_code import repeated_pairs

    fields = "".join(f"    {letter}_{{name}}: int\n" for letter in "abcdefg")
    for name in ("rows", "ages"):
        (tmp_path / f"{name}.py").write_text(f"class {name.title()}:\n{fields.format(name=name)}", "utf-8")
    (pair,) = repeated_pairs(tmp_path)
    assert pair.declares


def test_every_bound_name_counts_each_time() -> None:
    from word_share import share_of_listed_names

    tree = ast.parse("def found(rows):\n    for one in rows:\n        self.kept = one\n")
    assert share_of_listed_names([tree]) == 3 / 4


@pytest.mark.medium
@pytest.mark.parametrize("all_pairs", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_layers_count_every_subpackage(all_pairs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    import house

    if not all_pairs:  # comparing all lines of the tree takes most of a minute; names have their own test
        monkeypatch.setattr(house, "repeated_pairs", lambda _: [])
        monkeypatch.setattr(house, "share_of_listed_names", lambda _: 0.0)
        monkeypatch.setattr(house, "source_trees", lambda: dict(modules()))
    figures = {row.what.split()[0]: row.now for row in house.figures()}
    rooms, _, arrows = (int(number) for number in figures["rooms"].split(" / "))
    assert rooms == sum((path / "__init__.py").is_file() for path in Path(factscope.__file__).parent.iterdir())
    assert rooms - 1 <= arrows <= rooms * (rooms - 1) // 2, "more would be a circle"
    sys.modules.pop("house")
