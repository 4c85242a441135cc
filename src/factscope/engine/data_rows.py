"""The rows of a run's data: those that were left out, and the stored responses that are no longer among them.

A run has the same name as long as its data has, so a row may change, lose its text or be deleted between two calls. The
store keeps every record; this note says which of them count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from factscope.core.records import Record


class LeftOutRow(NamedTuple):
    """A row that is in no score."""

    row: int | str
    """Its number if it could not be read, otherwise the id of its response."""
    reason: str
    model: str | None = None
    """The model that wrote the response, where the row says so and the run recorded it."""

    def __str__(self) -> str:
        name = f"Row {self.row:,}" if isinstance(self.row, int) else f"Response {self.row}"
        return f"{name}: {self.reason}"


def left_out_by_model(rows: Iterable[LeftOutRow]) -> Counter[str | None]:
    """Count rows that were left out by model; `None` for those of which it is not known."""
    return Counter(row.model for row in rows)


@dataclass
class RowReading:
    """How far the rows of a data set were read."""

    limit: int | None = None
    """Rows that are read at most."""
    unread: list[LeftOutRow] = field(default_factory=list)
    """Rows that could not be read."""
    broken_off: bool = False
    """Whether further rows were lost, as when a file is cut short: nothing is known of them."""

    def restart(self) -> None:
        """Forget the rows read before, since they are read again."""
        self.unread.clear()
        self.broken_off = False

    def pass_over(self, number: int, reason: str, *, broken_off: bool, model: str | None) -> None:
        """Note a row that could not be read."""
        self.unread.append(LeftOutRow(number, reason, model))
        self.broken_off = self.broken_off or broken_off

    def is_whole(self, n_responses: int) -> bool:
        """Return whether these responses, with the unread rows, are all of the data."""
        below_limit = self.limit is None or n_responses + len(self.unread) < self.limit
        return below_limit and not self.broken_off


class DataRows(Record):
    """The note of a stored run about the rows of its data."""

    left_out: tuple[LeftOutRow, ...] = ()
    dropped: tuple[str, ...] = ()
    """Ids of stored responses that do not count: their rows were deleted, or were left out when last read."""

    def after(
        self, left_out: Collection[LeftOutRow], *, read_ids: Collection[str], counted: Collection[str], n_rows: int
    ) -> DataRows:
        """Return the note after the first `n_rows` rows were read again; of the others it stays as it is.

        `read_ids` are the ids of the responses read, `counted` those of them that were checked.
        """
        not_reached = tuple(
            earlier
            for earlier in self.left_out
            if (earlier.row > n_rows if isinstance(earlier.row, int) else earlier.row not in read_ids)
        )
        dropped = dict.fromkeys((*self.dropped, *read_ids))
        return DataRows(
            left_out=(*left_out, *not_reached), dropped=tuple(sorted(name for name in dropped if name not in counted))
        )

    @classmethod
    def of_all(cls, left_out: Collection[LeftOutRow], *, stored: Iterable[str], counted: Collection[str]) -> DataRows:
        """Return the note after all rows were read: of the stored responses, only these count."""
        return cls(left_out=tuple(left_out), dropped=tuple(name for name in stored if name not in counted))
