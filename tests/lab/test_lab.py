"""Effects of the laboratory's scripts, which tests elsewhere rely on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests import lab


@pytest.fixture(scope="module")
def web() -> Iterator[lab.Server]:
    with lab.web_server() as server:
        yield server


def fetch(url: str, values: object = None) -> bytes:
    with urlopen(Request(url, None if values is None else json.dumps(values).encode()), timeout=10) as reply:
        return bytes(reply.read())


def test_search_finds_the_same_existing_pages_each_time(web: lab.Server) -> None:
    first = json.loads(fetch(f"{web.url}/search", {"q": "the harbour bridge of Marlow"}))
    assert first == json.loads(fetch(f"{web.url}/search", {"q": "the harbour bridge of Marlow"}))
    assert [hit["title"] for hit in first["organic"]] == ["About harbour", "About bridge", "About Marlow"]
    for hit in first["organic"]:
        page = fetch(hit["link"]).decode()
        assert hit["snippet"] in page
        assert f"<title>{hit['title']}</title>" in page


def test_the_encyclopaedia_searches_and_gives_extracts(web: lab.Server) -> None:
    found = json.loads(fetch(f"{web.url}/w/api.php?action=query&list=search&srsearch=harbour+bridge&format=json"))
    titles = [hit["title"] for hit in found["query"]["search"]]
    assert titles == ["harbour", "bridge"]
    pages = json.loads(fetch(f"{web.url}/w/api.php?action=query&prop=extracts&titles=harbour|bridge&format=json"))
    assert [page["title"] for page in pages["query"]["pages"]] == titles
    assert "harbour is well known" in pages["query"]["pages"][0]["extract"]


def test_faults_hit_the_calls_that_the_script_names(web: lab.Server) -> None:
    web.script([{"when": {"contains": "/page/b", "first": 2}, "do": {"status": 503}}])
    assert b"Marlow" in fetch(f"{web.url}/page/Marlow")
    with pytest.raises(HTTPError, match="503") as caught:
        fetch(f"{web.url}/page/bridge")
    caught.value.close()
    assert b"bridge" in fetch(f"{web.url}/page/bridge")
    assert web.count() == 3
    assert [each["path"] for each in web.log()] == ["/page/Marlow", "/page/bridge", "/page/bridge"]
    web.script([])
    assert web.count() == 0
