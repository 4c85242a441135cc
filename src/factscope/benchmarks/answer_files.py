"""Files of existing answers, for all benchmarks: rows with a model, its response, and the example's id or prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from factscope.benchmarks.datasets import UNUSABLE, Notes, UnusableSampleError, optional, sample_id, yes_or_no
from factscope.benchmarks.datasets.io import ResponseRow, SourceFile
from factscope.benchmarks.datasets.labelled_rows import Values
from factscope.benchmarks.examples import Example, GivenAnswers
from factscope.benchmarks.source_rows import first_column, rows_of, usable_rows
from factscope.core import group_by

_MODEL = ("model", "model_name")
_KEYS = (
    *("id", "example", "example_id", "prompt_id", "uid", "conversation_id"),
    *("prompt", "question", "request", "user_prompt"),
)
"""Columns that may hold the id or prompt of the example."""
_TEXT = ("response", "answer", "text", "output")
_Answer = tuple[ResponseRow, str | None, str | None]
"""A row with its model, and its text, which may be empty, or null."""
_HINT = "Rows need model, response, and id or prompt."
_NULL = "nan"  # as tables write a missing number, and so a missing answer


def read_answers(paths: Sequence[Path], examples: Sequence[Example], *, null_is_empty: bool = False) -> GivenAnswers:
    """Return answers from files. Null and NaN are not answers; with `null_is_empty` they are empty ones.

    A row is on the example whose id it has, or without one on the only example with its prompt. Raises UsageError for a
    file that is not there and InputError when no file has an answer.
    """
    notes = Notes()
    grouped = group_by(examples, lambda row: plain_prompt(row.request.prompt or ""))
    with_prompt = {prompt: [row.id for row in rows] for prompt, rows in grouped.items()}
    example_ids = {row.id for row in examples}

    def matching_examples(values: Values) -> list[str]:
        """Return the id of the example that a row is on: none, or more if its id and prompt are of different ones."""
        names = [str(values[column]) for column in _KEYS if values.get(column) is not None]
        by_id = next((name for name in map(sample_id, names) if name in example_ids), None)
        by_prompt = [with_prompt[key] for key in map(plain_prompt, names) if key in with_prompt]
        if by_id is None:
            return next((group for group in by_prompt if len(group) == 1), [])
        return [by_id] if not by_prompt or any(by_id in group for group in by_prompt) else [by_id, *by_prompt[0]]

    texts: dict[tuple[str, str], str] = {}
    labels: dict[str, dict[tuple[str, str], bool]] = {"accurate": {}, "eligible": {}}
    sources = [(", ".join(map(str, paths)), _answers(paths, notes))] if paths else []
    for place, (row, model, text) in rows_of(sources, notes, "answer", _HINT):
        matching = matching_examples(row.values)
        key = (model or "").strip(), matching[0] if matching else ""
        if null_is_empty and (text is None or text.strip().lower() == _NULL):
            text = ""  # noqa: PLW2901
        if not key[0]:
            notes.add(f"{UNUSABLE}: an answer without a model", place)
        elif not key[1]:
            notes.add("answers to prompts that are not in the data", place)
        elif len(matching) > 1:
            notes.add(f"{UNUSABLE}: an answer with the id of one example and the prompt of another", place)
        elif text is None:
            notes.add("answers that are null, taken for missing", " ".join(key))
        elif key in texts:
            notes.add(f"{UNUSABLE}: a second answer of the same model to the same prompt", " ".join(key))
        else:
            texts[key] = text
            for column, labelled in labels.items():
                if (label := yes_or_no(row.values.get(column))) is not None:
                    labelled[key] = label
    models = tuple(dict.fromkeys(model for model, _ in texts))
    return GivenAnswers(texts, models, notes.lines(), **labels, n_unusable=notes.count(UNUSABLE))


def _answers(paths: Sequence[Path], notes: Notes) -> Iterator[tuple[str, _Answer]]:
    """Yield the answers of all files, each with its place. A file without a usable row is noted."""
    for path in paths:
        rows = list(usable_rows(SourceFile(path.name, path), notes, _answer))
        if not rows:
            notes.add("files without a usable row", path.name)
        yield from ((f"{path.name} row {row[0].number:,}", row) for row in rows)


def _answer(row: ResponseRow) -> _Answer:
    """Return the answer of a row. Raises UnusableSampleError."""
    values = row.values
    model, key, text = (first_column(values, names) for names in (_MODEL, _KEYS, _TEXT))
    if model is None or key is None or text is None:
        present = ", ".join(map(repr, list(values)[:30]))
        lacks = "it lacks a column for the response, the model, or the id or prompt"
        raise UnusableSampleError(f"{lacks}. Its columns: {present}")
    answer = optional(values, text)
    return row, optional(values, model), "" if answer is None and isinstance(values[text], str) else answer


def plain_prompt(text: str) -> str:
    """Return a prompt without differences in white space."""
    return " ".join(text.split())
