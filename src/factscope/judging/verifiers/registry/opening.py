"""A verifier's name → the verifier, with its files verified; nothing is fetched."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from factscope.core.errors import InputError, UsageError
from factscope.judging.verifiers.published.model_spec import FILE, ChatSpec, form_in
from factscope.judging.verifiers.published.network import weight_file
from factscope.judging.verifiers.published.published_checker import PublishedChecker
from factscope.judging.verifiers.registry.checker_manifest import SETTINGS, digest, folder_of, manifest_of
from factscope.judging.verifiers.registry.naming import catalogue_entry, pull


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
            total.update(digest(path).encode())
    return PublishedChecker(f"{folder.resolve().name}@{total.hexdigest()[:12]}+{form.digest}", folder, form)


def _must_be(path: Path, expected: str, name: str) -> None:
    actual = digest(path) if path.is_file() else None
    if actual != expected:
        problem = "is not the file that was fetched (its checksum differs)" if actual else "is gone"
        raise InputError(f"{path} {problem}.", f"Fetch it again: {pull(name)}")
