"""Parameters of a release: from a file, from a manifest, and the messages about wrong ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factscope.benchmarks.curate import CurationParameters, read_parameters
from factscope.core import UsageError
from factscope.methods import method_named

BUILTIN = method_named("builtin")


def given(folder: Path, text: str, name: str = "p.toml") -> CurationParameters:
    (folder / name).write_text(text, encoding="utf-8")
    return read_parameters(folder / name)


def test_a_file_changes_what_it_names(tmp_path: Path) -> None:
    assert read_parameters(None) == CurationParameters()
    found = given(tmp_path, '[selection]\nsize = 9\n[tiers]\nversion = "own"\n[tiers.models]\nkoala = "easy"')
    assert found.selection.size == 9
    assert found.selection.alpha == 0.5
    assert dict(found.tiers.models) == {"koala": "easy"}


def test_a_placeholder_that_fits_no_prompt_keeps_all(tmp_path: Path) -> None:
    assert given(tmp_path, '[placeholders]\npattern = "^$"').placeholders.pattern == "^$"


def test_the_parameters_of_a_release_make_the_next_one(tmp_path: Path) -> None:
    first = given(tmp_path, '[evaluation]\nmethod = "builtin"\n[answering.fresh]\nhard = "openai/new"')
    manifest = json.dumps({"form": 1, "parameters": first.model_dump(mode="json")})
    assert given(tmp_path, manifest, "factscope.json") == first


def test_the_method_may_be_given_by_name_by_file_or_in_full(tmp_path: Path) -> None:
    assert given(tmp_path, '[evaluation]\nmethod = "builtin"').evaluation.method == BUILTIN
    mine = tmp_path / "mine.toml"
    mine.write_text('based_on = "builtin"\nname = "mine"\n', encoding="utf-8")
    assert given(tmp_path, f'[evaluation]\nmethod = "{mine}"').evaluation.method == BUILTIN.model_copy(
        update={"name": "mine"}
    )
    with pytest.raises(UsageError, match=r"evaluation\.method"):
        given(tmp_path, f'[evaluation]\nmethod = "{tmp_path}/none.toml"')
    with pytest.raises(UsageError, match=r"Unknown method 'buildin'"):
        given(tmp_path, '[evaluation]\nmethod = "buildin"')


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("[selection]\nsize = 0", "p.toml", r"selection\.size"),
        ("[selektion]\nsize = 1", "p.toml", "selektion"),
        ('[tiers.models]\nkoala = "tough"', "p.toml", r"tiers\.models\.koala"),
        ("size =", "p.toml", "not TOML"),
        ("{", "p.json", "not JSON"),
        ("[1]", "p.json", "not a JSON object"),
        ('{"parameters": 3}', "p.json", "the file"),
    ],
)
def test_invalid_parameters_are_named_in_the_error(tmp_path: Path, text: str, name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        given(tmp_path, text, name)


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("[topics]\nmin_cluser_size = 9", "there is no such parameter", "Did you mean min_cluster_size?"),
        ("[topcs]\nseed = 9", "there is no such parameter", "Did you mean topics?"),
        ("[topics]\nwhatever = 9", "there is no such parameter", "Parameters there: dimensions"),
        ("[topics]\nseed = 4294967296", r"topics\.seed", "Parameters there"),
        ('[placeholders]\npattern = "(["', "not a regular expression", ""),
        ('[placeholders]\npattern = "(?<=a)b"', "look-around", ""),
        ('[language]\nkeep = ["en", "Englsh"]', "'Englsh' is not the code of a language", ""),
        ('[language]\nkeep = ["en-US"]', "'en-US' is not the code of a language", ""),
        ("[vectors]\nvocabulary = 1", r"vectors\.vocabulary", ""),
        ('[placeholders]\npattern = ""', "fits every prompt", ""),
        ("[difficulty.tasks]\nlist = 9\nother = 0.5", r"difficulty\.tasks: 'list' must be from 0 to 1", ""),
        ("[difficulty.tasks]\nlooking = 0.1\nother = 0.5", "'looking' is not a kind of task", ""),
        ("[selection.shares]\nhard = 0.9", r"add up to 1\.37", ""),
    ],
)
def test_mistakes_in_a_parameter_file_are_reported_with_a_hint(tmp_path: Path, text: str, said: str, hint: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        given(tmp_path, f"\ufeff{text}")
    assert hint in caught.value.hint
    assert "Value error" not in str(caught.value)
