"""Effect of the panel on the table, and kinds of examples on which models fail."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console
from typer.testing import CliRunner

from factscope.benchmarks import Example
from factscope.benchmarks.facts_grounding import (
    EVIDENCE,
    LENGTH,
    GroundingOutcome,
    VerdictArrays,
    adaptive,
    by_parts,
    changed_templates,
    document,
    excerpt_positions,
    panel_of,
    read_results,
    summary_of,
    tags_of,
    without_judges,
)
from factscope.cli import app
from factscope.core import InputError
from factscope.core.records import Document, Quote, Response, Span
from factscope.methods.library import PANELS
from factscope.report import print_document
from tests.benchmarks.leaderboard.example_results import result, written
from tests.report.test_judges import judged


def arrays(labels: np.ndarray) -> VerdictArrays:
    """Build arrays of one split, without phase B."""
    judges = tuple("xyz"[: labels.shape[2]])
    models = tuple("ab"[: labels.shape[1]])
    return VerdictArrays(models, judges, ("open",), np.zeros(len(labels), np.int64), labels.astype(float))


def test_a_third_judge_asked_only_when_needed_saves_calls_and_may_change_scores() -> None:
    """x and y agree on three of four responses; z differs from them on one of the three."""
    labels = np.array([[[1, 1, 1]], [[1, 1, 0]], [[0, 0, 0]], [[1, 0, 1]]])
    last = next(one for one in adaptive(arrays(labels), resamples=100) if one.third == "z")
    assert (last.n, last.asked) == (4, 1)
    assert last.saved == pytest.approx(3 / 12)
    assert last.bias == pytest.approx(1 / 12)  # one verdict of twelve is wrongly taken for accurate


def test_leaving_out_a_decisive_judge_changes_the_ranks() -> None:
    a, b = [1, 1, 0], [0, 0, 1]  # only z prefers b, and strongly
    labels = np.array([[a, b]] * 10)
    found = {one.judge: one for one in without_judges(arrays(labels))}
    assert found["z"].ranks == (1, 2)
    assert found["z"].averages == (1.0, 0.0)
    assert found["z"].moved == 0
    assert without_judges(arrays(labels[..., :2])) == ()


def test_missing_verdicts_do_not_count_as_savings() -> None:
    labels = np.array([[[1.0, 1.0, np.nan]], [[1.0, 1.0, 1.0]]])
    assert {one.n for one in adaptive(arrays(labels), resamples=50)} == {1}


def example(name: str, words: int, **tags: str) -> Example:
    document = Document(id=f"d-{words:016d}", text="w " * words, sha256=f"{words:064d}")
    return Example(name, "open", Response(id=name, text="", context=(document,)), tags)


def test_scores_are_broken_down_by_domain_and_document_length() -> None:
    rows = [example(f"e{n}", 10 * (n + 1), domain="Legal" if n % 2 else "Medical") for n in range(8)]
    tags = tags_of(rows)
    assert tags["e0"][LENGTH].startswith("1 of 4, to 2")
    assert tags["e7"][LENGTH] == "4 of 4, to 80 words"
    labels = np.array([[[n % 2, n % 2, 1]] for n in range(8)])
    found = {
        (one.tag, one.value): one for one in by_parts(arrays(labels), [row.id for row in rows], tags, resamples=100)
    }
    assert found["domain", "Legal"].score == 1.0
    assert found["domain", "Medical"].score == pytest.approx(1 / 3)
    assert (found["domain", "Medical"].n, found["domain", "Medical"].of) == (4, 4)
    assert len([key for key in found if key[0] == LENGTH]) == 4
    assert not by_parts(arrays(labels), [row.id for row in rows], {}, resamples=100)


def test_a_part_says_how_many_examples_it_has_and_has_no_score_with_few_verdicts() -> None:
    rows = [example(f"e{n}", 10, domain="Legal" if n % 2 else "Medical") for n in range(8)]
    labels = np.ones((8, 1, 3))
    labels[[0, 1, 3, 5]] = np.nan
    parts = by_parts(arrays(labels), [row.id for row in rows], tags_of(rows), resamples=50)
    domains = {one.value: one for one in parts if one.tag == "domain"}
    assert (domains["Medical"].n, domains["Medical"].of, domains["Medical"].score) == (3, 4, 1.0)
    assert (domains["Legal"].n, domains["Legal"].of, domains["Legal"].score) == (1, 4, None)
    assert domains["Legal"].interval is None


def test_the_position_of_evidence_comes_from_the_excerpts_of_judges() -> None:
    report = judged()
    (passage,) = report.passages
    text = "w" * 80 + passage.text + "w" * 8
    finding = report.findings[0]
    quote = Quote(passage_id=passage.id, span=Span(start=0, end=12), text="An old mole")
    report = report.model_copy(
        update={
            "response": Response(text="x", context=(Document(id="d", text=text, sha256="a" * 64),)),
            "passages": (passage.model_copy(update={"span": Span(start=80, end=92)}),),
            "findings": (finding.model_copy(update={"quotes": (quote,)}), *report.findings[1:]),
        }
    )
    assert excerpt_positions(report) == [0.86]
    rows = [example("a", 5), example("b", 5), example("c", 5)]
    tags = tags_of(rows, {"a": 0.1, "b": 1.0})
    assert [tags[name].get(EVIDENCE) for name in "abc"] == ["1 of 3, beginning", "3 of 3, end", None]


def recorded(path: Path, template: str = "json", **good: int) -> Path:
    """Write a result with these numbers of accurate answers, and with this template for the second judge."""
    values = result(**good)
    values["judges"][1]["template"] = template
    return written(path, values)


def test_verdicts_under_a_changed_template_replace_those_of_the_judge(tmp_path: Path) -> None:
    table = recorded(tmp_path / "a.json", good=15, bad=12)
    other = recorded(tmp_path / "b.json", "implicit", good=5, bad=20)
    (one,) = changed_templates(read_results([table]), [read_results([other])])
    assert (one.judge, one.template, one.instead) == ("x/two", "json", "implicit")
    assert (one.ranks, one.moved, one.n) == ((2, 1), 2, 38)
    assert one.same == pytest.approx(20 / 38)  # verdicts on ten answers of good differ, and on eight of bad
    done = CliRunner().invoke(app, ["bench", "facts-table", str(table), "--changed", str(other), "-f", "json"])
    (told,) = json.loads(done.stdout)["panel"]["templates"]
    assert told["instead"] == "implicit"
    done = CliRunner().invoke(app, ["bench", "facts-table", str(table), "--changed", str(other)])
    assert "With two asked by implicit instead of json 2 of 2 models have another rank" in " ".join(done.stdout.split())


def test_a_result_without_a_changed_template_is_reported(tmp_path: Path) -> None:
    table = recorded(tmp_path / "a.json", good=15, bad=12)
    with pytest.raises(InputError, match="No judge has another template"):
        changed_templates(read_results([table]), [read_results([table])])


LONG = ("anthropic/claude-sonnet-4-5-20250929", "google/gemini-2.5-pro-preview-05-06", "openai/gpt-4.1-mini")


def shown(table: GroundingOutcome, width: int) -> list[str]:
    out = io.StringIO()
    summary = summary_of(table, resamples=50)
    print_document(document(summary, table), Console(file=out, width=width))
    return out.getvalue().splitlines()


def test_the_table_is_readable_at_80_columns(tmp_path: Path) -> None:
    """No name is broken every few letters and no figure is cut: every part of the table has rank and model."""
    values = json.dumps(result(a=20, b=12, c=4))
    for short, name in zip(("a", "b", "c"), LONG, strict=True):
        values = values.replace(f'"model": "{short}"', f'"model": "{name}"')
    values = values.replace("x/one", LONG[0]).replace("x/two", LONG[1])
    (tmp_path / "a.json").write_text(values, encoding="utf-8")
    table = read_results([tmp_path / "a.json"])
    narrow, wide = shown(table, 80), shown(table, 200)
    assert max(map(cell_len, narrow)) <= 80
    assert sum("openai/gpt-4.1-mini" in line for line in narrow if line.startswith(" ")) > 1
    figures = [sorted(re.findall(r"\d+\.\d–\d+\.\d", " ".join(lines))) for lines in (narrow, wide)]
    assert figures[0] == figures[1]
    assert figures[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--panel", "v9"], "Unknown panel 'v9'. Choose from: v1, v2"),
        (["--panel", "v2", "--judge", "openai/x"], "--panel names the judges, and so does --judge"),
    ],
)
def test_a_published_panel_replaces_the_judge_options(words: list[str], message: str) -> None:
    done = CliRunner().invoke(app, ["bench", "facts-grounding", "--data", "none.csv", *words])
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert panel_of(PANELS["v2"]).models == ("gemini/gemini-2.5-flash", "openai/gpt-5")
    assert panel_of(PANELS["v1"]).templates == ("json", "json", "implicit")
