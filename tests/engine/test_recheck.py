"""Changed texts checked again: unchanged parts cost no calls, and the result equals that of a fresh check."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from factscope.core import InputError, UsageError
from factscope.core.records import Claim, Exclusions, Failure, Report, Span
from factscope.engine import Store, Tools, check_sync, find_method, provenance
from factscope.engine.recheck import ReusePlan, carried, must_match, plan, recheck, seed
from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.methods import Method
from factscope.scoring import rescore
from tests import lab
from tests.conftest import TEXT, ScriptedVerifier, with_verifier
from tests.engine.checking import calls, checked
from tests.engine.conftest import library, running_server, server
from tests.engine.faults import without_calls
from tests.lab.tools import models_for, with_models

__all__ = ["library", "running_server", "server"]

BUILTIN = find_method("builtin")
ALONE = ["facts-and-evidence", "factscore", "veriscore"]
"""Methods that cut each sentence independently."""


def by_words(pair: ClaimPair) -> Prediction:
    """Return a verdict that depends only on the claim and the passage."""
    label = ("supported", "contradicted", "irrelevant")[(len(pair.claim) * 7 + len(pair.passage)) % 3]
    return Prediction(label, 0.5 + len(pair.claim) % 10 / 20, Span(start=0, end=4), "of their lengths")  # type: ignore[arg-type]


def scripted(tools: Tools) -> tuple[Tools, ScriptedVerifier]:
    verifier = ScriptedVerifier(by_words)
    return with_verifier(tools, verifier), verifier


def again(
    report: Report, text: str, method: Method | str, tools: Tools, edited: Mapping[str, str] | None = None
) -> Report:
    async def run() -> Report:
        async with tools:
            how = find_method(method) if isinstance(method, str) else method
            return await recheck(report, text, how, tools, edited_claims=edited)

    return asyncio.run(run())


def in_lab(
    report: Report,
    text: str,
    method: str,
    tools: Tools,
    server: lab.Server,
    edited: Mapping[str, str] | None = None,
) -> Report:
    async def run() -> Report:
        async with with_models(tools, models_for(server, "openai/lab", None), 64) as wired:
            return await recheck(report, text, find_method(method), wired, edited_claims=edited)

    return asyncio.run(run())


def told(planned: ReusePlan) -> dict[str, list[str]]:
    """Describe a plan in the words of the text."""
    by_id = {one.id: one.text for one in planned.segments}
    return {
        "kept": [by_id[name] for name in planned.reused],
        "changed": [by_id[name] for name in planned.changed],
        "depending": [by_id[name] for name in planned.depending],
    }


def sound(report: Report) -> None:
    """Check that offsets are right and counts add up."""
    text = report.response.text
    assert sum(report.counts.values()) == len(report.unit_ids())
    for one in report.segments:
        assert one.span.of(text) == one.text
    homes = {one.id: one for one in report.segments}
    for claim in report.claims:
        if claim.alignment == "exact" and claim.span:
            assert claim.span.start >= homes[claim.segment_id].span.start
            assert claim.span.end <= homes[claim.segment_id].span.end
    assert rescore(report) == report


def test_rechecking_the_same_text_asks_nothing_and_gives_the_same_report(tools: Tools) -> None:
    wired, verifier = scripted(tools)
    first = check_sync(TEXT, BUILTIN, wired)
    verifier.asked.clear()
    assert again(first, TEXT, BUILTIN, wired) == first
    assert verifier.asked == []
    planned = plan(first, TEXT)
    assert (planned.changed, planned.depending, planned.removed) == ((), {}, ())
    assert list(planned.reused) == [one.id for one in first.segments]


@pytest.mark.parametrize("method", [*ALONE, "standard", "safe", "verify"])
def test_the_same_text_makes_no_call_for_its_claims(method: str, library: Tools, server: lab.Server) -> None:
    first = checked(TEXT, method, library, server)
    server.script([])
    second = in_lab(first, TEXT, method, library, server)
    assert server.count() == 0
    assert second.model_copy(update={"usage": first.usage}) == first


BRIDGE = "The Marlow bridge was opened in 1931."
HALL = "The town hall was finished in 1908."
MAYOR = "The mayor of Marlow is elected every four years."
KERN = "Ida Kern built the town hall of Marlow."
SIX = "It has six arches."
OLD = f"{BRIDGE} {HALL} {MAYOR}\n"


WRONG = "The town hall was finished in 1909."
TOGETHER = f"{BRIDGE[:-1]}, and the town hall in 1908."
HALVES = ["The town hall was finished.", "That was in 1908."]
EDITS = {
    "inserted": (f"{BRIDGE} {KERN} {HALL} {MAYOR}", [BRIDGE, HALL, MAYOR], [KERN]),
    "inserted first": (f"{KERN} {BRIDGE} {HALL} {MAYOR}", [BRIDGE, HALL, MAYOR], [KERN]),
    "removed": (f"{BRIDGE} {MAYOR}", [BRIDGE, MAYOR], []),
    "moved up": (f"{MAYOR} {BRIDGE} {HALL}", [MAYOR, BRIDGE, HALL], []),
    "turned round": (f"{MAYOR} {HALL} {BRIDGE}", [MAYOR, HALL, BRIDGE], []),
    "changed": (f"{BRIDGE} {WRONG} {MAYOR}", [BRIDGE, MAYOR], [WRONG]),
    "apart": (f"# Marlow\n\n{BRIDGE}\n\n{HALL} {MAYOR}", [BRIDGE, HALL, MAYOR], ["Marlow"]),
    "joined": (f"{TOGETHER} {MAYOR}", [MAYOR], [TOGETHER]),
    "split": (f"{BRIDGE} {' '.join(HALVES)} {MAYOR}", [BRIDGE, MAYOR], HALVES),
    "twice": (f"{BRIDGE} {BRIDGE} {HALL} {MAYOR}", [BRIDGE, HALL, MAYOR], [BRIDGE]),
}


@pytest.mark.parametrize(("text", "kept", "changed"), EDITS.values(), ids=EDITS)
def test_only_changed_sentences_are_checked(text: str, kept: list[str], changed: list[str], tools: Tools) -> None:
    wired, verifier = scripted(tools)
    first = check_sync(OLD, BUILTIN, wired)
    verifier.asked.clear()
    second = again(first, text, BUILTIN, wired)
    assert {pair.claim for pair in verifier.asked} <= set(changed)
    planned = plan(first, text)
    assert told(planned)["kept"] == kept
    assert sorted(told(planned)["changed"]) == sorted(changed)
    assert not planned.depending
    assert second == check_sync(text, BUILTIN, wired)
    sound(second)


@pytest.mark.parametrize(
    "text",
    [
        f"The Marlow mill was opened in 1931. {SIX} {MAYOR}",
        f"{BRIDGE} {KERN} {SIX} {MAYOR}",
        f"{SIX} {MAYOR}",
        f"{MAYOR} {SIX} {BRIDGE}",
        f"{BRIDGE} {MAYOR}\n\nOne thing more.\n\n{SIX}",
    ],
    ids=["changed", "inserted between", "gone", "moved", "elsewhere"],
)
def test_sentences_depending_on_a_changed_sentence_are_checked_again(text: str, tools: Tools) -> None:
    wired, verifier = scripted(tools)
    first = check_sync(f"{BRIDGE} {SIX} {MAYOR}", BUILTIN, wired)
    verifier.asked.clear()
    planned = plan(first, text)
    assert SIX in told(planned)["depending"]
    assert MAYOR in told(planned)["kept"]
    assert again(first, text, BUILTIN, wired) == check_sync(text, BUILTIN, wired)


def test_rows_of_a_table_are_checked_again_when_the_names_of_its_columns_change(tools: Tools) -> None:
    wired, _ = scripted(tools)
    table = "{title}\n\n| day | {unit} |\n|---|---|\n| 1 | 12 |\n| 2 | 13 |\n"
    first = check_sync(table.format(title=BRIDGE, unit="km"), BUILTIN, wired)
    renamed, retitled = table.format(title=BRIDGE, unit="mi"), table.format(title=HALL, unit="km")
    assert told(plan(first, renamed)) == {
        "kept": [BRIDGE],
        "changed": ["| day | mi |"],
        "depending": ["| 1 | 12 |", "| 2 | 13 |"],
    }
    assert again(first, renamed, BUILTIN, wired) == check_sync(renamed, BUILTIN, wired)
    assert not plan(first, retitled).depending


def test_sentences_that_follow_without_depending_are_reused(tools: Tools) -> None:
    first = check_sync(f"{BRIDGE} {SIX} {MAYOR}", BUILTIN, scripted(tools)[0])
    text = f"{BRIDGE} {SIX} {HALL} {MAYOR}"
    assert told(plan(first, text)) == {"kept": [BRIDGE, SIX, MAYOR], "changed": [HALL], "depending": []}


POOL = [BRIDGE, HALL, MAYOR, KERN, SIX, "They cross the river Ferrow.", "# Marlow", "Have you seen it?", "- It stands.",
        "I think it is fine.", "Penguins waddle across Antarctica.", "Ida Kern was born in 1880.",
        "She was an engineer."]  # fmt: skip
parts = st.lists(st.tuples(st.sampled_from(POOL), st.sampled_from([" ", " ", "\n\n"])), max_size=8)


def written(given: Sequence[tuple[str, str]]) -> str:
    return "".join(f"\n\n{part}\n\n" if part[0] in "#-" else f"{gap}{part}" for part, gap in given)


@pytest.mark.medium
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=parts.filter(bool), new=parts, cut=st.tuples(st.integers(0, 8), st.integers(0, 3)), turn=st.booleans())
def test_a_recheck_gives_the_same_result_as_a_fresh_check(
    before: list[tuple[str, str]], new: list[tuple[str, str]], cut: tuple[int, int], turn: bool, tools: Tools
) -> None:
    at, gone = cut
    edited = [*before[:at], *new[:3], *before[at + gone :]]
    after = written(edited[::-1] if turn else edited) or BRIDGE
    wired, verifier = scripted(tools)
    first = check_sync(written(before), BUILTIN, wired)
    fresh = check_sync(after, BUILTIN, wired)
    verifier.asked.clear()
    second = again(first, after, BUILTIN, wired)
    assert second == fresh
    sound(second)
    planned = plan(first, after)
    kept = {one.text for one in planned.segments if one.id in planned.reused}
    assert {pair.claim for pair in verifier.asked} & kept <= {one.text for one in planned.segments_to_check}


@pytest.mark.parametrize("method", ALONE)
def test_a_model_is_asked_only_about_what_changed(method: str, library: Tools, server: lab.Server) -> None:
    first = checked(OLD, method, library, server)
    text = f"{KERN} {BRIDGE} The town hall was finished in 1909. {MAYOR}"
    fresh = checked(text, method, library, server)
    server.script([])
    second = in_lab(first, text, method, library, server)
    asked = [row["body"] for row in server.log()]
    assert asked
    assert not [body for body in asked if MAYOR in body.rpartition("<<<DATA")[2]]
    assert sum(calls(second).values()) == sum(calls(first).values()) + server.count()
    assert without_calls(second) == without_calls(fresh)
    sound(second)


@pytest.mark.medium
@pytest.mark.parametrize("method", ["facts-and-evidence", "factscore"])
def test_rechecking_any_edit_gives_the_same_result_as_a_fresh_check_by_a_model(
    method: str, library: Tools, server: lab.Server
) -> None:
    chance = random.Random(7)
    said = [BRIDGE, HALL, MAYOR, KERN, WRONG, "Penguins waddle across Antarctica.", "Ida Kern was born in 1880."]
    sentences = chance.sample(said, 4)
    report = checked(" ".join(sentences), method, library, server)
    for _ in range(6):
        at = chance.randrange(len(sentences))
        sentences[at : at + chance.randint(0, 2)] = chance.sample(
            said, chance.randint(0 if len(sentences) > 2 else 2, 2)
        )
        text = " ".join(chance.sample(sentences, len(sentences)) if chance.random() < 0.3 else sentences)
        kept, before = len(plan(report, text).reused), server.count()
        report = in_lab(report, text, method, library, server)
        asked, before = server.count() - before, server.count()
        fresh = checked(text, method, library, server)
        assert without_calls(report) == without_calls(fresh)
        assert server.count() - before >= asked + kept, "at least the call that cuts a sentence is saved for each kept"
        sound(report)


def test_claims_completed_with_words_from_elsewhere_are_checked_again(library: Tools, server: lab.Server) -> None:
    first = checked(f"{BRIDGE} {SIX} {MAYOR}", "standard", library, server)
    (six,) = [claim for claim in first.claims if claim.text.startswith("It has")]
    assert "Marlow bridge" in six.standalone
    text = f"The Ferrow mill was opened in 1931. {SIX} {MAYOR}"
    planned = plan(first, text)
    assert told(planned)["depending"][0] == SIX
    server.script([])
    second = in_lab(first, text, "standard", library, server)
    assert "mill" in next(claim for claim in second.claims if claim.text.startswith("It has")).standalone
    sound(second)


def test_claims_are_rechecked_together_with_those_they_depend_on(tools: Tools) -> None:
    wired, _ = scripted(tools)
    first = check_sync(OLD, BUILTIN, wired)
    child = next(claim for claim in first.claims if claim.text == MAYOR)
    parent = next(claim for claim in first.claims if claim.text == BRIDGE)
    leaning = child.model_copy(update={"depends_on": (parent.id,)})
    hung = first.model_copy(update={"claims": tuple(leaning if one == child else one for one in first.claims)})
    assert told(plan(hung, f"{HALL} {MAYOR}"))["depending"] == [MAYOR]
    assert told(plan(hung, f"{MAYOR} {BRIDGE}"))["depending"] == [MAYOR]
    moved = carried(hung, f"{KERN} {BRIDGE} {MAYOR}")
    assert [one.depends_on for one in moved if isinstance(one, Claim)] == [(), ("s2.c1",)]


def test_a_method_that_splits_the_whole_text_reuses_all_remaining_claims_or_none(
    library: Tools, server: lab.Server
) -> None:
    first = checked(OLD, "verify", library, server)
    shorter = f"{BRIDGE} {MAYOR}"
    server.script([])
    second = in_lab(first, shorter, "verify", library, server)
    assert server.count() == 0
    assert [claim.segment_id for claim in second.claims] == ["s1", "s2"]
    sound(second)
    planned = plan(first, f"{OLD} {KERN}")
    assert not planned.reused
    assert all("whole text" in why for why in planned.depending.values())


def test_steps_that_apply_to_the_whole_text_are_repeated(tools: Tools) -> None:
    first = check_sync(OLD, BUILTIN, scripted(tools)[0])
    for change, why in (
        ({"evidence": {"per": "response"}}, "evidence for the whole text"),
        ({"segment": "given", "cut": {"prompt": "felm/segment_math", "role": "cut"}}, "a model cuts the text"),
    ):
        report = first.model_copy(update={"method": {**first.method, **change}})
        planned = plan(report, f"{OLD} {KERN}")
        assert not planned.reused
        assert len(planned.depending) == 3
        assert all(why in said for said in planned.depending.values())
        assert len(plan(report, OLD).reused) == (0 if "cut" in change else 3)


def test_an_edited_claim_alone_is_checked_again(library: Tools, server: lab.Server) -> None:
    first = checked(OLD, "facts-and-evidence", library, server)
    claim = next(claim for claim in first.claims if "1908" in claim.text)
    words = claim.text.replace("1908", "1911")
    server.script([])
    second = in_lab(first, OLD, "facts-and-evidence", library, server, {claim.id: words})
    edited = next(one for one in second.claims if one.id == claim.id)
    assert (edited.text, edited.standalone, edited.skipped) == (words, words, None)
    assert edited.span
    assert server.count() == len([one for one in second.judgements if one.unit_id == claim.id]) > 0
    others = [one for one in first.judgements if one.unit_id != claim.id]
    assert [one for one in second.judgements if one.unit_id != claim.id] == others
    assert second.verdict(claim.id).outcome != first.verdict(claim.id).outcome
    sound(second)
    server.script([])
    assert in_lab(first, OLD, "facts-and-evidence", library, server, {claim.id: claim.text}) == first
    assert server.count() == 0


def test_impossible_edits_are_reported(library: Tools, server: lab.Server, tools: Tools) -> None:
    first = checked(OLD, "facts-and-evidence", library, server)
    for edited, said in (
        ({"s9.c1": "x"}, "Unknown claim 's9.c1'"),
        ({"s1.c1": " "}, "is empty"),
        ({"s2.c1": "The hall is new."}, "checked again"),
    ):
        with pytest.raises(UsageError, match=said):
            carried(first, OLD.replace("1908", "1909"), edited)
    with pytest.raises(InputError):
        plan(first, "  \n ")


def test_a_sentence_made_a_claim_by_rules_can_be_reworded(tools: Tools) -> None:
    first = check_sync(OLD, BUILTIN, scripted(tools)[0])
    wired, verifier = scripted(tools)
    second = again(first, OLD, BUILTIN, wired, {"s2.c1": "The hall of Marlow was built in 1908."})
    assert {pair.claim for pair in verifier.asked} == {"The hall of Marlow was built in 1908."}
    assert second.claims[1].text == "The hall of Marlow was built in 1908."


def test_failed_claims_are_tried_again(tools: Tools) -> None:
    broken = ScriptedVerifier(lambda pair: by_words(pair) if "1908" not in pair.claim else 1 / 0)  # type: ignore[arg-type,return-value]
    first = check_sync(OLD, BUILTIN, with_verifier(tools, broken))
    assert [one.unit_id for one in first.failures if isinstance(one, Failure)] == ["s2.c1"]
    wired, verifier = scripted(tools)
    second = again(first, f"{KERN} {OLD}", BUILTIN, wired)
    assert {pair.claim for pair in verifier.asked} == {KERN, HALL}
    assert second == check_sync(f"{KERN} {OLD}", BUILTIN, wired)


def test_excluded_evidence_counts_again_after_a_recheck(tools: Tools) -> None:
    wired, verifier = scripted(tools)
    first = check_sync(OLD, BUILTIN, wired)
    verifier.asked.clear()
    out = rescore(first, exclude=Exclusions(categories=("other",)))
    assert out.counts["excluded"] == 3
    assert again(out, OLD, BUILTIN, wired) == first
    assert verifier.asked == []


def test_a_differing_method_model_or_evidence_is_refused_by_name(tools: Tools, tmp_path: Path) -> None:
    first = check_sync(OLD, BUILTIN, scripted(tools)[0])
    other = BUILTIN.model_copy(update={"segment": "paragraphs", "scores": ()})
    with pytest.raises(UsageError, match=r"method\.segment, method\.scores"):
        must_match(first, provenance(other, tools))
    changed = first.model_copy(update={"searched": None, "models": {"judge": "openai/x"}})
    with pytest.raises(UsageError, match=r"model of judge, evidence"):
        must_match(changed, provenance(BUILTIN, tools))
    with pytest.raises(UsageError, match=r"Factscope 0\.0\.1, not "):
        must_match(first.model_copy(update={"factscope": "0.0.1"}), provenance(BUILTIN, tools))


def test_a_stored_check_builds_on_known_results(tools: Tools, tmp_path: Path) -> None:
    from factscope.engine import check_stored

    wired, verifier = scripted(tools)
    first = check_sync(OLD, BUILTIN, wired)
    text = f"{KERN} {OLD}"
    fresh = check_sync(text, BUILTIN, wired)
    with Store(tmp_path / "runs.db") as store:
        for again_from_the_start in (False, False, True):
            verifier.asked.clear()
            seed(store, first, text, BUILTIN, wired, fresh=again_from_the_start)
            response = first.response.model_copy(update={"text": text})
            assert asyncio.run(check_stored(response, BUILTIN, wired, store)) == fresh
            assert {pair.claim for pair in verifier.asked} <= {KERN}


def test_the_command_line_checks_changed_sentences_and_reports_what_it_reuses(
    documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from factscope.cli import app

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))

    def run(*arguments: str | Path) -> Result:
        return CliRunner().invoke(app, ["check", *map(str, arguments), "--evidence", str(documents)])

    text, old, new, fresh = (tmp_path / name for name in ("a.txt", "old.json", "new.json", "fresh.json"))
    text.write_text(f"{BRIDGE} {SIX} {MAYOR}", encoding="utf-8")
    assert run(text, "-o", old).exit_code == 0
    text.write_text(f"{KERN} {BRIDGE} It has four arches. {MAYOR}", encoding="utf-8")
    done = run(text, "--previous", "last", "-o", new)
    assert done.exit_code == 0
    assert "Kept: 2 of 4 segments; 2 changed or new, 1 gone." in done.stderr
    assert run(text, "-o", fresh, "--no-store").exit_code == 0
    assert new.read_text(encoding="utf-8") == fresh.read_text(encoding="utf-8")
    other = run(text, "--previous", old, "--method", "standard", "--model", "ollama/x")
    assert other.exit_code == 2
    assert "method builtin, not standard" in other.stderr
    asked = run(text, "--previous", old, "--question", "Who?")
    assert asked.exit_code == 2
    assert "another --question" in asked.stderr
