"""The files of fetched checkers, and their manifests.

    CACHE/verifiers/NAME/      its files as on the hub, and `manifest.json`: source, commit, licence, SHA-256

Hashes are compared when a checker is opened.
"""

from __future__ import annotations

import re
from hashlib import file_digest, sha256
from pathlib import Path

from pydantic import BaseModel

from factscope.core.errors import InputError, system_reason
from factscope.judging.verifiers.published.model_spec import FILE
from factscope.judging.verifiers.published.network import TOKENIZER

MANIFEST = "manifest.json"
SETTINGS = ("config.json", TOKENIZER, "tokenizer_config.json", "vocab.json", "merges.txt", FILE)
"""Files of a model beside its weights."""


class FetchedFile(BaseModel):
    """A file that was fetched."""

    repository: str
    commit: str
    sha256: str


class CheckerManifest(BaseModel):
    """Manifest of a fetched checker."""

    name: str
    licence: str
    files: dict[str, FetchedFile]

    @property
    def revision(self) -> str:
        """The commit of its weights, 12 digits."""
        largest = next((fetched_file for path, fetched_file in self.files.items() if path not in SETTINGS), None)
        return largest.commit[:12] if largest else ""


def folder_of(name: str, cache: Path) -> Path:
    """Return the folder of a checker's files."""
    plain = re.sub(r"[^\w.-]+", "--", name, flags=re.ASCII)
    return cache / "verifiers" / (plain if plain == name else f"{plain[:80]}-{sha256(name.encode()).hexdigest()[:8]}")


def manifest_of(name: str, cache: Path) -> CheckerManifest | None:
    """Return the manifest of a fetched checker; None when it is absent or incomplete."""
    return _read(folder_of(name, cache) / MANIFEST)


def fetched(cache: Path) -> list[str]:
    """Return the names of all checkers that were fetched, in order."""
    manifests = [_read(path) for path in (cache / "verifiers").glob(f"*/{MANIFEST}")]
    return sorted(manifest.name for manifest in manifests if manifest)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file. Raises InputError when it can't be read."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path} can't be read: {system_reason(error)}.") from None


def _read(path: Path) -> CheckerManifest | None:
    try:
        return CheckerManifest.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
