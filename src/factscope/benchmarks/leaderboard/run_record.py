"""A run of the store in the form that leaderboards need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from factscope.core.records import Report


class RunRecord(NamedTuple):
    """One stored run."""

    id: str
    title: str
    """Title of the checked responses."""
    date: str
    """When it was finished, otherwise when it was started: ISO, starting with the day."""
    factscope: str
    """Version that made it."""
    method: Mapping[str, Any]
    models: Mapping[str, str]
    """By role."""
    evidence: str | None
    """Hash of the searched sources; `None` if there were none."""
    reports: Mapping[str, Report]
    """By response id, each read when it is asked for."""
    left_out: Mapping[str | None, int] = MappingProxyType({})
    """Rows of its data that could not be checked, by model; `None` where that is not known."""

    @property
    def signature(self) -> tuple[str, ...]:
        """Return the settings that must be equal for two runs to share a table."""
        return repr(sorted(self.method.items())), repr(sorted(self.models.items())), self.evidence or "", self.factscope


def time_of(made: object) -> str | None:
    """Return the date on which a result file of any origin says that it was made; None when that is not a date."""
    try:
        return datetime.fromisoformat(str(made)).astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return None


Find = Callable[[str], RunRecord | None]
"""Returns the stored run with this id, if there is one."""
