"""Tiers by the model that answered a prompt when it was logged (FactBench): Hard are the prompts of strong models.

The tier reflects the logging model's strength, not the prompt's difficulty (`difficulty` measures that), and does not
depend on the evaluator, which avoids circularity.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

import polars as pl

from factscope.benchmarks.curate.parameters import Tier
from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, by_frequency, split_rows, tier_counts

_VERSION = re.compile(r"-(?:\d{4}|\d{8}|\d{4}-\d\d-\d\d)(?:-preview)?")
"""Suffixes of a model's name that make it a version of it: `-0613`, `-1106-preview`, `-20240229`."""
UNKNOWN = "model without a tier"
"""Reason for prompts whose logging model is not in the table."""


def tier_of(model: str | None, table: Mapping[str, Tier]) -> Tier | None:
    """Return the tier of a logging model, whoever served it and whichever dated version it is.

    `None` when it has none.
    """
    if model is None:
        return None
    plain = model.strip().casefold().rpartition("/")[2]
    for name, tier in table.items():
        lowered = name.casefold()
        if plain == lowered or (plain.startswith(lowered) and _VERSION.fullmatch(plain[len(lowered) :])):
            return tier
    return None


def work(table: pl.DataFrame, context: StageContext) -> StageResult:
    """Add `tier`; prompts of models without one are dropped. Where no prompt has a model, all are of the default."""
    tiers = context.parameters.tiers
    nameless = table["model"].is_null().all()
    if nameless:
        context.log(f"tiers: no prompt names the model that answered it, so all are {tiers.default} ([tiers] default).")
    tiers_found = [tiers.default if nameless else tier_of(model, tiers.models) for model in table["model"]]
    table = table.with_columns(tier=pl.Series(tiers_found, dtype=pl.String))
    tiered, model = pl.col("tier").is_not_null(), pl.col("model").fill_null("(none named)")
    unknown = by_frequency(table.filter(~tiered).select(model).to_series())
    facts = {
        "table": tiers.version,
        "by_default": table.height if nameless else 0,
        "tiers": tier_counts(table),
        "without_tier": dict(islice(unknown.items(), 20)),
    }
    return split_rows(table, tiered, UNKNOWN, model, facts)


STAGE = Stage("tiers", "Each prompt is put into a tier by the model that answered it when it was logged.", work)
