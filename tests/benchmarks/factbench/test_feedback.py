"""`factscope bench feedback`: each error, its reason and its correction; and pairs for training."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from factscope.benchmarks.factbench import corrections, document, feedback, to_html, training_pairs
from factscope.cli import app
from factscope.core.records import Claim, Correction, Report
from factscope.engine import Settings, Tools, open_tools
from factscope.methods import method_named
from factscope.report import blocks_to_markdown
from tests import lab
from tests.scoring.example_reports import NO, OPEN, YES, J, make_report

ROWS = [
    {
        "id": "a",
        "model": "m<b>",
        "prompt": "When?",
        "response": "The Marlow bridge was opened in 1950. It has four arches.",
    },
    {"id": "b", "model": "n", "response": "The Marlow bridge was opened in 1931."},
]


def made(*claims: list[J]) -> Report:
    """Build a report whose claims differ."""
    report = make_report(claims)
    own = tuple(one.model_copy(update={"standalone": f"{one.id} is so"}) for one in report.claims)
    return report.model_copy(update={"claims": own})


@pytest.fixture(scope="module")
def server() -> Iterator[lab.Server]:
    with lab.model_server() as running:
        yield running


def test_wrong_units_are_ordered_by_priority() -> None:
    report = made([YES], [OPEN], [NO._replace(confidence=0.4)], [NO._replace(confidence=0.9)])
    found = feedback("run", [report])
    (one,) = found.responses
    assert [wrong.unit_id for wrong in one.wrong] == ["s4.c1", "s2.c1", "s3.c1"]
    assert [wrong.level for wrong in one.wrong] == ["high", "low", "medium"]
    assert [wrong.priority for wrong in one.wrong] == [0.9, 0.5, 0.4]
    (model,) = found.models
    assert (model.units, model.contradicted, model.undecided, model.errors) == (4, 2, 1, {"unknown": 2})


def test_a_repeated_error_is_reported_once() -> None:
    (one,) = feedback("run", [make_report([[NO], [NO], [NO]])]).responses
    assert [(wrong.unit_id, wrong.times) for wrong in one.wrong] == [("s1.c1", 3)]
    assert one.units == 1


def test_an_error_gains_priority_from_dependent_claims_and_is_reported_once() -> None:
    report = made([NO], [NO])
    leaning: Claim = report.claims[1].model_copy(update={"depends_on": ("s1.c1",)})
    verdicts = tuple(
        one.model_copy(update={"at_risk": ("s1.c1",)}) if one.unit_id == "s2.c1" else one for one in report.verdicts
    )
    report = report.model_copy(update={"claims": (report.claims[0], leaning), "verdicts": verdicts})
    (one,) = feedback("run", [report]).responses
    assert [(wrong.unit_id, wrong.depends, wrong.priority) for wrong in one.wrong] == [("s1.c1", 1, 2.0)]


def test_nobody_is_asked_to_correct_what_depends_on_an_error(
    tmp_path: Path, server: lab.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = made([NO], [NO])
    verdicts = tuple(
        one.model_copy(update={"at_risk": ("s1.c1",)}) if one.unit_id == "s2.c1" else one for one in report.verdicts
    )
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
    spec = method_named("standard").correct
    asked_about = []
    for number, verdicts_given in enumerate((report.verdicts, verdicts)):
        tools = open_tools((), settings=Settings(model={"correct": "openai/m"}, cache=tmp_path / str(number)))
        assert spec
        assert tools.models
        work = corrections([report.model_copy(update={"verdicts": verdicts_given})], spec, tools.models)
        asyncio.run(with_tools(tools, work))
        body = server.log()[-1]["body"]
        asked_about.append([name for name in ("s1.c1", "s2.c1") if f"{name} is so" in body])
    assert asked_about == [["s1.c1", "s2.c1"], ["s1.c1"]]


async def with_tools(tools: Tools, work: Coroutine[Any, Any, object]) -> None:
    async with tools:
        await work


def test_a_pair_has_the_highest_priority_correction_of_each_segment() -> None:
    report = made([NO], [NO])
    mended = Correction(unit_id="s1.c1", error="entity", text="y")
    report = report.model_copy(
        update={"response": report.response.model_copy(update={"text": "x and more"}), "corrections": (mended,)}
    )
    (pair,) = training_pairs(feedback("run", [report]))
    assert (pair["rejected"], pair["chosen"], pair["corrected"], pair["left"]) == ("x and more", "y and more", 1, 1)
    assert not list(training_pairs(feedback("run", [make_report([[YES]])])))


def test_feedback_is_given_on_a_stored_run(tmp_path: Path, documents: Path, server: lab.Server) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    environment = {
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "sk-lab",
        "FACTSCOPE_CACHE": str(tmp_path / "cache"),
        "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
    }

    def call(*words: str) -> Result:
        done = CliRunner().invoke(app, list(words), env=environment)
        assert done.exit_code == 0, done.output
        return done

    call(
        "run", str(rows), "--evidence", str(documents), "--method", "verify", "--model", "openai/m", "-q", "-f", "json"
    )
    plain = call("bench", "feedback", "last").stdout
    assert "contradicted: The Marlow bridge was opened in 1950" in plain
    assert "should be" not in plain
    assert "The number is the weight" in plain
    out, pairs = tmp_path / "feedback.html", tmp_path / "pairs.jsonl"
    bare = call("bench", "feedback", "last", "-o", str(out), "--pairs", str(pairs)).stderr
    assert f"Wrote {out}\n" in bare
    assert "--correct provider/model asks for them" in bare
    call("bench", "feedback", "last", "--correct", "openai/m", "-o", str(out), "--pairs", str(pairs))
    page = out.read_text(encoding="utf-8")
    assert "Should be" in page
    assert "1931" in page
    assert "m&lt;b&gt;" in page
    assert '<a href="#r1">' in page
    assert "<b>" not in page.replace("<b>Warning", "")
    (pair,) = map(json.loads, pairs.read_text(encoding="utf-8").splitlines())
    assert "1950" in pair["rejected"]
    assert "1931" in pair["chosen"]
    assert (pair["prompt"], pair["model"], pair["left"]) == ("When?", "m<b>", 0)
    values = json.loads(call("bench", "feedback", "last", "--correct", "openai/m", "-f", "json").stdout)
    (wrong,) = values["responses"][0]["wrong"]
    assert wrong["error"] == "entity"
    assert "1931" in wrong["evidence"][0]["text"]
    refused = CliRunner().invoke(app, ["bench", "feedback", "last", "-o", str(tmp_path / "x.txt")], env=environment)
    assert "is not a known format" in refused.stderr


def test_a_page_found_in_several_rounds_is_listed_once() -> None:
    report = made([NO])
    (judgement,) = report.judgements
    again = report.passages[0].model_copy(update={"id": "s1.c1.p9"})
    pooled = judgement.model_copy(update={"passage_ids": (report.passages[0].id, again.id), "quote": None})
    report = report.model_copy(update={"passages": (report.passages[0], again), "judgements": (pooled,)})
    assert len(feedback("run", [report]).responses[0].wrong[0].evidence) == 1


def test_passages_that_were_only_read_are_not_called_contradicting_evidence() -> None:
    report = made([NO])
    (judgement,) = report.judgements
    passages = tuple(
        report.passages[0].model_copy(update={"id": f"s1.c1.p{n}", "text": f"passage {n}"}) for n in (1, 2, 3)
    )
    names = tuple(one.id for one in passages)
    pooled = judgement.model_copy(update={"passage_ids": names, "quote": None})
    together = report.model_copy(update={"passages": passages, "judgements": (pooled,)})
    found = feedback("run", [together])
    assert [one.named for one in found.responses[0].wrong[0].evidence] == [False] * 3
    assert "names no passage" in to_html(found)
    assert "names no passage" in blocks_to_markdown(document(found), headings=True)
    alone = feedback("run", [report])
    assert [one.named for one in alone.responses[0].wrong[0].evidence] == [True]
    assert "names no passage" not in to_html(alone)
