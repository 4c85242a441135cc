"""Models of a hub: the needed files are fetched once, from a fake hub over real connections."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from hashlib import sha1, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest

from factscope.core import FactscopeError, InputError, StoreError, UsageError
from factscope.evidence import Encoders
from factscope.evidence.ranking import model_folder
from tests.evidence.ranking.onnx_models import MEANS, word_model

TOKEN = "good"


class Hub(ThreadingHTTPServer):
    """A server that answers as Hugging Face does for a model's files, and records the requested paths."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.models: dict[tuple[str, str], dict[str, bytes]] = {}
        self.asked: list[str] = []
        self.damage: dict[str, bytes] = {}
        self.listing = b""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def commit(self, model: str, revision: str) -> str:
        return sha1(f"{model}{revision}{sorted(self.models[model, revision])}".encode()).hexdigest()


class _Answers(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        hub = self.server
        if self.command == "GET":
            hub.asked.append(self.path)
        match unquote(urlsplit(self.path).path).strip("/").split("/", 5):
            case ["api", "models", owner, name, "revision", revision]:
                self.listing(f"{owner}/{name}", revision)
            case [owner, name, "resolve", commit, *path]:
                found = [
                    files for (model, revision), files in hub.models.items() if hub.commit(model, revision) == commit
                ]
                wanted = "/".join(path)
                self.send(200, hub.damage.get(wanted, found[0][wanted]), commit=commit)

    do_HEAD = do_GET  # noqa: N815 - the name that the server calls

    def listing(self, model: str, revision: str) -> None:
        hub = self.server
        if model.startswith("gated/") and TOKEN not in self.headers.get("Authorization", ""):
            return self.send(401, b"{}", "GatedRepo")
        if not any(model == name for name, _ in hub.models):
            return self.send(401, b"{}", "RepoNotFound")
        if (model, revision) not in hub.models:
            return self.send(404, b"{}", "RevisionNotFound")
        siblings = []
        for path, content in hub.models[model, revision].items():
            lfs = {"sha256": sha256(content).hexdigest(), "size": len(content), "pointerSize": 131}
            siblings.append({"rfilename": path, "size": len(content), **({"lfs": lfs} if ".onnx" in path else {})})
        listing = json.dumps({"id": model, "sha": hub.commit(model, revision), "siblings": siblings}).encode()
        return self.send(200, hub.listing or listing)

    def send(self, status: int, body: bytes, code: str = "", commit: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if code:
            self.send_header("X-Error-Code", code)
        if commit:
            self.send_header("X-Repo-Commit", commit)
            self.send_header("ETag", f'"{sha256(body).hexdigest()}"')
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    configs = {
        "1_Pooling/config.json": {"pooling_mode": "mean"}, "config.json": {}, "modules.json": [], "vocab.json": {},
        "config_sentence_transformers.json": {}, "onnx/config.json": {},
    }  # fmt: skip
    folder = word_model(tmp_path / "made", MEANS, configs)
    made = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    others = ("README.md", "model.safetensors", "onnx/model_O4.onnx", "onnx/model.onnx_data", "openvino/model.xml")
    return {**made, **dict.fromkeys(others, b"x"), "../tokenizer.json": b"x", "onnx/model.onnx_data/../../x": b"x"}


@pytest.fixture
def hub(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)
    with Hub() as server:
        server.models = {("org/made", "main"): files, ("org/made", "v1.0"): files, ("gated/made", "main"): files}
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def found(hub: Hub, name: str, cache: Path, token: str = "") -> Path:
    return model_folder(name, cache, {"HF_ENDPOINT": hub.url, "HF_TOKEN": token})


def refused(hub: Hub, name: str, cache: Path, error: type[FactscopeError] = UsageError, token: str = "") -> str:
    with pytest.raises(error) as caught:
        found(hub, name, cache, token)
    assert caught.value.hint
    assert not token or token not in str(caught.value)
    return str(caught.value)


def test_only_needed_files_are_downloaded_and_only_once(hub: Hub, tmp_path: Path) -> None:
    folder = found(hub, "org/made", tmp_path / "cache")
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == {
        "1_Pooling/config.json", "config.json", "config_sentence_transformers.json", "modules.json",
        "onnx/model.onnx", "onnx/model.onnx_data", "tokenizer.json",
    }  # fmt: skip
    assert len(hub.asked) == 8
    hub.models.clear()
    assert found(hub, "org/made", tmp_path / "cache") == folder
    assert len(hub.asked) == 8


def test_a_model_from_a_hub_is_used_like_a_folder(hub: Hub, tmp_path: Path) -> None:
    del hub.models["org/made", "main"]["onnx/model.onnx_data"]
    encoders = Encoders(lambda name: found(hub, name, tmp_path / "cache"))
    near, far = encoders.of("org/made").encode(["ship", "bread"]).astype(float).round(1).tolist()
    assert (near, far) == ([1, 0, 0], [0, 1, 0])
    encoders.close()


def test_a_folder_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "org" / "made").mkdir(parents=True)
    nowhere = {"HF_ENDPOINT": "not an address"}
    assert model_folder("org/made", tmp_path / "cache", nowhere) == Path("org/made")
    assert model_folder(str(tmp_path / "org"), tmp_path / "cache", nowhere) == tmp_path / "org"
    assert not (tmp_path / "cache").exists()


def test_revisions_and_hubs_are_stored_separately(hub: Hub, tmp_path: Path) -> None:
    main = found(hub, "org/made", tmp_path / "cache")
    assert found(hub, "org/made@v1.0", tmp_path / "cache") != main
    with pytest.raises(InputError):
        model_folder("org/made", tmp_path / "cache", {"HF_ENDPOINT": "http://127.0.0.1:9"})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("org/nothing", "There is neither a folder org/nothing nor, at http://127.0.0.1"),
        ("org/made--large", "There is neither a folder org/made--large nor"),
        ("org/made@v9", "has no revision 'v9'"),
        ("./org/made", "There is no folder ./org/made"),
        ("../made", "There is no folder"),
        ("made", "There is no folder made"),
        ("a/b/c", "There is no folder a/b/c"),
    ],
)
def test_missing_models_and_files_are_reported(hub: Hub, tmp_path: Path, name: str, message: str) -> None:
    assert message in refused(hub, name, tmp_path / "cache")


def test_gated_models_require_a_token(hub: Hub, tmp_path: Path) -> None:
    assert "gated" in refused(hub, "gated/made", tmp_path / "cache", InputError)
    assert "gated" in refused(hub, "gated/made", tmp_path / "cache", InputError, token="other")
    assert found(hub, "gated/made", tmp_path / "cache", TOKEN).is_dir()


@pytest.mark.parametrize(
    ("lost", "message"),
    [("onnx/model.onnx", "lacks model.onnx or onnx/model.onnx"), ("tokenizer.json", "lacks tokenizer.json")],
)
def test_an_unusable_model_is_not_downloaded(hub: Hub, tmp_path: Path, lost: str, message: str) -> None:
    del hub.models["org/made", "main"][lost]
    assert message in refused(hub, "org/made", tmp_path / "cache")
    assert len(hub.asked) == 1


def test_files_downloaded_before_a_failure_are_reused(hub: Hub, tmp_path: Path) -> None:
    hub.damage["tokenizer.json"] = b"other"
    assert "another content" in refused(hub, "org/made", tmp_path / "cache", InputError)
    hub.damage.clear()
    hub.asked.clear()
    folder = found(hub, "org/made", tmp_path / "cache")
    assert [path.rpartition("/")[2] for path in hub.asked[1:]] == ["tokenizer.json"]
    assert (folder / "tokenizer.json").read_bytes() == hub.models["org/made", "main"]["tokenizer.json"]


def test_an_invalid_file_list_and_an_unusable_cache_folder_are_reported(hub: Hub, tmp_path: Path) -> None:
    hub.listing = b"<html>"
    assert "is not a list of files" in refused(hub, "org/made", tmp_path / "cache", InputError)
    hub.listing = b""
    (tmp_path / "file").write_text("")
    assert "can't be written" in refused(hub, "org/made", tmp_path / "file", StoreError)
    folder = found(hub, "org/made", tmp_path / "cache")
    shutil.rmtree(folder.parent)
    (folder.parent / "commit").mkdir(parents=True)
    assert "can't be written" in refused(hub, "org/made", tmp_path / "cache", StoreError)
