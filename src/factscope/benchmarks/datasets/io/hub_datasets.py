"""Data sets of a Hugging Face hub: the files with the requested rows, downloaded.

A hub keeps most data sets a second time as Parquet, on the branch `refs/convert/parquet` in files such as
`default/train/0000.parquet`. Without a revision these are read; with one, or where there are none, the files that the
owner put there, sorted into configurations and splits as the data set's card says or else by their names. No code of a
data set is ever run. Files are cached by content, so that each is fetched once, even when the data set changes around
it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from factscope.benchmarks.datasets.io.parquet_reader import import_duckdb
from factscope.core import InputError, NoRevisionError, Repository, Revision, UsageError, hub_of

_CONVERTED = "refs/convert/parquet"
_ENDINGS = (".parquet", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".jsonl.gz", ".json.gz", ".csv.gz", ".tsv.gz")
_NO_DATA = ("dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json")
_PARTIAL = "partial-"
_SPLITS = {
    "train": "train", "training": "train", "test": "test", "testing": "test", "eval": "test", "evaluation": "test",
    "validation": "validation", "valid": "validation", "val": "validation", "dev": "validation",
}  # fmt: skip
"""Words in a path that name a split."""
_MAX_NAMES = 20  # names in a message


class Dataset(NamedTuple):
    """A data set as a user names it: `org/name@revision:part`."""

    id: str
    revision: str | None
    """Branch, tag or commit."""
    split: str | None
    """`config/split`, one of the two, or the path of a file."""


class SourceFile(NamedTuple):
    """A file of a data set, on disk."""

    name: str
    """Its path in the data set; the name of it in messages."""
    path: Path
    split: str | None = None
    """Split of its rows, where it is known."""


def as_dataset(source: str) -> Dataset | None:
    """Return the data set that a text names; `None` when it looks like a file name or is not a valid name."""
    match = re.fullmatch(r"([\w.-]+/[\w.-]+)(?:@([^:\s]+))?(?::(\S+))?", source, re.ASCII)
    if not match or match[1].lower().endswith(_ENDINGS) or match[1].startswith("."):
        return None
    return Dataset(match[1], match[2], match[3])


def dataset_files(dataset: Dataset, cache: Path, environment: Mapping[str, str]) -> Iterator[SourceFile]:
    """Yield the files with the requested rows, in order, each on disk when it is yielded.

    Raises UsageError when the data set, revision or part does not exist or must be named, InputError when the hub does
    not provide it, and StoreError when the folder `cache` can't be written.
    """
    hub = hub_of(environment)
    repository = Repository(hub, dataset.id, "dataset")
    revision, names = _find(repository, dataset)
    if any(name.endswith(".parquet") for name in names):
        import_duckdb()  # before gigabytes are fetched that can't be used
    for name in names:
        file = revision.files[name]
        digest = file.lfs.sha256 if file.lfs else None
        key = digest or sha256(f"{hub.address}/{dataset.id}/{revision.commit}/{name}".encode()).hexdigest()
        path = cache / "hub" / (key + _ending(name))
        if not (path.is_file() and file.size in (None, path.stat().st_size)):
            repository.download(name, revision.commit, path, file.size, digest)
        yield SourceFile(name, path)


Splits = dict[tuple[str, str], list[str]]
"""Paths of files by configuration and split."""


def _find(repository: Repository, dataset: Dataset) -> tuple[Revision, list[str]]:
    """Return the revision that is read, and the paths of the files asked for."""
    piece, hint = dataset.split, f"Supported files: {', '.join(_ENDINGS)}."
    if dataset.revision is None and not (piece and piece.lower().endswith(_ENDINGS)):
        converted = _list(repository, _CONVERTED)
        if converted and (splits := _converted(converted.files)):
            config, split = _choose(splits, piece, dataset)
            full_split = split.removeprefix(_PARTIAL)
            if split == full_split or (piece and piece.endswith(split)):
                return converted, splits[config, split]
            # Of a large data set the hub converts only the beginning; the owner's files have all of it.
            piece, hint = f"{config}/{full_split}", f"The beginning of it is {dataset.id}:{config}/{split}."
    listing = _list(repository, dataset.revision or "main")
    if listing is None or not listing.files:
        raise InputError("The data set has no files of its own that can be read.", hint)
    if piece in listing.files:
        return listing, [piece]
    splits = _converted(listing.files) if dataset.revision == _CONVERTED else _by_card(listing) or _by_name(listing)
    return listing, splits[_choose(splits, piece, dataset)]


def _list(repository: Repository, name: str) -> Revision | None:
    """Return a revision with the files that can be read, in order; `None` when the hub has not converted the data."""
    try:
        revision = repository.revision(name)
    except NoRevisionError:
        if name == _CONVERTED:
            return None
        raise
    return revision._replace(files={path: revision.files[path] for path in sorted(revision.files) if _is_data(path)})


def _is_data(name: str) -> bool:
    steps = name.split("/")
    return name.lower().endswith(_ENDINGS) and ".." not in steps and steps[-1] not in _NO_DATA


def _converted(names: Iterable[str]) -> Splits:
    """Return files as the hub lays them out: `config/split/0000.parquet`."""
    splits: Splits = {}
    for name in names:
        if match := re.fullmatch(r"([^/]+)/([^/]+)/\d+\.parquet", name):
            splits.setdefault((match[1], match[2]), []).append(name)
    return splits


def _by_card(listing: Revision) -> Splits:
    """Return files as the card of the data set lists them under `configs`; its patterns are those of a shell."""
    splits: Splits = {}
    configs = listing.card.get("configs")
    for config in configs if isinstance(configs, list) else []:
        if not isinstance(config, dict):
            continue
        data_files = config.get("data_files")
        pairs = list(data_files.items()) if isinstance(data_files, dict) else []
        for entry in data_files if isinstance(data_files, list) else [data_files]:
            pairs.append((entry.get("split"), entry.get("path")) if isinstance(entry, dict) else ("train", entry))
        for split, paths in pairs:
            patterns = [path for path in (paths if isinstance(paths, list) else [paths]) if isinstance(path, str)]
            matching = [name for name in listing.files if any(_fits(name, pattern) for pattern in patterns)]
            if matching:
                splits.setdefault((str(config.get("config_name", "default")), str(split)), []).extend(matching)
    return splits


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(name, pattern.replace("**/", ""))


def _by_name(listing: Revision) -> Splits:
    """Sort files of the most frequent kind by the split in their paths, the file's name before its folders'."""
    kinds = Counter(_ending(name) for name in listing.files)
    kind = max(_ENDINGS, key=lambda ending: kinds[ending])
    splits: Splits = {}
    for name in listing.files:
        if _ending(name) == kind:
            words = [word for word in re.split(r"[/_.\- ]", name.lower()) if word in _SPLITS]
            splits.setdefault(("default", _SPLITS[words[-1]] if words else "train"), []).append(name)
    return splits


def _ending(name: str) -> str:
    return max((ending for ending in _ENDINGS if name.lower().endswith(ending)), key=len)


def _choose(splits: Splits, config: str | None, dataset: Dataset) -> tuple[str, str]:
    """Return the requested configuration and split. Raises UsageError when it does not exist or is ambiguous."""
    fits = [key for key in splits if config is None or config in _called(*key)]
    if len(fits) > 1:
        fits = [key for key in fits if key[0] == "default"] or fits
    if len(fits) == 1:
        return fits[0]
    listed = ", ".join("/".join(key) for key in list(fits or splits)[:_MAX_NAMES])
    more = ", …" if len(fits or splits) > _MAX_NAMES else ""
    if not fits:
        raise UsageError(f"The data set has no part {config!r}.", f"Choose from: {listed}{more}.")
    raise UsageError("The data set has several parts.", f"Name one, as in {dataset.id}:PART, of {listed}{more}.")


def _called(config: str, split: str) -> set[str]:
    """List the names that a user may write for a configuration and split."""
    full_split = split.removeprefix(_PARTIAL)
    return {config, split, full_split, f"{config}/{split}", f"{config}/{full_split}"}
