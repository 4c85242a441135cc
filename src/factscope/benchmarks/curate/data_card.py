"""The data card of a release: its contents, its origin, the uses to avoid, and the steps to make it again.

Its text is the template `data_card.md`; here are the values that fill it.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
import polars as pl

from factscope.benchmarks.curate.folder import ReleaseManifest
from factscope.benchmarks.curate.parameters import TIERS
from factscope.core.plurals import many
from factscope.report.markdown_text import in_cell, table_lines

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


def card(about: Mapping[str, Any], manifest: ReleaseManifest, prompts: pl.DataFrame) -> str:
    """Return the card as Markdown with its YAML head, from `factscope.json`, the build's manifest and the prompts."""
    selected, values = manifest.facts("selected"), manifest.parameters
    evaluated = selected.get("evaluated", True)  # manifests of older versions lack it; their answers always were
    evaluator = about["evaluator"] or {}
    models = ", ".join(sorted(set((evaluator.get("models") or {}).values())))
    return _template().render(
        about=about,
        manifest=manifest,
        prompts=prompts,
        selected=selected,
        evaluated=evaluated,
        quoted=json.dumps(f"Factuality prompts {about['version']}"),  # YAML reads JSON
        size=next((word for limit, word in _SIZES if prompts.height < limit), "100K<n<1M"),
        configs=_configs(about["files"]),
        counts=", ".join(f"{about['prompts'][tier]:,} {tier}" for tier in TIERS),
        composition=_composition(prompts),
        funnel=_funnel(manifest),
        values=values,
        least=", ".join(f"{tier} {getattr(values.usefulness, tier):g}" for tier in TIERS),
        shares=", ".join(f"{tier} {getattr(values.selection.shares, tier):.0%}" for tier in TIERS),
        evaluator=f"{evaluator.get('method', 'unknown')}{f' with {models}' if models else ''}",
        by_rule=[step.name for step in manifest.steps if step.by_rule],
        stable=selected.get("alpha", {}).get("stable"),
        undone=sum(step.undone for step in manifest.steps),
        sources=sorted(set(prompts["source"].drop_nulls())) if "source" in prompts.columns else [],
        logs=shlex.join(log.name for log in manifest.logs),
    )


@cache
def _template() -> jinja2.Template:
    text = files("factscope.benchmarks.curate").joinpath("data_card.md").read_text(encoding="utf-8")
    environment = jinja2.Environment(  # noqa: S701 - it is Markdown, in which other marks are escaped
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    environment.globals |= {"many": many, "table": _table}
    return environment.from_string(text)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(table_lines(head, rows, "l" * len(head)))


def _configs(files_made: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the files of each configuration that a user may load, by split."""
    configs: dict[str, dict[str, str]] = {"default": {}}
    for name in files_made:
        folder, _, file = name.partition("/")
        if folder == "data":
            configs["default"][file.removesuffix(".parquet")] = name
        else:
            configs[folder] = {"train": name}
    return configs


def _composition(prompts: pl.DataFrame) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for tier in TIERS:
        in_tier = prompts.filter(pl.col("tier") == tier)
        scores = in_tier["hallucination"].drop_nulls().to_list() if "hallucination" in in_tier.columns else []
        share = f"{100 * in_tier.height / prompts.height:.1f} %" if prompts.height else "–"
        rows.append((tier, f"{in_tier.height:,}", share, f"{sum(scores) / len(scores):.3f}" if scores else "–"))
    return rows


def _funnel(manifest: ReleaseManifest) -> Iterator[tuple[str, ...]]:
    for step in manifest.steps:
        reasons = "; ".join(f"{count:,} {in_cell(reason)}" for reason, count in list(step.dropped.items())[:4])
        yield step.name, f"{step.rows_in:,}", f"{step.rows_out:,}", reasons or "–"
