"""Pages of a release and of an update: complete, harmless, accessible to screen readers, and right in every figure."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from lxml import html
from typer.testing import CliRunner

from factscope.benchmarks.curate import (
    HEIGHT,
    PANEL,
    WIDTH,
    draw,
    explore,
    open_folder,
    percentage,
    stage_file,
    update,
    write_table,
)
from factscope.cli import app
from factscope.core import InputError, UsageError
from tests.benchmarks.curate.releases import CHAIN, HOSTILE, MODELS, conversations, kit, released


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seen")
    log = conversations(folder / "logs.jsonl", "moss", "ships", "stars", n=14, suffix=f" {HOSTILE}")
    return released(folder / "release", log)


@pytest.fixture(scope="module")
def page(release: Path) -> Any:
    return html.document_fromstring(explore(release))


@pytest.fixture(scope="module")
def changed(release: Path) -> Any:
    new = release.parent / "new"
    log = conversations(release.parent / "new.jsonl", "moss", "bread", start=5, suffix=f" {HOSTILE}")
    asyncio.run(update(release, [log], new, CHAIN, kit()))
    return html.document_fromstring((new / "changes.html").read_text(encoding="utf-8"))


@pytest.fixture(params=["page", "changed"])
def either(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def words(element: Any) -> str:
    return " ".join(element.text_content().split())


def rows(section: Any) -> Iterator[list[str]]:
    for row in section.xpath(".//tbody/tr"):
        yield [words(cell) for cell in row.xpath("./th|./td")]


def test_the_page_runs_and_fetches_nothing(either: Any) -> None:
    assert not either.xpath("//script|//link|//img|//iframe|//object|//embed|//form|//*[@src]")
    assert not [name for element in either.iter() for name in element.attrib if name.startswith("on")]
    (policy,) = either.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    for link in either.xpath("//a/@href"):
        assert re.match(r"#[\w-]+$", link)  # the address in the outside text is not a link
    for style in either.iter("style"):
        assert not re.search(r"url\(|@import|expression|</|<script", style.text)
    assert "\u202e" not in html.tostring(either, encoding="unicode")
    assert "<script>alert(1)" in either.text_content()


def test_structure_is_sound_for_assistive_technology(either: Any) -> None:
    assert either.get("lang") == "en"
    levels = [int(e.tag[1]) for e in either.iter("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    ids = either.xpath("//@id")
    assert len(ids) == len(set(ids))
    named = [name for some in either.xpath("//@aria-labelledby") for name in some.split()]
    assert {*named, *(link[1:] for link in either.xpath("//a/@href"))} <= set(ids)
    for scroller in either.xpath("//*[contains(@class, 'scroll')]"):
        assert (scroller.get("tabindex"), scroller.get("role")) == ("0", "group")
    for picture in either.iter("svg"):
        assert picture.get("aria-hidden") == "true" or picture.xpath("./title")
    style = "".join(style.text for style in either.iter("style"))
    for query in ("prefers-color-scheme:dark", "forced-colors:active", "@media print"):
        assert query in style


def test_every_selected_prompt_is_on_the_map_and_every_topic_in_the_table(release: Path, page: Any) -> None:
    selected = open_folder(release).table("selected")
    marks = page.xpath("//svg[contains(@class, 'map')]//path[contains(@class, 'pt')]")
    assert len(marks) == selected.height
    for mark in marks:
        assert mark.getparent().get("tabindex") == "-1"
        topic = re.search(r" k(\d+)", mark.get("class"))[1]
        assert mark.getparent().get("href") == f"#t{topic}"
    forms = {re.search(r"t-(\w+)", mark.get("class"))[1]: mark.get("d") for mark in marks}
    assert len(set(forms.values())) == len(forms) == 3  # no tier is marked by colour alone
    assert words(page.xpath("//h1")[0]) == "Benchmark of 18 prompts"  # whatever the name of its folder
    table = page.xpath("//div[contains(@class, 'topics')]")[0]
    assert sum(int(row[1]) for row in rows(table)) == selected.height
    assert {int(row.get("id")[1:]) for row in table.xpath(".//tbody/tr")} == set(selected["topic"])


def test_funnel_and_composition_add_up(release: Path, page: Any) -> None:
    steps = open_folder(release).manifest.steps
    funnel = list(rows(page.get_element_by_id("funnel").xpath(".//table")[0]))
    assert [(row[1], row[2]) for row in funnel] == [(f"{s.rows_in:,}", f"{s.rows_out:,}") for s in steps]
    for step, row in zip(steps, funnel, strict=True):
        assert (
            sum(int(n.replace(",", "")) for n in re.findall(r"(?:^|; )([\d,]+) ", row[4]))
            == step.rows_in - step.rows_out
        )
    tiers = list(rows(page.get_element_by_id("made-of").xpath(".//table")[0]))
    assert sum(int(row[1]) for row in tiers) == 18
    assert [row[0] for row in tiers] == ["hard", "moderate", "easy"]
    assert {row[0] for row in rows(page.get_element_by_id("made-of").xpath(".//table")[2])} == set(MODELS)


def test_prompts_are_shown_with_the_errors_in_their_answers(release: Path, page: Any) -> None:
    units = open_folder(release).side("units")
    cases = page.xpath("//section[@id='prompts']/details")
    assert len(cases) <= 3 * 10
    assert {re.search(r"t-(\w+)", case.xpath(".//span")[0].get("class"))[1] for case in cases} == {
        "hard",
        "moderate",
        "easy",
    }
    wrong = sum(len(case.xpath(".//li[@class='card']")) for case in cases)
    assert wrong > len(cases)
    assert "contradicted" in words(cases[0])
    assert units.filter(pl.col("outcome") == "contradicted").height


def test_thresholds_are_explained_and_changed_ones_marked(page: Any) -> None:
    said = {row[0]: row for row in rows(page.get_element_by_id("thresholds"))}
    assert said["selection.size"][1] == "18changed default 1000"
    assert "FactBench: 985" in said["selection.size"][2]
    assert said["near.jaccard"][1] == "0.9"
    assert said["selection.shares.hard"][2] == "FactBench: 53 %."


def test_alpha_and_difficulty_have_a_table(page: Any) -> None:
    assert len(list(rows(page.get_element_by_id("alpha")))) == 21
    said = words(page.get_element_by_id("difficulty"))
    assert "Without the reported evaluator (by rule) the difficulty rests on the prompts alone" in said
    assert "Spearman’s correlation of tier, easy to hard, and difficulty is" in said
    assert "their correlation is undefined" in said  # all prompts have the same form and length


def test_a_panel_of_further_models_makes_the_difficulty_independent(release: Path) -> None:
    ids = open_folder(release).table("evaluated")["id"]
    answers = [(name, "m", "another", 8, i % 8, 0, 0) for i, name in enumerate(ids)]
    said = explore(release, pl.DataFrame(answers, PANEL, orient="row"))
    assert "the difficulty rests on another" in said
    assert "Spearman’s correlation of difficulty and hallucination score is" in said


@pytest.mark.parametrize("ids", [["of another release"], []])
def test_a_panel_without_a_prompt_of_the_release_is_refused(release: Path, ids: list[str]) -> None:
    answers = pl.DataFrame([(name, "m", "another", 8, 1, 0, 0) for name in ids], PANEL, orient="row")
    with pytest.raises(InputError, match="no judged answer to a prompt of"):
        explore(release, answers)


def test_a_coverage_below_1_is_stated_first(release: Path, tmp_path: Path) -> None:
    assert "Of the units to judge" not in explore(release)
    built = open_folder(Path(shutil.copytree(release, tmp_path / "release")))
    step = [step.name for step in built.manifest.steps].index("selected") + 1
    write_table(built.table("selected").with_columns(coverage=0.5), built.path / stage_file(step, "selected"))
    assert "Of the units to judge, 50.0 % have a verdict" in explore(built.path)


def test_notes_of_a_stage_are_words_and_figures(page: Any) -> None:
    notes = {cells[0]: cells[3] for cells in rows(page.xpath("//details[summary='Time, models and libraries']")[0])}
    assert "evaluated yes" in notes["selected"]
    assert not [note for note in notes.values() if "None" in note]


def test_an_update_page_lists_the_changes(changed: Any) -> None:
    log = changed.get_element_by_id("log")
    by = {name: len(log.xpath(f".//tr[@class='c-{name}']")) for name in ("added", "kept", "removed")}
    keys = [int(words(b)) for b in changed.xpath("//div[@class='keys']//b")]
    assert keys == [18, by["added"], by["kept"], by["removed"]]
    assert by["added"]
    assert by["removed"]
    assert {words(e) for e in log.xpath(".//tr/td[1]")} <= {"+ added", "= kept", "− removed"}
    assert len(list(rows(changed.get_element_by_id("harder")))) == 8


def test_markdown_of_an_update_shows_outside_text_as_it_is(release: Path, changed: Any) -> None:
    text = (release.parent / "new" / "changes.md").read_text(encoding="utf-8")
    assert "\\<script\\>" in text
    assert "<script>" not in text
    assert "\u202e" not in text
    for line in text.splitlines():
        if line.startswith("| "):
            assert len(re.findall(r"(?<!\\)\|", line)) in (3, 4, 5, 7)


def test_factual_precision_is_in_percent_in_all_tables(page: Any, changed: Any) -> None:
    by_difficulty = page.xpath("//section[@id='difficulty']//table")[0]
    assert words(by_difficulty.xpath(".//th")[4]) == "factual precision %"
    by_release = [row for row in rows(changed.get_element_by_id("harder")) if row[0] == "factual precision %"]
    figures = [*(row[-1] for row in rows(by_difficulty)), *(row[2] for row in by_release)]
    assert len(by_release) == 4
    assert all(re.match(r"\d\d\.\d", figure) for figure in figures if figure != "–"), figures


def test_a_share_without_a_value_is_a_dash_without_a_unit() -> None:
    assert percentage(None) == "–"
    assert percentage(0.267) == "26.7 %"


def test_the_map_leaves_out_prompts_without_coordinates_and_may_be_empty() -> None:
    place = {"x": pl.Float64, "y": pl.Float64}
    none = pl.DataFrame(schema=place | {"id": pl.String, "prompt": pl.String, "tier": pl.String, "topic": pl.Int32})
    assert draw(none, none, {}).marks == ()
    rows = [(1.0, 1.0, "a", "p", "hard", 0), (1.0, 1.0, "b", "p", "hard", 0), (None, None, "c", "p", "easy", -1)]
    table = pl.DataFrame(rows, none.schema, orient="row")
    found = draw(table, table, {0: "moss"})
    assert [mark.id for mark in found.marks] == ["a", "b"]
    assert (found.marks[0].x, found.marks[0].y) != (found.marks[1].x, found.marks[1].y)
    assert all(0 < mark.x < WIDTH and 0 < mark.y < HEIGHT for mark in found.marks)
    assert [label.text for label in found.labels] == ["moss"]


def test_a_missing_or_incomplete_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        explore(tmp_path / "none")
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "factscope.json").write_text("{}")
    with pytest.raises(UsageError, match="a release to share, without the tables of its build"):
        explore(tmp_path / "release")
    log = conversations(tmp_path / "logs.jsonl", "moss")
    from factscope.benchmarks.curate import build, up_to

    asyncio.run(build([log], tmp_path / "part", up_to(CHAIN, "vectors"), kit()))
    with pytest.raises(InputError, match="has not reached the stage"):
        explore(tmp_path / "part")


def test_the_explore_command_writes_a_page(release: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke
    out = run(app, ["curate", "explore", str(release), "-o", str(tmp_path / "page.html")])
    assert out.exit_code == 0, out.output
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert run(app, ["curate", "explore", str(tmp_path)]).exit_code == 2
    ids = open_folder(release).table("evaluated")["id"]
    responses = [
        {"id": name, "tier": "hard", "model": "m", "state": "checked", "supported": 9 - i % 9, "contradicted": i % 9}
        for i, name in enumerate(ids)
    ]
    result = {
        "benchmark": "factbench",
        "method": {"name": "verify"},
        "models": {"judge": "x/y"},
        "prompts": {"sha256": "ab", "tiers": ["hard"]},
        "refusals_by": "rule",
        "responses": responses,
    }
    (tmp_path / "result.json").write_text(json.dumps(result))
    ask = [
        "curate",
        "difficulty",
        str(release),
        "--panel",
        str(tmp_path / "result.json"),
        "-o",
        str(tmp_path / "d.csv"),
    ]
    said = run(app, ask)
    assert said.exit_code == 0, said.output
    assert "rests on verify by x/y" in " ".join(said.output.split())
    table = pl.read_csv(tmp_path / "d.csv")
    assert table["id"].to_list() == ids.to_list()
    assert {"complexity", "domain", "task", "scarcity", "panel", "difficulty", "difficulty_apart"} <= set(table.columns)
    (tmp_path / "result.json").write_text("[]")
    assert run(app, ask).exit_code == 1
    assert run(app, ["curate", "update", "--logs", "x.jsonl", "--out", str(tmp_path / "new")]).exit_code == 2
