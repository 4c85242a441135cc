"""Data sets from a hub, against a fake hub that answers over real connections."""

from __future__ import annotations

import gzip
import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from huggingface_hub import close_session

from factscope.benchmarks.datasets.io import BadRow, count_rows, read_rows
from factscope.core import FactscopeError, InputError, StoreError, UsageError, hub_download
from factscope.core.records import Response
from tests.benchmarks.datasets.io.reading import lines, reason, texts
from tests.benchmarks.datasets.io.test_parquet import parquet
from tests.lab import Server
from tests.lab.hub import TOKEN, hub_server, put

CONVERTED = "refs/convert/parquet"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("made")
    made = {
        name: parquet(folder / name, f"SELECT '{name}' || i AS response, i AS uid FROM range(3) AS r(i)").read_bytes()
        for name in ("one", "two", "test")
    }
    with hub_server() as server:
        train = {"default/train/0000.parquet": made["one"], "default/train/0001.parquet": made["two"]}
        put(server, "org/single", CONVERTED, {"default/train/0000.parquet": made["one"]})
        put(server, "org/same-ids", CONVERTED, train)
        put(server, "org/several", CONVERTED, {**train, "default/test/0000.parquet": made["test"]})
        put(server, "org/large", CONVERTED, {"default/partial-train/0000.parquet": made["one"]})
        put(server, "org/large", "main", {"data/train-00000-of-00001.parquet": made["two"]})
        put(server, "org/only-part", CONVERTED, {"default/partial-train/0000.parquet": made["one"]})
        put(server, "org/only-part", "main", {"README.md": b"#"})
        put(server, "gated/set", CONVERTED, {"default/train/0000.parquet": made["one"]})
        plain = {
            "README.md": b"#",
            "dataset_infos.json": b"{}",
            "en/train.jsonl": lines({"text": "a"}).encode(),
            "en/dev.jsonl": lines({"text": "b"}).encode(),
            "extra/all.csv": b"text\nc\n",
            "test.jsonl.gz": gzip.compress(lines({"text": "d"}).encode(), mtime=0),
        }
        put(server, "org/plain", "main", plain)
        card = {"configs": [
            {"config_name": "default", "data_files": "en/*.jsonl"},
            {"config_name": "more", "data_files": [{"split": "all", "path": ["**/*.csv"]}, {"split": "x", "path": 1}]},
            {"config_name": "most", "data_files": {"test": "test.*"}},
            "nonsense", {"config_name": "none"},
        ]}  # fmt: skip
        put(server, "org/carded", "v1.0", {**plain, "_card": json.dumps(card).encode()})
        yield server


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch, hub: Server) -> None:
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)
    hub.script([])


def rows_of(hub: Server, source: str, cache: Path, token: str = "") -> list[Response | BadRow]:
    return list(read_rows(source, cache=cache, environment={"HF_ENDPOINT": f"{hub.url}/", "HF_TOKEN": token}))


def refused(hub: Server, source: str, cache: Path, error: type[FactscopeError], token: str = "") -> str:
    with pytest.raises(error) as caught:
        rows_of(hub, source, cache, token)
    assert caught.value.message.startswith(f"{source}: ")
    assert not token or token not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("org/single", ["one0", "one1", "one2"]),
        ("org/single:default/train", ["one0", "one1", "one2"]),
        ("org/several:test", ["test0", "test1", "test2"]),
        ("org/several:default/test", ["test0", "test1", "test2"]),
        (f"org/single@{CONVERTED}", ["one0", "one1", "one2"]),
        ("org/large", ["two0", "two1", "two2"]),
        ("org/large:train", ["two0", "two1", "two2"]),
        ("org/large:default/partial-train", ["one0", "one1", "one2"]),
        ("org/plain:train", ["a"]),
        ("org/plain:validation", ["b"]),
        ("org/plain:extra/all.csv", ["c"]),
        ("org/plain@main:test.jsonl.gz", ["d"]),
        ("org/carded@v1.0", ["b", "a"]),
        ("org/carded@v1.0:more", ["c"]),
        ("org/carded@v1.0:most/test", ["d"]),
    ],
)
def test_only_the_named_part_of_a_data_set_is_read(source: str, found: list[str], hub: Server, tmp_path: Path) -> None:
    assert texts(rows_of(hub, source, tmp_path)) == found
    assert count_rows(source) is None


def test_rows_are_numbered_across_all_files(hub: Server, tmp_path: Path) -> None:
    rows = rows_of(hub, "org/same-ids", tmp_path)
    assert texts(rows) == ["one0", "one1", "one2", 4, 5, 6]
    assert reason(rows[3]) == "has the id '0', which row 1 has already"


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("org/none", UsageError, "There is neither such a file nor, at http"),
        ("org/plain@v9", UsageError, "The data set has no revision 'v9'."),
        ("org/plain@main:test", UsageError, "no part 'test'. Choose from: default/validation, default/train."),
        ("org/several", UsageError, "Name one, as in org/several:PART, of default/test, default/train."),
        ("org/several:default", UsageError, "The data set has several parts."),
        ("org/several:other", UsageError, "no part 'other'. Choose from: default/test, default/train."),
        ("org/only-part", InputError, "The beginning of it is org/only-part:default/partial-train."),
        ("gated/set", InputError, "The data set is gated: its owners approve each account. Request access at http"),
    ],
)
def test_a_missing_data_set_or_part_is_one_clear_error(
    source: str, error: type[FactscopeError], message: str, hub: Server, tmp_path: Path
) -> None:
    assert message in refused(hub, source, tmp_path, error)


def test_a_missing_local_file_is_not_looked_up_on_the_hub(hub: Server, tmp_path: Path) -> None:
    for source in ("data/answers.jsonl", "./answers", "answers", "a/b/c", "../no-such", "org/n@m:"):
        assert "There is no such file." in refused(hub, source, tmp_path, UsageError)
    assert hub.count() == 0


def test_a_token_opens_gated_data_sets_and_is_sent_only_to_the_hub(hub: Server, tmp_path: Path) -> None:
    assert len(rows_of(hub, "gated/set", tmp_path, TOKEN)) == 3
    log = hub.log()
    assert [bool(asked["authorization"]) for asked in log] == [True, True, False]
    assert log[2]["path"].startswith("/elsewhere/")
    assert all(TOKEN not in path.read_text("latin-1") for path in tmp_path.rglob("*") if path.is_file())


def test_another_hub_that_the_client_trusts_does_not_see_the_token(
    hub: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = hub.url.replace("127.0.0.1", "localhost")
    trusted = frozenset({("http", "localhost", int(other.rpartition(":")[2]))})
    monkeypatch.setattr("huggingface_hub.utils._http._HUB_ORIGINS", trusted)
    hub.script([{"when": {"contains": "/resolve/"}, "do": moved_to(f"{other}/elsewhere/x")}])
    refused(hub, "gated/set", tmp_path, InputError, TOKEN)
    asked = {urlsplit(asked["path"]).path.split("/")[1]: bool(asked["authorization"]) for asked in hub.log()}
    assert asked == {"api": True, "datasets": True, "elsewhere": False}


def test_no_other_host_is_contacted_and_nothing_else_is_written(
    hub: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the hub client's home folder, nor its reports, nor a proxy is used."""
    hosts, send = set(), httpx2.HTTPTransport.handle_request

    def note_host(transport: httpx2.HTTPTransport, request: httpx2.Request) -> httpx2.Response:
        hosts.add(request.url.host)
        return send(transport, request)

    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", note_host)
    monkeypatch.setattr("huggingface_hub.utils._detect_agent._registry", None)
    for name in ("HF_HOME", "AGENT_HARNESSES_PATH", "HF_XET_CACHE", "HF_HUB_CACHE"):
        monkeypatch.setattr(f"huggingface_hub.constants.{name}", str(tmp_path / "home" / name))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    close_session()
    assert len(rows_of(hub, "org/single", tmp_path / "cache", TOKEN)) == 3
    close_session()
    assert hosts == {"127.0.0.1", "localhost"}
    assert not (tmp_path / "home").exists()


def test_a_wrong_token_is_reported(hub: Server, tmp_path: Path) -> None:
    assert "does not accept HF_TOKEN" in refused(hub, "org/single", tmp_path, InputError, "hf_wrong")
    assert "HF_TOKEN contains characters" in refused(hub, "org/single", tmp_path, UsageError, "two\nlines")


@pytest.mark.parametrize(
    "address",
    ["ftp://127.0.0.1", "http://hub.example", "https://", "https://u:p@hub.example", "https://h?q", "https://h:x"],
)
def test_the_address_must_be_secure(address: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="HF_ENDPOINT is not an address"):
        list(read_rows("org/single", cache=tmp_path, environment={"HF_ENDPOINT": address, "HF_TOKEN": "t"}))


def test_a_file_is_fetched_once(hub: Server, tmp_path: Path) -> None:
    first = rows_of(hub, "org/single", tmp_path)
    before = hub.count()
    assert rows_of(hub, "org/single", tmp_path) == first
    assert hub.count() == before + 1, "only the list is asked for again"
    [kept] = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert re.fullmatch(r"[0-9a-f]{64}\.parquet", kept.name)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    kept.write_bytes(b"cut")
    assert rows_of(hub, "org/single", tmp_path) == first


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (1, {"status": 503}),
        (1, {"status": 429}),
        (2, {"status": 429, "headers": {"Retry-After": "0"}}),
        (2, {"cut": 40}),
    ],
)
def test_a_temporary_failure_of_a_file_is_retried(
    fault: dict[str, object], call: int, hub: Server, tmp_path: Path
) -> None:
    hub.script([{"when": {"calls": [call]}, "do": fault}])
    assert len(rows_of(hub, "org/single", tmp_path)) == 3


def moved_to(address: str) -> dict[str, object]:
    return {"status": 302, "headers": {"Location": address, "X-Repo-Commit": "0" * 40, "ETag": "x"}}


@pytest.mark.parametrize(
    ("place", "fault", "message"),
    [
        ("/api/", {"status": 500}, "it answers with 500. Try again later."),
        ("/api/", {"reset": True}, "The hub at http://127.0.0.1"),
        ("/api/", {"body": "<html>"}, "is not a list of files"),
        ("/api/", {"body": "[]"}, "is not a list of files"),
        ("/api/", {"body": '{"id": "x", "sha": "../../x", "siblings": []}'}, "is not a list of files"),
        ("/api/", {"status": 418}, "answers with 418"),
        ("/resolve/", moved_to("ftp://127.0.0.1/x"), "to an address that is not https"),
        ("/resolve/", moved_to("http://hub.example/x"), "to an address that is not https"),
        ("/resolve/", moved_to("file:///etc/passwd"), "to an address that is not https"),
        ("/api/", moved_to("/api/again"), "maximum allowed redirects"),
        ("/elsewhere/", {"status": 403}, "The host that keeps the file answers with 403"),
        ("/elsewhere/", {"cut": 100}, "closed connection"),
        ("/elsewhere/", {"body": "short"}, "but has size 5"),
        ("/elsewhere/", {"body": "x" * 99_999}, "but has size 99999"),
    ],
)
def test_a_permanent_failure_is_one_clear_error_and_leaves_no_file(
    place: str, fault: dict[str, object], message: str, hub: Server, tmp_path: Path
) -> None:
    hub.script([{"when": {"contains": place}, "do": fault}])
    with pytest.raises((InputError, UsageError)) as caught:
        rows_of(hub, "org/single", tmp_path, TOKEN)
    assert message in str(caught.value)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_content_that_differs_from_the_listing_of_the_hub_is_rejected(hub: Server, tmp_path: Path) -> None:
    rows_of(hub, "org/single", tmp_path)
    [kept] = [path for path in tmp_path.rglob("*") if path.is_file()]
    hub.script([{"when": {"contains": "/elsewhere/"}, "do": {"body": "x" * kept.stat().st_size}}])
    kept.unlink()
    assert "another content than the hub lists" in refused(hub, "org/single", tmp_path, InputError)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_an_unreachable_hub_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="be reached: Connection refused"):
        list(read_rows("org/single", cache=tmp_path, environment={"HF_ENDPOINT": "http://127.0.0.1:9"}))


def test_an_unwritable_cache_is_reported(hub: Server, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cache folder"):
        rows_of(hub, "org/single", tmp_path / "file")


@pytest.mark.parametrize(
    ("ending", "whole", "broken", "why"),
    [
        ("jsonl", b'{"text": "a"}', b"no", "is not JSON"),
        ("csv", b"text\na", b"other\na", "the rows of 'train-2.csv' can't be used: No column holds the text"),
    ],
)
def test_a_broken_later_file_costs_only_its_rows(
    ending: str, whole: bytes, broken: bytes, why: str, hub: Server, tmp_path: Path
) -> None:
    put(hub, f"org/{ending}", "main", {f"train-{n}.{ending}": broken if n == 2 else whole for n in (1, 2, 3)})
    rows = rows_of(hub, f"org/{ending}", tmp_path)
    assert texts(rows) == ["a", 2, "a"]
    assert why in reason(rows[1])


def test_a_token_is_not_shown(hub: Server) -> None:
    assert "secret" not in repr(hub_download.hub_of({"HF_TOKEN": "secret"}))


def test_a_local_path_comes_before_the_hub(hub: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("org").mkdir()
    Path("org/single").write_text(lines({"text": "mine"}))
    assert texts(rows_of(hub, "org/single", tmp_path)) == ["mine"]
    assert hub.count() == 0
