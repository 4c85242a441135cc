"""Regular expressions in TOML files: alternatives, fragments, lists of words, and flags."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from factscope.core import PatternFile

TOML = r"""
flags = "i"

[words]
COLOURS = "red green\n blue"

[fragments]
SHADE = '(?:light|dark) %COLOURS%'
BARE = '%COLOURS%'

[plain]
patterns = ['cat', 'd.g']

[bounded]
before = '\b'
after = '\b'
patterns = ['cats?', 'dogs?']

[shaded]
before = '(?P<animal>%ANIMAL%) is '
patterns = ['%SHADE%', 'grey']

[exact]
flags = "s"
patterns = ['A.B']
"""


@pytest.fixture
def patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PatternFile:
    """Load the file above from a new package, since packages are imported only once."""
    name = f"patterns_of_{tmp_path.name}"
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").touch()
    toml = TOML.replace("%ANIMAL%", "cat|dog").replace("(?:light|dark) %COLOURS%", "(?:light|dark) (?:%COLOURS%)")
    (package / "own.toml").write_text(toml, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return PatternFile(name, "own.toml")


def test_a_pattern_matches_where_one_of_its_lines_does(patterns: PatternFile) -> None:
    assert [match[0] for match in patterns["plain"].finditer("a cat, a dog, a dig, a cow")] == ["cat", "dog", "dig"]


def test_a_prefix_and_suffix_apply_to_every_line(patterns: PatternFile) -> None:
    assert [match[0] for match in patterns["bounded"].finditer("cat cats concat dogs dogma")] == ["cat", "cats", "dogs"]


def test_file_flags_apply_unless_a_pattern_has_its_own(patterns: PatternFile) -> None:
    assert patterns["plain"].fullmatch("CAT")
    assert patterns["exact"].fullmatch("A\nB")
    assert not patterns["exact"].fullmatch("a\nb")


def test_fragments_and_words_are_expanded_even_when_nested(patterns: PatternFile) -> None:
    match = patterns["shaded"].search("The dog is dark blue.")
    assert match
    assert (match["animal"], match[0]) == ("dog", "dog is dark blue")
    assert patterns["shaded"].search("a cat is grey")
    assert not patterns["shaded"].search("a cat is blue")
    assert patterns.text("x %BARE% y") == "x red|green|blue y"
    assert patterns.text("100 % of %x%") == "100 % of %x%"


def test_several_expressions_are_joined_into_one(patterns: PatternFile) -> None:
    assert re.fullmatch(patterns.any_of(["one", "(?:%COLOURS%)"]), "green")


def test_a_pattern_is_compiled_once_and_an_unknown_one_is_an_error(patterns: PatternFile) -> None:
    assert patterns["plain"] is patterns["plain"]
    with pytest.raises(KeyError):
        patterns["none"]
    with pytest.raises(KeyError):
        patterns.text("%NONE%")
