"""The recall of a kept run: of its extraction against people's units, of its responses against reference facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from factscope.benchmarks.factbench.recall import Recall, RecallTarget, recall
from factscope.core.errors import InputError
from factscope.core.records import Record, Report
from factscope.datasets.io import BadRow, file_rows

TargetKind = Literal["units", "facts"]
_TEXT: Mapping[TargetKind, tuple[str, str]] = {"units": ("unit", "units"), "facts": ("fact", "facts")}


class StoredRecall(Record):
    """Recall of one kind, of all responses and by model."""

    what: TargetKind
    """`units`: of extraction; `facts`: of responses."""
    of: Literal["extracted", "stated", "supported"]
    """Which units of the responses it was sought among: all that were extracted; of facts, all, or the supported."""
    all: Recall
    by_model: dict[str, Recall]
    unmatched: int
    """Rows of the file that belong to no response of the run."""


TargetsByKey = Mapping[tuple[str, str | None], Sequence[RecallTarget]]
"""By id, and model where the row names one."""


def read_sought(path: Path, kind: TargetKind) -> TargetsByKey:
    """Return rows with `id`, perhaps `model`, and `unit` or `units` (or `fact`, `facts`); `found` is what people say.

    Raises UsageError for a file that is not there and InputError when no row can be used.
    """
    targets: dict[tuple[str, str | None], list[RecallTarget]] = defaultdict(list)
    bad: list[str] = []
    for row in file_rows(path):
        if isinstance(row, BadRow):
            bad.append(f"row {row.number:,}: {row.reason}")
            continue
        name, model = row.values.get("id"), row.values.get("model")
        texts = _texts(row.values, kind)
        if name is None or not texts:
            bad.append(f"row {row.number:,} lacks id or {_TEXT[kind][0]}")
            continue
        found_value = row.values.get("found")
        key = str(name), str(model) if model else None
        targets[key] += [RecallTarget(text, found_value if isinstance(found_value, bool) else None) for text in texts]
    if not targets:
        raise InputError(
            f"{path} contains no {kind}: {'; '.join(bad[:3]) or 'it has no rows'}.",
            f'Such as {{"id": "p7", "{_TEXT[kind][0]}": "The bridge was opened in 1931."}}',
        )
    return targets


def recalled(
    targets_by_key: TargetsByKey, reports: Iterable[Report], subject: TargetKind, *, resamples: int, seed: int
) -> tuple[StoredRecall, ...]:
    """Measure the recall of `units` among the extracted units; of `facts` among what is stated, and what is supported.

    A row belongs to the response of its id; of a benchmark also to that of its prompt, by all models or the one named.
    """
    targets: dict[str, list[RecallTarget]] = {}
    texts: dict[str, dict[str, list[str]]] = {"extracted": {}, "supported": {}}
    models: dict[str, str] = {}
    used: set[tuple[str, str | None]] = set()
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
        )
        for kind in kinds
    )


def _units(report: Report) -> tuple[list[str], list[str]]:
    """Return all units that were extracted, as they stand alone, and those that are supported."""
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
