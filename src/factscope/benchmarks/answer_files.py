"""Files of existing answers, for all benchmarks: rows with a model, its response, and the example's id or prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from factscope.benchmarks.datasets import UNUSABLE, Notes, UnusableSampleError, optional, yes_or_no
from factscope.benchmarks.datasets.io import ResponseRow, SourceFile
from factscope.benchmarks.examples import Example, GivenAnswers
from factscope.benchmarks.source_rows import first_column, rows_of, usable_rows
from factscope.core import group_by

_COLUMNS = (
    ("model", "model_name"),
    (
        *("id", "example", "example_id", "prompt_id", "uid", "conversation_id"),
        *("prompt", "question", "request", "user_prompt"),
    ),
    ("response", "answer", "text", "output"),
)
_Answer = tuple[ResponseRow, str | None, str | None, str | None]
"""A row with its model, the id or prompt of its example, and its text, which may be empty, or null."""
_HINT = "Rows need model, response, and id or prompt."
_NULL = "nan"  # as tables write a missing number, and so a missing answer


def read_answers(paths: Sequence[Path], examples: Sequence[Example], *, null_is_empty: bool = False) -> GivenAnswers:
    """Return answers from files. Null and NaN are not answers; with `null_is_empty` they are empty ones.

    A prompt identifies an example where no other has it. Raises UsageError for a file that is not there and InputError
    when no file has an answer.
    """
    notes = Notes()
    prompts = group_by(examples, lambda row: plain_prompt(row.request.prompt or ""))
    example_ids = {prompt: rows[0].id for prompt, rows in prompts.items() if len(rows) == 1}
    example_ids |= {row.id: row.id for row in examples}
    texts: dict[tuple[str, str], str] = {}
    labels: dict[str, dict[tuple[str, str], bool]] = {"accurate": {}, "eligible": {}}
    sources = [(", ".join(map(str, paths)), _answers(paths, notes))] if paths else []
    for place, (row, model, name, text) in rows_of(sources, notes, "answer", _HINT):
        key = (model or "").strip(), example_ids.get(plain_prompt(name or ""), "")
        if null_is_empty and (text is None or text.strip().lower() == _NULL):
            text = ""  # noqa: PLW2901
        if not key[0]:
            notes.add("answers without a model, left out", place)
        elif not key[1]:
            notes.add("answers to prompts that are not in the data", place)
        elif text is None:
            notes.add("answers that are null, taken for missing", " ".join(key))
        elif key in texts:
            notes.add("second answers of the same model to the same prompt, left out", " ".join(key))
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
    columns = [column for names in _COLUMNS if (column := first_column(row.values, names))]
    if len(columns) < len(_COLUMNS):
        present = ", ".join(map(repr, list(row.values)[:30]))
        lacks = "it lacks a column for the response, the model, or the id or prompt"
        raise UnusableSampleError(f"{lacks}. Its columns: {present}")
    model, name, text = (optional(row.values, column) for column in columns)
    return row, model, name, "" if text is None and isinstance(row.values[columns[-1]], str) else text


def plain_prompt(text: str) -> str:
    """Return a prompt without differences in white space."""
    return " ".join(text.split())
