"""A labelled data set by domain: the statistics that its paper prints (FELM, Table 2, Figures 3 and 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from factscope.core import Record, Sample

ALL = "all"
UNTYPED = "no type"


class DatasetGroup(Record):
    """A domain, or all domains."""

    name: str
    samples: int
    """Labelled texts."""
    without_text: int
    """Of these, samples without text."""
    wrong_samples: int
    """Texts in which annotators found an error."""
    units: dict[str, int]
    """Labelled units by level: claims, segments."""
    wrong: dict[str, int]
    """Of these, units labelled wrong."""
    unlabelled: dict[str, int]
    """Of these, units that annotators could not decide."""
    error_types: dict[str, int]
    """Wrong units by type of error."""
    with_references: int
    """Number of texts with references."""
    words: float | None
    """Words of a text, on average; `None` where none has any."""

    @property
    def error_rate(self) -> float | None:
        """Return the share of texts with an error."""
        return self.wrong_samples / self.samples if self.samples else None


def described(samples: Sequence[Sample], by: str = "domain") -> tuple[DatasetGroup, ...]:
    """Return all samples first, and then those of each value of the tag `by`, in the order in which the values come."""
    names = dict.fromkeys(sample.tags[by] for sample in samples if by in sample.tags)
    groups = (_group(name, [sample for sample in samples if sample.tags.get(by) == name]) for name in names)
    return (_group(ALL, samples), *groups)


def _group(name: str, samples: Sequence[Sample]) -> DatasetGroup:
    units = [unit for sample in samples for unit in sample.gold if unit.level != "response"]
    wrong = [unit for unit in units if unit.factual is False]
    lengths = [len(sample.response.split()) for sample in samples if sample.response]
    return DatasetGroup(
        name=name,
        samples=len(samples),
        without_text=sum(not sample.response for sample in samples),
        wrong_samples=sum(any(unit.factual is False for unit in sample.gold) for sample in samples),
        units=_counts(unit.level for unit in units),
        wrong=_counts(unit.level for unit in wrong),
        unlabelled=_counts(unit.level for unit in units if unit.factual is None),
        error_types=_counts(unit.error_type or UNTYPED for unit in wrong),
        with_references=sum(bool(sample.context) for sample in samples),
        words=sum(lengths) / len(lengths) if lengths else None,
    )


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())
