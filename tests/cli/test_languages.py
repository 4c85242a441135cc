"""Text in a language that the verifier does not read: announced beforehand, not judged, not failed, and not covered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import factscope as fs
from factscope.cli import app
from tests.lab.many_cases import try_all

GERMAN = "Die Brücke von Marlow wurde im Jahr 1931 für den Verkehr geöffnet. Sie ist 212 Meter lang und hat vier Bögen."
ARABIC = "افتتح الجسر في عام ألف وتسعمائة وواحد وثلاثين. يبلغ طول الجسر مئتي متر."
HUNGARIAN = (
    "A marlow-i híd 1931-ben nyílt meg, és négy íve van a folyó felett. A mérnök nem kapott pénzt a munkáért, mert a "
    "város nem tudta kifizetni."
)
CONTEXT = "Die Brücke von Marlow wurde im Jahr 1931 geöffnet. Sie ist 212 Meter lang und hat vier Bögen."
SHORT = (
    "Die Brücke wurde 1931 eröffnet.",
    "Goethe starb 1832 in Weimar.",
    "Die Stadt wurde 1250 gegründet.",
    "Most otwarto w 1931 roku.",
    "Broen ble åpnet i 1931.",
    "Broen blev åbnet i 1931.",
    "Köprü 1931'de açıldı.",
    "Bron öppnades 1931.",
    "De brug werd in 1931 geopend.",
    "La tour est rouge.",
    "Cervantes murió en Madrid en 1616.",
    "Dante morì a Ravenna nel 1321.",
    "A torre tem 80 metros de altura.",
    "Věž je vysoká 80 metrů.",
    "Silta avattiin vuonna 1931.",
    "A torony 80 méter magas.",
    "Мост был открыт в 1931 году.",
    "橋は1931年に開通した。",
)
ENGLISH = (
    "Łódź's Muzeum Sztuki opened in 1931.",
    "Der Spiegel was founded in 1947.",
    "La Scala opened in 1778.",
    "Cien años de soledad appeared in 1967.",
    "À la recherche du temps perdu has seven volumes.",
    "La vita è bella won three Oscars.",
    "Das Lied von der Erde premiered in Munich in 1911.",
    "Vincent van Gogh died in 1890.",
    "Universidad de los Andes teaches law.",
    "He has written “El champán las pone mimosas”.",
    "The Polish word “most” means bridge.",
    "Brian De Palma had an impact on Al Pacino's career.",
    "She ordered a piña colada and crème brûlée.",
    "ハローグッドバイ (Harō Guddobai) is a Japanese visual novel that was developed and published by Lump of Sugar.",
    "Rust corrodes ironwork.",
    "A dog barks.",
    "Hotel Marlow, est. 1884",
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    (tmp_path / "a.txt").write_text(CONTEXT, encoding="utf-8")
    return CliRunner()


@pytest.mark.parametrize(
    ("text", "language"), [(GERMAN, "German"), (ARABIC, "Arabic"), (HUNGARIAN, "an unknown language")]
)
def test_an_unsupported_language_is_reported_before_the_check_with_alternatives(
    run: CliRunner, text: str, language: str
) -> None:
    done = run.invoke(app, ["check", text, "--evidence", "a.txt", "-q"])
    assert done.exit_code == 0, done.stderr
    assert f"The text is in {language}" in done.stderr
    assert "--model" in done.stderr
    assert "--verifier builtin-features" in done.stderr
    assert "not judged (language)" in done.stdout
    assert "failed" not in done.stdout


def test_sentences_in_an_unsupported_language_lower_the_coverage(run: CliRunner) -> None:
    english = "The Marlow bridge was opened in 1931 by Anna Marlow."
    report = fs.check(f"{english}\n\n{GERMAN}", contexts=[english])
    assert report.counts["failed"] == 0
    assert report.counts["not_checkable"] == 2
    assert report.coverage == pytest.approx(1 / 3)
    assert not report.passed(0.5)
    reasons = [claim.reason for claim in report.claims if claim.verdict == "not_checkable"]
    assert reasons[0] is not None
    assert reasons[0].startswith("not judged (language): it is in German, and builtin-")
    assert "2 of 3 were not judged (language)" in str(report).replace("\n", " ")


def test_an_unsupported_text_is_called_neither_claimless_nor_fully_checked(run: CliRunner) -> None:
    done = run.invoke(app, ["check", GERMAN, "--evidence", "a.txt", "-q", "--full"])
    assert "no checkable claim" not in done.stdout
    assert "None of the 2 claims could be checked.\n0 of 2 claims judged\n" in done.stdout
    english = "The Marlow bridge was opened in 1931 by Anna Marlow."
    report = fs.check(f"{english}\n\n{GERMAN}", contexts=[english])
    assert "2 of 3 claims could not be checked; the evidence contradicts 0 and supports 1." in str(report)
    for form in ("html", "md"):
        page = report.save(Path(f"report.{form}")).read_text(encoding="utf-8")
        assert "1 of 3 claims judged" in page, form


@pytest.mark.parametrize("fail_on", ["unsupported", "contradicted"])
def test_claims_in_an_unsupported_language_count_as_unsupported(run: CliRunner, fail_on: str) -> None:
    done = run.invoke(app, ["check", GERMAN, "--evidence", "a.txt", "-q", "--fail-on", fail_on])
    assert done.exit_code == (3 if fail_on == "unsupported" else 0), done.stderr
    assert ("2 claims are unsupported" in done.stderr) == (fail_on == "unsupported")


def test_the_feature_verifier_judges_any_language(run: CliRunner) -> None:
    done = run.invoke(
        app, ["check", GERMAN, "--evidence", "a.txt", "-q", "-f", "json", "--verifier", "builtin-features"]
    )
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["not_checkable"] == 0
    assert "not judged" not in done.stderr


@try_all("sentence", SHORT)
def test_a_short_sentence_in_another_language_is_not_judged(sentence: str) -> None:
    (claim,) = fs.check(sentence, contexts=["The bridge was opened in 1931. The tower is 80 metres high."]).claims
    assert (claim.verdict, (claim.reason or "")[:22]) == ("not_checkable", "not judged (language):")
    (answer,) = fs.verify([(sentence, "The bridge was opened in 1931.")])
    assert (answer.confidence, answer.probabilities) == (None, {})
    assert answer.reason.startswith("the claim is in")
    assert answer.reason.endswith("and this verifier reads English")


@try_all("sentence", ENGLISH)
def test_english_with_foreign_names_and_titles_is_judged(sentence: str) -> None:
    (answer,) = fs.verify([(sentence, sentence)])
    assert answer.label == "supported", answer.reason


def test_sentences_of_one_language_are_all_set_aside() -> None:
    report = fs.check(" ".join(SHORT[:3]), contexts=["The bridge was opened in 1931."])
    assert (report.score, report.coverage) == (None, 0.0)
    assert {claim.verdict for claim in report.claims} == {"not_checkable"}


def test_a_short_english_sentence_among_german_ones_is_judged() -> None:
    report = fs.check(f"{GERMAN}\n\nThe tower fell.", contexts=["The tower fell."])
    assert [claim.verdict for claim in report.claims] == ["not_checkable", "not_checkable", "supported"]
