"""Curation without models: what it drops and which topics it finds, against a planted truth and against given names.

    .venv/bin/python perf/curate.py [--rows 25000 100000] [--model FOLDER]
    .venv/bin/python perf/curate.py --given prompts.jsonl … [--model FOLDER]

The first makes up conversations (`perf/planted.py`) and builds as far as the topics, each size in a process of its own;
it exits with 1 when a target is missed. The second lays the topics of real prompts, JSON lines with `id`, `prompt` and
`category`, beside their categories and beside plain k-means. `--model` takes a sentence-embedding model in place of the
baseline.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    from planted import Row

    from factscope.benchmarks.curate.build_release import BuildConfig
    from factscope.benchmarks.curate.folders import Folder
    from factscope.benchmarks.curate.parameters import CurationParameters
    from factscope.evidence.embedding_models import Encoders


FULL = 100_000
HELD_BACK = 1_000
"""Plain prompts that are not in the log, to be placed among the topics afterwards."""
MOST_MINUTES, MOST_GIGABYTES, LEAST_AMI, STEEPEST, MOST_OFF = 15, 6, 0.8, 1.3, 0.01


def main() -> int:
    """Measure and print; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[25_000, 100_000])
    parser.add_argument("--given", type=Path, nargs="+")
    parser.add_argument("--model", default="")
    parser.add_argument("--set", default="{}", help="other parameters of the table [topics], as JSON")
    parser.add_argument("--alone", type=int)
    asked = parser.parse_args()
    if asked.alone:
        print(json.dumps(asyncio.run(_planted(asked.alone, asked.model, json.loads(asked.set)))))
        return 0
    if asked.given:
        for path in asked.given:
            _given(path, asked.model, {"shrink": True, **json.loads(asked.set)})
        return 0
    found = []
    for rows in asked.rows:
        command = [sys.executable, __file__, "--alone", str(rows), "--model", asked.model, "--set", asked.set]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
        _print(found[-1])
    return int(_missed(found))


async def _planted(number: int, model: str, topics: dict[str, Any]) -> dict[str, Any]:
    """Build a release from this number of planted conversations and return its figures."""
    from planted import rows, write

    from factscope.benchmarks.curate.build_release import BuildConfig, build
    from factscope.benchmarks.curate.duplicates import EXACT, NEAR_DUPLICATES
    from factscope.benchmarks.curate.folders import open_folder
    from factscope.benchmarks.curate.languages import STAGE as LANGUAGE
    from factscope.benchmarks.curate.logs import STAGE as READ
    from factscope.benchmarks.curate.placeholders import STAGE as PLACEHOLDERS
    from factscope.benchmarks.curate.prompt_vectors import STAGE as VECTORS
    from factscope.benchmarks.curate.topics import STAGE as TOPICS

    made = rows(number)
    scale = number / FULL  # planted topics are smaller in proportion
    sizes = {"min_cluster_size": max(5, round(100 * scale)), "min_samples": max(3, round(25 * scale))}
    with tempfile.TemporaryDirectory() as folder:
        log, out = Path(folder) / "log.jsonl", Path(folder) / "release"
        write(made, log)
        kit = BuildConfig(_parameters(model, sizes | topics), encoders=_encoders(Path(folder)))
        began = time.monotonic()
        await build([log], out, (READ, LANGUAGE, PLACEHOLDERS, EXACT, NEAR_DUPLICATES, VECTORS, TOPICS), kit)
        seconds = time.monotonic() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
        release = open_folder(out)
        return {
            "rows": number,
            "load": round(os.getloadavg()[1], 1),
            "minutes": round(seconds / 60, 2),
            "processor minutes": round(time.process_time() / 60, 2),
            "gigabytes": round(peak, 2),
            "by stage": {step.name: round(step.seconds, 1) for step in release.manifest.steps},
            "funnel": _funnel(made, release),
            "found": release.manifest.steps[-1].facts,
            **_topics(made, release),
            "placed": _placed(release, kit),
        }


def _funnel(made: Sequence[Row], release: Folder) -> dict[str, list[int]]:
    """Return rows that each stage should have dropped and did, and how many that it should not have."""
    due = {
        "read": "no user turn", "language": "foreign", "placeholders": "placeholder", "exact": "exact", "near": "near",
    }  # fmt: skip
    found = {}
    for stage, kind in due.items():
        step = release.manifest.step(stage)
        dropped = sum(step.dropped.values()) if step else 0
        found[stage] = [sum(row.kind == kind for row in made), dropped]
    return found


def _topics(made: Sequence[Row], release: Folder) -> dict[str, float]:
    """Compare the topics found with the planted ones."""
    import polars as pl
    from sklearn.metrics import adjusted_mutual_info_score

    truth = pl.DataFrame({"conversation": [row.id for row in made], "planted": [row.topic for row in made]})
    found = release.table("topics").select("id", "topic")
    rows = release.table("near").select("id", "conversation").join(truth, on="conversation")
    rows = rows.join(found, on="id", how="left").with_columns(pl.col("topic").fill_null(-1))
    with_topic = rows.filter(pl.col("planted") >= 0)
    kept = with_topic.filter(pl.col("topic") >= 0)
    without = rows.filter(pl.col("planted") < 0)
    return {
        "AMI": adjusted_mutual_info_score(kept["planted"], kept["topic"]),
        "AMI with outliers as a topic": adjusted_mutual_info_score(rows["planted"], rows["topic"]),
        "purity": _purity(kept["planted"], kept["topic"]),
        "of a topic, kept": kept.height / with_topic.height,
        "of none, dropped": (without["topic"] < 0).mean(),
    }


def _placed(release: Folder, kit: BuildConfig) -> dict[str, float]:
    """Return new prompts with other frames, placed among the topics found.

    Right is the planted topic of most of a topic.
    """
    import polars as pl
    from planted import rows

    from factscope.benchmarks.curate.previous_release import assign_topics, fitted
    from factscope.benchmarks.curate.prompt_vectors import embed
    from factscope.benchmarks.curate.stage import StageContext

    by_conversation = {row.id: row.topic for row in rows(release.manifest.steps[0].rows_in)}
    table = release.table("topics").select("topic", planted=pl.col("conversation").replace_strict(by_conversation))
    means = dict(table.group_by("topic").agg(pl.col("planted").mode().min()).iter_rows())
    new = [row for row in rows(HELD_BACK * 2, seed=2) if row.kind == "plain"][:HELD_BACK]
    shop = StageContext(kit.parameters, encoders=kit.encoders, tables=release.sides)
    topics = assign_topics(
        embed([row.prompt for row in new], shop), fitted(release.side("vectors"), release.table("topics"))
    )
    said = [(row.topic, means.get(int(topic), -1)) for row, topic in zip(new, topics, strict=True)]
    of_topic = [(planted, found) for planted, found in said if planted >= 0]
    return {
        "of a topic": len(of_topic),
        "placed": sum(found >= 0 for _, found in of_topic) / len(of_topic),
        "of these rightly": sum(a == b for a, b in of_topic if b >= 0) / max(1, sum(b >= 0 for _, b in of_topic)),
        "of no topic, left out": sum(b < 0 for a, b in said if a < 0) / max(1, len(said) - len(of_topic)),
    }


def _given(path: Path, model: str, topics: dict[str, Any]) -> None:
    """Print how like their categories the topics of real prompts are, beside k-means with as many clusters."""
    import polars as pl
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_mutual_info_score

    from factscope.benchmarks.curate import prompt_vectors as vector_stage
    from factscope.benchmarks.curate import topics as topic_stage
    from factscope.benchmarks.curate.stage import StageContext

    table = pl.read_ndjson(path).select("id", "prompt", "category")
    with tempfile.TemporaryDirectory() as folder:
        encoders = _encoders(Path(folder))
        made = vector_stage.work(table, StageContext(_parameters(model, topics), encoders=encoders))
        side = Path(folder) / "vectors.parquet"
        made.tables["vectors"].lazy().sink_parquet(side)
        done = topic_stage.work(made.table, StageContext(_parameters(model, topics), tables={"vectors": side}))
        points = pl.read_parquet(side)["vector"].to_numpy()
    named = made.table["category"].n_unique()
    print(f"{path.name}: {table.height:,} prompts, {named} categories, {made.facts['by']}; {done.facts}")
    kept = pl.int_range(pl.len()).filter(pl.col("id").is_in(done.table["id"].implode()))
    places = made.table.select(kept).to_series()
    for what, number, labels in (
        ("topics", done.facts["topics"], None),
        ("k-means", done.facts["topics"], KMeans(done.facts["topics"], n_init=4, random_state=1).fit_predict(points)),
        ("k-means", named, KMeans(named, n_init=4, random_state=1).fit_predict(points)),
    ):
        on_kept = done.table["topic"] if labels is None else pl.Series(labels)[places]
        whole = made.table.join(done.table.select("id", "topic"), on="id", how="left")["topic"].fill_null(-1)
        on_all = whole if labels is None else pl.Series(labels)
        print(
            f"  {what:8} {number:4} clusters; of the {len(places):,} kept: AMI"
            f" {adjusted_mutual_info_score(done.table['category'], on_kept):.3f}, purity"
            f" {_purity(done.table['category'], on_kept):.3f}; of all: AMI"
            f" {adjusted_mutual_info_score(made.table['category'], on_all):.3f}, purity"
            f" {_purity(made.table['category'], on_all):.3f}"
        )


def _purity(names: pl.Series, topics: pl.Series) -> float:
    """Return the share of rows whose name is the most frequent one of their topic."""
    import polars as pl

    counted = pl.DataFrame({"name": names, "topic": topics}).group_by("topic", "name").len()
    return float(counted.group_by("topic").agg(pl.col("len").max())["len"].sum() / len(names))


def _parameters(model: str, topics: dict[str, Any]) -> CurationParameters:
    from factscope.benchmarks.curate.parameters import CurationParameters

    return CurationParameters.model_validate({"vectors": {"model": model}, "topics": topics})


def _encoders(folder: Path) -> Encoders:
    from factscope.evidence.embedding_models import Encoders

    return Encoders(Path, folder / "vectors.db")


def _print(found: dict[str, Any]) -> None:
    for name, value in found.items():
        print(f"{name:>30}: {round(value, 3) if isinstance(value, float) else value}", flush=True)


def _missed(found: Sequence[dict[str, Any]]) -> bool:
    """Return whether a target is missed.

    Those on size and quality by the largest, growth by the smallest and the largest.
    """
    last = found[-1]
    growth = (last["processor minutes"] / found[0]["processor minutes"]) / (last["rows"] / found[0]["rows"])
    print(f"growth beyond linear, in processor time: {growth:.2f}")
    off = max(abs(due - did) / due for due, did in last["funnel"].values())
    print(f"funnel: at most {off:.2%} off")
    return bool(
        last["minutes"] > MOST_MINUTES or last["gigabytes"] > MOST_GIGABYTES or last["AMI"] < LEAST_AMI
        or off > MOST_OFF or (len(found) > 1 and growth > STEEPEST)
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
