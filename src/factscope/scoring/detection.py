"""Measures of error detection: a confusion matrix in which an error is the positive class.

FELM (Chen et al. 2023, section 4) and Facts&Evidence count in this way; FACTS Grounding makes the accurate response
positive, whose F1 is `f1_right`. Every measure takes counts of shape (…, 4), in the order of `Confusion`, and returns
values of shape (…), NaN where it is undefined, so that one call serves a bootstrap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from factscope.scoring.agreement import alpha_of, kappa_of, ratio

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Counts = NDArray[np.float64]
    Values = NDArray[np.float64]


class Confusion(NamedTuple):
    """Confusion matrix: units by their label and by the checker's flag."""

    tp: int = 0
    """Errors that were flagged."""
    fp: int = 0
    """Right units that were flagged."""
    fn: int = 0
    """Errors that were not flagged."""
    tn: int = 0
    """Right units that were not flagged."""

    @property
    def n(self) -> int:
        """All units."""
        return sum(self)


def precision(counts: Counts) -> Values:
    """Return the share of flagged units that are errors; undefined when none was flagged."""
    return ratio(counts[..., 0], counts[..., 0] + counts[..., 1])


def recall(counts: Counts) -> Values:
    """Return the share of errors that were flagged; undefined when there is no error."""
    return ratio(counts[..., 0], counts[..., 0] + counts[..., 2])


def specificity(counts: Counts) -> Values:
    """Return the share of right units that were not flagged; undefined when nothing is right."""
    return ratio(counts[..., 3], counts[..., 3] + counts[..., 1])


def f1(counts: Counts) -> Values:
    """Return the harmonic mean of precision and recall.

    0 when no error was found; undefined when there is neither an error nor a flag.
    """
    tp2 = 2 * counts[..., 0]
    return ratio(tp2, tp2 + counts[..., 1] + counts[..., 2])


def f1_right(counts: Counts) -> Values:
    """Return F1 of the right units; far higher than that of errors where errors are few."""
    return f1(counts[..., [3, 2, 1, 0]])


def macro_f1(counts: Counts) -> Values:
    """Return the mean of the F1 of both classes (FACTS Grounding, Table 2), not the F1 of mean precision and recall."""
    return (f1(counts) + f1_right(counts)) / 2


def balanced_accuracy(counts: Counts) -> Values:
    """Return the mean of recall on errors and on right units (FELM, Table 10).

    It is 0.5 for a checker that flags everything, or nothing.
    """
    return (recall(counts) + specificity(counts)) / 2


def accuracy(counts: Counts) -> Values:
    """Return the share of units that were classified correctly, which is the raw agreement with people's labels."""
    return ratio(counts[..., 0] + counts[..., 3], counts.sum(axis=-1))


def mcc(counts: Counts) -> Values:
    """Return Matthews' correlation, -1 to 1; undefined when one class is missing on either side."""
    import numpy as np

    tp, fp, fn, tn = (counts[..., index] for index in range(4))
    return ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def kappa(counts: Counts) -> Values:
    """Return Cohen's kappa with the human labels; undefined when chance alone explains full agreement."""
    return kappa_of(_table(counts))


def alpha(counts: Counts) -> Values:
    """Return Krippendorff's nominal alpha of checker and people."""
    table = _table(counts)
    return alpha_of(table + table.swapaxes(-2, -1))


def _table(counts: Counts) -> Counts:
    """Return counts as tables of flags by labels, shape (…, 2, 2)."""
    return counts.reshape(*counts.shape[:-1], 2, 2)


DETECTION_MEASURES: Mapping[str, Callable[[Counts], Values]] = {
    function.__name__: function
    for function in (precision, recall, f1, f1_right, macro_f1, balanced_accuracy, accuracy, mcc, kappa, alpha)
}
"""All measures by name."""


def read(name: str, counts: Confusion) -> float | None:
    """Return the value of one measure; `None` where it is undefined, never 0 instead.

    Raises KeyError for another name.
    """
    import numpy as np

    value = float(DETECTION_MEASURES[name](np.array(counts, dtype=np.float64)))
    return None if isnan(value) else value


def why_undefined(name: str, counts: Confusion) -> str | None:
    """Return why a measure has no value, or a misleading one; `None` when neither is the case."""
    errors, right, flagged = counts.tp + counts.fn, counts.tn + counts.fp, counts.tp + counts.fp
    if not counts.n:
        return "nothing was judged"
    if name == "f1" and errors and not flagged:
        return "nothing was flagged, so F1 is 0 by definition"
    if read(name, counts) is not None:
        return None
    reasons = {
        "there are no errors": not errors,
        "there is nothing right": not right,
        "nothing was flagged": not flagged,
        "everything was flagged": flagged == counts.n,
    }
    return " and ".join(reason for reason, holds in reasons.items() if holds)
