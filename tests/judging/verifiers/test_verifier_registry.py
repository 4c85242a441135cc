"""Checkers from a hub: fetched once and whole, pinned, verified at each opening; the hub is on the loopback."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from hashlib import sha1, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote

import pytest

from factscope.core import FactscopeError, InputError, UsageError, hub_download
from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers import registry as rows
from factscope.judging.verifiers.published import CatalogueEntry, CheckerFiles, published, runtime
from factscope.judging.verifiers.registry import naming

TINY = Path(__file__).parents[2] / "judging" / "verifiers" / "published" / "tiny"
PAIR = ClaimPair("The bridge was opened in 1931.", "The Marlow bridge was opened in 1931 and carries two lanes.")


class Hub(ThreadingHTTPServer):
    """A server that lists and sends models as Hugging Face's hub does; parts of the large weights can be requested."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.models: dict[str, dict[str, bytes]] = {}
        self.asked: list[str] = []
        self.cut: int | None = None
        """Number of bytes after which weights are cut off."""

    @property
    def environment(self) -> dict[str, str]:
        return {"HF_ENDPOINT": f"http://127.0.0.1:{self.server_port}"}

    def commit(self, model: str) -> str:
        return sha1(model.encode()).hexdigest()

    def put(self, model: str, name: str, **changes: bytes | None) -> None:
        files = {path.name: path.read_bytes() for path in (TINY / name).iterdir() if path.name != "reference.json"}
        for file, content in changes.items():
            files.pop(file.replace("__", "."), None)
            if content is not None:
                files[file.replace("__", ".")] = content
        self.models[model] = files


class _Answers(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        hub = self.server
        ranged = self.headers.get("Range", "")
        if self.command == "GET":
            hub.asked.append(f"{self.path} {ranged}".strip())
        match unquote(self.path.partition("?")[0]).strip("/").split("/", 4):
            case ["api", "models", owner, name, _] if f"{owner}/{name}" in hub.models:
                self.send(200, json.dumps(self.listing(f"{owner}/{name}")).encode())
            case ["api", "models", "gated", *_]:
                self.send(403, b"{}", "GatedRepo")
            case [owner, name, "resolve", commit, path]:
                content, start = hub.models[f"{owner}/{name}"][path], int((re.findall(r"\d+", ranged) or "0")[0])
                self.file(content, large(path), start, commit)
            case _:
                self.send(404, b"{}", "RepoNotFound")

    do_HEAD = do_GET  # noqa: N815 - the name that the server calls

    def listing(self, model: str) -> dict[str, Any]:
        siblings = []
        for path, content in self.server.models[model].items():
            lfs = {"sha256": sha256(content).hexdigest(), "size": len(content), "pointerSize": 131}
            siblings.append({"rfilename": path, "size": len(content), **({"lfs": lfs} if large(path) else {})})
        return {"id": model, "sha": self.server.commit(model), "siblings": siblings, "cardData": {"license": "mit"}}

    def file(self, content: bytes, cut: bool, start: int, commit: str) -> None:
        self.send_response(206 if start else 200)
        self.send_header("X-Repo-Commit", commit)
        self.send_header("ETag", f'"{sha256(content).hexdigest()}"')
        self.send_header("Content-Length", str(len(content) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content[start : start + self.server.cut] if cut and self.server.cut else content[start:])
        self.close_connection = True

    def send(self, status: int, body: bytes, code: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if code:
            self.send_header("X-Error-Code", code)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def large(path: str) -> bool:
    return path.endswith((".onnx", ".safetensors", ".bin", ".ckpt"))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)
    with Hub() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def pull(hub: Hub, name: str, cache: Path, form: Path | None = None) -> Path:
    return rows.bring(rows.plan(name, hub.environment), cache, hub.environment, form)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, CatalogueEntry]:
    """Register our own published checkers in place of those of several gigabytes."""
    made: dict[str, CatalogueEntry] = {}
    monkeypatch.setattr(naming, "published", lambda name: made.get(name) or published(name))
    return made


def test_a_hub_model_is_fetched_once_pinned_and_then_works_offline(hub: Hub, tmp_path: Path) -> None:
    hub.put("org/tiny", "deberta", README__md=b"x", training_args__bin=b"y")
    planned = rows.plan("org/tiny", hub.environment)
    assert planned.licence == "mit"
    assert {file.path for file in planned.files} == {"config.json", "tokenizer.json", "model.onnx"}
    assert planned.size == sum((TINY / "deberta" / file.path).stat().st_size for file in planned.files)
    assert len(hub.asked) == 1  # nothing is fetched before it is needed
    folder = pull(hub, "org/tiny", tmp_path)
    hub.models.clear()
    seen = len(hub.asked)
    checker = rows.open_checker("org/tiny", tmp_path)
    assert checker.name == f"org/tiny@{hub.commit('org/tiny')[:12]}+{checker.form.digest}"
    own = rows.open_checker(str(TINY / "deberta"), tmp_path)
    assert checker.verify([PAIR]) == own.verify([PAIR])
    assert len(hub.asked) == seen
    assert (folder / "model.onnx").read_bytes() == (TINY / "deberta" / "model.onnx").read_bytes()
    assert not list(folder.glob(".part*"))


def test_a_published_checker_takes_files_from_several_repositories(
    hub: Hub, tmp_path: Path, known: dict[str, CatalogueEntry]
) -> None:
    """As with HHEM, whose settings and tokenizer are those of the model that it is based on."""
    entry = published("hhem-2.1-open")
    assert entry is not None
    weights, beside = (source.repository for source in entry.files)
    hub.put(weights, "hhem", config__json=b'{"model_type": "HHEMv2Config"}', tokenizer__json=None)
    hub.put(beside, "hhem", model__onnx=b"the foundation")
    sources = tuple(
        source.model_copy(
            update={"sha256": {}, "paths": [path.replace("safetensors", "onnx") for path in source.paths]}
        )
        for source in entry.files
    )
    known["hhem-2.1-open"] = entry.model_copy(update={"files": sources})
    pull(hub, "hhem-2.1-open", tmp_path)
    checker = rows.open_checker("hhem-2.1-open", tmp_path)
    assert checker.name.startswith(f"hhem-2.1-open@{hub.commit(weights)[:12]}+")
    reference = json.loads((TINY / "hhem" / "reference.json").read_text())[0]
    pair = ClaimPair(reference["claim"], reference["passage"])
    assert (
        checker.verify([pair])[0].probabilities
        == rows.open_checker(str(TINY / "hhem"), tmp_path).verify([pair])[0].probabilities
    )


def test_weights_other_than_the_published_ones_are_refused(hub: Hub, tmp_path: Path) -> None:
    hub.put("lytang/MiniCheck-DeBERTa-v3-Large", "deberta", model__safetensors=b"other weights")
    with pytest.raises(InputError, match=r"another model\.safetensors"):
        rows.plan("minicheck-deberta-v3-large", hub.environment)
    assert not any("resolve" in path for path in hub.asked)


def test_weights_for_pytorch_are_not_fetched_if_it_is_not_installed(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "find_spec", lambda name: None)
    hub.put("org/tiny", "deberta", model__onnx=None, model__safetensors=b"weights")
    with pytest.raises(UsageError, match=r"org/tiny/model\.safetensors holds weights for PyTorch") as caught:
        rows.plan("org/tiny", hub.environment)
    assert "pip install 'factscope[torch]'" in caught.value.hint
    assert not any("resolve" in path for path in hub.asked)
    monkeypatch.setattr(runtime, "find_spec", lambda name: name)
    assert "model.safetensors" in {file.path for file in rows.plan("org/tiny", hub.environment).files}


def test_a_checker_with_an_onnx_file_needs_no_pytorch(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "find_spec", lambda name: None)
    hub.put("cross-encoder/nli-deberta-v3-base", "deberta", model__safetensors=b"x")
    hub.models["cross-encoder/nli-deberta-v3-base"]["onnx/model.onnx"] = b"x"
    planned = rows.plan("nli-deberta-v3-base", hub.environment)
    assert [file.path for file in planned.files] == ["config.json", "tokenizer.json", "onnx/model.onnx"]


def test_an_interrupted_download_leaves_nothing_behind(hub: Hub, tmp_path: Path) -> None:
    hub.put("org/tiny", "deberta")
    hub.cut = 5_000
    with pytest.raises(InputError, match="closed connection"):
        pull(hub, "org/tiny", tmp_path)
    assert not [path for path in rows.folder_of("org/tiny", tmp_path).rglob("*") if "onnx" in path.name]
    with pytest.raises(UsageError, match="not downloaded yet"):
        rows.open_checker("org/tiny", tmp_path)
    hub.cut = None
    pull(hub, "org/tiny", tmp_path)
    assert rows.open_checker("org/tiny", tmp_path).verify([PAIR])


def test_nothing_is_fetched_without_the_hub_client(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_download, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"needs the package huggingface_hub.*pip install 'factscope\[hub\]'"):
        rows.plan("org/tiny", hub.environment)
    assert hub.asked == []


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_changed_or_missing_file_is_not_used(hub: Hub, tmp_path: Path, file: str) -> None:
    hub.put("org/tiny", "deberta")
    folder = pull(hub, "org/tiny", tmp_path)
    whole = (folder / file).read_bytes()
    (folder / file).write_bytes(whole[:-1] + b"?")
    with pytest.raises(InputError, match=r"checksum differs.*verifiers pull org/tiny"):
        rows.open_checker("org/tiny", tmp_path)
    (folder / file).unlink()
    with pytest.raises(InputError, match="is gone"):
        rows.open_checker("org/tiny", tmp_path)
    pull(hub, "org/tiny", tmp_path)
    assert rows.open_checker("org/tiny", tmp_path)


def test_a_user_supplied_format_is_stored_with_the_model(hub: Hub, tmp_path: Path) -> None:
    hub.put("org/tiny", "roberta", verifier__toml=None)
    form = TINY / "roberta" / "verifier.toml"
    with pytest.raises(UsageError, match=r"What the outputs .* mean is not known.*add --form FILE"):
        pull(hub, "org/tiny", tmp_path)
    assert not any("model.onnx" in path for path in hub.asked)
    pull(hub, "org/tiny", tmp_path, form)
    assert rows.open_checker("org/tiny", tmp_path).verify([PAIR])[0].probabilities is not None


def test_a_user_supplied_format_takes_precedence_over_the_hubs(hub: Hub, tmp_path: Path) -> None:
    hub.put("org/tiny", "roberta")
    theirs = rows.open_checker(pull(hub, "org/tiny", tmp_path / "theirs").as_posix(), tmp_path).form
    form = tmp_path / "form.toml"
    form.write_text((TINY / "roberta" / "verifier.toml").read_text() + "sure = 0.9\n")
    pull(hub, "org/tiny", tmp_path, form)
    assert (theirs.sure, rows.open_checker("org/tiny", tmp_path).form.sure) == (0.6, 0.9)


def test_weights_that_were_not_fetched_are_not_used(hub: Hub, tmp_path: Path) -> None:
    hub.put("org/tiny", "deberta")
    folder = pull(hub, "org/tiny", tmp_path)
    hub.models["org/tiny"]["onnx/model.onnx"] = hub.models["org/tiny"].pop("model.onnx")
    folder = pull(hub, "org/tiny", tmp_path)
    (folder / "model.onnx").write_bytes(b"other weights, which would go first")
    with pytest.raises(InputError, match=r"model\.onnx was not part of the download"):
        rows.open_checker("org/tiny", tmp_path)
    pull(hub, "org/tiny", tmp_path)
    assert rows.open_checker("org/tiny", tmp_path).verify([PAIR])


def test_the_name_of_a_local_checker_depends_on_all_of_its_weights(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    shutil.copytree(TINY / "deberta", folder)
    names = set()
    for numbers in (b"one", b"two"):
        (folder / "model.onnx").write_bytes(b"a network")
        (folder / "model.onnx_data").write_bytes(numbers)
        names.add(rows.open_checker(str(folder), tmp_path).name)
    assert len(names) == 2


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("builtin", UsageError, "there is nothing to fetch"),
        ("builtin-large", UsageError, "The large built-in verifier is not installed"),
        (str(TINY), UsageError, "is a folder"),
        ("org/mute", UsageError, "has no tokenizer.json"),
        ("nosuch", UsageError, "Unknown verifier 'nosuch': no verifier or folder has that name"),
        ("minichek-roberta-large", UsageError, "Did you mean minicheck-roberta-large"),
        ("org/nosuch", UsageError, "nor, at http://127"),
        ("gated/model", InputError, "is gated"),
        ("bespoke-minicheck-7b", UsageError, "is served, and is not fetched"),
        ("org/empty", UsageError, "has none of model.onnx"),
        ("org/align", UsageError, "Is tiny.ckpt what you want?"),
        ("org/parts", UsageError, "too large to run here: serve it"),
    ],
)
def test_a_model_that_cannot_be_fetched_is_refused_with_the_reason(
    hub: Hub, name: str, error: type[FactscopeError], says: str
) -> None:
    hub.put("org/align", "roberta", model__onnx=None, tiny__ckpt=b"x")
    hub.put("org/mute", "deberta", tokenizer__json=None)
    hub.models["org/empty"] = {"README.md": b"x"}
    hub.models["org/parts"] = {"model.safetensors.index.json": b"{}", "model-00001-of-00002.safetensors": b"x"}
    with pytest.raises(error) as caught:
        rows.plan(name, hub.environment)
    assert says in str(caught.value)
    assert caught.value.hint


def test_too_little_disk_space_is_reported(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.put("org/tiny", "deberta")
    monkeypatch.setattr(hub_download, "disk_usage", lambda _: type("Usage", (), {"free": 1_000}))
    with pytest.raises(InputError, match="are free"):
        pull(hub, "org/tiny", tmp_path)


def test_different_names_get_different_folders(tmp_path: Path) -> None:
    names = ["org/tiny", "org--tiny", "org/tiny@main", "org/tiny@x/y", "hhem-2.1-open"]
    folders = {rows.folder_of(name, tmp_path) for name in names}
    assert len(folders) == len(names)
    assert all(folder.parent == tmp_path / "verifiers" for folder in folders)


def test_a_source_with_a_branch_is_pinned(hub: Hub, tmp_path: Path) -> None:
    hub.put("org/tiny", "deberta")
    planned = rows.plan("org/tiny@refs/pr/1", hub.environment)
    assert "/revision/refs%2Fpr%2F1?" in hub.asked[0]
    assert {file.commit for file in planned.files} == {hub.commit("org/tiny")}
    assert CheckerFiles(repository="a/b", revision="c").paths == ()
