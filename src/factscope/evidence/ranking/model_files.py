"""The folder of a sentence-embedding model by its name: the user's own folder, or a download from a hub.

Only the needed files are fetched, each once; a complete model is never checked again. So a branch stays at its first
state; name a commit to choose another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from factscope.core.errors import StoreError, UsageError
from factscope.core.hub_download import Repository, hub_of
from factscope.evidence.ranking.model_config import TAKE, files_of, missing_files

_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?:@([^:\s]+))?", re.ASCII)
_COMMIT = "commit"
"""File with the commit of the branch, written when all files have been downloaded."""


def model_folder(name: str, cache: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder of a model.

    `name` is a folder itself, or a model of a hub, `org/name` or `org/name@revision`, which is stored below `cache`.

    `environment` may hold HF_ENDPOINT and HF_TOKEN. Raises UsageError when there is neither, InputError when the hub
    does not provide it, and StoreError when `cache` can't be written.
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
    return _fetch(Repository(hub, model), revision, folder)


def _fetch(model: Repository, branch: str, folder: Path) -> Path:
    """Download the needed files of a model; files from an earlier attempt are reused."""
    revision = model.revision(branch)
    needed = files_of(revision.files)
    if missing := missing_files(needed):
        raise UsageError(f"The model {model.id} can't be used: it lacks {missing}.", TAKE)
    for name in needed:
        file, path = revision.files[name], folder / revision.commit / name
        if not (path.is_file() and file.size in (None, path.stat().st_size)):
            model.download(name, revision.commit, path, file.size, file.lfs.sha256 if file.lfs else None)
    try:
        (folder / _COMMIT).write_text(revision.commit, encoding="ascii")
    except OSError as error:
        raise StoreError(f"The cache folder {folder} can't be written: {error.strerror}.", "Make room.") from None
    return folder / revision.commit
