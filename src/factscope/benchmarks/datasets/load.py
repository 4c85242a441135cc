"""A labelled data set, by its name or as a file → its samples, and notes on irregularities."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from factscope.benchmarks.datasets.catalogue import DATASETS, Benchmark, form_with
from factscope.benchmarks.datasets.io import BadRow, ResponseRow, SourceFile, as_dataset, dataset_files, file_rows
from factscope.benchmarks.datasets.io.row import is_broken
from factscope.benchmarks.datasets.labelled_rows import UNUSABLE, DatasetForm, Notes, RowLocation, UnusableSampleError
from factscope.core import InputError, Sample, UsageError, did_you_mean, sha256_of, write_whole

_MAX_COLUMNS = 30  # columns named in a message
_OWN_LABELS = (
    "For your own labels, put the text in a column 'response', and add a 'label' (correct, incorrect) or 'segments',"
    " each with a 'text' and a 'label'. `factscope benchmarks list` shows the other forms."
)
_LONGEST_TAG = 60  # characters; a longer cell is text and does not identify a group
_NO_TAGS = frozenset(
    (
        *("id", "index", "prompt", "response", "claim", "evidence", "context", "references", "label", "text"),
        *("question", "answer", "input", "output", "user_input"),
        *("contexts", "retrieved_contexts", "retrieval_context"),
    )
)
"""Columns that identify or contain the judged text, or describe how it was judged: they are not tags."""


class LabelledData(NamedTuple):
    """A labelled data set, read."""

    name: str
    """The id of a known data set, else the file's name without its ending."""
    samples: tuple[Sample, ...]
    """In the order of the file; their ids differ."""
    notes: tuple[str, ...] = ()
    """Irregularities, one line for each kind with its count: rows left out, segments that do not fit …"""
    sha256: str = ""
    """Of the file; empty for samples that are not from a file."""
    benchmark: Benchmark | None = None
    """The known data set."""
    notice: str | None = None
    """Its licence, to be shown to the user on first use."""
    n_unusable: int = 0
    """Rows that could not be used; the notes say why."""


def find(name: str) -> Benchmark | None:
    """Return the known data set of this id; None when there is none."""
    return DATASETS.get(name) if name in DATASETS else None


def load(
    name: str,
    data: Path | None = None,
    *,
    cache: Path,
    environment: Mapping[str, str] = os.environ,
    limit: int | None = None,
) -> LabelledData:
    """Return the samples of a labelled data set, all of them or the first `limit`; rows after these are not read.

    `name` is the id of a known data set, which is fetched from the Hugging Face hub or, with `data`, read from a local
    copy; or it is a file in one of the known forms, identified by its columns. `cache` stores downloads, the hashes of
    known data sets, and which licences were shown.

    Raises UsageError for a name that is not known or a file that is not there, InputError when nothing of it can be
    used, when no form fits, or when the hub has another file than at first.
    """
    benchmark = find(name)
    if benchmark is None and data is not None:
        raise _unknown(name)
    files = list(_files(name, data, benchmark, cache, environment))
    digest = _digest([file.path for file in files])
    notes, memory = Notes(), _DatasetMemory(cache)
    if benchmark:
        _compare(benchmark, digest, memory, notes, local=data is not None)
        if data is None:
            memory.add(benchmark.id, fetched=True)
    samples = tuple(islice(_samples(files, benchmark.form if benchmark else None, notes), limit))
    if not samples:
        reason = "; ".join(notes.lines()) or "it has no rows"
        raise InputError(
            f"{files[0].name} contains no labelled sample: {reason}.", "See the forms: factscope benchmarks list"
        )
    notice = _notice(benchmark, memory) if benchmark else None
    called = benchmark.id if benchmark else Path(files[0].name).name.partition(".")[0]
    return LabelledData(called, samples, notes.lines(), digest, benchmark, notice, notes.count(UNUSABLE))


def fetched(cache: Path) -> tuple[str, ...]:
    """Return the known data sets that were fetched, in the order of the catalogue."""
    memory = _DatasetMemory(cache)
    return tuple(name for name in DATASETS.names() if memory.of(name).get("fetched"))


def _files(
    name: str, data: Path | None, benchmark: Benchmark | None, cache: Path, environment: Mapping[str, str]
) -> Iterator[SourceFile]:
    """Yield the files of a data set."""
    path = data or Path(name)
    if data is not None or benchmark is None:
        if path.is_dir():
            raise UsageError(f"{path} is a folder.", "Name one file.")
        if path.is_fifo():
            raise UsageError(f"{path} is a pipe, which can be read only once.", "Save what comes through it to a file.")
        if not path.exists():
            raise UsageError(f"File not found: {path}.", "Check the name.") if data else _unknown(name)
        yield SourceFile(str(path), path)
        return
    dataset = as_dataset(benchmark.source) if benchmark.source else None
    if dataset is None:
        raise UsageError(
            f"{benchmark.id} is not downloaded automatically.",
            f"Get {benchmark.files} from {benchmark.page}, and name it: --data PATH",
        )
    try:
        yield from dataset_files(dataset, cache / "datasets", environment)
    except (InputError, UsageError) as error:
        hint = f"Or get {benchmark.files} from {benchmark.page}, and name it: --data PATH"
        raise type(error)(f"{benchmark.source}: {error.message}", f"{error.hint}\n{hint}".strip()) from None


def _unknown(name: str) -> UsageError:
    ids = DATASETS.names()
    hint = did_you_mean(name, ids, otherwise=f"Choose from: {', '.join(ids)}; or name a file.")
    return UsageError(f"There is no data set and no file {name[:200]!r}.", hint)


def _samples(files: Iterable[SourceFile], form: DatasetForm | None, notes: Notes) -> Iterator[Sample]:
    """Yield the samples of all files, each id once."""
    seen_ids: set[str] = set()
    for name, path, _ in files:
        stem = Path(name).name.partition(".")[0]
        chosen_form: DatasetForm | None = None
        for row in file_rows(path):
            if isinstance(row, BadRow):
                notes.add(f"{UNUSABLE}: {row.reason}", f"row {row.number:,}")
                continue
            if chosen_form is None:
                chosen_form = _form(row, name, form)
                companion = chosen_form.companion(path) if chosen_form.companion else {}
            values = {**row.values, **companion}
            for sample in _of_row(values, chosen_form, RowLocation(stem, row.number), notes):
                if sample.id in seen_ids:
                    notes.add(f"{UNUSABLE}: another has the same id", sample.id)
                    continue
                seen_ids.add(sample.id)
                yield sample


def _of_row(values: Mapping[str, Any], form: DatasetForm, where: RowLocation, notes: Notes) -> list[Sample]:
    """Return the samples of a row, with its other columns as tags; none when it can't be used."""
    try:
        samples = list(form.read(values, where, notes))
    except (UnusableSampleError, ValidationError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        notes.add(f"{UNUSABLE}: {reason}", f"row {where.number:,}")
        return []
    more = _other_tags(values)
    return [
        sample if more.keys() <= sample.tags.keys() else sample.model_copy(update={"tags": {**more, **sample.tags}})
        for sample in samples
    ]


def _other_tags(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the short values of other columns, by which results can be grouped; a form's own tags take precedence."""
    return {
        name: str(cell).strip()
        for name, cell in values.items()
        if name  # pandas writes its index under an empty one
        and name not in _NO_TAGS
        and isinstance(cell, str | int | bool)
        and 0 < len(str(cell).strip()) <= _LONGEST_TAG
        and not is_broken(f"{name}{cell}")
    }


def _form(row: ResponseRow, name: str, expected: DatasetForm | None) -> DatasetForm:
    """Return the form of a file, by the columns of its first row.

    Raises InputError when it is not the expected one.
    """
    columns = row.values.keys()
    form = expected or form_with(columns)
    if form and any(set(group) <= columns for group in form.columns):
        return form
    problem = "is in no form of labelled data that is known here"
    if form:
        problem = f"is not {form.name}: it lacks the column {min(set(form.columns[0]) - columns)!r}"
    listed = ", ".join(repr(column[:60]) for column in list(columns)[:_MAX_COLUMNS])
    fix = "" if form else f" {_OWN_LABELS}"
    raise InputError(f"{name} {problem}.", f"Columns: {listed}.{fix}")


def _digest(paths: list[Path]) -> str:
    digests = list(map(sha256_of, paths))
    return digests[0] if len(digests) == 1 else sha256("".join(digests).encode()).hexdigest()


def _compare(benchmark: Benchmark, digest: str, memory: _DatasetMemory, notes: Notes, *, local: bool) -> None:
    """Compare a file with the known hash: from the hub it must be equal, a local copy may be a part.

    So the hash of a local copy is only what later copies are compared with.
    """
    entry = memory.of(benchmark.id)
    expected = benchmark.sha256 or entry.get("sha256") or (entry.get("local_sha256") if local else None)
    if expected is None:
        memory.add(benchmark.id, **{"local_sha256" if local else "sha256": digest})
    elif expected != digest and local:
        notes.add(f"the file is another than the one that is known (SHA-256 {expected[:12]}…)", f"{digest[:12]}…")
    elif expected != digest:
        raise InputError(
            f"{benchmark.source} has another content than before: its SHA-256 is {digest}, and was {expected}.",
            f"Numbers on it can't be compared with earlier ones. To use it anyhow, delete {memory.path}",
        )


def _notice(benchmark: Benchmark, memory: _DatasetMemory) -> str | None:
    if memory.of(benchmark.id).get("licence_shown"):
        return None
    memory.add(benchmark.id, licence_shown=True)
    return f"{benchmark.id}: licence {benchmark.licence}. Cite: {benchmark.citation}. {benchmark.page}"


class _DatasetMemory:
    """Facts about known data sets that are stored between calls.

    If they can't be written, notes and comparisons are repeated.
    """

    def __init__(self, cache: Path) -> None:
        self.path = cache / "benchmarks.json"
        self._values: dict[str, dict[str, Any]] = {}
        with suppress(OSError, ValueError):
            entries = json.loads(self.path.read_text(encoding="utf-8"))
            self._values = {name: entry for name, entry in entries.items() if isinstance(entry, dict)}

    def of(self, name: str) -> Mapping[str, Any]:
        """Return the entry of a data set; empty when there is none."""
        return self._values.get(name, {})

    def add(self, name: str, **values: Any) -> None:
        """Add values to the entry of a data set, and write the file if they are new, where possible."""
        if values.items() <= self.of(name).items():
            return
        self._values[name] = {**self.of(name), **values}
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, [json.dumps(self._values, indent=2, sort_keys=True).encode()])
