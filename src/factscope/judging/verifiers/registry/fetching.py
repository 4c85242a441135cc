"""Downloads of a checker's files, their manifests, and checkers opened from them. A branch is pinned to its commit.

    CACHE/verifiers/NAME/      its files as on the hub, and `manifest.json`: source, commit, licence, SHA-256

Hashes are compared when a checker is opened; then nothing is fetched.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from factscope.core import FactscopeError, InputError, Repository, StoreError, UsageError, hub_of, sha256_of
from factscope.judging.verifiers.published.model_spec import EXAMPLE, FILE, ChatSpec, form_in, read_form
from factscope.judging.verifiers.published.network import BYTES, CONVERT, ENDINGS, GRAPHS, TOKENIZER, weight_file
from factscope.judging.verifiers.published.published_checker import PublishedChecker
from factscope.judging.verifiers.published.runtime import must_have_torch
from factscope.judging.verifiers.registry.naming import catalogue_entry, pull, source
from factscope.judging.verifiers.verifier_list import VERIFIERS, open_verifier

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


def available(cache: Path) -> list[str]:
    """Return the names of all verifiers that are installed or were fetched, each verifier once.

    Where the large one is installed, `builtin` and `builtin-large` are the same.
    """
    different: dict[object, str] = {}
    for name in VERIFIERS.names():
        try:
            different.setdefault(open_verifier(name, cache).name, name)
        except FactscopeError:
            different[name] = name  # whoever uses it reports why it can't be loaded
    return [*different.values(), *fetched(cache)]


def _read(path: Path) -> CheckerManifest | None:
    try:
        return CheckerManifest.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


_WEIGHTS = (*GRAPHS, "model.safetensors", "pytorch_model.bin")
"""Files of weights, the best first: ONNX runs without PyTorch."""
_UNKNOWN = "not stated"


class FileToFetch(NamedTuple):
    """A file that is to be fetched."""

    repository: str
    commit: str
    path: str
    size: int | None
    """Bytes; None when the hub does not say."""
    sha256: str | None
    """As published, or as the hub lists it; None when neither states it."""


class FetchPlan(NamedTuple):
    """Plan for fetching a checker."""

    name: str
    licence: str
    files: tuple[FileToFetch, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size or 0 for file in self.files)


def plan(name: str, environment: Mapping[str, str]) -> FetchPlan:
    """Plan the download of a checker, as its hub lists it. Nothing is fetched yet.

    Raises UsageError for an unknown name and for an unusable model, and InputError when the hub does not provide it or
    has another file than the published one.
    """
    if Path(name).expanduser().is_dir():
        raise UsageError(f"{name} is a folder: there is nothing to fetch.", f"Use it: --verifier {name}")
    entry, hub = catalogue_entry(name), hub_of(environment)
    sources = entry.files if entry else (source(name),)
    files: list[FileToFetch] = []
    licence = entry.licence if entry else _UNKNOWN
    for source_files in sources:
        revision = Repository(hub, source_files.repository).revision(source_files.revision)
        for path in source_files.paths or _needed(revision.files, source_files.repository):
            if path not in revision.files:
                raise InputError(
                    f"{source_files.repository} at {source_files.revision[:12]} has no file {path}.", "Was it moved?"
                )
            file = revision.files[path]
            listed_as, expected = file.lfs.sha256 if file.lfs else None, source_files.sha256.get(path)
            if listed_as and expected and listed_as != expected:
                raise InputError(
                    f"{hub.address} has another {path} of {source_files.repository} than the published one.",
                    "Do not use it; ask its owners.",
                )
            digest_listed = listed_as or expected
            files.append(FileToFetch(source_files.repository, revision.commit, path, file.size, digest_listed))
        if entry is None:
            licence = str(revision.card.get("license") or _UNKNOWN)[:100]
    for planned in files:
        if Path(planned.path).suffix in ENDINGS:
            must_have_torch(Path(planned.repository, planned.path))
    return FetchPlan(name, licence, tuple(files))


def bring(
    planned: FetchPlan,
    cache: Path,
    environment: Mapping[str, str],
    form: Path | None = None,
    on_file: Callable[[FileToFetch], None] = lambda file: None,
) -> Path:
    """Fetch missing files, weights last; return the folder.

    `form` is the file that declares its format, for a model that is not in the catalogue; `on_file` is called with each
    file before it is fetched. Raises UsageError, InputError and StoreError.
    """
    hub, folder = hub_of(environment), folder_of(planned.name, cache)
    if form is not None:
        read_form(form)  # before gigabytes are fetched that turn out to be unusable
    files_fetched = {}
    files_needed = [file for file in planned.files if form is None or file.path != FILE]
    for file in sorted(files_needed, key=lambda file: file.path not in SETTINGS):
        if file.path not in SETTINGS and form is None and catalogue_entry(planned.name) is None:
            _must_be_declared(folder)
        path = folder / file.path
        if not (file.sha256 and path.is_file() and sha256_of(path) == file.sha256):
            on_file(file)
            Repository(hub, file.repository).download(file.path, file.commit, path, file.size, file.sha256)
        files_fetched[file.path] = FetchedFile(repository=file.repository, commit=file.commit, sha256=sha256_of(path))
    manifest = CheckerManifest(name=planned.name, licence=planned.licence, files=files_fetched)
    try:
        if form is not None:
            shutil.copyfile(form, folder / FILE)
        while (other := weight_file(folder)) and other.relative_to(folder).as_posix() not in files_fetched:
            other.unlink()  # left by an earlier commit, whose weights were in another file
        (folder / MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"The folder {folder} can't be written: {error.strerror}.", "Make room.") from None
    return folder


def _must_be_declared(folder: Path) -> None:
    """Raise UsageError, before weights are fetched, when a model's settings do not define its outputs."""
    try:
        form_in(folder)
    except UsageError as error:
        raise UsageError(error.message, f"Declare it in your own file, and add --form FILE: {EXAMPLE}.") from None


def _needed(listed: Collection[str], repository: str) -> list[str]:
    """Return the files that a model needs: settings, tokenizer, and one file of weights.

    Raises UsageError when it lacks weights or tokenizer.
    """
    weights = next((name for name in _WEIGHTS if name in listed), None)
    if weights is None:
        other = next((name for name in sorted(listed) if name.endswith(ENDINGS) and "/" not in name), None)
        hint = f"Is {other} what you want? Then put it in a folder of your own, and name that." if other else ""
        if any(name.endswith(".index.json") for name in listed):
            hint = "It is in several files, so too large to run here: serve it."
        raise UsageError(f"The model {repository} has none of {', '.join(_WEIGHTS)}.", hint or "Is it a model at all?")
    if TOKENIZER not in listed and not all(name in listed for name in BYTES):
        raise UsageError(f"The model {repository} has no {TOKENIZER}.", f"Put it into your own folder. {CONVERT}")
    external_data = [name for name in listed if re.fullmatch(re.escape(weights) + r"[._]data(?:_\d+)?", name)]
    return [*(name for name in SETTINGS if name in listed), weights, *sorted(external_data)]


def open_checker(name: str, cache: Path) -> PublishedChecker:
    """Open the checker of this name, a folder or a download, after verifying its files. Nothing is fetched.

    Raises UsageError when it does not exist, was not fetched or its format is unknown, and InputError when a file
    differs from the download.
    """
    local_folder = Path(name).expanduser()
    if local_folder.is_dir():
        return _of_folder(local_folder)
    entry = catalogue_entry(name)
    manifest = manifest_of(name, cache)
    if manifest is None:
        size = f", {entry.megabytes / 1000:,.1f} GB, licence {entry.licence}" if entry else ""
        raise UsageError(
            f"The verifier {name} is not downloaded yet{size}.", f"Fetch it once, then it works offline: {pull(name)}"
        )
    folder = folder_of(name, cache)
    for path, fetched_file in manifest.files.items():
        _must_be(folder / path, fetched_file.sha256, name)
    weights = weight_file(folder)
    if weights and weights.relative_to(folder).as_posix() not in manifest.files:
        raise InputError(
            f"{weights} was not part of the download, but would be used.", f"Remove it, or fetch again: {pull(name)}"
        )
    form = entry.form if entry else form_in(folder)
    if isinstance(form, ChatSpec):
        raise UsageError(
            f"The verifier {name} is a served model, not one for this machine.", f"Remove {folder / FILE}."
        )
    return PublishedChecker(f"{name.partition('@')[0]}@{manifest.revision}+{form.digest}", folder, form)


def _of_folder(folder: Path) -> PublishedChecker:
    """Return the checker in a user's folder; its revision is a hash of everything that its predictions depend on."""
    form = form_in(folder)
    if isinstance(form, ChatSpec):
        raise UsageError(f"{folder / FILE} declares a served model.", f"Name the file: --verifier {folder / FILE}")
    weights = weight_file(folder)
    external_data = (
        sorted(weights.parent.glob(f"{weights.name}[._]data*")) if weights else []
    )  # of a large ONNX network
    total = sha256()
    for path in [*(folder / name for name in SETTINGS), *([weights] if weights else []), *external_data]:
        if path.is_file() and path.name != FILE:
            total.update(sha256_of(path).encode())
    return PublishedChecker(f"{folder.resolve().name}@{total.hexdigest()[:12]}+{form.digest}", folder, form)


def _must_be(path: Path, expected: str, name: str) -> None:
    actual = sha256_of(path) if path.is_file() else None
    if actual != expected:
        problem = "is not the file that was fetched (its checksum differs)" if actual else "is gone"
        raise InputError(f"{path} {problem}.", f"Fetch it again: {pull(name)}")
