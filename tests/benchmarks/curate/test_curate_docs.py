"""docs/curate.md matches the code: its commands run, and its tables are those of the code.

Placed beside the other tests of topics, since the topic libraries compile themselves once per process.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl
import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

from factscope.benchmarks.curate import CHAIN, COLUMNS, CurationParameters, Folder, open_folder, read_release
from factscope.cli import app
from factscope.core import field_docs
from tests.lab import warm

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "curate.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, few_points: None) -> Path:
    """Run the commands of the page in order, and return their folder."""
    folder = tmp_path_factory.mktemp("curate")
    (block,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    environment = {"FACTSCOPE_CACHE": str(folder / "cache"), "FACTSCOPE_STORE": str(folder / "runs.db")}
    with pytest.MonkeyPatch.context() as here:
        here.chdir(ROOT)
        for command in block.splitlines():
            words = shlex.split(command.replace("build/", f"{folder}/"))[2:]
            done = CliRunner().invoke(app, words, env=environment)
            assert done.exit_code == 0, f"{command}\n{done.stderr}"
    return folder


@pytest.fixture(scope="module")
def first(built: Path) -> Folder:
    return open_folder(built / "first")


@pytest.mark.medium
def test_the_funnel_matches_the_page(first: Folder) -> None:
    shown = re.findall(r"^ (\w+) +(\d+) +(\d+) +\d", PAGE, re.MULTILINE)
    assert len(shown) == 5
    steps = {step.name: step for step in first.manifest.steps}
    for name, rows_in, rows_out in shown:
        assert (steps[name].rows_in, steps[name].rows_out) == (int(rows_in), int(rows_out)), name
    assert first.manifest.step("near").dropped == {"near-duplicate": 12}  # type: ignore[union-attr]


@pytest.mark.medium
def test_the_sample_build_makes_a_release_with_its_stated_contents(built: Path, first: Folder) -> None:
    release = read_release(built / "first")
    tables = [pl.read_parquet(path) for path in (built / "first" / "release" / "data").glob("*.parquet")]
    assert all(set(COLUMNS) <= set(table.columns) for table in tables)
    assert release.prompts["tier"].value_counts(sort=True)["tier"].to_list() == ["hard", "moderate", "easy"]
    assert release.prompts.height == 60
    assert set(release.prompts["verifiable_by"]) == {"baseline"}
    assert all(set(step.models.values()) <= {"baseline"} for step in first.manifest.steps)
    assert (built / "second" / "changes.html").exists()
    page = (built / "explore.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "No answer was judged, so whether harder prompts get worse answers can’t be told." in page


@pytest.mark.medium
def test_the_planted_topics_are_found(first: Folder) -> None:
    """Twelve subjects, each found by a distinctive word in a table that groups them by other words."""
    telling = ("planet", "coffee", "chess", "volcan|eruption|lava", "Rom", "vaccin|immune", "bees|hive", "electric car")
    table = first.table("topics")
    for word in telling:
        topics = table.filter(pl.col("prompt").str.contains(word))["topic"].value_counts(sort=True)
        assert topics["count"][0] / topics["count"].sum() > 0.45, word


@pytest.mark.medium
def test_every_stage_and_column_is_documented(first: Folder) -> None:
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]*)\| ([^|]*)\|$", PAGE, re.MULTILINE)
    assert [name for name, _, _ in rows] == [stage.name for stage in CHAIN]
    before: set[str] = set()
    for name, columns, sides in rows:
        table = set(first.table(name).columns)
        assert set(re.findall(r"`(\w+)`", columns)) == table - before, name
        before = table
        step = first.manifest.step(name)
        assert step is not None
        assert set(re.findall(r"`(\w+)`", sides)) - {"grid"} == set(step.sides), name


def test_every_parameter_is_documented() -> None:
    told = [line for line in PAGE.splitlines() if re.match(r"\| `[a-z_.]+` \| .* \| .* \|$", line)]
    shown = {line.split(" | ")[0]: line for line in told}
    for row in parameter_rows(CurationParameters):
        assert shown.get(row.split(" | ")[0]) == row


def parameter_rows(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the rows of the table of parameters: name, default, sentence."""
    for name, field in model.model_fields.items():
        where, default = (*path, name), field.get_default(call_default_factory=True)
        if isinstance(default, BaseModel):
            yield from parameter_rows(type(default), where)
            continue
        shown = json.dumps(dict(default) if isinstance(default, Mapping) else default, default=list)
        shown = "–" if default is None else "see there" if isinstance(default, Mapping) and default else shown
        text = " ".join(field_docs(model).get(name, "").split())
        yield f"| `{'.'.join(where)}` | {shown} | {text} |".replace("|<PRES", "&#124;<PRES")


def test_the_parameters_on_the_page_match_the_shipped_file() -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert shown == (ROOT / "examples" / "curate.toml").read_text(encoding="utf-8")


def test_the_sample_conversations_match_the_script_that_generates_them() -> None:
    script = ROOT / "scripts" / "curate_sample.py"
    done = subprocess.run([warm.python(), str(script), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    print("\n".join(parameter_rows(CurationParameters)))
