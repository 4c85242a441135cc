"""Entries of models: a small file beside the result, whose figures are recomputed from the result."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from factscope.benchmarks.facts_grounding import ScoredVerdicts, covered, final, read_results, rows, why_no_average
from factscope.core import InputError, first_problem, json_object, system_reason, user_json, user_toml
from factscope.report.wording import web_address

_CLOSE = 0.0005
"""Largest allowed difference of a score in a file, which has three digits."""


class BoardEntry(BaseModel):
    """One model to add, as its file states it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(min_length=1)
    date: date
    result: str
    """Name of the result file of `bench facts-grounding` that holds its verdicts, beside the entry."""
    sha256: str
    """Of the result file."""
    score: float = Field(ge=0, le=1)
    """Its average."""
    coverage: float = Field(gt=0, le=1)
    command: str = ""
    link: str | None = None
    notes: str = ""
    _path: Path = Path()

    @field_validator("link")
    @classmethod
    def _web(cls, value: str | None) -> str | None:
        if value is not None and web_address(value) is None:
            raise ValueError("it must be an http or https address")
        return value

    @property
    def path(self) -> Path:
        """The entry's file."""
        return self._path

    @property
    def result_path(self) -> Path:
        """The result file."""
        return self.path.parent / self.result


def is_entry(path: Path) -> bool:
    """Return whether a file is an entry rather than a result."""
    with suppress(OSError, ValueError):
        return path.suffix == ".toml" or "result" in json_object(path.read_bytes())
    return False


def read_entry(path: Path) -> BoardEntry:
    """Return an entry, after verifying each of its numbers against its result.

    Raises UsageError for a file that is not there, and InputError for one that differs from its result or lacks a
    field, such as the coverage.
    """
    try:
        read_values = user_toml if path.suffix == ".toml" else user_json
        entry = BoardEntry.model_validate(read_values(path, broken=InputError))
    except ValidationError as error:
        where, problem = first_problem(error)
        fields = ", ".join(BoardEntry.model_fields)
        raise InputError(f"{path}: {where}: {problem.lower()}.", f"An entry has: {fields}.") from None
    entry._path = path
    digest = sha256(_content(entry)).hexdigest()
    if digest != entry.sha256:
        raise InputError(f"{path}: {entry.result} does not have the stated SHA-256.", f'sha256 = "{digest}"')
    score, coverage = _again(path, entry.model, entry.result_path)
    for name, stated_value, is_ in (("score", entry.score, score), ("coverage", entry.coverage, coverage)):
        if abs(stated_value - is_) > _CLOSE:
            problem = f"{path}: its {name} is {stated_value:g}, and {is_:.4f} by its result."
            raise InputError(problem, f"{name} = {is_:.4f}")
    return entry.model_copy(update={"score": score, "coverage": coverage})


def _content(entry: BoardEntry) -> bytes:
    """Return the content of an entry's result. Raises InputError."""
    path, result = entry.path, entry.result_path
    try:
        if not result.resolve().is_relative_to(path.parent.resolve()):
            problem = f"{path}: its result {entry.result} is not beside it."
            raise InputError(problem, "Put the result into the same folder.")
        return result.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: the result {entry.result} does not exist.", "Put it beside the entry.") from None
    except (OSError, ValueError) as error:  # a folder, or a name that no file can have
        problem = f"{path}: its result {entry.result!r} can't be read: {system_reason(error)}."
        raise InputError(problem, "Put it beside the entry.") from None


def _again(path: Path, model: str, result: Path) -> tuple[float, float]:
    """Recompute the average and the coverage of a model from its verdicts."""
    verdicts = read_results([result]).verdicts
    if model not in verdicts.models:
        raise InputError(
            f"{path}: {result.name} has no answers of {model}.", f"It has those of {', '.join(verdicts.models)}."
        )
    if len(verdicts.models) > 1:  # an entry is looked at for one model, and must not bring others along
        raise InputError(
            f"{path}: {result.name} has answers of other models too.",
            "Run the same command with this model alone: its calls are answered from the cache.",
        )
    scored = ScoredVerdicts(verdicts, final(verdicts), resamples=1)
    row = rows(scored)[0]
    score, coverage = row.average.score, covered(row.cells)
    if score is None or coverage is None:
        raise InputError(f"{path}: {model} has no average: {why_no_average(row, verdicts.least_coverage)}.")
    return score, coverage


def by_model(entries: Sequence[BoardEntry]) -> dict[str, BoardEntry]:
    """Return entries by their models. Raises InputError when two entries add the same model."""
    entries_by_model: dict[str, BoardEntry] = {}
    for entry in entries:
        if entry.model in entries_by_model:
            raise InputError(f"{entry.path} adds {entry.model}, and so does {entries_by_model[entry.model].path}.")
        entries_by_model[entry.model] = entry
    return entries_by_model
