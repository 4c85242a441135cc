"""Agreement of coders on labels, and correlation of two lists of numbers. Each is `None` where it is undefined.

The measures of agreement follow from a table of the pairs of labels that coders gave to the same units. They take
tables of shape (…, labels, labels) and return values of shape (…), NaN where undefined, so that one call serves a
bootstrap.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations, product
from math import fsum, isnan, sqrt
from typing import TYPE_CHECKING, TypeVar

from factscope.core.records import Interval
from factscope.scoring.intervals import FEWEST, RESAMPLES, clustered_bootstrap

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Tables = NDArray[np.float64]
    Values = NDArray[np.float64]

T = TypeVar("T")
PairCounts = Mapping[tuple[Hashable, ...], float]
"""How often two labels meet on a unit, by pair of labels."""
_DUST = 1e-9  # a spread below it is the rounding of sums


def raw_agreement(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return the share of units with the same label. Raises ValueError on unequal lengths."""
    same = [a == b for a, b in zip(first, second, strict=True)]
    return sum(same) / len(same) if same else None


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa, `kappa_of` two coders' labels.

    It is `None` without units, and when both coders use the same single label. Raises ValueError on unequal lengths.
    """
    return measure_agreement([list(zip(first, second, strict=True))], crossed, kappa_of)[0]


def krippendorff_alpha(units: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Return Krippendorff's alpha, `alpha_of` one row per unit with one label per coder, `None` where one gave none.

    `None` when no unit has two labels, or only one label ever occurs.
    """
    return measure_agreement([units], coincidences, alpha_of)[0]


def measure_agreement(
    clusters: Iterable[T],
    count: Callable[[T], PairCounts],
    measure: Callable[[Tables], Values],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[float | None, Interval | None]:
    """Return a measure of the pairs that `count` reads from clusters, and its bootstrap interval over these."""
    import numpy as np

    counts = [count(cluster) for cluster in clusters]
    labels = list(dict.fromkeys(label for pairs in counts for pair in pairs for label in pair))
    rows = np.array([[pairs.get(pair, 0) for pair in product(labels, repeat=2)] for pairs in counts], dtype=np.float64)
    rows = rows.reshape(len(counts), len(labels) ** 2)

    def of_sums(sums: Tables) -> Values:
        return measure(sums.reshape(len(sums), len(labels), len(labels)))

    value = float(of_sums(rows.sum(axis=0, keepdims=True))[0])
    return None if isnan(value) else value, clustered_bootstrap(rows, of_sums, resamples=resamples, seed=seed)


def crossed(units: Iterable[tuple[Hashable | None, ...]]) -> PairCounts:
    """Count units by the labels of their two coders; a unit without one of them drops out."""
    return Counter(unit for unit in units if None not in unit)


def coincidences(units: Iterable[Sequence[Hashable | None]]) -> PairCounts:
    """Count the pairs of labels of each unit, over its number of labels minus one (Krippendorff 2011, section C).

    Units with fewer than two labels can't be compared and drop out.
    """
    pairs: dict[tuple[Hashable, ...], float] = defaultdict(float)
    for unit in units:
        labels = Counter(label for label in unit if label is not None)
        n_others = labels.total() - 1
        for (a, n), (b, k) in product(labels.items(), repeat=2) if n_others > 0 else ():
            pairs[a, b] += n * (k - (a == b)) / n_others
    return pairs


def raw_of(tables: Tables) -> Values:
    """Return the share of pairs with the same label."""
    return ratio(tables.trace(axis1=-2, axis2=-1), tables.sum((-2, -1)))


def kappa_of(tables: Tables) -> Values:
    """Return Cohen's kappa: agreement beyond chance, given each coder's shares of labels (Cohen 1960)."""
    chance = ratio((tables.sum(-2) * tables.sum(-1)).sum(-1), tables.sum((-2, -1)) ** 2)
    return ratio(raw_of(tables) - chance, 1 - chance)


def alpha_of(tables: Tables) -> Values:
    """Return Krippendorff's alpha of nominal labels, from a table of `coincidences` (Krippendorff 2011, section C)."""
    n = tables.sum((-2, -1))
    differing = n - tables.trace(axis1=-2, axis2=-1)
    return 1 - ratio((n - 1) * differing, n**2 - (tables.sum(-1) ** 2).sum(-1))


def ratio(top: ArrayLike, below: ArrayLike) -> Values:
    """Divide; NaN where `below` is 0."""
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.true_divide(top, below)
    return np.where(np.asarray(below) == 0, np.nan, values)


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Pearson's correlation; `None` with fewer than two pairs or when one side never changes."""
    n = len(first)
    if n < 2:
        return None
    a, b = fsum(first) / n, fsum(second) / n
    xs, ys = [x - a for x in first], [y - b for y in second]
    spread = sqrt(fsum(x * x for x in xs) * fsum(y * y for y in ys))
    if len(set(first)) == 1 or len(set(second)) == 1 or not spread:
        return None
    return max(-1.0, min(1.0, fsum(x * y for x, y in zip(xs, ys, strict=True)) / spread))


def pearson_interval(
    first: Sequence[float], second: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> Interval | None:
    """Return the bootstrap interval of `pearson` over pairs; `None` without `resamples` and with too few pairs."""
    import numpy as np

    if not resamples or len(first) < FEWEST:
        return None

    def correlations(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        n, x, y, xx, yy, xy = sums.T
        spread = (n * xx - x * x) * (n * yy - y * y)
        return np.where(spread > _DUST, (n * xy - x * y) / np.sqrt(np.maximum(spread, _DUST)), np.nan)

    # Standardised, so that a rounding error in a spread of 0 can be told from a small spread.
    x, y = ((np.array(side) - np.mean(side)) / (np.std(side) or 1.0) for side in (first, second))
    rows = np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
    return clustered_bootstrap(rows, correlations, resamples=resamples, seed=seed)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's correlation: Pearson's of the ranks; ties share their mean rank."""
    return pearson(ranks(first), ranks(second))


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b of two orders, which allows for ties; `None` when one side is constant."""
    pairs = combinations(zip(first, second, strict=True), 2)
    signs = [(_sign(a - c), _sign(b - d)) for (a, b), (c, d) in pairs]
    ordered = sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs))
    return sum(a * b for a, b in signs) / ordered if ordered else None


def ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from 1, the smallest first; ties share the mean of their ranks."""
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + 1 + bisect_right(ordered, value)) / 2 for value in values]


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
