"""The examples of `docs/extending.md`: each is short, and does what it says when it is registered."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import factscope
from factscope.benchmarks.datasets import DATASETS, load
from factscope.core import Registry, UsageError
from factscope.evidence.search import ENGINES, SearchOptions, engine_title, open_engine
from factscope.judging.verifiers import VERIFIERS
from factscope.llm import UnreadableError
from factscope.methods import REPLY_FORMATS, Judge, method_from_toml
from factscope.report import RENDERERS
from factscope.scoring import MEASURES

PAGE = Path(__file__).parent.parent.parent / "docs" / "extending.md"
EXAMPLES = dict(re.findall(r"## An? ([\w ]+)\n.*?```(?:python|toml)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))
LONGEST = 25
TEXT = "The bridge opened in 1931. The bridge has nine arches."
ADDED: dict[str, tuple[Registry[object], str]] = {
    "measure": (MEASURES, "contradicted_share"),  # type: ignore[dict-item]
    "search engine": (ENGINES, "notebook"),  # type: ignore[dict-item]
    "data set": (DATASETS, "quiz"),  # type: ignore[dict-item]
    "verifier": (VERIFIERS, "verbatim"),  # type: ignore[dict-item]
    "format of reports": (RENDERERS, "tsv"),  # type: ignore[dict-item]
    "form of reply": (REPLY_FORMATS, "tagged"),  # type: ignore[dict-item]
}


@pytest.fixture(params=ADDED)
def kind(request: pytest.FixtureRequest) -> Iterator[str]:
    """Register the example of a kind of extension, and yield the kind."""
    name = str(request.param)
    registry, added = ADDED[name]
    assert added not in registry
    module = types.ModuleType("an_extension")
    sys.modules["an_extension"] = module
    exec(compile(EXAMPLES[name], str(PAGE), "exec"), module.__dict__)
    yield name
    registry.remove(added)
    del sys.modules["an_extension"]


def test_every_kind_of_extension_has_a_short_example() -> None:
    assert set(EXAMPLES) == {"method", *ADDED}
    for name, code in EXAMPLES.items():
        assert len([line for line in code.splitlines() if line.strip()]) <= LONGEST, name


def test_an_example_does_what_it_says(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry, added = ADDED[kind]
    assert added in registry
    globals()[f"use_{kind.replace(' ', '_')}"](tmp_path, monkeypatch)


def report(tmp_path: Path, **settings: object) -> factscope.Report:
    """Check two claims without a model."""
    (tmp_path / "bridge.txt").write_text("The bridge opened in 1931. The bridge has four arches.", encoding="utf-8")
    return factscope.check(TEXT, evidence=tmp_path / "bridge.txt", method="builtin", **settings)  # type: ignore[arg-type]


def use_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (score,) = report(tmp_path).rescore(measures=["contradicted_share"]).record.scores
    assert (score.name, score.value, score.n) == ("contradicted_share", 0.5, 2)


def use_search_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert engine_title("notebook") == "My notebook"
    with pytest.raises(UsageError, match="NOTEBOOK is not set"):
        open_engine("notebook", {})
    engine = open_engine("notebook", {"NOTEBOOK": "The bridge opened in 1931."})
    (hit,) = asyncio.run(engine.search("bridge", SearchOptions())).hits
    assert hit.snippet == "The bridge opened in 1931."


def use_data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"question": "When?", "reply": "In 1931.", "truth": "true"}) + "\n", encoding="utf-8")
    for loaded in (load("quiz", path, cache=tmp_path), load(str(path), cache=tmp_path)):
        (sample,) = loaded.samples
        assert (sample.response, sample.gold[0].factual) == ("In 1931.", True)


def use_verifier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = report(tmp_path, verifier="verbatim")
    outcomes = [one.outcome for one in found.record.verdicts if one.level == "claim"]
    assert outcomes == ["supported", "undecided"]
    assert {judgement.judge for judgement in found.record.judgements} == {"verbatim-1"}


def use_format_of_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = report(tmp_path).save(tmp_path / "claims.tsv")
    assert path.read_text(encoding="utf-8").splitlines()[0] == "s1.c1\tsupported\tThe bridge opened in 1931."


def use_form_of_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Judge(prompt="verify/judge", form="tagged", labels={"supported": "Yes", "not_supported": "No"})
    read = judge.reply.read
    assert read
    assert read("So: <label>no</label>", ["Yes", "No"], judge) == "No"
    with pytest.raises(UnreadableError, match="no <label>"):
        read("No.", ["Yes", "No"], judge)


def test_the_example_method_file_is_a_valid_method(tmp_path: Path) -> None:
    path = tmp_path / "strict.toml"
    path.write_text(EXAMPLES["method"], encoding="utf-8")

    method = method_from_toml(path)
    assert (method.name, method.evidence.passages.top_k) == ("strict", 2)


def test_an_unknown_reply_format_is_refused_with_similar_names() -> None:
    with pytest.raises(ValueError, match=r"no form of reply 'bracket'\. Did you mean bracketed"):
        Judge(prompt="verify/judge", form="bracket", labels={"supported": "Yes", "not_supported": "No"})
