"""Checks against the web, end to end on the loopback interface: search, guarded fetch, reading, ranking, judging."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests import lab
from tests.lab import warm

from .test_cli import clean_environment, one_line

ROOT = Path(__file__).parent.parent.parent
TEXT = "Lighthouses is well known here. Penguins waddle across Antarctica in 1931."
PAGES = {"pages_at": "http://pages.example"}
Result = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def model() -> Iterator[lab.Server]:
    with lab.model_server() as made:
        yield made


@pytest.fixture
def web() -> Iterator[lab.Server]:
    with lab.web_server([{"do": PAGES}]) as made:
        yield made


class Place:
    """A folder, a model and a web, and the command run in it."""

    def __init__(self, folder: Path, model: lab.Server, web: lab.Server) -> None:
        self.folder, self.model, self.web = folder, model, web

    def __call__(self, *arguments: str, **environment: str) -> Result:
        names = {
            "OPENAI_BASE_URL": self.model.base_url,
            "OPENAI_API_KEY": "sk-lab",
            "LAB_WEB_PORT": str(urlsplit(self.web.url).port),
            "PYTHONPATH": str(ROOT),
            "SERPER_API_KEY": "canary-serper-key",
            **{f"{name}_BASE_URL": f"{self.web.url}/{name.lower()}" for name in ("SERPER", "BRAVE", "TAVILY")},
            **{f"{name}_URL": f"{self.web.url}/{name.lower()}" for name in ("SEARXNG", "WIKIPEDIA")},
            "BRAVE_API_KEY": "k",
            "TAVILY_API_KEY": "k",
        }
        return subprocess.run(
            [warm.python(), "-m", "tests.lab.launch", *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=clean_environment(self.folder) | names | environment,
            stdin=subprocess.DEVNULL,
        )

    def report(self, *arguments: str, **environment: str) -> dict:
        done = self("check", TEXT, "--format", "json", "-q", *arguments, **environment)
        assert done.returncode == 0, done.stderr
        assert "canary-serper-key" not in done.stdout + done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def place(tmp_path: Path, model: lab.Server, web: lab.Server) -> Place:
    return Place(tmp_path, model, web)


@pytest.mark.medium
@pytest.mark.parametrize(
    ("engine", "method"),
    [
        ("wikipedia", "standard"),
        ("serper", "facts-and-evidence"),
        ("searxng", "veriscore"),
        ("serper", "verify"),
        ("tavily", "builtin"),
    ],
)
def test_a_check_against_the_web_runs_from_end_to_end(place: Place, engine: str, method: str) -> None:
    report = place.report("--search", engine, "--method", method, *(("--model", "openai/lab") * (method != "builtin")))
    assert sum(report["counts"].values()) == 2
    assert report["counts"]["failed"] == 0
    assert report["searched"]["engines"] == [engine]
    assert report["hits"]
    assert report["passages"]
    assert all(urlsplit(document["url"]).hostname == "pages.example" for document in report["documents"])
    searches = [row for row in report["usage"] if row["role"] == "search"]
    assert searches[0]["model"] == engine
    assert searches[0]["calls"] >= 1
    read_pages = method in ("standard", "facts-and-evidence", "builtin")
    assert all((document["fetched_at"] is not None) == read_pages for document in report["documents"])


def test_wikipedia_works_without_configuration_and_is_cached(place: Place) -> None:
    bare = dict.fromkeys(("OPENAI_API_KEY", "OPENAI_BASE_URL", "SERPER_API_KEY"), "")
    report = place.report("--search", "wikipedia", "--no-store", **bare)
    assert report["method"]["name"] == "builtin"
    assert report["counts"]["failed"] == 0
    assert report["documents"]
    asked = place.web.count()
    assert asked >= 2
    again = place.report("--search", "wikipedia", "--no-store", **bare)
    assert again["counts"] == report["counts"]
    assert place.web.count() == asked, "searches and pages are kept"


def test_a_page_that_cannot_be_fetched_is_a_failure_with_its_address(place: Place) -> None:
    place.web.script([{"when": {"contains": "/page/"}, "do": {"status": 404}}, {"do": PAGES}])
    done = place("check", TEXT, "--format", "json", "-q", "--search", "serper", "--method", "builtin")
    report = json.loads(done.stdout)
    assert report["counts"]["failed"] == 2
    assert {failure["boundary"] for failure in report["failures"]} == {"fetch"}
    assert all(failure["about"].startswith("http://pages.example/page/") for failure in report["failures"])


@pytest.mark.medium
@pytest.mark.parametrize(
    ("fault", "said"),
    [("key", "SERPER_API_KEY"), ("quota", "credits"), ("rate", "Serper")],
    ids=["key", "quota", "rate"],
)
def test_a_failed_search_is_never_an_empty_result(place: Place, fault: str, said: str) -> None:
    place.web.script([{"do": {"fault": fault}}])
    done = place("check", TEXT, "--format", "json", "-q", "--search", "serper", "--method", "builtin")
    assert done.returncode == 1
    assert said.casefold() in (done.stderr + done.stdout).casefold()
    if fault != "rate":
        one_line(done)
        assert place.web.count() <= 2


@pytest.mark.medium
def test_a_claim_that_documents_leave_open_is_not_settled_by_a_search_that_failed(place: Place) -> None:
    """It would count as unsupported, though the web was never searched; what the documents settle stays."""
    (place.folder / "notes.txt").write_text("The Marlow bridge was opened in 1931. Ida Kern designed it.", "utf-8")
    text = "The Marlow bridge was opened in 1931. The Marlow bridge was painted green in 1980."
    both = ("--evidence", "notes.txt", "--search", "searxng")
    arguments = ("check", text, "--format", "json", "-q", "--method", "builtin", *both)
    place.web.script([{"do": {"status": 400, "json": {"message": "no such form"}}}])
    done = place(*arguments)
    report = json.loads(done.stdout)
    assert (done.returncode, report["counts"]["supported"], report["counts"]["failed"]) == (1, 1, 1)
    assert {failure["about"] for failure in report["failures"]} == {None}
    assert all("no such form" in failure["message"] for failure in report["failures"])
    assert "- not searched: SearXNG" in place("evidence", "The Marlow bridge", *both).stdout
    place.web.script([{"do": PAGES}])
    assert json.loads(place(*arguments).stdout)["counts"]["failed"] == 0


def test_sites_and_categories_are_left_out_before_anything_is_fetched(place: Place) -> None:
    arguments = ("check", TEXT, "--format", "json", "-q", "--search", "serper", "--method", "builtin")
    done = place(*arguments, FACTSCOPE_DENY_SITES="pages.example")
    assert json.loads(done.stdout)["counts"]["no_evidence"] == 2
    assert not any("/page/" in call["path"] for call in place.web.log())


def test_an_unknown_engine_or_a_missing_key_is_one_message(place: Place) -> None:
    for engine, said, environment in (
        ("wikipdia", "wikipedia", {}),
        ("serper", "SERPER_API_KEY", {"SERPER_API_KEY": ""}),
    ):
        done = place("check", TEXT, "--search", engine, **environment)
        assert done.returncode == 2
        assert said in one_line(done) + done.stderr


@pytest.mark.medium
def test_retrieval_works_alone_and_the_doctor_tries_it(place: Place) -> None:
    done = place("evidence", "Lighthouses are known.", "--search", "serper", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["passages"]
    assert found["results"]
    well = place("doctor", FACTSCOPE_SEARCH="wikipedia")
    assert re.search(r"found \d+ pages?; \d+ passages? read", " ".join(well.stdout.split()))


def test_the_model_that_categorises_sources_is_counted_like_any_other(place: Place) -> None:
    place.web.script([{"do": {"pages_at": "http://quietharbour.net"}}])
    arguments = ("--search", "serper", "--method", "facts-and-evidence", "--model", "openai/lab")
    estimate = json.loads(place("check", TEXT, "--dry-run", "--format", "json", *arguments).stdout)
    report = place.report(*arguments)
    assert report["models"]["source"] == estimate["models"]["source"] == "openai/lab"
    assert "facts_and_evidence/source_category" in report["prompts"]
    spent = {row["role"]: row["calls"] for row in report["usage"]}
    assert spent["source"] >= 1
    assert estimate["calls"][0] <= sum(n for role, n in spent.items() if role != "search") <= estimate["calls"][1]
    assert {document["category_by"] for document in report["documents"]} == {"openai/lab"}
