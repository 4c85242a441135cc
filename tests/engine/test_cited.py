"""A text checked against the sources that it cites, from citations to scores, by the built-in verifier or a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import factscope as fs
from factscope.core import UsageError
from factscope.core.records import Report
from factscope.engine import Settings, check_sync, chosen_method, open_tools
from factscope.judging.verifiers import ClaimPair, Prediction, Verifier, abstention
from factscope.methods import cited, method_named
from factscope.report import to_markdown
from factscope.report.citations import message_of
from factscope.scoring import rescore
from factscope.scoring.citations import SERIOUS, citation_counts, citation_problems, cited_pairs
from tests import lab
from tests.lab.tools import models_for, with_models

REPORT = """# Marlow, a short history

The Marlow bridge was opened in 1931 [1] and has six arches [2]. The town hall was finished in 1908 [2].
"It has four arches" and is long [1]. The council wrote that “the hall was finished in 1909 by Kern” [2].
Marlow lost its ferry in 1950 [3]. The harbour was built in 1711. The mayor is elected every five years [2, 4].
The Marlow bridge is 212 metres long [2].

## References

[1] Kern, I. (2004). The bridge. https://press.example/kern
[2] Low, P. (2010). Town. https://town.example/hall
[3] Ferry board (1950). https://dead.example/ferry
[5] Nobody (1999). Unused. https://unused.example
"""
SOURCES = {
    "1.txt": "The Marlow bridge was opened in 1931. It has four arches. The Marlow bridge is 212 metres long.",
    "2.txt": "The town hall of Marlow stands on the market square. The hall was finished in 1908 by Kern. "
    "The mayor of Marlow is elected every five years.",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "sources"
    place.mkdir()
    for name, text in SOURCES.items():
        (place / name).write_text(text)
    return place


def checked(folder: Path, server: lab.Server | None = None, *, repair: bool = False) -> Report:
    state = folder.parent
    settings = Settings(
        store=state / "runs.db",
        cache=state / "cache",
        evidence=(folder,),
        cited=True,
        offline=True,
        repair=repair,
        method="standard" if server else "builtin",
    )
    method, tools = chosen_method(settings), open_tools(settings=settings)
    return check_sync(REPORT, method, with_models(tools, models_for(server)) if server else tools)


def outcomes(report: Report) -> set[tuple[str, str | None, str]]:
    return {(pair.claim.standalone, pair.source.key, pair.outcome) for pair in cited_pairs(report)}


def test_each_claim_is_checked_against_its_cited_sources(folder: Path) -> None:
    report = checked(folder)
    assert {
        ("The Marlow bridge was opened in 1931", "1", "supports"),
        ("The Marlow bridge has six arches.", "2", "does_not_say"),
        ("The town hall was finished in 1908.", "2", "supports"),
        ("Marlow lost its ferry in 1950.", "3", "not_there"),
        ("The mayor is elected every five years.", "2", "supports"),
        ("The mayor is elected every five years.", "4", "not_there"),
    } <= outcomes(report)
    assert {one.key: one.state for one in report.sources} == {
        "1": "read", "2": "read", "3": "not_fetched", "4": "no_entry", "5": "not_fetched"
    }  # fmt: skip
    assert [(one.text, one.outcome) for one in report.quotations] == [
        ("It has four arches", "verbatim"), ("the hall was finished in 1909 by Kern", "altered")
    ]  # fmt: skip
    kinds = [(one.kind, one.span.of(REPORT)) for one in citation_problems(report)]
    assert ("uncited", "The harbour was built in 1711.") in kinds
    assert ("not_there", "4") in kinds
    assert ("unused", "[5] Nobody (1999). Unused. https://unused.example") in kinds


class UnsureVerifier:
    """The built-in verifier, unsure about every passage on arches."""

    def __init__(self, verifier: Verifier) -> None:
        self.name, self.languages = verifier.name, verifier.languages
        self._verifier = verifier

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        unsure = abstention("unsure", "too close to call")
        return [
            unsure if "arches" in pair.claim else prediction
            for pair, prediction in zip(pairs, self._verifier.verify(pairs), strict=True)
        ]


def test_a_source_the_verifier_is_unsure_about_is_not_reported_as_silent(folder: Path) -> None:
    settings = Settings(
        store=folder.parent / "runs.db", cache=folder.parent, evidence=(folder,), cited=True, method="builtin"
    ).model_copy(update={"offline": True})
    method, tools = chosen_method(settings), open_tools(settings=settings)
    verifiers = {"builtin": lambda: UnsureVerifier(tools.verifiers["builtin"]())}
    report = check_sync(REPORT, method, replace(tools, verifiers=verifiers))
    assert ("The Marlow bridge has six arches.", "2", "unclear") in outcomes(report)
    problems = [item for item in citation_problems(report) if item.claim and "arches" in item.claim.text]
    assert {item.kind for item in problems} == {"unclear"}
    assert not SERIOUS & {item.kind for item in problems}
    assert "It is unclear whether" in message_of(problems[0])
    assert "read it there" in to_markdown(report)


def test_the_scores_count_only_sources_that_could_be_read(folder: Path) -> None:
    report = checked(folder)
    counts = citation_counts(report)
    assert counts["dead_sources"] == (1, 3, 1)  # a source not fetched is not dead
    assert counts["altered_quotes"][:2] == (1, 2)
    assert counts["uncited_claims"][0] == 1
    recall = report.score("citation_recall")
    assert recall.value == counts["citation_recall"].k / counts["citation_recall"].n
    assert recall.interval
    assert recall.n_failed == counts["citation_recall"].failed == 1
    assert rescore(report).scores == report.scores


def test_ruling_a_source_out_takes_its_support(folder: Path) -> None:
    report = checked(folder)
    document = next(one.document_id for one in report.sources if one.key == "1")
    rescored = rescore(report, exclude=fs.Exclusions(documents=(document or "",)))
    assert ("The Marlow bridge was opened in 1931", "1", "excluded") in outcomes(rescored)


def test_another_source_is_proposed_without_changing_the_text(folder: Path) -> None:
    report = checked(folder, repair=True)
    (one,) = [one for one in report.repairs if "212" in one.quote]
    assert one.reference == "Kern, I. (2004). The bridge. https://press.example/kern"
    assert report.response.text == REPORT


def test_a_model_judges_the_same_pairs(folder: Path) -> None:
    with lab.model_server() as server:
        report = checked(folder, server)
    found = {(pair.source.key, pair.outcome) for pair in cited_pairs(report)}
    assert {("1", "supports"), ("3", "not_there"), ("4", "not_there")} <= found
    assert all("[1]" not in claim.standalone for claim in report.claims if claim.skipped is None)


QUOTING = """The council wrote of the hall [2]:

> The hall was finished
> in 1909 by Kern.

The guide says more:

> The mayor of Marlow is elected every five years. [2]

## References

[2] Low, P. (2010). Town. https://town.example/hall
[7] ???
"""


def test_block_quotes_are_quotations_and_their_sentences_need_no_citation(folder: Path) -> None:
    settings = {"offline": True, "cache": folder.parent / "cache"}
    report = fs.check(QUOTING, evidence=folder, cited=True, settings=settings).record
    assert [(one.outcome, [d.source for d in one.differences]) for one in report.quotations] == [
        ("altered", ["1908"]), ("verbatim", [])
    ]  # fmt: skip
    kinds = [one.kind for one in citation_problems(report)]
    assert "altered_quote" in kinds
    assert "uncited" not in kinds
    introduction = next(claim for claim in report.claims if claim.text.startswith("The council"))
    assert introduction.skipped == "it introduces a quotation"


def test_a_reference_entry_without_information_is_named_by_its_line(folder: Path) -> None:
    text = QUOTING.replace("The guide says more:", "The guide of the town says more [7].")
    settings = {"offline": True, "cache": folder.parent / "cache"}
    report = fs.check(text, evidence=folder, cited=True, settings=settings)
    (problem,) = [one for one in report.citations.problems if one.kind == "not_there"]
    assert "on line 13," in problem.message


def test_a_method_for_whole_texts_is_refused() -> None:
    with pytest.raises(UsageError, match="as a whole"):
        chosen_method(Settings(method="facts-grounding", cited=True))


def test_a_method_without_a_title_can_be_used() -> None:
    assert cited(method_named("builtin").model_copy(update={"title": ""})).title.startswith("What the text cites")


def test_cited_checks_and_runs_work_from_python(folder: Path, tmp_path: Path) -> None:
    settings = {"offline": True, "cache": tmp_path / "cache"}
    report = fs.check(REPORT, evidence=folder, cited=True, settings=settings)
    assert report.record.score("citation_precision").n > 0
    with fs.Checker(evidence=folder, cited=True, method="builtin", settings=settings) as checker:
        run = checker.run([{"id": "a", "answer": REPORT}, {"id": "b", "answer": REPORT}], text="answer", id="id")
    assert run.score is not None
