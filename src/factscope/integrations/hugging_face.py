"""Hugging Face: a run as a data set folder with its card, ready to push.

    factscope export last --to huggingface -o my-run/
    hf upload my-name/my-run my-run/ --repo-type dataset

Two configurations, `responses` and `claims`, as JSON lines that `datasets.load_dataset` reads. The card's metadata are
those of the Hub's documentation ("Dataset Cards"). Data sets come in by their names: `factscope run org/name`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from factscope.core import UsageError, many
from factscope.integrations.python.report import CLAIM_COLUMNS, Report, claim_row, save_pieces
from factscope.report.markdown_text import escaped

_SHOWN_LEFT_OUT = 20  # rows that the card names


def write_folder(
    name: str, reports: Iterable[Report], folder: Path, *, left_out: Sequence[str] = (), finished: bool = True
) -> int:
    """Write the two tables and the card; return the number of responses.

    The card says whether the run is finished, and names the first rows that were left out. Raises UsageError for a
    folder that is not empty, StoreError.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already, and not an empty folder.", "Name another with -o.")
    held = list(reports)
    if not held:
        raise UsageError("The run contains no checked response.", "Run the same command again: it carries on.")
    folder.mkdir(parents=True, exist_ok=True)
    save_pieces(folder / "responses.jsonl", _lines(map(_response, held)))
    save_pieces(folder / "claims.jsonl", _lines(_claims(held)))
    save_pieces(folder / "README.md", [_card(name, held, _missing(left_out, finished=finished))])
    return len(held)


def _lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _response(report: Report) -> dict[str, Any]:
    request = report.record.response
    figures = {"score": report.score, "coverage": report.coverage, **report.counts}
    return {"id": request.id, "prompt": request.prompt, "text": request.text, **figures}


def _claims(reports: Iterable[Report]) -> Iterator[dict[str, Any]]:
    for report in reports:
        for claim in report.claims:
            yield {"response": report.record.response.id, **dict(zip(CLAIM_COLUMNS, claim_row(claim), strict=True))}


def _card(name: str, reports: list[Report], missing: str) -> str:
    first = reports[0].record
    models = ", ".join(sorted(set(first.models.values())))
    totals = {outcome: sum(report.counts[outcome] for report in reports) for outcome in reports[0].counts}
    template = files(__package__).joinpath("run_card.md").read_text("utf-8")
    return template.format(
        name=json.dumps(f"Factscope run {name}")[1:-1],
        n=many(len(reports), "response"),
        version=first.factscope,
        method=first.method.get("name"),
        models=f", models {models}" if models else "",
        missing=missing,
        counts="\n".join(f"| {outcome.replace('_', ' ')} | {n:,} |" for outcome, n in totals.items()),
        columns=", ".join(f"`{column}`" for column in CLAIM_COLUMNS),
    )


def _missing(left_out: Sequence[str], *, finished: bool) -> str:
    """Return the paragraphs about what the tables lack, each after a blank line; empty where they lack nothing."""
    paragraphs = [] if finished else ["The run is not finished, or something in it failed."]
    if left_out:
        paragraphs.append(f"{many(len(left_out), 'row')} of the data could not be checked, and neither table has them:")
        rows = [f"- {escaped(row)}" for row in left_out[:_SHOWN_LEFT_OUT]]
        more = len(left_out) - _SHOWN_LEFT_OUT
        paragraphs.append("\n".join([*rows, f"- and {many(more, 'more row')}"] if more > 0 else rows))
    return "".join(f"\n{paragraph}\n" for paragraph in paragraphs)
