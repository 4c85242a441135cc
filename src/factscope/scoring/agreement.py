"""Agreement of coders on labels, and correlation of two lists of numbers. Each is `None` where it is undefined."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations
from math import fsum, sqrt


def raw_agreement(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return the share of units with the same label. Raises ValueError on unequal lengths."""
    same = [a == b for a, b in zip(first, second, strict=True)]
    return sum(same) / len(same) if same else None


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa: agreement beyond chance, given each coder's shares of labels (Cohen 1960).

    It is `None` without units, and when both coders use the same single label. Raises ValueError on unequal lengths.
    """
    observed = raw_agreement(first, second)
    if observed is None:
        return None
    n, first_counts, second_counts = len(first), Counter(first), Counter(second)
    chance = sum(first_counts[label] * second_counts[label] for label in first_counts) / n**2
    return None if chance == 1 else (observed - chance) / (1 - chance)


def krippendorff_alpha(units: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Return Krippendorff's alpha of nominal labels (Krippendorff 2011, section C).

    One row per unit, one label per coder and `None` where a coder gave none; any number of coders. Units with fewer
    than two labels can't be compared and drop out. `None` when nothing is left, or only one label ever occurs.
    """
    difference, total = 0.0, Counter[Hashable]()
    for row in units:
        labels = Counter(label for label in row if label is not None)
        m = labels.total()
        if m < 2:
            continue
        total.update(labels)
        difference += (m * m - sum(n * n for n in labels.values())) / (m - 1)
    n = total.total()
    expected = n * n - sum(count * count for count in total.values())
    return 1 - (n - 1) * difference / expected if expected else None


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
