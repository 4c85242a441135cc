"""Scores in FACTS Grounding by domain, type of task, length of the document, and position of the evidence.

The position is that of the excerpts that judges gave; omissions have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from factscope.benchmarks.examples import Example
from factscope.benchmarks.facts_grounding.score_table import VerdictArrays, final
from factscope.core import Interval, Record
from factscope.scoring.intervals import bounded_mean

LENGTH = "document length"
"""The tag for the number of words of a document: quarters of the examples, from the shortest."""
EVIDENCE = "position of the evidence"
"""The tag for the position of the judges' excerpts in a document: thirds of the document."""
_THIRDS = ("1 of 3, beginning", "2 of 3, middle", "3 of 3, end")
_TAGS = ("domain", "type", "high_level_type", LENGTH, EVIDENCE)
_QUARTERS = 4  # by length of the document
_MOST_VALUES = 20  # a column with more is free text, not a category


class PartScore(Record):
    """One model on the examples of one kind."""

    tag: str
    value: str
    model: str
    score: float | None
    """Mean over examples of the share of judges that call the response accurate and eligible."""
    n: int
    """Examples with a verdict."""
    of: int
    """Examples of this kind; the score is withheld where too few of them have a verdict."""
    interval: Interval | None
    """Of the score, over examples."""


def tags_of(rows: Sequence[Example], evidence_at: Mapping[str, float] | None = None) -> dict[str, dict[str, str]]:
    """Group the examples by id: columns of the public file, length of the document, position of the evidence.

    `evidence_at` says by example how far into its document the judges' excerpts are.
    """
    words = {row.id: sum(len((entry.text or "").split()) for entry in row.request.context) for row in rows}
    ends = np.quantile(list(words.values()), [0.25, 0.5, 0.75]) if any(words.values()) else np.array([])
    breakdowns = {}
    for row in rows:
        tags = {name: row.tags[name] for name in _TAGS if row.tags.get(name)}
        if len(ends):
            place = int(np.searchsorted(ends, words[row.id], side="left"))
            most = int(ends[place]) if place < len(ends) else max(words.values())
            tags[LENGTH] = f"{place + 1} of {_QUARTERS}, to {most:,} words"
        if evidence_at and row.id in evidence_at:
            tags[EVIDENCE] = _THIRDS[min(int(evidence_at[row.id] * len(_THIRDS)), len(_THIRDS) - 1)]
        breakdowns[row.id] = tags
    return breakdowns


def by_parts(
    verdicts: VerdictArrays, ids: Sequence[str], tags: Mapping[str, Mapping[str, str]], *, resamples: int, seed: int = 0
) -> tuple[PartScore, ...]:
    """Return scores of every model by each tag with several values.

    `ids` are of the examples in the order of the arrays.
    """
    values = final(verdicts)
    breakdowns = []
    for tag in dict.fromkeys(name for entry in tags.values() for name in entry):
        kinds = sorted({entry[tag] for entry in tags.values() if tag in entry})
        if not 1 < len(kinds) <= _MOST_VALUES:
            continue
        for kind in kinds:
            some = np.array([tags.get(name, {}).get(tag) == kind for name in ids])
            for m, model in enumerate(verdicts.models):
                rows = [row[~np.isnan(row)] for row in values[some, m]]
                means = [float(row.mean()) for row in rows if len(row)]
                enough = bool(means) and len(means) >= verdicts.least_coverage * len(rows)
                breakdowns.append(
                    PartScore(
                        tag=tag,
                        value=kind,
                        model=model,
                        score=sum(means) / len(means) if enough else None,
                        n=len(means),
                        of=len(rows),
                        interval=bounded_mean(means, 1.0, resamples=resamples, seed=seed) if enough else None,
                    )
                )
    return tuple(breakdowns)
