"""Small releases for tests of later steps: real stages, except for rule-based topics and evaluation."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from factscope.benchmarks.curate import (
    UNITS,
    BuildConfig,
    BuildOutcome,
    CurationParameters,
    Stage,
    StageContext,
    StageResult,
    build,
    drops,
    fresh_answers,
    logs,
    no_drops,
    open_folder,
    prompt_vectors,
    selection,
    topic_names,
    write_release,
)
from factscope.engine import Tools

TOPICS = ("moss", "ships", "stars", "bread")
MODELS = ("gpt-4", "vicuna-33b", "mpt-30b-chat")
HOSTILE = '<script>alert(1)</script> & "quotes" \u202e|pipes| https://evil.example/?q=1'
WORDS = {
    "moss": "moss spore damp shade bog peat leaf stem lawn fern",
    "ships": "ships keel mast rope deck hull sail crew port helm",
    "stars": "stars orbit flare dwarf comet nova lens dust ring cloud",
    "bread": "bread flour yeast oven crust dough rye salt loaf knead",
}


def conversations(path: Path, *topics: str, n: int = 12, start: int = 0, suffix: str = "") -> Path:
    """Write a log with `n` prompts on each topic; the same numbers give the same prompts."""
    rows = []
    for topic in topics:
        words = WORDS[topic].split()
        for i in range(start, start + n):
            one, two, three = (words[1 + (i * step + step) % 9] for step in (1, 4, 7))
            prompt = (
                f"What about {topic}: {one} and {two} or {three} in {TOPICS.index(topic) + 1}{500 + i * 7}?{suffix}"
            )
            text = f"The {one} of {i} {topic} is old. The {two} is new. Nobody knows the {three}."
            rows.append({"id": f"{path.stem}-{topic}-{i}", "prompt": prompt, "response": text, "model": MODELS[i % 3]})
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def _topics(rows: pl.DataFrame, shop: StageContext) -> StageResult:
    """Assign topics by a word in the prompt; each topic has a corner of the map."""
    where = [next((n for n, word in enumerate(TOPICS) if word in prompt), -1) for prompt in rows["prompt"]]
    size = pl.Series("topic", where, dtype=pl.Int32).value_counts().filter(pl.col("topic") >= 0)
    table = rows.with_columns(topic=pl.Series(where, dtype=pl.Int32), topic_strength=1.0).with_columns(
        x=pl.col("topic") * 4.0 + pl.int_range(pl.len()) / 50,
        y=(pl.col("topic") % 2) * 3.0 + pl.int_range(pl.len()) / 40,
    )
    sides = size.sort("topic").select(
        "topic",
        size=pl.col("count").cast(pl.Int64),
        words=pl.col("topic").map_elements(lambda n: [TOPICS[n], "much"], pl.List(pl.String)),
        representatives=pl.lit([], dtype=pl.List(pl.String)),
    )
    outside = table.filter(pl.col("topic") < 0)
    tables = {"topics": sides, "members": table.select("id", "topic")}
    return StageResult(table.filter(pl.col("topic") >= 0), drops(outside, "no topic"), {}, tables)


def _evaluated(rows: pl.DataFrame, shop: StageContext) -> StageResult:
    """Mark as many of five units wrong as the hash of the answer gives."""
    wrong = [sha256(text.encode()).digest()[0] % 5 for text in rows["response"]]
    units = [
        (
            name,
            f"s{n}.c1",
            HOSTILE if n == 1 else f"Unit {n}",
            "fact",
            _outcome(n, count),
            "because",
            HOSTILE,
            HOSTILE,
            None,
        )
        for name, count in zip(rows["id"], wrong, strict=True)
        for n in range(1, 6)
    ]
    bad = pl.Series("contradicted", wrong)
    scores = {"hallucination": (bad + 0.5) / 5**0.5, "factual_precision": (4 - bad) / 5, "coverage": pl.lit(1.0)}
    table = rows.with_columns(
        bad, supported=4 - bad, **scores, **{n: pl.lit(v) for n, v in (("units", 5), ("undecided", 1), ("failed", 0))}
    )
    sides = {"units": pl.DataFrame(units, UNITS, orient="row")}
    return StageResult(table, no_drops(), {"evaluator": {"method": "by rule"}}, sides)


def _outcome(n: int, wrong: int) -> str:
    return "contradicted" if n <= wrong else "no_evidence" if n == 5 else "supported"


CHAIN = (
    logs.STAGE,
    prompt_vectors.STAGE,
    Stage("topics", "Groups prompts by a word.", _topics),
    topic_names.STAGE,
    selection.TIERING,
    selection.SAMPLING,
    fresh_answers.STAGE,
    Stage("evaluated", "Judges by rule.", _evaluated, parameters=("evaluation",)),
    selection.STAGE,
)


def kit(tools: Tools | None = None, **parameters: Any) -> BuildConfig:
    """Build a configuration for a few prompts, with these changes."""
    wanted = {"selection": {"size": 18, "shares": {"hard": 1 / 3, "moderate": 1 / 3, "easy": 1 / 3}}} | parameters
    return BuildConfig(CurationParameters.model_validate(wanted), tools)


def released(out: Path, *files: Path, **parameters: Any) -> Path:
    """Build a release from these logs."""
    made(files, out, kit(**parameters))
    write_release(open_folder(out))
    return out


def made(files: Iterable[Path], out: Path, wanted: BuildConfig) -> BuildOutcome:
    """Run a build."""
    return asyncio.run(build(list(files), out, CHAIN, wanted))


def contents(folder: Path) -> dict[str, str]:
    """Hash every file below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in files}
