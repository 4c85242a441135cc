"""A release for others to load: its files and card, and the handling of old, newer or damaged ones."""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import polars as pl
import pytest

from factscope.benchmarks.curate import (
    COLUMNS,
    FORM,
    NAME,
    UNITS,
    CurationParameters,
    Folder,
    LogFile,
    ManifestStep,
    ReleaseManifest,
    open_folder,
    read_parameters,
    read_release,
    side_file,
    stage_file,
    write_release,
    write_table,
)
from factscope.benchmarks.factbench import read_prompts
from factscope.core import InputError, StoreError, UsageError

SELECTED = pl.DataFrame(
    {
        "id": ["a", "b", "c"],
        "prompt": ["Who built it?", "When | was it?\nSay.", "What is “it”?"],
        "tier": ["hard", "hard", "moderate"],
        "rank": [1, 3, 2],
        "topic": [0, 1, 0],
        "source": ["lmsys", "plain", "plain"],
        "model": ["gpt-4", "gpt-4", "vicuna-33b"],
        "response": ["x", "y", "z"],
        "hallucination": [2.0, 0.5, 1.0],
        "usefulness": [4.5, 4.0, 4.5],
        "readings": [["one", "two"], [], []],
        "x": [0.0, 1.0, 2.0],
    }
)
_TWO = [("a", "s1.c1", "It stands", "fact", "contradicted", "r"), ("z", "s1.c1", "Gone", "fact", "supported", None)]
UNIT = pl.DataFrame([(*row, None, None, None) for row in _TWO], UNITS, orient="row")
NAMES = pl.DataFrame({"topic": [0, 1], "name": ["Bridges", "Towns"], "named_by": "baseline"})
EVALUATOR = {"method": "verify", "models": {"judge": "openai/lab"}}
FACTS: dict[str, dict[str, Any]] = {
    "names": {"by": "baseline: words", "accuracy": "The rule for names has precision 0.50."},
    "evaluated": {"evaluator": EVALUATOR},
    "selected": {"short": {"easy": {"wanted": 1, "there": 0}}, "alpha": {"stable": [0.35, 0.6]}},
}


def step(name: str, sides: tuple[str, ...] = (), **more: Any) -> ManifestStep:
    plain = {"key": "", "seconds": 1.0, "parameters": {}, "models": {}, "usage": (), "libraries": {}, "files": {}}
    counts = {"rows_in": 9, "rows_out": 3, "dropped": {"lower | score": 6}, "facts": FACTS.get(name, {})}
    return ManifestStep(name=name, about=f"What {name} does.", sides=sides, **{**plain, **counts, **more})


@pytest.fixture
def built(tmp_path: Path) -> Folder:
    place = tmp_path / "out"
    steps = (
        step("names", ("topic_names",), models={"curate": "baseline"}),
        step("evaluated", ("units",)),
        step("selected"),
    )
    write_table(SELECTED, place / stage_file(3, "selected"))
    write_table(UNIT, place / side_file("units"))
    write_table(NAMES, place / side_file("topic_names"))
    log = LogFile(name="my chats; `x`.jsonl", bytes=1, sha256="0" * 64)
    return Folder(
        place,
        ReleaseManifest(
            factscope="1.0", made="2026-11-21T20:00:00+00:00", parameters=CurationParameters(), logs=(log,), steps=steps
        ),
    )


def test_a_written_release_is_read_back(built: Folder) -> None:
    place = write_release(built)
    assert sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()) == [
        "README.md", "data/hard.parquet", "data/moderate.parquet", "factscope.json", "units/units.parquet",
    ]  # fmt: skip
    found = read_release(built.path)
    assert found.prompts.sort("rank")["id"].to_list() == ["a", "c", "b"]
    assert found.prompts.filter(id="a")["topic_name"].to_list() == ["Bridges"]
    assert found.prompts["readings"].to_list()[0] == ["one", "two"]
    assert "x" not in found.prompts.columns
    assert pl.read_parquet(place / "units" / "units.parquet")["id"].to_list() == ["a"]
    assert found.manifest["version"] == "2026-11-21"
    assert found.manifest["evaluator"] == EVALUATOR
    assert found.manifest["parameters"]["selection"]["alpha"] == 0.5
    assert read_release(place).prompts.equals(found.prompts)


def test_the_benchmark_reads_the_prompts_of_a_release(built: Folder, tmp_path: Path) -> None:
    write_release(built)
    examples = read_prompts([str(built.path)], cache=tmp_path / "cache")
    assert {row.id: row.split for row in examples.rows} == {"a": "Hard", "b": "Hard", "c": "Moderate"}


def test_leftovers_of_a_killed_build_are_removed_by_the_next(built: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as killed:
        killed.setattr("tempfile.TemporaryDirectory", lambda **where: nullcontext(mkdtemp(**where)))
        write_release(built)
    assert list(built.path.glob(".*"))
    write_release(built)
    assert not list(built.path.glob(".*"))


def test_the_card_states_contents_evaluation_and_licence(built: Folder) -> None:
    card = (write_release(built, "2026.1") / "README.md").read_text(encoding="utf-8")
    yaml = pytest.importorskip("yaml")
    head = yaml.safe_load(card.split("---\n")[1])
    assert head["configs"] == [
        {
            "config_name": "default",
            "data_files": [
                {"split": "hard", "path": "data/hard.parquet"},
                {"split": "moderate", "path": "data/moderate.parquet"},
            ],
        },
        {"config_name": "units", "data_files": [{"split": "train", "path": "units/units.parquet"}]},
    ]
    assert head["license"] == "other"
    for part in (
        "release 2026.1", "| hard | 2 | 66.7 % | 1.250 |", "| selected | 9 | 3 | 6 lower \\| score |",
        "verify with openai/lab", "- The rule for names has precision 0.50.\n",
        "tier easy is short", "alpha from 0.35 to 0.6", "stages names: a simple rule", "LMSYS-Chat-1M comes under",
        "0000", "hard 4, moderate 4.5, easy 5", "--logs 'my chats; `x`.jsonl' --out", "- `my chats; x.jsonl` 0000",
    ):  # fmt: skip
        assert part in card


@pytest.mark.parametrize(
    ("coverage", "share"), [([1.0, 1.0, 1.0], None), ([1.0, 0.5, 1.0], "83.3 %"), ([1.0, 1.0, 0.9999], "99.9 %")]
)
def test_the_card_states_a_coverage_below_1(built: Folder, coverage: list[float], share: str | None) -> None:
    write_table(
        built.table("selected").with_columns(pl.Series("coverage", coverage)), built.path / stage_file(3, "selected")
    )
    card = (write_release(built) / "README.md").read_text(encoding="utf-8")
    assert ("Of the units to judge" in card) is (share is not None)
    assert share is None or f"{share} have a verdict" in card


def test_the_card_states_the_command_that_makes_such_a_release(built: Folder) -> None:
    asked = step("verifiable", models={"curate": "baseline"})
    joined = step("previous").model_copy(update={"facts": {"previous": "the first"}})
    for more_steps, command in (
        ((), "factscope curate build --logs"),
        ((asked,), "--parameters factscope.json --no-models\n"),
        ((joined,), "factscope curate update --previous 'the first' --logs"),
    ):
        manifest = built.manifest.model_copy(update={"steps": (*built.manifest.steps, *more_steps)})
        card = (write_release(Folder(built.path, manifest)) / "README.md").read_text(encoding="utf-8")
        assert command in card
        assert "`--model`, `--evidence` or `--search`" in card


def test_a_release_that_nobody_evaluated_claims_nothing(built: Folder) -> None:
    table = built.table("selected").with_columns(pl.lit(None, pl.Float64).alias("hallucination"))
    write_table(table, built.path / stage_file(3, "selected"))
    chosen = built.manifest.step("selected")
    assert chosen is not None
    bare = chosen.model_copy(update={"facts": {"evaluated": False}})
    steps = tuple(bare if one.name == "selected" else one for one in built.manifest.steps)
    blind = Folder(built.path, built.manifest.model_copy(update={"steps": steps}))
    card = (write_release(blind, "2026.1") / "README.md").read_text(encoding="utf-8")
    assert "# Prompts drawn from conversations, release 2026.1" in card
    assert "drawn by lot: no answer was evaluated" in card
    assert "| hard | 2 | 66.7 % | – |" in card
    for claim in ("make things up", "many errors", "With another weight", "selected by the verdicts"):
        assert claim not in card


def test_a_second_release_replaces_the_first(built: Folder) -> None:
    (write_release(built) / "data" / "stray.parquet").write_bytes(b"")
    place = write_release(built, "2")
    assert not (place / "data" / "stray.parquet").exists()
    assert sorted(path.name for path in built.path.iterdir() if "release" in path.name) == ["release"]


def test_an_incomplete_build_cannot_be_released(built: Folder) -> None:
    short = Folder(built.path, built.manifest.model_copy(update={"steps": built.manifest.steps[:2]}))
    with pytest.raises(InputError, match="has not reached the stage 'selected'"):
        write_release(short)


def rewrite(place: Path, **changes: Any) -> None:
    about = json.loads((place / NAME).read_text(encoding="utf-8"))
    (place / NAME).write_text(json.dumps({**about, **changes}), encoding="utf-8")


def test_columns_that_an_older_version_lacks_are_empty(built: Folder) -> None:
    place = write_release(built)
    old = SELECTED.select("id", "prompt", "tier")
    hashes = {"data/hard.parquet": write_table(old, place / "data" / "hard.parquet")}
    about = {"version": "0", "files": hashes}
    (place / NAME).write_text(json.dumps(about), encoding="utf-8")
    shutil.rmtree(place / "units")
    found = read_release(place)
    assert found.prompts.height == 3
    lacking = set(COLUMNS) - {"id", "prompt", "tier"}
    assert all(found.prompts[name].is_null().all() for name in lacking)


def test_a_build_opens_whose_parameters_this_version_would_refuse(built: Folder) -> None:
    about = built.manifest.model_dump(mode="json")
    about["parameters"]["language"]["keep"] = ["en", "Tagalog"]
    about["parameters"]["difficulty"]["tasks"] = {"other": 3, "rhyme": 0.5}
    manifest = built.path / "manifest.json"
    manifest.write_text(json.dumps(about), encoding="utf-8")
    assert open_folder(built.path).manifest.parameters.language.keep == ("en", "Tagalog")
    with pytest.raises(UsageError, match=r"language\.keep"):
        read_parameters(manifest)


def test_a_newer_or_damaged_release_is_refused_with_a_hint(built: Folder, tmp_path: Path) -> None:
    place = write_release(built)
    rewrite(place, form=FORM + 1, factscope="9.0")
    with pytest.raises(StoreError, match=r"form 2, made by Factscope 9\.0") as caught:
        read_release(place)
    assert "pip install --upgrade factscope" in caught.value.hint
    rewrite(place, form=FORM, files={"data/../../../secret": ""})
    with pytest.raises(StoreError, match="outside of the release"):
        read_release(place)
    write_release(built)
    (place / "data" / "hard.parquet").write_bytes(b"PAR1")
    with pytest.raises(StoreError, match="not as it was written"):
        read_release(place)
    for text in ("{", "[]", '{"form": "x", "files": {}}'):
        (place / NAME).write_text(text, encoding="utf-8")
        with pytest.raises(StoreError, match="can't be read"):
            read_release(place)
    with pytest.raises(UsageError, match="is not a release"):
        read_release(tmp_path)
