"""Checkers by name: what is to be fetched of one, its files on disk with their hashes, and the checker itself.

    CACHE/verifiers/NAME/      its files as on the hub, and `manifest.json`: whence, which commit, licence, SHA-256

A name is one of the catalogue, `org/name` or `org/name@revision` of a hub, or a folder. Nothing is fetched but by
`fetch`; once it is there a checker works offline. A branch is pinned to the commit that it was at.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection, Mapping
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from pydantic import BaseModel, Field, ValidationError

from factscope.errors import InputError, StoreError, UsageError
from factscope.judging.verifiers.published import Chat, Checker, Form, Published, Source, form_in, near, published
from factscope.judging.verifiers.published.declared import FILE, read_form
from factscope.judging.verifiers.published.network import GRAPHS, TOKENIZER, weight_file
from factscope.rows.download import Hub, Listed, RefusedError, download, fetch, hub_of
from factscope.rows.models import explained

_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?:@([^:\s]+))?", re.ASCII)
_MANIFEST = "manifest.json"
_WEIGHTS = ("model.safetensors", *GRAPHS, "pytorch_model.bin")
"""Files of weights, the best first."""
_SETTINGS = ("config.json", TOKENIZER, "tokenizer_config.json", "vocab.json", "merges.txt", FILE)
_UNKNOWN = "not stated"


class File(NamedTuple):
    """A file that is to be fetched."""

    repository: str
    commit: str
    path: str
    size: int | None
    """Bytes; None when the hub does not say."""
    sha256: str | None
    """As published, or as the hub lists it; None when neither says."""


class Plan(NamedTuple):
    """What fetching a checker takes."""

    name: str
    licence: str
    files: tuple[File, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size or 0 for file in self.files)


class _Kept(BaseModel):
    """A file that was fetched."""

    repository: str
    commit: str
    sha256: str


class Manifest(BaseModel):
    """What is known of a checker that was fetched."""

    name: str
    licence: str
    files: dict[str, _Kept]

    @property
    def revision(self) -> str:
        """The commit of its weights, 12 digits."""
        largest = next((kept for path, kept in self.files.items() if path not in _SETTINGS), None)
        return largest.commit[:12] if largest else ""


class _Answer(BaseModel):
    """What a hub says of one revision of a model."""

    sha: str = Field(pattern="^[0-9a-f]{6,64}$")
    siblings: list[Listed] = []
    card: dict[str, Any] | None = Field(default=None, alias="cardData")


def plan(name: str, environment: Mapping[str, str]) -> Plan:
    """What fetching a checker takes, as its hub says it. Nothing is fetched yet.

    Raises UsageError for a name that there is not, and InputError when the hub does not give it or gives another file
    than the published one.
    """
    known, hub = _known(name), hub_of(environment)
    sources = known.files if known else (_source(name),)
    files: list[File] = []
    licence = known.licence if known else _UNKNOWN
    for source in sources:
        answer = _listing(hub, source)
        listed = {file.rfilename: file for file in answer.siblings}
        for path in source.paths or _needed(listed, source.repository):
            if path not in listed:
                raise InputError(f"{source.repository} at {source.revision[:12]} has no file {path}.", "Was it moved?")
            file = listed[path]
            digest, expected = file.lfs.sha256 if file.lfs else None, source.sha256.get(path)
            if digest and expected and digest != expected:
                raise InputError(
                    f"{hub.address} has another {path} of {source.repository} than the published one.",
                    "Do not use it; ask its owners.",
                )
            size = file.lfs.size if file.lfs else file.size
            files.append(File(source.repository, answer.sha, path, size, digest or expected))
        if known is None and isinstance(answer.card, dict):
            licence = str(answer.card.get("license") or _UNKNOWN)[:100]
    return Plan(name, licence, tuple(files))


def bring(
    planned: Plan,
    cache: Path,
    environment: Mapping[str, str],
    form: Path | None = None,
    on_file: Callable[[File], None] = lambda file: None,
) -> Path:
    """Fetch what is not there yet; returns the folder. A download that broke off goes on where it was.

    `form` is the file that declares its format, for a model that is not in the catalogue; `on_file` is told of each
    file before it is fetched. Raises UsageError, InputError and StoreError.
    """
    hub, folder = hub_of(environment), folder_of(planned.name, cache)
    if form is not None:
        read_form(form)  # before gigabytes are fetched that can't be used
    kept = {}
    for file in planned.files:
        path = folder / file.path
        if not (file.sha256 and path.is_file() and _digest(path) == file.sha256):
            on_file(file)
            address = f"/{file.repository}/resolve/{file.commit}/{quote(file.path)}"
            try:
                download(hub, address, path, file.size, file.sha256, resume=True)
            except RefusedError as error:
                raise explained(error, hub, file.repository, file.commit) from None
        kept[file.path] = _Kept(repository=file.repository, commit=file.commit, sha256=_digest(path))
    manifest = Manifest(name=planned.name, licence=planned.licence, files=kept)
    try:
        if form is not None:
            shutil.copyfile(form, folder / FILE)
        (folder / _MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"The folder {folder} can't be written: {error.strerror}.", "Make room.") from None
    return folder


def folder_of(name: str, cache: Path) -> Path:
    """Where a checker's files are kept."""
    plain = re.sub(r"[^\w.-]+", "--", name, flags=re.ASCII)
    return cache / "verifiers" / (plain if plain == name else f"{plain[:80]}-{sha256(name.encode()).hexdigest()[:8]}")


def manifest_of(name: str, cache: Path) -> Manifest | None:
    """What is known of a checker that was fetched; None when it was not, or not whole."""
    try:
        return Manifest.model_validate_json((folder_of(name, cache) / _MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def open_checker(name: str, cache: Path) -> Checker:
    """The checker of this name, its files looked at: a folder, or one that was fetched. Nothing is fetched.

    Raises UsageError when there is none, it was not fetched or its format is not known, and InputError when a file is
    not the one that was fetched.
    """
    own = Path(name).expanduser()
    if own.is_dir():
        return _of_folder(own)
    known = _known(name)
    manifest = manifest_of(name, cache)
    if manifest is None:
        size = f", {known.megabytes / 1000:,.1f} GB, licence {known.licence}" if known else ""
        raise UsageError(
            f"The verifier {name} is not here yet{size}.", f"Fetch it once, then it works offline: {_pull(name)}"
        )
    folder = folder_of(name, cache)
    for path, kept in manifest.files.items():
        _must_be(folder / path, kept.sha256, name)
    form = known.form if known else form_in(folder)
    if isinstance(form, Chat):
        raise UsageError(
            f"The verifier {name} is a served model, not one for this machine.", f"Remove {folder / FILE}."
        )
    return Checker(f"{name.partition('@')[0]}@{manifest.revision}+{form.digest}", folder, form)


def chat_of(name: str) -> tuple[str, Chat] | None:
    """The prompt file and format of a served checker: one of the catalogue, or a TOML file; None for any other."""
    known = published(name)
    if known and isinstance(known.form, Chat):
        return known.prompt, known.form
    if name.endswith(".toml"):
        form = read_form(Path(name))
        if isinstance(form, Form):
            raise UsageError(
                f"{name} declares a model that runs here, and does not say which.",
                "Name its folder, with this file in it as verifier.toml.",
            )
        return name, form
    return None


def _known(name: str) -> Published | None:
    """The checker of the catalogue; None for another name that may be one. Raises UsageError for one that may not."""
    known = published(name)
    if known and isinstance(known.form, Chat):
        raise UsageError(
            f"{name} is a language model that is served, and is not fetched here.",
            f"Serve it, and name it as the model: --verifier {name} --model vllm/MODEL (see {known.page}).",
        )
    if known is None and not _NAME.fullmatch(name):
        raise UsageError(f"There is no verifier and no folder {name[:200]!r}.", near(name))
    return known


def _source(name: str) -> Source:
    match = _NAME.fullmatch(name)
    return Source(repository=match[1], revision=match[2] or "main") if match else Source(repository=name, revision="")


def _listing(hub: Hub, source: Source) -> _Answer:
    path = f"/api/models/{source.repository}/revision/{quote(source.revision, safe='')}?blobs=true"
    try:
        return _Answer.model_validate_json(fetch(hub, path))
    except RefusedError as error:
        raise explained(error, hub, source.repository, source.revision) from None
    except ValidationError:
        raise InputError(f"What {hub.address} answers is no list of a model's files.", "Is it a hub?") from None


def _needed(listed: Collection[str], repository: str) -> list[str]:
    """The files that a model needs: settings, tokenizer, and one file of weights. Raises UsageError without one."""
    weights = next((name for name in _WEIGHTS if name in listed), None)
    if weights is None:
        parts = any(name.endswith(".index.json") for name in listed)
        hint = "It is in several files, so too large to run here: serve it." if parts else "Is it a model at all?"
        raise UsageError(f"The model {repository} has none of {', '.join(_WEIGHTS)}.", hint)
    beside = [name for name in listed if re.fullmatch(re.escape(weights) + r"[._]data(?:_\d+)?", name)]
    return [*(name for name in _SETTINGS if name in listed), weights, *sorted(beside)]


def _of_folder(folder: Path) -> Checker:
    """The checker in a folder of the user's; its revision is a hash of all that its answers depend on."""
    form = form_in(folder)
    if isinstance(form, Chat):
        raise UsageError(f"{folder / FILE} declares a served model.", f"Name the file: --verifier {folder / FILE}")
    weights = weight_file(folder)
    total = sha256()
    for path in [*(folder / name for name in _SETTINGS), *([weights] if weights else [])]:
        if path.is_file() and path.name != FILE:
            total.update(_digest(path).encode())
    return Checker(f"{folder.resolve().name}@{total.hexdigest()[:12]}+{form.digest}", folder, form)


def _must_be(path: Path, digest: str, name: str) -> None:
    found = _digest(path) if path.is_file() else None
    if found != digest:
        what = "is not the file that was fetched (its checksum differs)" if found else "is gone"
        raise InputError(f"{path} {what}.", f"Fetch it again: {_pull(name)}")


def _pull(name: str) -> str:
    return f"factscope verifiers pull {name}"


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path} can't be read: {(error.strerror or str(error)).lower()}.") from None
