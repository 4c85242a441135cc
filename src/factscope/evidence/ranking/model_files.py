"""A sentence-embedding model by its name → the folder that holds it: one's own, or the files of a hub's model.

Only the files that are needed are fetched, each once; a model that is complete is never asked after again. A branch is
thus taken as it was the first time; name a commit to say which.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from pydantic import BaseModel, Field, ValidationError

from factscope.core.errors import InputError, StoreError, UsageError
from factscope.core.hub_download import Hub, HubFile, RefusedError, download, explained, fetch, hub_of
from factscope.evidence.ranking.model_config import TAKE, files_of, missing_files

_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?:@([^:\s]+))?", re.ASCII)
_COMMIT = "commit"
"""Which commit a branch was at, written when all files of it have come."""


class _ModelRevision(BaseModel):
    """A hub's description of one revision of a model."""

    sha: str = Field(pattern="^[0-9a-f]{6,64}$")
    siblings: list[HubFile] = []


def model_folder(name: str, cache: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder of a model.

    `name` itself, or below `cache` for a model of a hub, `org/name` or `org/name@revision`.

    `environment` may hold HF_ENDPOINT and HF_TOKEN. Raises UsageError when there is neither, InputError when the hub
    does not give it, and StoreError when `cache` can't be written.
    """
    local_folder = Path(name).expanduser()
    if local_folder.is_dir():
        return local_folder
    match = _NAME.fullmatch(name)
    if not match or name.startswith("."):
        raise UsageError(
            f"There is no folder {name} with a sentence-embedding model.",
            "Name a folder, or a model of a hub: org/name.",
        )
    hub, model, revision = hub_of(environment), match[1], match[2] or "main"
    folder = cache / "models" / sha256(f"{hub.address} {model} {revision}".encode()).hexdigest()[:16]
    try:
        return folder / (folder / _COMMIT).read_text(encoding="ascii")
    except (OSError, ValueError):
        pass  # not here yet
    try:
        return _fetch(hub, model, revision, folder)
    except RefusedError as error:
        raise explained(error, hub, model, revision) from None


def _fetch(hub: Hub, model: str, revision: str, folder: Path) -> Path:
    """Bring what is needed of a model; files that an earlier attempt brought stay. Raises RefusedError."""
    try:
        listed = _ModelRevision.model_validate_json(
            fetch(hub, f"/api/models/{model}/revision/{quote(revision, safe='')}?blobs=true")
        )
    except ValidationError:
        raise InputError(f"What {hub.address} answers is not a list of a model's files.", "Is it a hub?") from None
    files = {file.rfilename: file for file in listed.siblings}
    needed = files_of(files)
    if missing := missing_files(needed):
        raise UsageError(f"The model {model} can't be used: it lacks {missing}.", TAKE)
    for name in needed:
        file, path = files[name], folder / listed.sha / name
        size, digest = (file.lfs.size, file.lfs.sha256) if file.lfs else (file.size, None)
        if not (path.is_file() and size in (None, path.stat().st_size)):
            download(hub, f"/{model}/resolve/{listed.sha}/{quote(name)}", path, size, digest)
    try:
        (folder / _COMMIT).write_text(listed.sha, encoding="ascii")
    except OSError as error:
        raise StoreError(f"The cache folder {folder} can't be written: {error.strerror}.", "Make room.") from None
    return folder / listed.sha
