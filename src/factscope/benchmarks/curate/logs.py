"""The stage `read`: logs of conversations → a table of prompts, and another of the answers.

Logs are read row by row, however large they are; in the end only the prompts are in memory, and the answers on disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import chain, count, islice
from pathlib import Path

import polars as pl

from factscope.benchmarks.curate.conversations import COLUMNS, FORMS, NoPromptError, Opening, read_opening
from factscope.benchmarks.curate.folders import whole_file
from factscope.benchmarks.curate.parameters import CurationParameters
from factscope.benchmarks.curate.stage import DROPPED, Stage, StageContext, StageResult
from factscope.benchmarks.datasets.io import BadRow, count_rows, file_rows
from factscope.benchmarks.source_rows import source_files
from factscope.core import InputError, UsageError, many

PROMPTS = ("id", "source", "conversation", "prompt", "model", "language_given", "date", "redacted")
"""Columns of the table of prompts."""
_EXAMINED = {
    **dict.fromkeys(
        ("id", "source", "conversation", "prompt", "response", "model", "language_given", "date"), pl.String
    ),
    "redacted": pl.Boolean,
    **dict.fromkeys(("reason", "detail"), pl.String),
}
"""Columns of the rows that were examined: a prompt with its answer, or a row's place and the reason to drop it."""
_AHEAD = 200
"""Rows of each file that are examined before the first stage."""
_SLAB = 20_000
"""Rows between two parts of the table, and between two progress reports."""
_MAX_NAMES = 200  # characters of a row's fault in a message


def log_files(sources: Sequence[str], cache: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return the files in `sources`: paths, or data sets of a Hugging Face hub as `org/name`, fetched into `cache`.

    Raises UsageError for anything else, and the errors of fetching.
    """
    files = [file.path for source in sources for file in source_files(source, cache, environment)]
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
    reader = _LogReader(context)
    examined = chain.from_iterable(reader.rows_of(Path(path)) for path in rows["path"])
    for number in count():
        slab = list(islice(examined, _SLAB))
        with whole_file(context.scratch / f"rows-{number:06}.parquet") as target:
            pl.DataFrame(slab, _EXAMINED, orient="row").write_parquet(target)
        if len(slab) < _SLAB:
            break
    table = pl.scan_parquet(sorted(context.scratch.glob("rows-*.parquet")), glob=False)
    has_prompt = pl.col("reason").is_null()
    prompts = table.filter(has_prompt).select(list(PROMPTS)).collect()
    dropped = table.filter(~has_prompt).select(list(DROPPED)).collect()
    facts = {"rows": reader.rows, "without_response": reader.unanswered, "response_too_long": reader.cut}
    facts |= {"damaged": reader.damaged} if reader.damaged else {}
    return StageResult(prompts, dropped, facts, {"responses": table.filter(has_prompt).select("id", "response")})


STAGE = Stage("read", "Reads the first prompt of each conversation, and the answer that was logged.", work)

_WITH_UNIQUE_IDS = ("lmsys", "wildchat")
"""Sources whose ids no other conversation has."""


class _LogReader:
    """Reads the rows of logs, and counts them."""

    def __init__(self, context: StageContext) -> None:
        self._context = context
        self._hashes: Counter[int] = Counter()
        """Number of times that each id occurred, by its hash."""
        self._in_file: set[str] = set()
        """Ids of the conversations of this file, where they are its own."""
        self.rows: Counter[str] = Counter()
        """Rows of each file."""
        self.damaged: list[str] = []
        """Places where files break off, or lack a part."""
        self.unanswered = self.cut = 0

    def rows_of(self, path: Path) -> Iterator[tuple[str | bool | None, ...]]:
        """Yield the rows of a file with the columns of `_EXAMINED`. Raises InputError when none of them can be used."""
        total, number, used, first = count_rows(path) or 0, 0, 0, ""
        self._in_file.clear()
        for number, row in enumerate(file_rows(path, _read_columns), 1):
            try:
                if isinstance(row, BadRow):
                    if row.more:
                        self._note_lost_rows(path, row, used)
                    raise NoPromptError("damaged file" if row.more else "unreadable row", row.reason)
                yield (*self._examined(read_opening(row.values)), None, None)
                used += 1
            except NoPromptError as error:
                first = first or f"{error.reason}{': ' if error.detail else ''}{error.detail}"
                blank = [None] * (len(_EXAMINED) - 3)
                yield (f"{path.name}:{row.number}", *blank, error.reason, error.detail[:_MAX_NAMES])
            if number % _SLAB == 0:
                self._context.progress(number, max(number, total))
        if not used:
            fault = f"no row of {number:,} holds a conversation; the first: {first}"
            reason = fault if number else "it contains no rows"
            raise InputError(f"{path}: {reason}.", f"A row has {FORMS}.")
        self.rows[path.name] += number
        self._context.progress(number, number)

    def _note_lost_rows(self, path: Path, row: BadRow, used: int) -> None:
        """Report that rows are lost whose number is unknown."""
        self.damaged.append(f"{path.name}, row {row.number:,}: {row.reason}")
        self._context.log(
            f"{path}, row {row.number:,}: {row.reason}. The"
            f" {many(used, 'conversation before it is', 'conversations before it are')} used. To have the"
            " others, fetch or write the file again and run the same command."
        )

    def _examined(self, opening: Opening) -> tuple[str | bool | None, ...]:
        """Return a conversation with its id. Raises NoPromptError when it is too long or has been read before."""
        limits = self._context.parameters.read
        if len(opening.prompt) > limits.longest_prompt:
            raise NoPromptError("prompt too long", many(len(opening.prompt), "character"))
        name = self._name(opening)
        if opening.response is not None and len(opening.response) > limits.longest_response:
            opening, self.cut = opening._replace(response=None), self.cut + 1
        self.unanswered += opening.response is None
        return name, *opening

    def _name(self, opening: Opening) -> str:
        """Return the id of a prompt: of its conversation's id or, where the log has no id, of the row.

        Ids of other logs than those of LMSYS and WildChat may be row numbers, which the next log has too, so the prompt
        is part of theirs. Within a file, a second row of a conversation is a later turn of it.
        """
        conversation, later = opening.conversation, False
        about = [opening.source, conversation] if conversation else [*map(str, opening)]
        if conversation and opening.source not in _WITH_UNIQUE_IDS:
            later = conversation in self._in_file
            self._in_file.add(conversation)
            about.append(opening.prompt)
        name = _hash(about)
        self._hashes[int(name, 16)] += 1
        times = self._hashes[int(name, 16)]
        if conversation and (later or times > 1):
            raise NoPromptError("repeated conversation", conversation)
        return name if times == 1 else _hash([*about, str(times)])


def _read_columns(header: Sequence[str]) -> Sequence[str]:
    """Return the columns to read; all when none is known, so that a message can name them."""
    return [name for name in header if name.strip().lower() in COLUMNS] or header


def _hash(fields: Sequence[str]) -> str:
    return blake2b("\x00".join(fields).encode(), digest_size=8).hexdigest()
