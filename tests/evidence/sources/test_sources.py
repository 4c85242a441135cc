"""Categories of hosts that only a model can decide, and the storing of its answers."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from factscope.core import Category, StoreError, UsageError
from factscope.evidence.sources import UNKNOWN, AssignedCategory, SourceClassifier
from factscope.llm import ModelError, ModelSession
from tests import lab
from tests.engine.checking import questions
from tests.lab.tools import models_for

GOV = "thegovpages.com"
"""A host that neither table nor rules decide, and that the laboratory's model calls a government's."""
START = "You are given the host name"


@pytest.fixture(scope="module")
def module_server() -> Iterator[lab.Server]:
    with lab.model_server() as server:
        yield server


@pytest.fixture
def server(module_server: lab.Server) -> lab.Server:
    module_server.script([])
    return module_server


def asked(
    server: lab.Server | None,
    hosts: Sequence[str],
    path: Path | None = None,
    own: Mapping[str, Category] | None = None,
    models: dict[str, str] | str = "openai/lab",
) -> list[AssignedCategory]:
    """Ask a new `SourceClassifier` about all hosts at once; without a server it has no model."""

    async def run() -> list[AssignedCategory]:
        desk = ModelSession(models_for(server, models)) if server else None
        with SourceClassifier(path, own) as sources:
            try:
                return await asyncio.gather(*(sources.of(host, desk) for host in hosts))
            finally:
                if desk:
                    await desk.models.close()

    return asyncio.run(run())


def test_a_model_is_asked_only_about_hosts_nothing_else_decides(server: lab.Server) -> None:
    assert asked(server, [GOV, "www.nytimes.com", "x.gov.uk", "blog.acme.org", "acme-widgets.com"]) == [
        AssignedCategory("government", "openai/lab"),
        AssignedCategory("news", "table"),
        AssignedCategory("government", "suffix"),
        AssignedCategory("blog", "rule"),
        AssignedCategory("other", "openai/lab"),
    ]
    assert sorted(question["hostname"] for question in questions(server, START)) == ["acme-widgets.com", GOV]


def test_one_host_costs_one_call_and_is_counted_once(server: lab.Server, tmp_path: Path) -> None:
    async def at_once() -> ModelSession:
        desk = ModelSession(models_for(server))
        with SourceClassifier(tmp_path / "new" / "sources.db") as sources:
            said = await asyncio.gather(*(sources.of(f"{start}{GOV}", desk) for start in ("", "www.", "WWW.", "m.")))
        assert said == [AssignedCategory("government", "openai/lab")] * 4
        await desk.models.close()
        return desk

    (usage,) = asyncio.run(at_once()).ledger.usage()
    assert (usage.role, usage.calls, usage.cached_calls, server.count()) == ("source", 1, 0, 1)


def test_a_caller_waiting_for_a_cancelled_request_asks_again(server: lab.Server) -> None:
    server.script([{"when": {"first": 1}, "do": {"hang": True}}])

    async def run() -> AssignedCategory:
        desk = ModelSession(models_for(server))
        with SourceClassifier() as sources:
            first, second = (asyncio.ensure_future(sources.of(GOV, desk)) for _ in range(2))
            while not await asyncio.to_thread(server.count):  # noqa: ASYNC110 - another process says so
                await asyncio.sleep(0.01)
            first.cancel()
            said = await second
            await desk.models.close()
            return said

    assert asyncio.run(run()) == AssignedCategory("government", "openai/lab")


def test_answers_are_stored_for_later_runs_and_other_models(server: lab.Server, tmp_path: Path) -> None:
    path = tmp_path / "sources.db"
    first = asked(server, [GOV], path)
    server.script([])
    assert asked(server, [GOV], path, models="openai/other") == first == asked(None, [GOV], path)
    assert server.count() == 0
    assert asked(None, [GOV], path, own={GOV: "blog"}) == [AssignedCategory("blog", "own")]


def test_without_a_model_the_category_is_unknown_and_requested_later(server: lab.Server, tmp_path: Path) -> None:
    path = tmp_path / "sources.db"
    assert asked(None, [GOV, "127.0.0.1", ""], path) == [
        AssignedCategory("other", UNKNOWN),
        AssignedCategory("other", "rule"),
        AssignedCategory("other", "rule"),
    ]
    assert asked(server, [GOV], path) == [AssignedCategory("government", "openai/lab")]


def test_an_unusable_answer_is_unknown_and_not_stored(server: lab.Server, tmp_path: Path) -> None:
    path = tmp_path / "sources.db"
    server.script([{"do": {"text": "It is [news] or [blog]."}}])

    async def twice() -> list[AssignedCategory]:
        desk = ModelSession(models_for(server))
        with SourceClassifier(path) as sources:
            said = [await sources.of(GOV, desk), await sources.of(GOV, desk)]
        await desk.models.close()
        return said

    assert asyncio.run(twice()) == [AssignedCategory("other", UNKNOWN)] * 2
    assert server.count() == 3  # one question and two retries, and no more in this run
    server.script([])
    assert asked(server, [GOV], path) == [AssignedCategory("government", "openai/lab")]


def test_an_error_affecting_every_call_is_raised(server: lab.Server) -> None:
    server.script([{"do": {"status": 401, "json": {"error": {"message": "wrong key"}}}}])
    with pytest.raises(ModelError) as caught:
        asked(server, [GOV])
    assert caught.value.fatal
    with pytest.raises(UsageError, match="role 'source'"):
        asked(server, [GOV], models={"judge": "openai/lab"})


def test_category_names_from_the_paper_are_read_as_factscope_names(server: lab.Server) -> None:
    for word, category in (("scientific_medical_article", "scientific_medical"), ("etc", "other")):
        server.script([{"do": {"text": f"[{word}]"}}])
        assert asked(server, ["acme-widgets.com"]) == [AssignedCategory(category, "openai/lab")]


def test_the_model_sees_internationalised_host_names_decoded(server: lab.Server) -> None:
    asked(server, ["xn--bcher-kva.de"])
    assert [question["hostname"] for question in questions(server, START)] == ["bücher.de"]


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    newer = tmp_path / "newer.db"
    with sqlite3.connect(newer) as database:
        database.execute("PRAGMA user_version = 9")
    database.close()
    with pytest.raises(StoreError, match=r"newer\.db was written by a newer Factscope"):
        SourceClassifier(newer)
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError, match=r"broken\.db can't be opened"):
        SourceClassifier(broken)
    with pytest.raises(StoreError, match="can't be opened"):
        SourceClassifier(tmp_path)


def test_a_row_with_an_unknown_category_counts_as_missing(server: lab.Server, tmp_path: Path) -> None:
    path = tmp_path / "sources.db"
    asked(server, [GOV], path)
    with sqlite3.connect(path) as database:
        database.execute('UPDATE sources SET value = \'["press", "m"]\'')
    database.close()
    assert asked(None, [GOV], path) == [AssignedCategory("other", UNKNOWN)]


def test_an_answer_to_another_prompt_does_not_count(server: lab.Server, tmp_path: Path) -> None:
    path = tmp_path / "sources.db"
    asked(server, [GOV], path)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE sources SET key = 'another'")
    database.close()
    assert asked(None, [GOV], path) == [AssignedCategory("other", UNKNOWN)]
