"""A hub of data sets that answers like Hugging Face's when asked for a revision's files or for a file.

Tests put files there: `PUT /_put/ORG/NAME/REVISION/PATH`, with the path `_card` for the metadata of the card as JSON.
Parquet files are treated as large ones: listed with their SHA-256 and sent from another host, which must not see the
token (`localhost` instead of `127.0.0.1`). Files of the owner `gated` need the token `good`. The hub's own client also
uploads small files, with that token, into the revision `main`.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1, sha256
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from urllib.request import Request, urlopen

from . import Rule, Server, _serve
from .http import Answer, Asked, serve

Files = dict[str, bytes]

TOKEN = "good"
_KEPT: dict[tuple[str, str], Files] = {}


@contextmanager
def hub_server(rules: list[Rule] | None = None) -> Iterator[Server]:
    """Run a hub without data sets."""
    with _serve("hub", rules) as server:
        yield server


def put(server: Server, dataset: str, revision: str, files: Files) -> None:
    """Put files into a revision of a data set, and forget the requests so far."""
    for path, content in files.items():
        place = f"{server.url}/_put/{dataset}/{quote(revision, safe='')}/{quote(path)}"
        with urlopen(Request(place, content, method="PUT"), timeout=10):
            pass
    server.script([])


def respond(asked: Asked, do: dict[str, Any]) -> Answer:
    """Answer with a listing, a file, or a redirect to the file."""
    steps = [unquote(step) for step in urlsplit(asked.path).path.strip("/").split("/")]
    match steps:
        case ["_put", owner, name, revision, *path]:
            _KEPT.setdefault((f"{owner}/{name}", revision), {})["/".join(path)] = asked.body
            return Answer(b"null")
        case ["api", "repos", "create"]:
            name = json.loads(asked.body)["name"]
            owner = json.loads(asked.body).get("organization", "me")
            return _json({"url": f"http://{asked.headers['host']}/datasets/{owner}/{name}"})
        case ["api", "validate-yaml"]:
            return _json({"errors": [], "warnings": []})
        case ["api", "datasets", owner, name, "preupload", _]:
            wanted = json.loads(asked.body)["files"]
            regular = {"uploadMode": "regular", "shouldIgnore": False}
            return _json({"files": [{"path": one["path"], **regular} for one in wanted]})
        case ["api", "datasets", owner, name, "commit", revision]:
            return _committed(asked, f"{owner}/{name}", revision)
        case ["elsewhere", digest]:
            found = [file for files in _KEPT.values() for file in files.values() if _digest(file) == digest]
            return Answer(found[0], "application/octet-stream")
        case ["api", "datasets", owner, name, "revision", revision]:
            return _refusal(asked, do, owner, name, revision) or _listing(f"{owner}/{name}", revision)
        case ["datasets", owner, name, "resolve", commit, *path]:
            revision = next(
                (each for each in _revisions(f"{owner}/{name}") if _commit(f"{owner}/{name}", each) == commit), ""
            )
            if owner == "gated" and TOKEN not in asked.headers.get("authorization", ""):
                return _refuse(do, 401, "GatedRepo")
            return _refusal(asked, do, owner, name, revision) or _file(asked, do, f"{owner}/{name}", revision, path)
    return Answer(b"not here", "text/plain", 404)


def _committed(asked: Asked, dataset: str, revision: str) -> Answer:
    """Store the files of a commit: one line of JSON each, with its content in base64."""
    if TOKEN not in asked.headers.get("authorization", ""):
        return Answer(b'{"error": "refused"}', status=401)
    for line in map(json.loads, asked.body.splitlines()):
        if line["key"] == "file":
            files = _KEPT.setdefault((dataset, revision), {})
            files[line["value"]["path"]] = b64decode(line["value"]["content"])
    address = f"http://{asked.headers['host']}/datasets/{dataset}/commit/{_commit(dataset, revision)}"
    return _json({"success": True, "commitOid": _commit(dataset, revision), "commitUrl": address})


def _json(values: object) -> Answer:
    return Answer(json.dumps(values).encode())


def _refusal(asked: Asked, do: dict[str, Any], owner: str, name: str, revision: str) -> Answer | None:
    """Refuse as the hub does: without a token, private and missing data sets look the same."""
    token = asked.headers.get("authorization", "").removeprefix("Bearer ")
    if token and token != TOKEN:
        return _refuse(do, 401, "")
    if not _revisions(f"{owner}/{name}"):
        return _refuse(do, 404 if token else 401, "RepoNotFound")
    return None if revision in _revisions(f"{owner}/{name}") else _refuse(do, 404, "RevisionNotFound")


def _refuse(do: dict[str, Any], status: int, code: str) -> Answer:
    do["headers"] = {"X-Error-Code": code} if code else {}
    return Answer(b'{"error": "refused"}', status=status)


def _listing(dataset: str, revision: str) -> Answer:
    files = _KEPT[dataset, revision]
    siblings = []
    for path, content in files.items():
        file: dict[str, Any] = {"rfilename": path, "size": len(content), "blobId": sha1(content).hexdigest()}
        if path.endswith(".parquet"):
            file["lfs"] = {"sha256": _digest(content), "size": len(content), "pointerSize": 131}
        if path != "_card":
            siblings.append(file)
    answer = {"id": dataset, "sha": _commit(dataset, revision), "siblings": siblings}
    return Answer(json.dumps(answer | {"cardData": json.loads(files.get("_card", b"{}"))}).encode())


def _file(asked: Asked, do: dict[str, Any], dataset: str, revision: str, path: list[str]) -> Answer:
    content = _KEPT[dataset, revision].get("/".join(path))
    if content is None:
        return _refuse(do, 404, "EntryNotFound")
    do["headers"] = {"X-Repo-Commit": _commit(dataset, revision), "ETag": f'"{sha1(content).hexdigest()}"'}
    if not path[-1].endswith(".parquet"):
        return Answer(content, "text/plain")
    other = asked.headers["host"].replace("127.0.0.1", "localhost")
    do["headers"]["Location"] = f"http://{other}/elsewhere/{_digest(content)}?signature=s"
    do["headers"] |= {"X-Linked-Etag": f'"{_digest(content)}"', "X-Linked-Size": str(len(content))}
    return Answer(b"", status=302)


def _revisions(dataset: str) -> list[str]:
    return [revision for each, revision in _KEPT if each == dataset]


def _commit(dataset: str, revision: str) -> str:
    return sha1(f"{dataset} {revision}".encode()).hexdigest()


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


if __name__ == "__main__":
    serve(respond)
