"""Cost and best possible benefit of a cascade, without a model: share passed on, and quality of the verdicts that stay.

    .venv/bin/python perf/cascade.py --data DATA --write docs/cascade.md

Labelled pairs that the built-in verifier was not trained on: the held-out rows of six sets, and rows of two sets of
which it saw none. Each is judged by the verifier; the cascade's own rule says which claims go on to a model. *At most*
is the agreement with a model that judged these as people did. The columns for a model that is right on 90 % or 80 % of
what it is asked are arithmetic on an assumption, not measurements: no model is called. Prints tables as Markdown; with
`--write` they take the place of those between the marks in that page, and the picture beside them is drawn again.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from held_out import ROOT, held_out, pasted
from numpy.typing import NDArray

from factscope.benchmarks.meta_eval import plots
from factscope.benchmarks.meta_eval.predictions import flagged
from factscope.core.labels import Outcome
from factscope.core.records import Claim, Interval, Judgement
from factscope.engine.find_method import find_method
from factscope.judging.verifiers.builtin import load
from factscope.judging.verifiers.protocol import ClaimPair, Prediction, Verifier
from factscope.judging.verifiers.verifier_cascade import is_confident
from factscope.methods import Cascade
from factscope.report.states import DARK, LIGHT
from factscope.scoring.intervals import RESAMPLES, percentiles
from factscope.scoring.verdicts.claim_verdict import claim_verdict

if TYPE_CHECKING:
    from training.features.data import Row

AT = (0.0, *(round(0.5 + 0.05 * step, 2) for step in range(10)), 0.99)
MODELS = (0.9, 0.8)
"""Agreement that is assumed of a model on what it is asked: no measurement."""
LOSSES = (0.01, 0.02, 0.05, 0.1)
MARKS = ("<!-- curve: made by perf/cascade.py -->", "<!-- curve: end -->")
PICTURE = "images/cascade-curve.svg"
LABELS: Mapping[Outcome, str] = {"supported": "supported", "contradicted": "contradicted"}
"""Labels of the outcomes that have one of their own; of the others it is not enough evidence."""

Array = NDArray[np.float64]
_N, _PASSED, _RIGHT, _EXACT = range(4)
"""Sums over rows, for the verifier alone and then at each of `AT`."""


class Laid(NamedTuple):
    """One set, with the sums over its rows by cluster."""

    name: str
    sums: Array
    """Clusters of rows that share a claim or a passage × (no model, then each of AT) × what is added up."""
    three: bool
    """Whether its labels tell contradicted from not enough evidence."""

    @property
    def n(self) -> int:
        """Rows."""
        return int(self.sums[:, 0, _N].sum())


def main() -> int:
    """Measure, print and write; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the labelled sets")
    parser.add_argument("--write", type=Path, help="page to write the tables into; its picture is drawn again")
    asked = parser.parse_args()
    verifier = load()
    sets = [lay(name, rows, verifier) for name, rows in held_out(asked.data)]
    text = "\n".join(told(sets, verifier.name))
    print(text)
    if asked.write:
        page = asked.write.read_text(encoding="utf-8")
        asked.write.write_text(pasted(page, text, MARKS), encoding="utf-8")
        (asked.write.parent / PICTURE).write_text(drawn(sets), encoding="utf-8")
    return 0


def lay(name: str, rows: Sequence[Row], verifier: Verifier) -> Laid:
    """Judge the rows, and add up what each cluster of them comes to."""
    opinions = verifier.verify([ClaimPair(row.claim, row.passage) for row in rows])
    clusters: dict[str, Array] = {}
    for number, (row, opinion) in enumerate(zip(rows, opinions, strict=True)):
        key = row.group or str(number)
        clusters[key] = clusters.get(key, 0) + counted(row.label, opinion)
    labels = {row.label for row in rows}
    return Laid(name, np.array(list(clusters.values())), {"contradicted", "not_enough_evidence"} <= labels)


def counted(label: str, opinion: Prediction) -> Array:
    """Count one row, (no model, then each of AT) × (1, passed on, kept and right, kept and the label exactly).

    Right is what `factscope meta` calls so: flagged when people do not call it supported, and only then.
    """
    judgement = Judgement(
        id="s1.c1.p1.j1",
        unit_id="s1.c1",
        passage_ids=("s1.c1.p1",),
        judge="verifier",
        label=opinion.label,
        confidence=opinion.confidence,
    )
    claim = Claim(id="s1.c1", segment_id="s1", text="x", standalone="x")
    outcome = claim_verdict(claim, [judgement], [], find_method("cascade").roll_up).outcome
    right = flagged(outcome, "unsupported") == (label != "supported")
    exact = LABELS.get(outcome, "not_enough_evidence") == label
    kept = np.array([True, *(is_confident([judgement], at) for at in AT)])
    return np.stack([np.ones(len(kept)), ~kept, kept & right, kept & exact], axis=1).astype(np.float64)


def figures(sums: Array) -> dict[str, Array]:
    """Return shares from sums, of any shape but for the last axis.

    NaN for the agreement of what is kept where nothing is.
    """
    n, passed, right, exact = (sums[..., place] for place in range(4))
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "passed": passed / n,
            "kept": right / (n - passed),
            "most": (right + passed) / n,
            "kept_exact": exact / (n - passed),
            "most_exact": (exact + passed) / n,
            **{f"model {share:g}": (right + share * passed) / n for share in MODELS},
        }


def mean(sets: Sequence[Laid]) -> dict[str, Array]:
    """Return each figure at each threshold, mean over sets; NaN for what is kept where a set keeps nothing."""
    return _over([figures(one.sums.sum(axis=0)) for one in sets])


def intervals(sets: Sequence[Laid]) -> dict[str, list[Interval | None]]:
    """Return 95 % bootstrap intervals of the means: clusters are drawn within each set."""
    chance = np.random.default_rng(0)
    found = []
    for one in sets:
        n = len(one.sums)
        drawn = chance.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
        found.append(figures(np.tensordot(drawn, one.sums, axes=1)))
    n = min(len(one.sums) for one in sets)
    return {
        name: [percentiles(values[:, at], n) for at in range(values.shape[1])] for name, values in _over(found).items()
    }


def _over(sets: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    return {name: np.mean([one[name] for one in sets], axis=0) for name in sets[0]}


def told(sets: Sequence[Laid], verifier: str) -> Iterator[str]:
    """Yield the tables and a summary at the default, as Markdown, line by line."""
    found, sure = mean(sets), intervals(sets)
    three = [one for one in sets if one.three]
    exact = mean(three)
    day = datetime.now(UTC).date().isoformat()
    yield f"`{verifier}`, {day}: {sum(one.n for one in sets):,} labelled pairs of {len(sets)} sets; the mean over sets,"
    yield f"with 95 % bootstrap intervals. *Three labels* is the mean over {_listed(three)}."
    yield ""
    models = " | ".join(f"assumed model, {_share(share)}" for share in MODELS)
    yield f"| `at` | passed on | kept: agrees | at most | {models} | three labels: kept | at most |"
    yield "|--:|--:|--:|--:|" + "--:|" * len(MODELS) + "--:|--:|"
    for place, at in enumerate((None, *AT)):
        cells = [
            "verifier alone" if at is None else f"{at:g}",
            _share(found["passed"][place], None if at is None else sure["passed"][place]),
            _agreement(found["kept"][place], sure["kept"][place]),
            _agreement(found["most"][place], sure["most"][place]),
            *(_agreement(found[f"model {share:g}"][place]) for share in MODELS),
            _agreement(exact["kept_exact"][place]),
            _agreement(exact["most_exact"][place]),
        ]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield from _chosen(found)
    yield ""
    yield from _by_set(sets)


def _chosen(found: Mapping[str, Array]) -> Iterator[str]:
    """Describe the cost of the default, and the share to pass on for a given loss."""
    place, default = 1 + AT.index(_default()), _default()
    spared, lost = _share(1 - found["passed"][place]), 100 * (1 - found["most"][place])
    yield f"At the default of {default:g} the model is spared {spared} of the claims; {lost:.1f} % of all"
    yield "claims are kept with a verdict that people do not share, and no model corrects these. By the loss:"
    yield ""
    yield "| loss at most | `at` | calls spared |"
    yield "|--:|--:|--:|"
    for loss in LOSSES:
        enough = [at for at in range(1, len(AT) + 1) if 1 - found["most"][at] <= loss]
        first = min(enough, key=lambda at: found["passed"][at], default=None)
        cells = ("none of these", "") if first is None else (f"{AT[first - 1]:g}", _share(1 - found["passed"][first]))
        yield f"| {_share(loss)} | {' | '.join(cells)} |"


def _by_set(sets: Sequence[Laid]) -> Iterator[str]:
    places = [1 + AT.index(at) for at in (0.7, _default(), 0.95)]
    heads = [f"at {AT[place - 1]:g}: passed on | at most" for place in places]
    yield f"| set | pairs | verifier alone | {' | '.join(heads)} |"
    yield "|---|--:|--:|" + "--:|" * 2 * len(places)
    for one in sets:
        found = figures(one.sums.sum(axis=0))
        cells = [_agreement(found["most"][0])]
        for place in places:
            cells += [_share(found["passed"][place]), _agreement(found["most"][place])]
        yield f"| {one.name} | {one.n} | {' | '.join(cells)} |"


def drawn(sets: Sequence[Laid]) -> str:
    """Return the picture: agreement over the share passed on, for a page in light or dark."""
    found, sure = mean(sets), intervals(sets)

    def points(name: str, *, whiskers: bool = False) -> tuple[plots.PlotPoint, ...]:
        made = []
        for place, at in enumerate(AT, 1):
            ends = sure[name][place] if whiskers else None
            low, high = (ends.low, ends.high) if ends else (None, None)
            made.append(plots.PlotPoint(found["passed"][place], plots.Bar(f"{at:g}", found[name][place], low, high)))
        return tuple(made)

    alone = plots.PlotPoint(0.0, plots.Bar("", found["most"][0]))
    series = [plots.Curve("at most", points("most", whiskers=True))]
    series += [
        plots.Curve(f"model assumed, {_share(share)}", points(f"model {share:g}"), has_label=False) for share in MODELS
    ]
    series.append(plots.Curve("no model", (alone,), has_label=False))
    title = "Agreement with people over the share of claims that are passed on, by the confidence asked for"
    svg = str(
        plots.curve(
            title, "share passed on to the model (above the points: `at`)", "agreement with people", series, (0.6, 1.0)
        )
    )
    width, height = (float(size) for size in re.findall(r'viewBox="0 0 (\d+) (\d+)"', svg)[0])
    box = f'viewBox="-16 -12 {width + 32:.0f} {height + 24:.0f}" width="{width + 32:.0f}"'
    svg = re.sub(r'viewBox="[^"]*" width="\d+"', f'xmlns="http://www.w3.org/2000/svg" {box}', svg, count=1)
    ground = f'<rect class="ground" x="-16" y="-12" width="{width + 32:.0f}" height="{height + 24:.0f}"/>'
    return svg.replace("</title>", f"</title><style>{_style()}</style>{ground}", 1) + "\n"


def _style() -> str:
    """Return the style of the plots on Factscope's pages, with its own ground.

    The page around it may be of either shade.
    """
    sheet = (ROOT / "src" / "factscope" / "benchmarks" / "meta_eval" / "meta.css").read_text(encoding="utf-8")
    plot = "".join(line for line in sheet.splitlines() if line.startswith(".plot"))
    return (
        f":root{{--sans:system-ui,sans-serif;{_colours(LIGHT)}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{_colours(DARK)}}}}}{plot}.ground{{fill:var(--page)}}"
    )


def _colours(theme: Any) -> str:
    return ";".join(f"--{name}:{getattr(theme, name)}" for name in ("page", "text", "muted", "link", "rule"))


def _default() -> float:
    return float(Cascade.model_fields["at"].default)


def _listed(sets: Sequence[Laid]) -> str:
    return ", ".join(one.name for one in sets)


def _share(value: float, ends: Interval | None = None) -> str:
    return f"{100 * value:.0f} %" + (f" ({100 * ends.low:.0f}–{100 * ends.high:.0f})" if ends else "")


def _agreement(value: float, ends: Interval | None = None) -> str:
    if np.isnan(value):
        return "–"
    return _three(value) + (f" ({_three(ends.low)}–{_three(ends.high)})" if ends else "")


def _three(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


if __name__ == "__main__":
    sys.exit(main())
