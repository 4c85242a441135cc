"""Reports that were made before: a JSON file, or a kept check by the beginning of its id."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from factscope.errors import InputError, UsageError

if TYPE_CHECKING:
    from factscope.records import Report
    from factscope.store import RunRow


def load_report(source: str, store: Path | None) -> Report:
    """The report that a file, a kept check's id or `last` stands for.

    Raises UsageError when there is none, InputError when the file holds no report, and StoreError when the store can't
    be read.
    """
    path = Path("/dev/stdin" if source == "-" else source)
    return _from_file(path) if path.exists() and not path.is_dir() else _from_store(source, store)


def _from_file(path: Path) -> Report:
    from pydantic import ValidationError

    from factscope.records import Report
    from factscope.report.data import from_jsonl

    try:
        if path.suffix == ".jsonl":
            return from_jsonl(path.read_text(encoding="utf-8"))
        return Report.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} can't be read: {(error.strerror or str(error)).lower()}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} holds no report of Factscope: it is not UTF-8.") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"{path} holds no report of Factscope{f' ({where})' if where else ''}: {first['msg']}.",
            "Make one with: factscope check … --format json -o report.json",
        ) from None


def _from_store(source: str, store: Path | None) -> Report:
    from factscope.config import load_settings
    from factscope.engine import Basis, fold
    from factscope.method import method_from_values
    from factscope.store import Store

    settings, _ = load_settings({"store": store}, dot_env=True)
    if not settings.store.exists():
        raise UsageError(
            f"There is no report file {source!r}, and no check is kept yet.", "Make one with: factscope check …"
        )
    with Store(settings.store) as kept:
        run = _find(source, kept.runs(), settings.store)
        if run.finished is None:
            raise InputError(
                f"Check {run.id} was stopped before its end.",
                "Run the same check again: it carries on where it stopped.",
            )
        (response,) = kept.responses(run.id)
        method = method_from_values(run.method, f"check {run.id}")
        how = Basis(method, run.searched, run.asked.models, run.asked.prompts)
        return fold(kept.events(run.id, response), how)


def _find(source: str, runs: list[RunRow], store: Path) -> RunRow:
    matches = runs[:1] if source == "last" else [run for run in runs if run.id.startswith(source)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UsageError(f"{len(matches)} kept checks begin with {source!r}.", "Give more of the id.")
    kept = "\n  ".join(f"{run.id}  {run.started}  {run.title}" for run in runs[:10]) or "none"
    raise UsageError(f"There is no report file and no kept check {source!r} in {store}.", f"Kept checks:\n  {kept}")
