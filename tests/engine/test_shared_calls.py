"""Calls shared by short responses of a run: fewer calls, the same results, and no failure spreads."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from factscope.core import BoundaryError, CacheRow
from factscope.core.records import Document, Report, Response, Searched
from factscope.engine import ReadReport, Runner, RunProgress, Settings, Store, Tools, check, open_tools, run_many
from factscope.evidence import QueryResults
from factscope.judging import shares_calls
from factscope.llm import ALL, BatchFolder, Cache, HttpSender, ModelClient, Models, Price, Prices
from factscope.methods import Ask, Evidence, Method
from tests import lab
from tests.engine.checking import STANDARD, adds_up, changed, ids_in, outcomes, questions
from tests.engine.conftest import tools_over
from tests.engine.test_batch import answered
from tests.lab.tools import QUICK, models_for

JUDGE = "You are given passages, claims"
HOUSES = {f"{n}.txt": f"House {n} of Marlow was built in {1800 + n}." for n in range(100)}
ONE = changed(STANDARD, extract=None, correct=None, evidence={"passages": {"top_k": 1}, "queries": None})
"""A method in which each sentence is a claim with one passage, and a model only judges."""


def houses(number: int, first: int = 0) -> list[Response]:
    """Return responses of one claim each; every fifth is wrong."""
    return [
        Response(id=f"a{n}", text=f"House {n} of Marlow was built in {1800 + n + 300 * (n % 5 == 0)}.")
        for n in range(first, first + number)
    ]


@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    return tools_over(HOUSES, tmp_path_factory.mktemp("street"))


class Place:
    """A folder that stores runs and replies."""

    def __init__(self, folder: Path, server: lab.Server, tools: Tools) -> None:
        self.folder, self.server, self.tools = folder, server, tools
        self.progress: RunProgress | None = None

    def run(
        self,
        responses: Iterable[Response],
        method: Method = ONE,
        *,
        share: bool = True,
        store: str = "runs",
        replies: str = "replies",
        cache: Cache | None = None,
        models: Models | None = None,
        stop_at: int | None = None,
    ) -> dict[str, Report]:
        """Check responses and return reports by id; with `stop_at`, stop the run after that many reports."""
        reports: dict[str, Report] = {}

        def take(read: ReadReport, many: RunProgress) -> None:
            if len(reports) == stop_at:
                raise Stopped
            report = read()
            reports[report.response.id] = report

        async def work() -> None:
            with Cache(self.folder / f"{replies}.db") as plain, Store(self.folder / f"{store}.db") as kept:
                wired = models or models_for(self.server, cache=cache or plain)
                async with replace(self.tools, models=wired, share_calls=share) as tools:
                    self.progress = await run_many(responses, method, Runner(tools, kept), "rows", take)

        asyncio.run(work())
        return reports


class Stopped(BaseException):
    """An interruption of a run from outside."""


@pytest.fixture
def place(tmp_path: Path, server: lab.Server, street: Tools) -> Place:
    return Place(tmp_path, server, street)


def results(reports: dict[str, Report]) -> dict[str, dict[str, str]]:
    """Return the outcome of each claim, by response."""
    return {name: outcomes(report) for name, report in sorted(reports.items())}


def judged(server: lab.Server) -> list[list[str]]:
    """Return the claims of each call to the judge so far."""
    return [ids_in(asked["claims"]) for asked in questions(server, JUDGE)]


def on_judge(*texts: str, **do: Any) -> lab.Rule:
    """Return a rule for calls to the judge that contain these texts."""
    return {"when": {"contains": [JUDGE, *texts]}, "do": do}


@pytest.mark.medium
def test_a_hundred_one_sentence_answers_take_nine_calls(place: Place) -> None:
    alone = place.run(houses(100), share=False, store="alone", replies="alone-replies")
    assert [len(claims) for claims in judged(place.server)] == [1] * 100
    place.server.script([])
    shared = place.run(houses(100))
    assert Counter(map(len, judged(place.server))) == {12: 8, 4: 1}
    assert results(shared) == results(alone)
    assert Counter(o for claims in results(shared).values() for o in claims.values()) == {
        "supported": 80,
        "contradicted": 20,
    }
    assert all(adds_up(report) for report in shared.values())


def test_the_rounds_of_standard_are_shared_too(tmp_path: Path, server: lab.Server) -> None:
    responses = [
        Response(id=name, text=text)
        for name, text in {
            "a": "The Osk tower has two bells.",
            "b": "The Osk tower was painted by Ida Kern.",
            "c": "The Osk tower has three bells.",
            "d": "Tor Hald opened a bakery.",
        }.items()
    ]
    place = Place(tmp_path, server, tools_over({"tower.md": "The Osk tower has two bells. It is tall."}, tmp_path))
    alone = place.run(responses, STANDARD, share=False, store="alone", replies="alone-replies")
    asked_alone = len(judged(server))
    server.script([])
    shared = place.run(responses, STANDARD)
    assert results(shared) == results(alone)
    assert judged(server)[0] == [f"r{n}.s1.c1" for n in (1, 2, 3)], "nobody waits for one that found nothing"
    assert len(judged(server)) < asked_alone
    assert {name: len(report.corrections) for name, report in shared.items()} == {"a": 0, "b": 0, "c": 1, "d": 0}


def test_a_second_run_is_answered_from_the_cache_and_records_the_same(place: Place) -> None:
    first = place.run(houses(30))
    place.server.script([])
    again = place.run(houses(30), store="again")
    assert place.server.count() == 0
    for name, report in first.items():
        assert again[name].judgements == report.judgements
        assert again[name].verdicts == report.verdicts
        (used,) = again[name].usage
        assert (used.calls, used.cached_calls) == (0, 1)


@pytest.mark.medium
def test_which_claims_share_a_call_does_not_depend_on_timing(place: Place, tmp_path: Path, street: Tools) -> None:
    responses = [response for n, response in enumerate(houses(40)) if n != 7]
    place.server.script([])
    place.run(responses, STANDARD)
    even = sorted(judged(place.server))
    place.server.script([{"do": {"delay": 0.1, "uneven": True}}])
    (tmp_path / "late").mkdir()
    Place(tmp_path / "late", place.server, street).run(responses, STANDARD)
    assert sorted(judged(place.server)) == even


class DyingCache(Cache):
    """A cache whose process dies before or after its n-th write."""

    writes = 0

    def __init__(self, path: Path, at: int, *, after: bool) -> None:
        super().__init__(path)
        self.at, self.after = at, after

    async def store(self, *replies: CacheRow[str]) -> None:
        self.writes += 1
        if self.writes < self.at or (self.after and self.writes == self.at):
            await super().store(*replies)
        if self.writes >= self.at:
            raise Stopped


@pytest.mark.medium
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("at", range(1, 7))
def test_a_run_killed_at_any_write_asks_only_for_missing_parts_and_ends_the_same(
    at: int, after: bool, place: Place, tmp_path: Path, street: Tools
) -> None:
    """The writes in order: four extractions, the shared call, and its parts."""
    responses = houses(4, first=1)
    method = changed(STANDARD, correct=None)
    (tmp_path / "whole").mkdir()
    whole = Place(tmp_path / "whole", place.server, street).run(responses, method)
    needed = sorted(row["body"] for row in place.server.log())
    place.server.script([])
    with DyingCache(tmp_path / "replies.db", at, after=after) as dying, pytest.raises(Stopped):
        place.run(responses, method, cache=dying)
    died = Counter(row["body"] for row in place.server.log())
    place.server.script([])
    ended = place.run(responses, method)
    asked = Counter(row["body"] for row in place.server.log())
    assert results(ended) == results(whole)
    assert set(died) | set(asked) == set(needed), "no call is asked that an undisturbed run does not ask"
    if at == 6:  # the last write: the parts of the shared call
        assert not asked


def test_a_run_stopped_after_a_shared_call_never_repeats_that_call(place: Place) -> None:
    whole = place.run(houses(24), store="whole", cache=None)
    needed = place.server.count()
    place.server.script([])
    (place.folder / "replies.db").unlink()
    with pytest.raises(Stopped):
        place.run(houses(12), stop_at=3)
    assert place.server.count() == 1
    ended = place.run(houses(24))
    assert place.server.count() == needed == 2
    assert results(ended) == results(whole)


def test_an_unreadable_row_costs_only_its_own_claim_another_call(place: Place) -> None:
    place.server.script([on_judge("r2.s1.c1: ", wrong_row="r2.s1.c1")])
    reports = place.run(houses(5, first=1))
    assert judged(place.server) == [[f"r{n}.s1.c1" for n in range(1, 6)], ["s1.c1"]]
    assert {outcome for claims in results(reports).values() for outcome in claims.values()} == {
        "supported",
        "contradicted",
    }
    place.server.script([])
    assert results(place.run(houses(5, first=1), store="again")) == results(reports)
    assert place.server.count() == 0


def test_a_permanently_unreadable_row_fails_only_its_own_claim(place: Place) -> None:
    place.server.script(
        [on_judge("r2.s1.c1: ", wrong_row="r2.s1.c1"), on_judge("s1.c1: House 2 of", wrong_row="s1.c1")]
    )
    reports = place.run(houses(4, first=1))
    assert {name: set(claims.values()) for name, claims in results(reports).items()} == {
        "a1": {"supported"},
        "a2": {"failed"},
        "a3": {"supported"},
        "a4": {"supported"},
    }
    assert place.progress
    assert place.progress.with_failures == 1
    assert not reports["a1"].failures
    place.server.script([])
    assert set(results(place.run(houses(4, first=1)))) == set(reports)
    assert judged(place.server) == [["s1.c1"]], "only what failed is asked again"


@pytest.mark.parametrize("how", [{"refusal": "I can't help with that."}, {"text": "No."}, {"status": 400}])
def test_a_failed_shared_call_costs_its_claims_one_call_each_and_no_verdict(how: dict[str, Any], place: Place) -> None:
    place.server.script([on_judge("House 3 of", **how)])
    reports = place.run(houses(4, first=1))
    found = {name: set(claims.values()) for name, claims in results(reports).items()}
    assert found == {"a1": {"supported"}, "a2": {"supported"}, "a3": {"failed"}, "a4": {"supported"}}
    assert Counter(len(claims) for claims in judged(place.server))[4] == 1
    assert sorted(len(c) for c in judged(place.server))[:3] == [1, 1, 1]
    place.server.script([])
    assert {name: set(c.values()) for name, c in results(place.run(houses(4, first=1))).items()} == {
        name: {"supported"} for name in found
    }
    assert judged(place.server) == [["s1.c1"]]


class Broken:
    """Evidence whose search fails for one claim."""

    asks: tuple[Ask, ...] = ()

    def __init__(self, source: Any) -> None:
        self._source = source

    @property
    def searched(self) -> Searched:
        """The wrapped source's description."""
        searched: Searched = self._source.searched
        return searched

    async def close(self) -> None:
        """Do nothing, since nothing is open."""

    async def find(self, query: str, spec: Evidence, job: Any) -> QueryResults:
        """Raise BoundaryError for one query, and pass the others on."""
        if "House 2 of" in query:
            raise BoundaryError("search", "The search failed.", "Try again.")
        results: QueryResults = await self._source.find(query, spec, job)
        return results


def test_a_response_without_evidence_does_not_hold_the_others_up(place: Place, street: Tools) -> None:
    place.tools = replace(street, sources={"local": Broken(street.sources["local"])})
    reports = place.run(houses(4, first=1))
    assert judged(place.server) == [["r1.s1.c1", "r2.s1.c1", "r3.s1.c1"]]
    assert set(results(reports)["a2"].values()) == {"failed"}
    assert {outcome for name in ("a1", "a3", "a4") for outcome in results(reports)[name].values()} == {"supported"}


def with_documents(number: int, text: str) -> Response:
    document = Document(id="d1", text=text, sha256=sha256(text.encode()).hexdigest())
    return Response(id=f"a{number}", text=f"House {number} was built in {1800 + number}.", context=(document,))


def test_a_claim_is_never_judged_by_the_documents_of_another_response(
    tmp_path: Path, server: lab.Server, settings: Settings
) -> None:
    tools = open_tools(settings=settings, contexts=True)
    responses = [with_documents(n, f"House {n} was built in {1800 + n}.") for n in range(3)]
    responses.append(with_documents(9, "House 1 was built in 1801."))  # the second response's document
    reports = Place(tmp_path, server, tools).run(responses)
    (asked,) = questions(server, JUDGE)
    passages = dict(line.split(": ", 1) for line in asked["passages"].split("\n"))
    pairs = dict(line.split(": ", 1) for line in asked["pairs"].split("\n"))
    assert {claim: passages[key] for claim, key in pairs.items()} == {
        f"r{n}.s1.c1": response.context[0].text for n, response in enumerate(responses, 1)
    }
    assert len(passages) == 3, "what two responses both have is shown once"
    assert [set(claims.values()) for claims in results(reports).values()] == [{"supported"}] * 3 + [{"undecided"}]


def test_the_usage_of_the_responses_adds_up_to_that_of_the_calls(place: Place) -> None:
    prices = Prices({}, {"openai/lab": Price(2.0, 10.0)})
    environment = {"OPENAI_BASE_URL": place.server.base_url, "OPENAI_API_KEY": "sk-lab"}
    models = Models(lambda: ModelClient(HttpSender(environment, QUICK, prices=prices)), {ALL: "openai/lab"})
    rows = [row for report in place.run(houses(30), models=models).values() for row in report.usage]
    bodies = [row["body"] for row in place.server.log()]
    sent, received = sum(row.tokens_in or 0 for row in rows), sum(row.tokens_out or 0 for row in rows)
    assert sum(row.calls for row in rows) == len(bodies) == 3
    assert sent == sum(len(body) // 4 for body in bodies)
    assert sum(row.cost or 0 for row in rows) == pytest.approx((2 * sent + 10 * received) / 1e6, rel=1e-12)
    assert all(row.tokens_in and row.tokens_out and row.cost for row in rows)


def test_a_judgement_leads_to_the_call_that_it_came_from(place: Place) -> None:
    reports = place.run(houses(3))
    with Cache(place.folder / "replies.db") as cache:
        for report in reports.values():
            (judgement,) = report.judgements
            exchange = cache.entry(judgement.call or "")
            assert exchange
            assert "r3.s1.c1" in exchange.note
            assert "r3.s1.c1" in exchange.value.text
            assert (judgement.confidence_from, judgement.unit_id) == ("logprobs", "s1.c1")


def test_responses_making_the_same_statement_are_judged_once(place: Place) -> None:
    texts = [houses(1)[0].text, houses(1)[0].text, houses(1, first=1)[0].text]
    reports = place.run(Response(id=f"a{n}", text=text) for n, text in enumerate(texts))
    assert judged(place.server) == [["r1.s1.c1", "r2.s1.c1"]]
    assert [set(claims.values()) for claims in results(reports).values()] == [
        {"contradicted"},
        {"contradicted"},
        {"supported"},
    ]
    place.server.script([])
    same = [Response(id=f"b{n}", text=houses(1, first=50)[0].text) for n in range(2)]
    place.run(same)
    assert judged(place.server) == [["s1.c1"]]


def test_long_responses_and_those_with_many_claims_have_their_own_calls(place: Place) -> None:
    long_text = " ".join(response.text for response in houses(14, first=1))
    many = " ".join(f"House {n} is old." for n in range(15))
    assert len(long_text) > 500 > len(many)
    one, two = houses(2, first=1)
    rows = [one, Response(id="long", text=long_text), Response(id="many", text=many), two]
    reports = place.run(rows)
    assert place.progress
    assert place.progress.done == len(reports) == 4
    assert sorted(map(len, judged(place.server))) == [2, 7, 7, 7, 8]
    assert ["r1.s1.c1", "r2.s1.c1"] in judged(place.server)


def test_a_judge_asked_about_single_claims_is_still_asked_about_single_claims(place: Place) -> None:
    rows = [Response(id=f"a{n}", text=" ".join(r.text for r in houses(3, first=3 * n))) for n in range(3)]
    method = changed(STANDARD, extract=None, judge={"claims_per_call": 1})
    assert shares_calls(method)
    reports = place.run(rows, method)
    assert {len(claims) for claims in judged(place.server)} == {1}
    assert len(reports) == 3


def test_a_single_text_makes_the_same_calls_with_and_without_sharing(place: Place, street: Tools) -> None:
    def bodies(share: bool) -> list[str]:
        async def work() -> None:
            async with replace(street, models=models_for(place.server), share_calls=share) as tools:
                await check(houses(1)[0], STANDARD, tools)

        place.server.script([])
        asyncio.run(work())
        return [row["body"] for row in place.server.log()]

    assert bodies(share=True) == bodies(share=False)


def test_only_calls_about_claim_and_passage_pairs_can_be_shared() -> None:
    from factscope.engine import find_method

    sharing = [name for name in _shipped() if shares_calls(find_method(name))]
    assert sharing == ["cascade", "standard"]
    assert not shares_calls(changed(STANDARD, judge={"samples": 3, "temperature": 0.5}))
    assert not shares_calls(changed(STANDARD, evidence={"queries": {"stop": "enough"}}))


def _shipped() -> Sequence[str]:
    from factscope.engine import method_names

    return sorted(method_names())


def test_a_method_without_shareable_calls_runs_unchanged(place: Place) -> None:
    method = changed("facts-and-evidence", extract=None)
    place.run(houses(3), method, share=False, store="alone", replies="alone-replies")
    plain, asked = place.progress, sorted(row["body"] for row in place.server.log())
    place.server.script([])
    place.run(houses(3), method)
    assert place.progress
    assert plain
    assert place.progress.run == plain.run
    assert sorted(row["body"] for row in place.server.log()) == asked


def test_shared_calls_wait_in_batch_files(place: Place) -> None:
    def client(cache: Cache) -> Models:
        environment = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
        return Models(lambda: ModelClient(BatchFolder(place.folder / "batch", environment), cache), {ALL: "openai/lab"})

    sizes = []
    with Cache(place.folder / "batched.db") as cache:
        for turn in range(4):
            reports = place.run(houses(4, first=1), changed(STANDARD, correct=None), models=client(cache))
            if not any(report.failures for report in reports.values()):
                break
            sizes.append(len(answered(place.folder / "batch", turn)))
    assert sizes == [4, 1]
    assert {o for claims in results(reports).values() for o in claims.values()} == {"supported"}


@pytest.mark.medium
def test_an_exhausted_budget_fails_only_claims_not_asked_about_yet(place: Place) -> None:
    from factscope.llm import Allowance, Budget

    environment = {"OPENAI_BASE_URL": place.server.base_url, "OPENAI_API_KEY": "sk-lab"}
    with Cache(place.folder / "replies.db") as cache:
        sender = lambda: HttpSender(environment, QUICK, budget=Budget(Allowance(calls=1)))  # noqa: E731
        reports = place.run(houses(60), models=Models(lambda: ModelClient(sender(), cache), {ALL: "openai/lab"}))
    assert place.progress
    assert place.progress.stopped
    assert place.server.count() == 1
    ended = Counter(outcome for claims in results(reports).values() for outcome in claims.values())
    assert ended["supported"] + ended["contradicted"] == 12
    assert all(adds_up(report) for report in reports.values())
    assert json.dumps(results(place.run(houses(60)))).count("failed") == 0
    assert place.server.count() == 5
