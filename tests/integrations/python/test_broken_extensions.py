"""Failing verifiers and measures of other packages: each is named, and costs only its own part."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import factscope as fs
from factscope.core import BoundaryError, UsageError
from factscope.judging.verifiers import VERIFIERS, Verifier
from factscope.judging.verifiers.registry import available
from factscope.plugins import MeasureResult, Prediction, register_measure, register_verifier
from factscope.scoring import MEASURES
from tests.integrations.runner import command

TEXT = "The Fresnel lens was fitted in 1858."
FACT = "In 1858 a first-order Fresnel lens was fitted."


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))


def test_a_verifier_that_breaks_its_promise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(pairs: object) -> object:
        raise ZeroDivisionError("division by zero")

    answers = {
        "gave 0 opinions on 1 pair": lambda pairs: [],
        "gave the label 'perhaps'": lambda pairs: [Prediction("perhaps", 0.5, None, "")],  # type: ignore[arg-type]
        "gave the confidence nan": lambda pairs: [Prediction("supported", float("nan"), None, "")],
        "gave the confidence 7": lambda pairs: [Prediction("supported", 7, None, "")],
        "gave the confidence '0.5'": lambda pairs: [Prediction("supported", "0.5", None, "")],  # type: ignore[arg-type]
        "gave None, which is not a Prediction": lambda pairs: [None],
        "ZeroDivisionError: division by zero": fail,
    }

    class Scripted:
        """A verifier that answers as each case specifies."""

        name, verify = "short-1", None

    register_verifier("short")(Scripted)  # type: ignore[arg-type]
    try:
        for said, answer in answers.items():
            monkeypatch.setattr(Scripted, "verify", staticmethod(answer))
            with pytest.raises(BoundaryError, match=f"short-1.*{re.escape(said)}"):
                fs.verify([(TEXT, FACT)], verifier="short")
            report = fs.check(TEXT, contexts=FACT, verifier="short")
            assert report.counts["failed"] == 1, said
            assert said in report.record.failures[0].message
    finally:
        VERIFIERS.remove("short")


def test_a_verifier_that_cannot_be_loaded_is_named() -> None:
    @register_verifier("absent")
    def absent() -> Verifier:
        """Fail as a verifier without its weights does."""
        raise FileNotFoundError("no weights")

    try:
        for call in (
            lambda: fs.verify([(TEXT, FACT)], verifier="absent"),
            lambda: fs.check(TEXT, contexts=FACT, verifier="absent"),
        ):
            with pytest.raises(UsageError, match="verifier absent can't be loaded: FileNotFoundError: no weights"):
                call()
    finally:
        VERIFIERS.remove("absent")


def test_a_second_name_for_a_verifier_is_measured_once(tmp_path: Path) -> None:
    register_verifier("builtin-again")(VERIFIERS.get("builtin").load)
    try:
        assert available(tmp_path) == ["builtin", "builtin-features"]
    finally:
        VERIFIERS.remove("builtin-again")


def test_a_broken_measure_loses_only_its_own_score(tmp_path: Path) -> None:
    method = tmp_path / "broken.toml"
    method.write_text(
        'name = "broken"\nbased_on = "builtin"\nscores = ["factual_precision", "broken_share"]\n', encoding="utf-8"
    )
    answers = {
        "ZeroDivisionError: division by zero": lambda: 1 / 0,
        "ValueError: its value is nan": lambda: MeasureResult(float("nan"), 1, 0),
        "TypeError: it returned 0.5": lambda: 0.5,
    }
    answer = next(iter(answers.values()))

    @register_measure("broken_share", cites="none")
    def broken_share(*_: object) -> MeasureResult:
        """Fail to compute a share."""
        return answer()  # type: ignore[return-value]

    try:
        for reason, answer in answers.items():  # noqa: B007 - read by the measure
            report = fs.check(TEXT, contexts=FACT, method=str(method))
            assert (report.score, report.counts["supported"]) == (1.0, 1)
            (note,) = (text for text in report.record.warnings if "broken_share" in text)
            assert note.startswith(f"The score broken_share could not be computed: {reason}"), note
            assert report.record.score("broken_share").value is None
            report.save(tmp_path / "report.txt")
            shown = (tmp_path / "report.txt").read_text(encoding="utf-8")
            assert f"The score broken_share could not be computed: {reason}" in " ".join(shown.split())
            assert report.rescore().record == report.record
            report.save(tmp_path / "report.json")
            assert note in command("score", "report.json", folder=tmp_path).stderr
        with fs.Checker(method=str(method)) as checker, checker.run([{"text": TEXT, "contexts": FACT}]) as run:
            (mean,) = (score for score in run.scores if score.name == "broken_share")
            assert (mean.value, mean.n, mean.n_failed) == (None, 0, 1)
    finally:
        MEASURES.remove("broken_share")
