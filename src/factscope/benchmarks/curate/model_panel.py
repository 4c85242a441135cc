"""Evaluated answers of several models to the prompts of a release: its own, and those in results of FactBench."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from factscope.benchmarks.curate.difficulty import PANEL, AssessedPrompts, assess
from factscope.benchmarks.curate.folder import Folder
from factscope.core.errors import InputError, UsageError, system_reason


def difficulty_of(folder: Folder, more: pl.DataFrame | None = None) -> AssessedPrompts:
    """Return the difficulty of all prompts of a release that were evaluated, with `more` evaluated answers.

    Raises InputError when it has not come so far, StoreError.
    """
    evaluator, answers = _own_answers(folder)
    panel = answers if more is None else pl.concat([answers, more])
    return assess(folder.table("evaluated"), panel, evaluator, folder.manifest.parameters)


def read_panel(paths: Sequence[Path]) -> pl.DataFrame:
    """Return the answers in results of `bench factbench`, with the columns of `PANEL`.

    Raises UsageError for a file that is not there, InputError for one that is not such a result.
    """
    return pl.DataFrame([row for path in paths for row in _answers(path)], PANEL)


def _answers(path: Path) -> Iterator[dict[str, Any]]:
    try:
        result = json.loads(path.read_bytes())
        if result["benchmark"] != "factbench":
            raise ValueError(f"it is one of {result['benchmark']!r}")
        evaluator = _evaluator_name(str(result["method"]["name"]), result.get("models") or {})
        for item in result["responses"]:
            counts = {name: int(item.get(name, 0)) for name in ("supported", "contradicted", "undecided")}
            yield {
                "id": str(item["id"]),
                "model": str(item["model"]),
                "evaluator": evaluator,
                "judged": sum(counts.values()),
                "contradicted": counts["contradicted"],
                "undecided": counts["undecided"],
                "no_evidence": None,  # such a result does not tell it apart
            }
    except OSError as error:
        raise UsageError(f"{path} can't be read: {system_reason(error)}.") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is not a result of FactBench: {error}.", "Make one: factscope bench factbench … -o FILE.json"
        ) from None


def _own_answers(folder: Folder) -> tuple[str, pl.DataFrame]:
    """Return a release's evaluator, and the answers that it was made with."""
    rows, step = folder.table("evaluated"), folder.manifest.step("evaluated")
    rows = rows.filter(pl.col("hallucination").is_not_null())
    about = step.facts.get("evaluator", {}) if step else {}
    evaluator = _evaluator_name(str(about.get("method", "the evaluator of the release")), about.get("models") or {})
    unfound = folder.side("units").filter(pl.col("outcome") == "no_evidence").group_by("id").agg(no_evidence=pl.len())
    result = pl.col("no_evidence").fill_null(0)
    answers = rows.join(unfound, on="id", how="left", maintain_order="left").select(
        "id",
        "contradicted",
        model=pl.col("answered_by").fill_null("unknown"),
        evaluator=pl.lit(evaluator),
        judged="units",
        undecided=pl.col("undecided") - result,
        no_evidence=result,
    )
    return evaluator, answers.select(*PANEL).cast(PANEL)


def _evaluator_name(method: str, models: Mapping[str, str]) -> str:
    """Return text such as `verify by openai/gpt-4.1`, which is equal for equal evaluators."""
    return " by ".join(filter(None, [method, ", ".join(sorted(set(models.values())))]))
