"""The data card of a release: its contents, its origin, the uses to avoid, and the steps to make it again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from factscope.benchmarks.curate.manifest import ReleaseManifest
from factscope.benchmarks.curate.parameters import TIERS
from factscope.benchmarks.curate.usefulness import threshold
from factscope.core.plurals import many
from factscope.report.markdown_text import in_cell, table_lines

_LICENCES = {
    "lmsys": "LMSYS-Chat-1M comes under a licence agreement of its own, which limits passing its content on; read it"
    " before you publish prompts or answers from it.",
    "wildchat": "WildChat is published under ODC-BY: name it as the source.",
    "sharegpt": "Dumps of ShareGPT state no licence; whoever wrote the conversations has not been asked.",
    "plain": "Rows of your own logs: you know on which terms they were given, and whether they hold personal data.",
}
"""Terms of each source, to read before a release is passed on."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


def card(about: Mapping[str, Any], manifest: ReleaseManifest, prompts: pl.DataFrame) -> str:
    """Return the card as Markdown with its YAML head, from `factscope.json`, the build's manifest and the prompts."""
    sections = (
        _head(about, prompts.height),
        f"# {_title(manifest)}, release {about['version']}\n",
        _lead(about, manifest, prompts),
        _table("Composition", ("tier", "prompts", "share", "answers' mean H"), _composition(prompts)),
        _funnel(manifest),
        _thresholds(manifest),
        _columns(prompts),
        _remarks(about, manifest),
        _licence(prompts),
        _again(about, manifest),
    )
    return "\n".join(sections)


def _head(about: Mapping[str, Any], height: int) -> str:
    """Return the YAML head. Texts are written as JSON, which YAML reads."""
    size = next((word for limit, word in _SIZES if height < limit), "100K<n<1M")
    names = list(about["files"])
    splits = {name.removeprefix("data/").removesuffix(".parquet"): name for name in names if name.startswith("data/")}
    configs: dict[str, Mapping[str, str]] = {"default": splits}
    configs |= {name.partition("/")[0]: {"train": name} for name in names if not name.startswith("data/")}
    lines = ["---", "license: other", f"pretty_name: {json.dumps('Factuality prompts ' + about['version'])}"]
    lines += ["task_categories:", "- text-generation", "size_categories:", f"- {size}", "configs:"]
    for config, files in configs.items():
        lines += [f"- config_name: {config}", "  data_files:"]
        lines += [line for split, path in files.items() for line in (f"  - split: {split}", f"    path: {path}")]
    return "\n".join([*lines, "---", ""])


def _evaluated(manifest: ReleaseManifest) -> bool:
    """Return whether the answers were checked against evidence.

    Manifests of older versions lack the field; their answers always were.
    """
    selected = manifest.step("selected")
    return bool(selected.facts.get("evaluated", True)) if selected else True


def _title(manifest: ReleaseManifest) -> str:
    return "Prompts on which models make things up" if _evaluated(manifest) else "Prompts drawn from conversations"


def _lead(about: Mapping[str, Any], manifest: ReleaseManifest, prompts: pl.DataFrame) -> str:
    counts = ", ".join(f"{about['prompts'][tier]:,} {tier}" for tier in TIERS)
    topics = f" from {many(about['topics'], 'topic')}" if about["topics"] else ""
    difficulty_note = (
        "selected because the answers that were evaluated hold many errors for their length"
        if _evaluated(manifest)
        else "drawn by lot: no answer was evaluated, so nothing is known of how models fare on them"
    )
    return (
        f"{prompts.height:,} first requests of real conversations{topics} ({counts}), {difficulty_note}."
        f" Made after FactBench (Bayat et al. 2024) with Factscope {about['factscope']} on {about['made'][:10]}.\n"
    )


def _composition(prompts: pl.DataFrame) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for tier in TIERS:
        in_tier = prompts.filter(pl.col("tier") == tier)
        scores = in_tier["hallucination"].drop_nulls().to_list() if "hallucination" in in_tier.columns else []
        share = f"{100 * in_tier.height / prompts.height:.1f} %" if prompts.height else "–"
        rows.append((tier, f"{in_tier.height:,}", share, f"{sum(scores) / len(scores):.3f}" if scores else "–"))
    return rows


def _funnel(manifest: ReleaseManifest) -> str:
    rows = [
        (
            step.name,
            f"{step.rows_in:,}",
            f"{step.rows_out:,}",
            "; ".join(f"{count:,} {in_cell(reason)}" for reason, count in list(step.dropped.items())[:4]) or "–",
        )
        for step in manifest.steps
    ]
    return _table("How it came to be", ("stage", "rows in", "rows kept", "dropped for"), rows)


def _thresholds(manifest: ReleaseManifest) -> str:
    values = manifest.parameters
    least = ", ".join(f"{tier} {threshold(tier, values.usefulness):g}" for tier in TIERS)
    shares = ", ".join(f"{tier} {getattr(values.selection.shares, tier):.0%}" for tier in TIERS)
    rows = [
        ("near-duplicates", f"token sets that overlap by more than {values.near.jaccard:g}"),
        ("usefulness, 0 to 5, at least", least),
        ("tier", f"by the logging model, table `{values.tiers.version}`"),
        ("prompts of one topic, at most", f"{values.sampling.per_topic:,}"),
        ("rank", f"hallucination score with alpha {values.selection.alpha:g}" if _evaluated(manifest) else "by lot"),
        ("size and shares", f"{values.selection.size:,}; {shares}"),
    ]
    return _table("Thresholds", ("what", "value"), rows) + "\nAll parameters are in `factscope.json`.\n"


_MEANINGS = {
    "id": "stable: the same conversation of the same source has it in every release",
    "tier": "standing of the logging model: hard = strong. No measure of difficulty",
    "rank": "among all prompts of the release, 1 the worst answered; by lot where no answer was evaluated",
    "times": "how often this prompt was in the logs",
    "ambiguous": "two careful readers could take it to ask for different things",
    "usefulness": "mean of the four criteria, each the mean over models, 0 to 5",
    "useful_by": "JSON: what each model said",
    "model": "the model that answered when it was logged",
    "answered_by": "the model that wrote the response that was evaluated",
    "units": "checkable statements of the response with a verdict",
    "hallucination": "(contradicted + alpha × undecided) / √units",
    "factual_precision": "supported / units, 0 to 1",
    "coverage": "units with a verdict / units to judge: below 1 where some failed",
}


def _columns(prompts: pl.DataFrame) -> str:
    rows = [(f"`{name}`", _MEANINGS[name]) for name in prompts.columns if name in _MEANINGS]
    return _table("Columns that need a word", ("column", "meaning"), rows)


def _remarks(about: Mapping[str, Any], manifest: ReleaseManifest) -> str:
    evaluator = about["evaluator"] or {}
    models = ", ".join(sorted(set((evaluator.get("models") or {}).values())))
    evaluated_by = f"{evaluator.get('method', 'unknown')}{f' with {models}' if models else ''}"
    selection_note = (
        f"The prompts were selected by the verdicts of one evaluator: {evaluated_by}. Scores by the same evaluator are"
        " not independent of the selection: report another beside it.",
        "The answers that selected a prompt come from the model in `answered_by`; that model meets prompts on which it"
        " failed, and its score is low for that reason too.",
    )
    lines = [
        *(
            selection_note
            if _evaluated(manifest)
            else ("No answer was evaluated: the prompts are no harder than others.",)
        ),
        "The tier follows from who answered when the prompt was logged, and not from how hard the prompt is.",
        "Prompts were cleaned by rules and models that make mistakes; some may hold personal or offensive matter.",
        *_stage_remarks(manifest),
    ]
    return "## Known limits\n\n" + "".join(f"- {line}\n" for line in lines)


def _stage_remarks(manifest: ReleaseManifest) -> Iterable[str]:
    """List the stages' remarks that a user of the release must know."""
    made_do = [step.name for step in manifest.steps if step.by_rule]
    if made_do:
        yield f"Made without language models in the stages {', '.join(made_do)}: a simple rule stood in for each."
    yield from (step.facts["accuracy"] for step in manifest.steps if "accuracy" in step.facts)
    if "useful" in made_do:
        yield "How often the rule for usefulness agrees with people has not been measured."
    selected = manifest.step("selected")
    for tier, short in (selected.facts.get("short") or {}).items() if selected else ():
        yield (
            f"The tier {tier} is short: {many(short['wanted'], 'prompt was', 'prompts were')} wanted,"
            f" {many(short['there'], 'was', 'were')} there."
        )
    if selected and (stable := selected.facts.get("alpha", {}).get("stable")):
        yield (
            f"With another weight of undecided statements, alpha from {stable[0]:g} to {stable[1]:g}, at least"
            f" {manifest.parameters.selection.stable:.0%} of the prompts are the same."
        )
    if failed := sum(step.undone for step in manifest.steps):
        yield f"{many(failed, 'prompt')} could not be worked on, as calls failed; the same build tries them again."


def _licence(prompts: pl.DataFrame) -> str:
    sources = sorted(set(prompts["source"].drop_nulls())) if "source" in prompts.columns else []
    lines = [f"- {source}: {_LICENCES.get(source, 'its terms are not known here.')}\n" for source in sources]
    return (
        "## Licence\n\nThe prompts and answers stay under the terms of the logs that they come from:\n\n"
        + "".join(lines or ["- The sources are not named.\n"])
        + "\nSet `license` in the head of this file when you know that you may pass the release on.\n"
    )


def _again(about: Mapping[str, Any], manifest: ReleaseManifest) -> str:
    logs = shlex.join(log.name for log in manifest.logs)
    return (
        "## Load it, and make it again\n\n"
        "```python\nfrom datasets import load_dataset\n\n"
        'prompts = load_dataset("path/to/this/folder")  # splits by tier; "units" and "topics" are configurations\n'
        "```\n\n"
        f"```sh\npip install 'factscope[curate]=={about['factscope']}'\n"
        f"factscope curate build --logs {logs} --out FOLDER --parameters factscope.json\n```\n\n"
        "The logs, by SHA-256:\n\n"
        + "".join(f"- `{log.name.replace('`', '')}` {log.sha256}\n" for log in manifest.logs)
    )


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join([f"## {title}", "", *table_lines(head, rows, "l" * len(head)), ""])
