"""A release to share: a folder that Hugging Face's `datasets` loads as it is, and `factscope bench factbench` too.

release/README.md               the data card `data_card.md`, with the YAML head that says which file is which split
release/factscope.json          the same for programs: form, version, parameters, evaluator, hashes of all files
release/data/hard.parquet …     the prompts of each tier, best-ranked first
release/units/units.parquet     the units of the answers that they were selected for
release/topics/topics.parquet   the topics
"""

from __future__ import annotations

import json
import math
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from markupsafe import Markup

from factscope.benchmarks.curate.folders import Folder, ReleaseManifest, read_table, write_table
from factscope.benchmarks.curate.parameters import TIERS
from factscope.benchmarks.curate.stage import BASELINE, tier_counts, topic_count
from factscope.core import StoreError, UsageError, many, put_folder, sha256_of
from factscope.report import Pages, in_cell, table_lines

FORM = 1
"""Version of the folder and its tables. A change that does more than add columns gets a higher number."""
NAME = "factscope.json"
FOLDER = "release"
"""Name of a release's folder in the folder of a build."""
COLUMNS = (
    "id", "prompt", "tier", "rank", "topic", "topic_name", "source", "conversation", "date", "language", "times",
    "deanonymised", "ambiguous", "readings", "verifiable_reason", "verifiable_by",
    "usefulness", "clarity", "generalizability", "relevance", "feasibility", "useful_by",
    "model", "answered_by", "response", "units", "supported", "contradicted", "undecided", "failed",
    "hallucination", "factual_precision", "coverage",
)  # fmt: skip
"""Of the prompts, as far as a build has them."""
_NEEDED = ("id", "prompt", "tier")
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


class Release(NamedTuple):
    """A release that was read."""

    name: str
    """Name of the folder of its build."""
    manifest: Mapping[str, Any]
    """Contents of `factscope.json`."""
    prompts: pl.DataFrame
    """All tiers, with the columns of this version; one that the release lacks, as of an older version, is empty."""


def write_release(built: Folder, version: str | None = None) -> Path:
    """Write the release of a build that reached the stage `selected`, replacing an earlier one.

    Return its folder. `version` is by default the day on which it was made. An earlier release stays unchanged until
    the new one is complete. Raises InputError when the build has not reached that stage, StoreError when the release
    can't be written.
    """
    prompts = _prompts(built)
    sides = {name: built.side(name) for name in ("units", "topics") if name in built.sides}
    if "units" in sides:
        sides["units"] = sides["units"].filter(pl.col("id").is_in(prompts["id"].implode()))
    target = built.path / FOLDER
    for left_by_killed in built.path.glob(f".{FOLDER}.*"):
        shutil.rmtree(left_by_killed, ignore_errors=True)
    try:
        with tempfile.TemporaryDirectory(dir=built.path, prefix=f".{FOLDER}.") as scratch:
            work = Path(scratch) / "new"
            (work / "data").mkdir(parents=True)
            tables = {f"data/{tier}.parquet": prompts.filter(pl.col("tier") == tier) for tier in TIERS}
            tables |= {f"{name}/{name}.parquet": table for name, table in sides.items()}
            hashes = {name: write_table(table, work / name) for name, table in tables.items() if table.height}
            about = _about(built, version or built.manifest.made[:10], prompts, hashes)
            (work / NAME).write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            (work / "README.md").write_text(card(about, built.manifest, prompts), encoding="utf-8")
            put_folder(work, target, Path(scratch) / "old")
    except OSError as error:
        raise StoreError(f"The release {target} can't be written: {error.strerror}.", "Make room.") from error
    return target


def write_if_selected(built: Folder) -> None:
    """Write the release of a build that has come so far. Raises the errors of `write_release`."""
    if built.has("selected"):
        write_release(built)


def read_release(folder: Path) -> Release:
    """Return a release, or that of a build.

    One of an older version is read as far as possible. Raises UsageError when there is none, StoreError when it is
    damaged or of a newer version.
    """
    folder_path = folder if (folder / NAME).exists() else folder / FOLDER
    if not (folder_path / NAME).exists():
        raise UsageError(
            f"{folder} is not a release: it has no {NAME}.",
            "Name the folder of a finished build, or its folder release.",
        )
    about = _read_about(folder_path / NAME)
    frames = [_intact(folder_path, name, hashed) for name, hashed in about["files"].items() if name.startswith("data/")]
    prompts = pl.concat(frames, how="diagonal_relaxed")
    if absent := [name for name in _NEEDED if name not in prompts.columns]:
        raise StoreError(f"The release {folder_path} lacks the columns {', '.join(absent)}.", "Make it again.")
    prompts = prompts.with_columns(pl.lit(None).alias(name) for name in COLUMNS if name not in prompts.columns)
    resolved = folder.resolve()
    return Release(resolved.parent.name if resolved.name == FOLDER else resolved.name, about, prompts)


def _prompts(built: Folder) -> pl.DataFrame:
    table = built.table("selected")
    if "topic_names" in built.sides:
        names = built.side("topic_names").select("topic", topic_name="name")
        table = table.join(names, on="topic", how="left", maintain_order="left")
    return table.select(name for name in COLUMNS if name in table.columns).sort("rank")


def _about(built: Folder, version: str, prompts: pl.DataFrame, hashes: Mapping[str, str]) -> dict[str, Any]:
    manifest = built.manifest
    return {
        "form": FORM,
        "version": version,
        "factscope": manifest.factscope,
        "made": manifest.made,
        "prompts": tier_counts(prompts),
        "topics": topic_count(prompts) if "topic" in prompts.columns else None,
        "evaluator": manifest.facts("evaluated").get("evaluator"),
        "parameters": manifest.parameters.model_dump(mode="json"),
        "files": dict(hashes),
    }


def _read_about(path: Path) -> dict[str, Any]:
    """Read a manifest. Raises StoreError for one that is damaged or newer."""
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        form, hashes = about.get("form", 0), about["files"]
        if not (
            isinstance(form, int) and isinstance(hashes, dict) and any(name.startswith("data/") for name in hashes)
        ):
            raise ValueError("it names no data")
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise StoreError(f"{path} can't be read: {error}.", "Make the release again, or fetch it again.") from None
    if form > FORM:
        version = about.get("factscope", "a newer version")
        raise StoreError(
            f"The release {path.parent} has the form {form}, made by Factscope {version}; this one reads up to {FORM}.",
            "Update: pip install --upgrade factscope",
        )
    return dict(about)


def _intact(folder_path: Path, name: str, expected_digest: str) -> pl.DataFrame:
    """Return a table after verifying its hash. Raises StoreError."""
    path = folder_path / name
    if folder_path.resolve() not in path.resolve().parents:
        raise StoreError(f"{folder_path / NAME} names a file outside of the release: {name[:80]!r}.", "Fetch it again.")
    if not path.is_file() or sha256_of(path) != expected_digest:
        raise StoreError(f"{path} is not as it was written.", "Fetch or make the release again.")
    return read_table(path)


def card(about: Mapping[str, Any], manifest: ReleaseManifest, prompts: pl.DataFrame) -> str:
    """Return the card as Markdown with its YAML head, from `factscope.json`, the build's manifest and the prompts."""
    selected, values = manifest.facts("selected"), manifest.parameters
    evaluated = selected.get("evaluated", True)  # manifests of older versions lack it; their answers always were
    evaluator = about["evaluator"] or {}
    models = ", ".join(sorted(set((evaluator.get("models") or {}).values())))
    return _PAGES.fill(
        "data_card.md",
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
        uncovered=uncovered(prompts) if evaluated else None,
        stable=selected.get("alpha", {}).get("stable"),
        undone=sum(step.undone for step in manifest.steps),
        sources=sorted(set(prompts["source"].drop_nulls())) if "source" in prompts.columns else [],
        command=_command(manifest),
    )


def uncovered(prompts: pl.DataFrame) -> str | None:
    """State the coverage of the scores; `None` when every unit has a verdict, or the release is older."""
    covered = prompts["coverage"].mean() if "coverage" in prompts.columns else None
    if not isinstance(covered, float) or covered >= 1:
        return None
    share = f"{math.floor(1000 * covered) / 10:.1f}"  # never 100.0, which would be all
    return f"Of the units to judge, {share} % have a verdict (mean over prompts); the scores leave out the others."


def _command(manifest: ReleaseManifest) -> str:
    """Return the command that makes the release again, except for its models and evidence."""
    previous = manifest.facts("previous").get("previous")
    start = ["update", "--previous", previous] if previous else ["build"]
    verifiable = manifest.step("verifiable")
    end = ["--no-models"] if verifiable and BASELINE in verifiable.models.values() else []
    logs = (log.name for log in manifest.logs)
    return shlex.join(["factscope", "curate", *start, "--logs", *logs, "--out", "FOLDER", "--parameters", NAME, *end])


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


_PAGES = Pages(
    "factscope.benchmarks.curate",
    (),
    (many, table_lines),
    Markup,  # unescaped: in Markdown other marks are special
)
