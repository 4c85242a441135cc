"""Engines by name, and the settings that each requires."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from factscope.core import UsageError, registry
from factscope.evidence.search import (
    SearchError,
    SearchOptions,
    available,
    engine_names,
    engine_registry,
    open_engine,
    open_search,
)
from tests import lab
from tests.evidence.search.search_requests import ENGINES, environment
from tests.evidence.search.test_limited_search import FOUND, Scripted


def theirs(environment: Mapping[str, str]) -> Scripted:
    if "THEIR_KEY" not in environment:
        raise UsageError("THEIR_KEY is not set.")
    return Scripted(FOUND)


def broken(environment: Mapping[str, str]) -> Scripted:
    raise KeyError("oops")


def none_at_all(environment: Mapping[str, str]) -> object:
    return object()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"theirs": "theirs", "broken": "broken", "nothing": "none_at_all", "missing": "no_such", "serper": "theirs"}
    entries = [EntryPoint(name, f"{__name__}:{value}", engine_registry.ENGINES.group) for name, value in names.items()]
    monkeypatch.setattr(registry, "entry_points", lambda group: [each for each in entries if each.group == group])


def test_all_engines_are_available_by_name(server: lab.Server) -> None:
    assert set(ENGINES) <= set(engine_names())
    assert available(environment(server)) == engine_names()
    assert available({}) == ("wikipedia",)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("serper", "SERPER_API_KEY"),
        ("brave", "BRAVE_API_KEY (or BRAVE_SEARCH_API_KEY)"),
        ("tavily", "TAVILY_API_KEY"),
        ("searxng", "SEARXNG_URL"),
    ],
)
@pytest.mark.parametrize("value", [None, "", "  "])
def test_the_variable_to_set_is_named(name: str, variable: str, value: str | None) -> None:
    given = {} if value is None else {variable.partition(" ")[0]: value}
    with pytest.raises(UsageError, match="is not set") as caught:
        open_engine(name, given)
    assert variable in caught.value.message
    assert "export" in caught.value.hint


def test_the_key_can_be_set_under_either_of_two_names() -> None:
    assert available({"BRAVE_SEARCH_API_KEY": "k"}) == available({"BRAVE_API_KEY": "k"}) == ("brave", "wikipedia")


@pytest.mark.parametrize(
    ("name", "near"), [("serp", "serper"), ("Wikipedia", "wikipedia"), ("xyz", "Choose from: brave")]
)
def test_an_unknown_engine_suggests_similar_names(name: str, near: str) -> None:
    with pytest.raises(UsageError, match="Unknown search engine") as caught:
        open_engine(name, {})
    assert near in caught.value.hint


@pytest.mark.parametrize(
    "address", ["nonsense", "ftp://host", "http://", "https://user:pw@host", "https://host/?key=1", "https://host:x"]
)
def test_an_invalid_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="SEARXNG_URL"):
        open_engine("searxng", {"SEARXNG_URL": address})


@pytest.mark.parametrize("ending", ["", "/", "/search", "/search/"])
def test_an_address_can_include_its_path(server: lab.Server, ending: str) -> None:
    engine = open_engine("searxng", {"SEARXNG_URL": f"{server.url}/searxng{ending}"})
    assert engine.traits.address == f"{server.url}/searxng"


def test_wikipedia_is_searched_in_the_requested_language() -> None:
    assert open_engine("wikipedia", {}).traits.address == "https://{language}.wikipedia.org"
    with pytest.raises(UsageError, match="WIKIPEDIA_CONTACT"):
        open_engine("wikipedia", {"WIKIPEDIA_CONTACT": "a\r\nX-Header: b"})


def test_a_failure_names_the_requested_address_without_placeholders() -> None:
    engine = open_engine("wikipedia", {"WIKIPEDIA_URL": "http://127.0.0.1:9/{language}"})

    async def ask() -> None:
        try:
            await engine.search("bridge", SearchOptions(language="de-CH"))
        finally:
            await engine.close()

    with pytest.raises(SearchError, match=r"Wikipedia at http://127\.0\.0\.1:9/de: ") as caught:
        asyncio.run(ask())
    assert "{" not in caught.value.message + caught.value.hint


@pytest.mark.usefixtures("installed")
def test_other_packages_can_add_engines_but_cannot_take_built_in_names() -> None:
    assert engine_names()[-4:] == ("broken", "missing", "nothing", "theirs")
    assert available({"THEIR_KEY": "k"}) == ("wikipedia", "theirs")
    with pytest.raises(UsageError, match="THEIR_KEY is not set"):
        open_engine("theirs", {})
    with pytest.raises(UsageError, match="can't be opened: KeyError"):
        open_engine("broken", {})
    with pytest.raises(UsageError, match="can't be loaded: AttributeError"):
        open_engine("missing", {})
    with pytest.raises(UsageError, match="not a SearchEngine"):
        open_engine("nothing", {})
    with pytest.raises(UsageError, match="SERPER_API_KEY"):
        open_engine("serper", {"THEIR_KEY": "k"})


def test_a_search_is_opened_by_name_with_its_file(server: lab.Server, tmp_path: Path) -> None:
    path = tmp_path / "new" / "searches.db"

    async def run() -> None:
        async with open_search("wikipedia", environment(server), path) as using:
            assert (await using.find("harbour")).hits
            assert server.count() == 1

    asyncio.run(run())
    asyncio.run(run())
    assert server.count() == 1
    assert path.is_file()
