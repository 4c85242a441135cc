"""FactBench (Bayat et al. 2024): prompts of real users on which models make factual errors, in tiers, with answers.

A row has `prompt`, and optionally `tier` and `id`:

    {"id": "p7", "tier": "Hard", "prompt": "Which restaurants in Fuzhou are worth a visit?"}

The tier is that of the model that answered the prompt when it was logged, not a measured difficulty (section 3): Hard
prompts come from strong models.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from factscope.benchmarks import Example, Examples, answer_files, digest, plain_prompt
from factscope.benchmarks.datasets.io import ResponseRow, SourceFile, as_dataset, dataset_files
from factscope.benchmarks.datasets.labelled_cells import identity, optional, sample_id, yes_or_no
from factscope.benchmarks.datasets.labelled_rows import UNUSABLE, Notes, RowLocation, UnusableSampleError
from factscope.benchmarks.factbench.tiers import Labels
from factscope.benchmarks.source_rows import examples_of, first_column, first_text, rows_of, usable_rows
from factscope.core import Response, UsageError, group_by

PUBLIC = "launch/FactBench"
"""The published data set on the hub: 985 prompts in three files, one for each tier; CC BY 4.0."""
TIERS = ("Hard", "Moderate", "Easy")
"""In the order of the published leaderboard, where they have the numbers 1 to 3."""
UNTIERED = "all"
"""The single tier of prompts without tiers."""
LONGEST_PROMPT = 400_000
"""Characters of a prompt: about 100,000 tokens, far more than anybody asks in one turn."""
_PROMPT = ("prompt", "question", "request", "user_prompt", "instruction", "query", "text")
_TIER = ("tier", "tier_name", "difficulty")
_ID = ("id", "prompt_id", "uid", "conversation_id")
_ABOUT = "factscope.json"
"""File that describes a release."""
read_answers = partial(answer_files.read_answers, null_is_empty=True)
"""Reads answers from files; one that is null or NaN has an empty text."""


def tier_name(word: str) -> str:
    """Return the name of a tier for display: `Hard` for `hard`, `1`, `tier_1` and `Tier 1: Hard`, else unchanged."""
    plain = " ".join(word.split())
    if named := re.fullmatch(rf"(?:tier[ _-]?[1-3][ :_-]*)?({'|'.join(TIERS)})", plain, re.IGNORECASE):
        return named[1].capitalize()
    number = re.fullmatch(r"(?:tier[ _-]?)?([1-3])(?:\.0)?", plain, re.IGNORECASE)
    return TIERS[int(number[1]) - 1] if number else plain


def read_prompts(sources: Sequence[str], *, cache: Path, environment: Mapping[str, str] = os.environ) -> Examples:
    """Return the prompts of some sources, with their tiers as splits.

    They come as Hard, Moderate, Easy, then any others.

    A source is a file, the folder of a release, or a data set of the hub, with a tier ahead for all of its rows where
    they do not say it: `Hard=FILE`. Rows without a tier are all in one, `all`. Raises UsageError for a source that is
    not there, and InputError when one lacks its columns or holds no prompt.
    """
    notes = Notes()

    def keys_of(example: Example) -> dict[str, str]:
        return {"id": example.id, "prompt": plain_prompt(example.request.prompt or "")}

    files_of = ((source, _files(source, cache, environment)) for source in sources)
    rows = examples_of(files_of, _example, notes, "prompt", "Each row needs a column prompt.", keys_of)
    for row in rows:
        if row.split == UNTIERED:
            notes.add("prompts without a tier", row.id)
    splits = dict.fromkeys(row.split for row in rows)
    tiers = (*(name for name in TIERS if name in splits), *(name for name in splits if name not in TIERS))
    selected_lines = [line for source in sources if (line := _selected_by(source))]
    lines = (*notes.lines(), *selected_lines)
    return Examples(rows, tiers, lines, digest(rows), notes.count(UNUSABLE))


def read_alpha_labels(path: Path, examples: Sequence[Example]) -> tuple[tuple[Labels, ...], Notes]:
    """Read undecided units that people labelled.

    Return those of each model in each tier, and notes on unusable rows. Rows have `model`, `factual` (true or
    false), and `tier` or the `id` of the prompt. Raises UsageError for a file that is not there and InputError when no
    row can be used.
    """
    notes = Notes()
    tiers = {row.id: row.split for row in examples}

    def read_label(row: ResponseRow) -> tuple[str, str, bool]:
        values, factual = row.values, yes_or_no(row.values.get("factual"))
        model = str(values.get("model") or "").strip()
        tier = tier_name(str(values["tier"])) if values.get("tier") else tiers.get(sample_id(str(values.get("id"))))
        if not model or factual is None:
            raise UnusableSampleError("each needs model, factual (true or false), and tier or id")
        if tier is None:
            raise UnusableSampleError("it has no tier, and the id of no prompt")
        return model, tier, not factual

    rows = usable_rows(SourceFile(path.name, path), notes, read_label)
    hint = "A row for each undecided unit that somebody looked at: model, tier or id, factual."
    groups = group_by(rows_of([(str(path), rows)], notes, "label", hint), lambda row: row[:2])
    labels = (
        Labels(model=model, tier=tier, wrong=tuple(wrong for _, _, wrong in group))
        for (model, tier), group in groups.items()
    )
    return tuple(labels), notes


def _files(source: str, cache: Path, environment: Mapping[str, str]) -> Iterator[SourceFile]:
    """Yield the files of a source, with the tier of their rows as split. Raises UsageError, InputError."""
    word, _, remainder = source.partition("=")
    has_tier = remainder and re.fullmatch(r"[\w -]+", word) and not Path(source).exists()
    tier, location = (tier_name(word), remainder) if has_tier else (None, source)
    path = Path(location)
    if path.is_dir():
        tables = (sorted((path / folder).glob("*.parquet")) for folder in ("data", "release/data", "."))
        files = next(filter(None, tables), [])
        if not files:
            raise UsageError(f"{path} is not a release: it has no data/*.parquet.", "Name the folder that --out named.")
        yield from (SourceFile(file.name, file, tier) for file in files)
        return
    if path.exists() or (dataset := as_dataset(location)) is None:
        yield SourceFile(path.name, path, tier)
        return
    configs: dict[str | None, str | None] = {dataset.split: None}
    if (dataset.id, dataset.split) == (PUBLIC, None):
        configs = {f"tier_{number}.csv": name for number, name in enumerate(TIERS, 1)}
    for config, tier_of_config in configs.items():
        for file in dataset_files(dataset._replace(split=config), cache / "datasets", environment):
            yield file._replace(split=tier or tier_of_config)


def _selected_by(source: str) -> str | None:
    """Return the evaluator that selected the prompts of a release; None where that is unknown, or none did."""
    folder = Path(source.rpartition("=")[2])
    for about_path in (folder / _ABOUT, folder / "release" / _ABOUT):
        try:
            evaluator = json.loads(about_path.read_bytes())["evaluator"]
            models = ", ".join(sorted(set(evaluator["models"].values())))  # only what evaluated has any, or `{}`
            evaluator_name = f"{evaluator['method']}{f' with {models}' if models else ''}"
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        return (
            f"The prompts of {source} were selected by verdicts of {evaluator_name};"
            " figures by the same one are not independent."
        )
    return None


def _example(file: SourceFile, row: ResponseRow) -> Example:
    """Return the prompt of a row. Raises UnusableSampleError."""
    column = first_column(row.values, _PROMPT)
    if column is None:
        raise UnusableSampleError(f"it has none of the columns {', '.join(_PROMPT)}")
    prompt = optional(row.values, column)
    if prompt is None:
        raise UnusableSampleError(f"column {column!r} is empty")
    if len(prompt) > LONGEST_PROMPT:
        raise UnusableSampleError(f"its prompt is longer than {LONGEST_PROMPT:,} characters")
    tier = first_text(row.values, _TIER)
    where = RowLocation(file.name.partition(".")[0], row.number)
    name = identity(row.values, where, first_column(row.values, _ID) or "id")
    split = tier_name(tier) if tier else file.split or UNTIERED
    return Example(name, split, Response(id=name, text="", prompt=prompt), {})
