"""Methods on labelled samples: with the evidence that comes with them, split like them, stored and resumed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.meta_eval import (
    SHORT_DOCUMENT,
    CheckerSide,
    EvaluationOptions,
    Units,
    adapted,
    compare,
    run_method,
    tasks,
    with_own_evidence,
)
from factscope.core.records import Document, Gold, Sample, Span
from factscope.engine import Runner, Store, Tools, find_method
from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.methods import Method, method_named
from tests import lab
from tests.benchmarks.datasets.example_records import FELM
from tests.benchmarks.datasets.example_records import read as made_of
from tests.benchmarks.meta_eval.example_samples import TEXT, sample, with_claims
from tests.conftest import ScriptedVerifier, agreeable
from tests.engine.checking import models_for, with_models

BUILTIN = method_named("builtin")
CLAIM_VANILLA = method_named("felm/claim-vanilla")
SEGMENT_LINK = method_named("felm/segment-link")
SEGMENT_VANILLA = method_named("felm/segment-vanilla")


@pytest.fixture(scope="module")
def server() -> Iterator[lab.Server]:
    with lab.model_server() as made:
        yield made


def document(text: str) -> Document:
    digest = sha256(text.encode()).hexdigest()
    return Document(id=f"d-{digest[:16]}", text=text, sha256=digest)


PAGE = document("The bridge has four arches. " + "It rains. " * 200 + "It was opened in 1931.")
SHORT = document("The bridge has four arches.")


def claim(name: str, text: str, factual: bool, page: Document) -> Sample:
    span = Span(start=0, end=len(text))
    gold = Gold(id="g1", level="claim", span=span, text=text, factual=factual, references=(page.id,))
    return Sample(id=name, response=text, context=(page,), gold=(gold,))


def run(
    samples: Sequence[Sample],
    store: Path,
    answer: Callable[[ClaimPair], Prediction] = agreeable,
    *,
    method: Method = BUILTIN,
    units: Units = "own",
    server: lab.Server | None = None,
) -> tuple[CheckerSide, ScriptedVerifier]:
    verifier = ScriptedVerifier(answer)
    wanted = EvaluationOptions(units=units, rule="contradicted", resamples=0)

    async def work() -> CheckerSide:
        bare = Tools(verifiers={"builtin": lambda: verifier})
        tools = with_own_evidence(adapted(method, units), bare, tasks(samples, units))
        with Store(store) as kept:
            if server is None:
                return await run_method(LabelledData("d", tuple(samples)), "x", method, Runner(tools, kept), wanted)
            async with with_models(tools, models_for(server, "openai/lab", None), 64) as wired:
                return await run_method(LabelledData("d", tuple(samples)), "x", method, Runner(wired, kept), wanted)

    return asyncio.run(work()), verifier


def test_a_short_document_is_shown_whole_and_only_to_its_own_claim(tmp_path: Path) -> None:
    other = document("Penguins like fish.")
    rows = [claim("a", "The bridge has six arches.", False, SHORT), claim("b", "Cows graze.", True, other)]
    side, verifier = run(rows, tmp_path / "runs.db", units="given")
    assert sorted((pair.claim, pair.passage) for pair in verifier.asked) == [
        ("Cows graze.", "Penguins like fish."),
        ("The bridge has six arches.", "The bridge has four arches."),
    ]
    assert {name: [one.flagged for one in said] for name, said in side.predictions.items()} == {
        "a": [False],
        "b": [False],
    }
    assert side.predictions["a"][0].evidence[0].text == "The bridge has four arches."


def test_only_relevant_passages_of_a_long_document_are_shown(tmp_path: Path) -> None:
    assert len(PAGE.text or "") > SHORT_DOCUMENT
    _, verifier = run([claim("a", "The bridge was opened in 1931.", True, PAGE)], tmp_path / "runs.db", units="given")
    assert verifier.asked
    assert all(len(pair.passage) < 250 for pair in verifier.asked)
    assert any("opened in 1931" in pair.passage for pair in verifier.asked)


def test_given_claims_are_judged_verbatim_by_every_method(tmp_path: Path) -> None:
    one = with_claims("a", [True, False, None]).model_copy(update={"context": (SHORT,)})
    _, verifier = run([one], tmp_path / "runs.db", units="given")
    assert sorted({pair.claim for pair in verifier.asked}) == ["Claim 1.", "Claim 2."]
    _, verifier = run([one], tmp_path / "own.db", units="own")
    assert "The bridge has four arches." in {pair.claim for pair in verifier.asked}


def test_stored_judgements_are_not_repeated(tmp_path: Path) -> None:
    rows = [claim("a", "The bridge has six arches.", False, SHORT)]
    first, asked = run(rows, tmp_path / "runs.db", units="given")
    again, asked_again = run(rows, tmp_path / "runs.db", units="given")
    assert len(asked.asked) == 1
    assert asked_again.asked == []
    assert again.predictions == first.predictions
    assert again.run == first.run


def test_texts_without_evidence_are_counted(tmp_path: Path) -> None:
    rows = [claim("a", "The bridge has six arches.", False, SHORT), sample("b", [True])]
    side, _ = run(rows, tmp_path / "runs.db")
    assert side.notes == ("texts to which the data set gives no evidence (b)",)


def test_claims_that_no_judge_reads_are_unanswered_not_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ScriptedVerifier, "languages", ("en",), raising=False)
    german = "Die Brücke von Marlow wurde im Jahr 1931 für den Verkehr geöffnet."
    rows = [claim("a", german, False, SHORT), claim("b", "The bridge has four arches.", True, SHORT)]
    side, verifier = run(rows, tmp_path / "runs.db", units="given")
    assert [pair.claim for pair in verifier.asked] == ["The bridge has four arches."]
    (prediction,) = side.predictions["a"]
    assert (prediction.flagged, prediction.tendency, prediction.outcome) == (None, None, "not_checkable")
    result = compare(LabelledData("d", tuple(rows)), [side], EvaluationOptions(units="given", resamples=0))
    overall = result.checkers[0].levels["claim"].overall
    assert (overall.n, overall.n_answered, overall.coverage) == (2, 1, 0.5)


def test_failed_checks_are_unanswered_and_counted(tmp_path: Path) -> None:
    def breaks(pair: ClaimPair) -> Prediction:
        if "six" in pair.claim:
            raise RuntimeError("out of order")
        return agreeable(pair)

    rows = [
        claim("a", "The bridge has six arches.", False, SHORT),
        claim("b", "The bridge has four arches.", True, SHORT),
    ]
    side, _ = run(rows, tmp_path / "runs.db", breaks, units="given")
    assert side.notes == ("texts with units that failed, left unanswered (a#g1)",)
    result = compare(LabelledData("d", tuple(rows)), [side], EvaluationOptions(units="given", resamples=0))
    figures = result.checkers[0].levels["claim"].overall
    assert (figures.n, figures.n_answered, figures.coverage) == (2, 1, 0.5)
    assert figures.values["recall"] is None


MARLOW = "The Marlow bridge was opened in 1931. It has six arches. Have you seen it?"


def marlow() -> Sample:
    ends = [37, 56, len(MARLOW)]
    starts = [0, 38, 57]
    gold = tuple(
        Gold(id=f"g{i}", level="segment", span=Span(start=start, end=end), factual=i != 2)
        for i, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    )
    link = Document(id="d-1", text=None, url="https://a.example/1", sha256="0" * 64)
    return Sample(id="7", prompt="What is in Marlow?", response=MARLOW, context=(PAGE, link), gold=gold)


@pytest.mark.parametrize("method", [SEGMENT_VANILLA, CLAIM_VANILLA, SEGMENT_LINK], ids=lambda method: method.name)
def test_felm_evaluators_judge_the_segments_of_the_data_set(method: Method, tmp_path: Path, server: lab.Server) -> None:
    server.script([])
    side, _ = run([marlow()], tmp_path / "runs.db", method=method, server=server)
    result = compare(LabelledData("d", (marlow(),)), [side], EvaluationOptions(rule="contradicted", resamples=0))
    segment = result.checkers[0].levels["segment"].overall
    assert (segment.tp, segment.fp, segment.fn, segment.tn) == (1, 0, 0, 2)
    assert result.checkers[0].levels["response"].overall.tp == 1
    assert result.checkers[0].models["judge"] == "openai/lab"


def test_a_method_using_the_context_of_a_response_gets_no_other_evidence() -> None:
    found = tasks([marlow()], "own")
    assert with_own_evidence(SEGMENT_VANILLA, Tools(), found).sources == {}
    assert set(with_own_evidence(BUILTIN, Tools(), found).sources) == {"given"}
    assert with_own_evidence(find_method("verify"), Tools(), tasks([sample("a", [True])], "own")).sources == {}
    named = replace(Tools(), sources={"local": object()})  # type: ignore[dict-item]
    assert with_own_evidence(BUILTIN, named, found) is named


def test_the_text_of_a_response_is_unchanged() -> None:
    (task,) = tasks([sample("a", [True])], "own")
    assert task.response.text == TEXT


def test_judges_of_felm_see_the_segments_that_people_labelled(tmp_path: Path, server: lab.Server) -> None:
    server.script([])
    segments = ["It holds 80,000 + 50,000 = 130,000 litres.", "", "That is enough."]
    row = FELM[1] | {"index": "340", "response": "It holds 80,000 + 50,000 = <<80000+50000=130000>>130,000 litres."}
    rows = [row | {"segmented_response": segments, "labels": [False, True, True]}, FELM[2]]
    samples = made_of(tmp_path, rows, "felm").samples
    side, _ = run(samples, tmp_path / "runs.db", method=SEGMENT_VANILLA, server=server)
    shown = "".join(row["body"] for row in server.log())
    assert "<<80000" not in shown
    assert "80,000 + 50,000 = 130,000 litres." in shown
    result = compare(LabelledData("felm", samples), [side], EvaluationOptions(resamples=0))
    segment, response = (result.checkers[0].levels[level].overall for level in ("segment", "response"))
    assert (segment.n, segment.n_answered, response.n) == (5, 5, 2), "the empty one is right, the NaN response counts"


def test_jointly_read_evidence_has_the_label_of_the_verdict(tmp_path: Path) -> None:
    def answer(pair: ClaimPair) -> Prediction:
        return Prediction("supported" if "\n\n" in pair.passage else "not_enough_evidence", 0.9, None, "")

    row = claim("a", "The bridge has four arches and a tower.", True, SHORT)
    other = document("The bridge has a tower.")
    side, _ = run([row.model_copy(update={"context": (SHORT, other)})], tmp_path / "runs.db", answer, units="own")
    assert [view.label for view in side.predictions["a"][0].evidence] == ["supported", "supported"]
