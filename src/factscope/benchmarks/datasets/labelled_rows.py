"""Forms of labelled data, notes on irregular rows, and what samples say of their responses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from factscope.core import Sample, SampleHints, plurals

Values = Mapping[str, Any]
UNUSABLE = "rows that can't be used"
"""Beginning of the note on unusable rows."""


class UnusableSampleError(ValueError):
    """A row can't be made a sample. Its message says why, worded to follow the row's number."""


class Notes:
    """Irregularities of a data set, counted by kind, with a few of the samples that have them."""

    def __init__(self) -> None:
        self._samples: dict[str, list[str]] = {}

    def add(self, kind: str, where: str) -> None:
        """Count an irregularity of this kind in the sample or row `where`."""
        self._samples.setdefault(kind, []).append(where)

    def lines(self) -> tuple[str, ...]:
        """Return one line for each kind, the most frequent first."""
        order = sorted(self._samples.items(), key=lambda item: (-len(item[1]), item[0]))
        return tuple(plurals.with_samples(kind, where) for kind, where in order)

    def count(self, subject: str) -> int:
        """Count the irregularities whose kind begins with `subject`."""
        return sum(len(where) for kind, where in self._samples.items() if kind.startswith(subject))


class RowLocation(NamedTuple):
    """Location of a row in a file."""

    file: str
    """The file's name without its ending."""
    number: int
    """The row's number, from 1."""


class DatasetForm(NamedTuple):
    """A form of labelled data: the columns that identify it, and the reader of its rows."""

    name: str
    columns: tuple[tuple[str, ...], ...]
    """Groups of columns that identify it: a row has all columns of one group."""
    read: Callable[[Values, RowLocation, Notes], Iterable[Sample]]
    """The samples of a row. Raises UnusableSampleError."""
    companion: Callable[[Path], Values] | None = None
    """Returns columns for every row of a file from another file beside it. Raises InputError."""


def sample_hints(samples: Iterable[Sample]) -> dict[str, SampleHints]:
    """Collect the details of each sample's response, by the sample's id, for `Tools.hints`.

    Segments without a position in the response are left out; the loader has counted them.
    """
    hints = {}
    for sample in samples:
        spans = sorted((gold.span for gold in sample.of("segment") if gold.span), key=lambda span: span.start)
        hints[sample.id] = SampleHints(tuple(spans), sample.tags.get("domain"))
    return hints
