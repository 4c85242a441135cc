"""Recall, which FactBench leaves out: the share of units that were extracted, or of facts that were stated.

Extraction recall asks how many units, listed exhaustively by people, are among the extracted ones. Coverage recall
asks how many facts of a reference set a response states, and states with support (cf. FactRBench, VeriFact).

A unit or fact is found when one of the texts it is sought in has `ENOUGH` of its content words, all of its numbers, and
a negation where it has one and none where it has none. Words are compared by their stems. Several may be found in one
text: a compound unit holds all of its parts. This rule misses paraphrases, so the recall is a lower bound. A person's
label on a match overrides it.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field

from factscope.benchmarks import FigureLine, lines_of, result_of, rows_of, usable_rows
from factscope.benchmarks.datasets import Notes, UnusableSampleError, is_blank, optional, sample_id, yes_or_no
from factscope.benchmarks.datasets.io import ResponseRow, SourceFile
from factscope.benchmarks.factbench.units import unit_texts
from factscope.claims.text.terms import terms
from factscope.core import Record, Report, many
from factscope.report import Block, Result, ends_cell, excerpt, notes, percent_cell, table_of
from factscope.scoring import RESAMPLES, Mean, Proportion, mean, proportion

ENOUGH = 0.8
"""Least share of the content words of a unit or fact that must occur."""
_MISSED = 20  # targets shown of those not found
_WORDS = tomllib.loads(files(__package__).joinpath("recall.toml").read_text("utf-8"))
_NEGATIONS, _FUNCTION = (frozenset(terms(_WORDS[name])) for name in ("negations", "function_words"))


TargetKind = Literal["units", "facts"]


class RecallTarget(NamedTuple):
    """One unit or fact to be found."""

    text: str
    is_found: bool | None = None
    """Whether people found it there; `None` when the rule decides."""


class Recall(Record):
    """Share of the targets that were found."""

    macro: Mean
    """Mean over responses of the share found, with equal weights, as in FactBench's recall study."""
    pooled: Proportion
    """Over all targets; Wilson's interval treats them as independent."""
    missed: tuple[tuple[str, str], ...]
    """Some that were not found: response and text."""
    judged_by_people: int = Field(ge=0)
    """Number of targets that people decided."""
    unknown: int = Field(default=0, ge=0)
    """Targets that are in no figure: only a unit whose check failed has them."""


def finds(target: str, text: str) -> bool:
    """Return whether `text` states the fact, by the rule of this module."""
    target_terms, text_terms = set(terms(target)), set(terms(text))
    content = target_terms - _FUNCTION - _NEGATIONS
    numbers = {word for word in content if word[0].isdigit()}
    if not content or not numbers <= text_terms or bool(target_terms & _NEGATIONS) != bool(text_terms & _NEGATIONS):
        return False
    return len(content & text_terms) >= ENOUGH * len(content) - 1e-9


def recall(
    targets_by_id: Mapping[str, Sequence[RecallTarget]],
    texts: Mapping[str, Sequence[str]],
    failed: Mapping[str, Sequence[str]] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Recall:
    """Compute the recall by response; a response without texts has a recall of 0.

    A target that only a text in `failed` has is left out, since a failure is neither a hit nor a miss; so are responses
    without targets.
    """
    found_by_id: dict[str, list[bool]] = {}
    missed: list[tuple[str, str]] = []
    unknown = 0
    for name, targets in targets_by_id.items():
        for target in targets:
            is_found = target.is_found
            if is_found is None:
                is_found = any(finds(target.text, text) for text in texts.get(name, ()))
                if not is_found and any(finds(target.text, text) for text in (failed or {}).get(name, ())):
                    unknown += 1
                    continue
            found_by_id.setdefault(name, []).append(is_found)
            if not is_found:
                missed.append((name, target.text))
    all_found = [present for result in found_by_id.values() for present in result]
    return Recall(
        macro=mean(
            (sum(result) / len(result) for result in found_by_id.values()), most=1, resamples=resamples, seed=seed
        ),
        pooled=proportion(sum(all_found), len(all_found)),
        missed=tuple(missed[:_MISSED]),
        judged_by_people=sum(entry.is_found is not None for targets in targets_by_id.values() for entry in targets),
        unknown=unknown,
    )


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
    """Units of these responses whose check failed."""


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
            raise UnusableSampleError(f"it lacks id or {kind[:-1]}")
        if yes_or_no(cell) is None and not is_blank(cell):
            raise UnusableSampleError("column 'found' is neither true nor false")
        return (sample_id(name), model), [RecallTarget(text, yes_or_no(cell)) for text in texts]

    example = f'Such as {{"id": "p7", "{kind[:-1]}": "The bridge was opened in 1931."}}'
    rows = usable_rows(SourceFile(path.name, path), notes, read_row)
    for key, found in rows_of([(str(path), rows)], notes, kind, example):
        targets[key] += found
    return targets, notes.lines()


def recalled(
    targets_by_key: TargetsByKey, reports: Iterable[Report], subject: TargetKind, *, resamples: int, seed: int
) -> tuple[StoredRecall, ...]:
    """Measure the recall of `units` among the extracted units, or of `facts` among all units and the supported ones.

    A row belongs to the response with its id; in a benchmark also to the responses to its prompt, by the named model or
    by all.
    """
    targets: dict[str, list[RecallTarget]] = {}
    texts: dict[str, dict[str, tuple[list[str], list[str]]]] = {}
    by_model: dict[str, list[str]] = defaultdict(list)
    used: set[tuple[str, str | None]] = set()
    failed = 0
    for report in reports:
        name, model = report.response.id, report.response.model
        prompt = name.removesuffix(f"/{model}") if model else name
        possible = dict.fromkeys(key for item in (name, prompt) for key in ((item, None), (item, model)))
        if keys := [key for key in possible if key in targets_by_key]:
            used.update(keys)
            failed += report.counts.get("failed", 0)
            by_model[model or "unknown"].append(name)
            targets[name] = [item for key in keys for item in targets_by_key[key]]
            texts[name] = _units(report)

    def measured(kind: str, names: Iterable[str]) -> Recall:
        own_targets = {name: targets[name] for name in names}
        present, lost = ({name: texts[name][kind][side] for name in own_targets} for side in (0, 1))
        return recall(own_targets, present, lost, resamples=resamples, seed=seed)

    kinds = ("extracted",) if subject == "units" else ("extracted", "supported")
    return tuple(
        StoredRecall(
            what=subject,
            of="stated" if subject == "facts" and kind == "extracted" else kind,
            all=measured(kind, targets),
            by_model={model: measured(kind, names) for model, names in by_model.items()},
            unmatched=len(targets_by_key.keys() - used),
            failed=failed,
        )
        for kind in kinds
    )


def _units(report: Report) -> dict[str, tuple[list[str], list[str]]]:
    """Return the standalone texts of the extracted units and of the supported ones, each with those that failed."""
    words, outcomes = unit_texts(report), {verdict.unit_id: verdict.outcome for verdict in report.verdicts}
    units, claims = report.unit_ids(), {claim.id for claim in report.claims}
    failed = [name for name in units if outcomes.get(name) == "failed"]
    lost = [name for name in failed if name not in claims]  # a claim whose check failed was extracted all the same
    extracted = [name for name in units if name not in lost]
    supported = [name for name in units if outcomes.get(name) == "supported"]
    names = {"extracted": (extracted, lost), "supported": (supported, failed)}
    return {kind: ([words[name] for name in a], [words[name] for name in b]) for kind, (a, b) in names.items()}


def _texts(values: Mapping[str, Any], kind: TargetKind) -> list[str]:
    cell = values.get(kind[:-1], values.get(kind))  # the column has the singular or the plural
    listed = cell if isinstance(cell, list | tuple) else [cell]
    return [text for text in listed if isinstance(text, str) and text.strip()]


def recall_result(recalls: Sequence[StoredRecall], run: str) -> Result:
    """Return the recall of a run for any writer."""
    return result_of(f"Recall of run {run}", recalls, _document, _figure_lines)


def _document(recalls: Sequence[StoredRecall]) -> tuple[Block, ...]:
    rows = []
    for result in recalls:
        figures = _figures(result).items()
        rows += [(result.what, f"{result.of} units", model, *_cells(recall)) for model, recall in figures]
    heads = ("sought", "among", "model", "recall", "interval", "found", "responses")
    return table_of(heads, rows, names=3), *notes(_notes(recalls))


def _figures(result: StoredRecall) -> dict[str, Recall]:
    return {"all": result.all} | (result.by_model if len(result.by_model) > 1 else {})


def _figure_lines(recalls: Sequence[StoredRecall]) -> Iterator[FigureLine]:
    for result in recalls:
        table = f"{result.what} among {result.of} units"
        for model, recall in _figures(result).items():
            yield from lines_of(table, model, {"recall": recall.macro, "pooled": recall.pooled})
            yield FigureLine(table, model, "found", recall.pooled.k, n=recall.pooled.n)
            yield FigureLine(table, model, "unknown", recall.unknown)


def _notes(recalls: Sequence[StoredRecall]) -> Iterator[str]:
    for result in recalls:
        for response, text in result.all.missed[:3]:
            yield f"Not among the {result.of} units of {response}: {excerpt(text, 100)}"
        if result.unmatched:
            ids = many(result.unmatched, "id belongs", "ids belong")
            yield f"In the file of {result.what}, {ids} to no response of this run."
        if unknown := result.all.unknown:
            yield (
                f"Not counted: {many(unknown, 'text')} in the file of {result.what} that only units whose check failed"
                " may contain."
            )
    yield "Recall: a mean over responses in percent, with its 95 % interval by bootstrap. Found: all of them together."
    yield "Found means: 80 % of its content words, all numbers, the same negation; a lower bound."


def _cells(recall: Recall) -> tuple[str, ...]:
    macro, pooled = recall.macro, recall.pooled
    return percent_cell(macro.value), ends_cell(macro.interval), f"{pooled.k:,} of {pooled.n:,}", f"{macro.n:,}"
