"""The stage `read`: logs of conversations → a table of prompts, and another of the answers.

Logs are read row by row, however large they are; only the prompts stay in memory, and the answers on disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from factscope.benchmarks.curate.conversations import COLUMNS, FORMS, NoPromptError, Opening, read_opening
from factscope.benchmarks.curate.folder import whole_file
from factscope.benchmarks.curate.parameters import CurationParameters
from factscope.benchmarks.curate.stage import DROPPED, Stage, StageContext, StageResult
from factscope.benchmarks.datasets.io import BadRow, as_dataset, count_rows, dataset_files, file_rows
from factscope.core.errors import InputError, UsageError
from factscope.core.plurals import many

PROMPTS = {
    **dict.fromkeys(("id", "source", "conversation", "prompt", "model", "language_given", "date"), pl.String),
    "redacted": pl.Boolean,
}
"""Columns of the table of prompts."""
RESPONSES = {"id": pl.String, "response": pl.String}
"""Columns of the side table `responses`."""
_AHEAD = 200
"""Rows of each file that are examined before the first stage."""
_SLAB = 20_000
"""Rows between two parts of the tables."""
_MAX_NAMES = 200  # characters of a row's fault in a message


def log_files(sources: Sequence[str], cache: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return the files in `sources`: paths, or data sets of a Hugging Face hub as `org/name`, fetched into `cache`.

    Raises UsageError for anything else, and the errors of fetching.
    """
    files: list[Path] = []
    for source in sources:
        dataset = None if Path(source).exists() else as_dataset(source)
        files += [file.path for file in dataset_files(dataset, cache, environment)] if dataset else [Path(source)]
    if not files:
        raise UsageError("No log is named.", "Name files with conversations: --logs FILE…")
    return files


def look_ahead(paths: Sequence[Path], parameters: CurationParameters) -> tuple[str, ...]:
    """Warn when the first rows of the logs lack model names or answers, before anything is done.

    Errors in a file are left to the stage that reads it. Raises the errors of reading the files.
    """
    found = [opening for path in paths if path.is_file() for opening in _first_openings(path)]
    notes = []
    if found and all(opening.model is None for opening in found):
        notes.append(
            f"The first {many(len(found), 'prompt names', 'prompts name')} no model that answered them. If"
            f" none does, all are of the tier {parameters.tiers.default}: [tiers] default in the parameters."
        )
    if found and not parameters.answering.fresh and all(opening.response is None for opening in found):
        notes.append(
            f"The first {many(len(found), 'prompt has', 'prompts have')} no answer. If none has, a release"
            " needs [answering.fresh] in the parameters; without it stop before answers: --until sampling."
        )
    return tuple(notes)


def _first_openings(path: Path) -> Iterator[Opening]:
    for row in islice(file_rows(path, _read_columns), _AHEAD):
        if not isinstance(row, BadRow):
            with suppress(NoPromptError):
                yield read_opening(row.values)


def work(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Return one row for each conversation in the files of the column `path`.

    Raises InputError for a file without any.
    """
    reading = _LogReader(context)
    for path in map(Path, rows["path"]):
        reading.file(path)
    return reading.done()


STAGE = Stage("read", "Reads the first prompt of each conversation, and the answer that was logged.", work)


class _LogReader:
    """The growing tables."""

    def __init__(self, context: StageContext) -> None:
        self._context = context
        self._hashes: Counter[int] = Counter()
        """Number of times that each id occurred, by its hash."""
        self._prompts: list[tuple[Any, ...]] = []
        self._responses: list[tuple[Any, ...]] = []
        self._dropped: list[tuple[str, str, str]] = []
        self._prompt_parts = [pl.DataFrame(schema=PROMPTS)]
        self._dropped_parts = [pl.DataFrame(schema=DROPPED)]
        self._rows: Counter[str] = Counter()
        self._damaged: list[str] = []
        """Places where files break off, or lack a part."""
        self._unanswered = self._cut = 0

    def file(self, path: Path) -> None:
        """Take in all rows of a file. Raises InputError when none of them can be used."""
        total, number, used, first = count_rows(path) or 0, 0, 0, ""
        for number, row in enumerate(file_rows(path, _read_columns), 1):
            try:
                if isinstance(row, BadRow):
                    if row.more:
                        self._note_lost_rows(path, row, used)
                    raise NoPromptError("damaged file" if row.more else "unreadable row", row.reason)
                self._take(read_opening(row.values))
                used += 1
            except NoPromptError as error:
                first = first or f"{error.reason}{': ' if error.detail else ''}{error.detail}"
                self._dropped.append((f"{path.name}:{row.number}", error.reason, error.detail[:_MAX_NAMES]))
            if number % _SLAB == 0:
                self._flush()
                self._context.progress(number, max(number, total))
        if not used:
            fault = f"no row of {number:,} holds a conversation; the first: {first}"
            reason = fault if number else "it contains no rows"
            raise InputError(f"{path}: {reason}.", f"A row has {FORMS}.")
        self._rows[path.name] += number
        self._context.progress(number, number)

    def _note_lost_rows(self, path: Path, row: BadRow, used: int) -> None:
        """Report that rows are lost whose number is unknown."""
        self._damaged.append(f"{path.name}, row {row.number:,}: {row.reason}")
        self._context.log(
            f"{path}, row {row.number:,}: {row.reason}. The"
            f" {many(used, 'conversation before it is', 'conversations before it are')} used. To have the"
            " others, fetch or write the file again and run the same command."
        )

    def _take(self, opening: Opening) -> None:
        """Add a conversation. Raises NoPromptError when it is too long or has been read before."""
        limits = self._context.parameters.read
        if len(opening.prompt) > limits.longest_prompt:
            raise NoPromptError("prompt too long", many(len(opening.prompt), "character"))
        name = self._name(opening)
        source, conversation, prompt, response, *rest = opening
        if response is not None and len(response) > limits.longest_response:
            response, self._cut = None, self._cut + 1
        self._unanswered += response is None
        self._prompts.append((name, source, conversation, prompt, *rest))
        self._responses.append((name, response))

    def _name(self, opening: Opening) -> str:
        """Return the id of a prompt: from its conversation's id or, where the log has none, from its text."""
        about = [opening.source, opening.conversation] if opening.conversation else [*map(str, opening)]
        name = _hash(about)
        self._hashes[int(name, 16)] += 1
        if (times := self._hashes[int(name, 16)]) > 1 and opening.conversation:
            raise NoPromptError("repeated conversation", opening.conversation)
        return name if times == 1 else _hash([*about, str(times)])

    def _flush(self) -> None:
        """Move the gathered rows into columns: prompts in memory, responses on disk."""
        self._prompt_parts.append(pl.DataFrame(self._prompts, schema=PROMPTS, orient="row"))
        self._dropped_parts.append(pl.DataFrame(self._dropped, schema=DROPPED, orient="row"))
        partial = self._context.scratch / f"responses-{len(self._prompt_parts):06}.parquet"
        with whole_file(partial) as target:
            pl.DataFrame(self._responses, schema=RESPONSES, orient="row").write_parquet(target)
        self._prompts, self._responses, self._dropped = [], [], []

    def done(self) -> StageResult:
        """Return the tables."""
        self._flush()
        facts = {"rows": self._rows, "without_response": self._unanswered, "response_too_long": self._cut}
        facts |= {"damaged": self._damaged} if self._damaged else {}
        responses = pl.scan_parquet(sorted(self._context.scratch.glob("responses-*.parquet")))
        prompts = pl.concat(self._prompt_parts)
        if prompts.height and prompts["model"].is_null().all():
            self._context.log(
                "read: no row names the model that answered it, so all prompts will be of the tier"
                f" {self._context.parameters.tiers.default} ([tiers] default)."
            )
        if prompts.height and self._unanswered == prompts.height and not self._context.parameters.answering.fresh:
            self._context.log(
                "read: no row has an answer, and no model is to write any: a release needs [answering.fresh] in the"
                " parameters, or stop before it: --until sampling."
            )
        return StageResult(prompts, pl.concat(self._dropped_parts), facts, {"responses": responses})


def _read_columns(header: Sequence[str]) -> Sequence[str]:
    """Return the columns to read; all when none is known, so that a message can name them."""
    return [name for name in header if name.strip().lower() in COLUMNS] or header


def _hash(fields: Sequence[str]) -> str:
    return blake2b("\x00".join(fields).encode(), digest_size=8).hexdigest()
