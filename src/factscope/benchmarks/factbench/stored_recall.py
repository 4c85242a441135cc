"""The recall of a stored run: its extraction against units listed by people, its responses against reference facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from factscope.benchmarks.factbench.recall import Recall, RecallTarget, recall
from factscope.benchmarks.source_rows import SourceFile, usable_rows
from factscope.core.errors import InputError
from factscope.core.records import Record, Report
from factscope.datasets.io import ResponseRow
from factscope.datasets.labelled_cells import is_blank, optional, yes_or_no
from factscope.datasets.labelled_rows import Notes, UnusableSampleError

TargetKind = Literal["units", "facts"]
_TEXT: Mapping[TargetKind, tuple[str, str]] = {"units": ("unit", "units"), "facts": ("fact", "facts")}


class StoredRecall(Record):
    """Recall of one kind, of all responses and by model."""

    what: TargetKind
    """`units`: of extraction; `facts`: of responses."""
    of: Literal["extracted", "stated", "supported"]
    """Units of the responses that were searched: all that were extracted; for facts, all or only the supported."""
    all: Recall
    by_model: dict[str, Recall]
    unmatched: int
    """Ids of the file, with their models where it names them, that belong to no response of the run."""
    failed: int = 0
    """Units of these responses whose check failed; they do not count as supported."""


TargetsByKey = Mapping[tuple[str, str | None], Sequence[RecallTarget]]
"""By id, and model where the row names one."""


def read_sought(path: Path, kind: TargetKind) -> tuple[TargetsByKey, tuple[str, ...]]:
    """Return rows with `id`, perhaps `model`, and `unit` or `units` (or `fact`, `facts`), and notes on unusable ones.

    `found` is the human label. Raises UsageError for a file that is not there and InputError when no row can be used.
    """
    targets: dict[tuple[str, str | None], list[RecallTarget]] = defaultdict(list)
    notes = Notes()

    def read_row(row: ResponseRow) -> tuple[tuple[str, str | None], list[RecallTarget]]:
        name, model, texts = optional(row.values, "id"), optional(row.values, "model"), _texts(row.values, kind)
        cell = row.values.get("found")
        if name is None or not texts:
            raise UnusableSampleError(f"it lacks id or {_TEXT[kind][0]}")
        if yes_or_no(cell) is None and not is_blank(cell):
            raise UnusableSampleError("column 'found' is neither true nor false")
        return (name.strip(), model), [RecallTarget(text, yes_or_no(cell)) for text in texts]

    for key, found in usable_rows(SourceFile(path.name, path), notes, read_row):
        targets[key] += found
    if not targets:
        raise InputError(
            f"{path} contains no {kind}: {'; '.join(notes.lines()) or 'it has no rows'}.",
            f'Such as {{"id": "p7", "{_TEXT[kind][0]}": "The bridge was opened in 1931."}}',
        )
    return targets, notes.lines()


def recalled(
    targets_by_key: TargetsByKey, reports: Iterable[Report], subject: TargetKind, *, resamples: int, seed: int
) -> tuple[StoredRecall, ...]:
    """Measure the recall of `units` among the extracted units, or of `facts` among all units and the supported ones.

    A row belongs to the response with its id; in a benchmark also to the responses to its prompt, by the named model or
    by all.
    """
    targets: dict[str, list[RecallTarget]] = {}
    texts: dict[str, dict[str, list[str]]] = {"extracted": {}, "supported": {}}
    models: dict[str, str] = {}
    used: set[tuple[str, str | None]] = set()
    failed = 0
    for report in reports:
        name, model = report.response.id, report.response.model
        prompt = name.removesuffix(f"/{model}") if model else name
        keys = [
            key
            for item in dict.fromkeys((name, prompt))
            for key in ((item, None), (item, model))
            if key in targets_by_key
        ]
        if not keys:
            continue
        used.update(keys)
        failed += report.counts.get("failed", 0)
        models[name] = model or "unknown"
        targets[name] = [item for key in dict.fromkeys(keys) for item in targets_by_key[key]]
        texts["extracted"][name], texts["supported"][name] = _units(report)
    kinds = ("extracted",) if subject == "units" else ("extracted", "supported")
    return tuple(
        StoredRecall(
            what=subject,
            of="stated" if subject == "facts" and kind == "extracted" else kind,
            all=recall(targets, texts[kind], resamples=resamples, seed=seed),
            by_model={
                model: recall(
                    {name: group for name, group in targets.items() if models[name] == model},
                    texts[kind],
                    resamples=resamples,
                    seed=seed,
                )
                for model in dict.fromkeys(models.values())
            },
            unmatched=len(targets_by_key.keys() - used),
            failed=failed,
        )
        for kind in kinds
    )


def _units(report: Report) -> tuple[list[str], list[str]]:
    """Return the standalone texts of all extracted units, and of the supported ones."""
    words = {segment.id: segment.text for segment in report.segments} | {
        claim.id: claim.standalone for claim in report.claims
    }
    supported = {verdict.unit_id for verdict in report.verdicts if verdict.outcome == "supported"}
    units = report.unit_ids()
    return [words[name] for name in units], [words[name] for name in units if name in supported]


def _texts(values: Mapping[str, Any], kind: TargetKind) -> list[str]:
    single_column, many = _TEXT[kind]
    cell = values.get(single_column, values.get(many))
    listed = cell if isinstance(cell, list | tuple) else [cell]
    return [text for text in listed if isinstance(text, str) and text.strip()]
