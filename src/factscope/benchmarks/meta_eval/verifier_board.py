"""Verifiers on labelled sets, compared with two baselines: counting shared words, and flagging everything."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Literal

from pydantic import Field

from factscope.benchmarks.figure_lines import FigureLine, lines_of
from factscope.benchmarks.meta_eval.calibration_fit import LabelledClaim, confusion_of
from factscope.claims.text.terms import terms
from factscope.core import Label, Record, group_by, many
from factscope.judging.verifiers.protocol import ClaimPair, LabelProbabilities, Prediction, Verifier
from factscope.report.document import NONE, Block, Paragraph, Title, notes, number_cell, table_of
from factscope.report.wording import percent
from factscope.scoring.confidence_calibration import auroc, ece
from factscope.scoring.detection import read

OVERLAP, FLAG_ALL = "word overlap", "flag everything"
ENOUGH = 0.7
"""Share of a claim's words that the evidence must contain for the baseline to call it supported; not fitted."""
AT_ONCE = 64
"""Pairs passed to a verifier at a time."""
_THREE: tuple[Label, ...] = ("supported", "contradicted", "not_enough_evidence")
MEASURES = ("auroc", "balanced_accuracy", "macro_f1", "macro_f1_three", "ece", "coverage", "pairs_per_second")
HEADS = {
    "auroc": "AUROC",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
    "macro_f1_three": "macro F1, three labels",
    "ece": "ECE",
    "coverage": "coverage",
    "pairs_per_second": "pairs/s",
    "megabytes": "MB",
}


class VerifierRow(Record):
    """One verifier on one set."""

    verifier: str
    dataset: str
    n: int = Field(ge=0)
    """Labelled pairs."""
    auroc: float | None = None
    """Of the probability that a claim is not supported."""
    balanced_accuracy: float | None = None
    """Supported against the rest, of the pairs that were answered, at the verifier's own threshold."""
    macro_f1: float | None = None
    """Of these two classes."""
    macro_f1_three: float | None = None
    """Of supported, contradicted and not enough evidence, if both set and verifier have them."""
    ece: float | None = None
    """Expected calibration error of the chance of support, ten bins."""
    coverage: float | None = None
    """Share of pairs on which it did not abstain."""
    pairs_per_second: float | None = None
    """Without the time for loading."""
    megabytes: int | None = None
    """Most memory of the judging process in MB, including Python and this package; None when unknown."""


class VerifierBoard(Record):
    """All rows."""

    type: Literal["verifiers"] = "verifiers"
    rows: tuple[VerifierRow, ...]
    left_out: tuple[str, ...] = ()
    """Sets, rows and verifiers that could not be measured, with reasons."""
    machine: str
    factscope: str
    made: str


class Overlap:
    """The baseline that counts the claim's words in the evidence."""

    name = OVERLAP

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        """Return supported where at least `ENOUGH` of a claim's words are in the evidence."""
        predictions_made = []
        for pair in pairs:
            words, passage_words = set(terms(pair.claim)), set(terms(pair.passage))
            share = len(words & passage_words) / len(words) if words else 0.0
            label: Label = "supported" if share >= ENOUGH else "not_supported"
            sure = share if share >= ENOUGH else 1 - share
            predictions_made.append(Prediction(label, sure, None, "", LabelProbabilities(share)))
        return predictions_made


class FlagAll:
    """The baseline that supports nothing."""

    name = FLAG_ALL

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        """Return not supported for every pair, without a probability."""
        return [Prediction("not_supported", 1.0, None, "")] * len(pairs)


def predicted(verifier: Verifier, pairs: Sequence[ClaimPair]) -> list[Prediction]:
    """Ask a verifier about many pairs. Raises its errors."""
    batches = (pairs[start : start + AT_ONCE] for start in range(0, len(pairs), AT_ONCE))
    return [prediction for batch in batches for prediction in verifier.verify(batch)]


def measured(verifier: Verifier, dataset: str, rows: Sequence[LabelledClaim]) -> VerifierRow:
    """Return one verifier on one set. Raises its errors."""
    verifier.verify([rows[0].pair])  # loaded before the clock runs
    begun = perf_counter()
    predictions = predicted(verifier, [row.pair for row in rows])
    seconds = perf_counter() - begun
    baseline = verifier.name in (OVERLAP, FLAG_ALL)
    pairs = list(zip(predictions, rows, strict=True))
    judged = [(estimate.supported, row.supported) for each, row in pairs if (estimate := each.probabilities)]
    p, wrong = [1 - supported for supported, _ in judged], [not right for _, right in judged]
    answered = [(each.label, row) for each, row in pairs if each.confidence is not None]
    counts = confusion_of((row.supported, label != "supported") for label, row in answered)
    return VerifierRow(
        verifier=verifier.name,
        dataset=dataset,
        n=len(rows),
        auroc=0.5 if verifier.name == FLAG_ALL else auroc(p, wrong),
        balanced_accuracy=read("balanced_accuracy", counts),
        macro_f1=read("macro_f1", counts),
        macro_f1_three=None if baseline else _three(answered),
        ece=None if baseline else ece(p, wrong),
        coverage=len(answered) / len(rows),
        pairs_per_second=None if verifier.name == FLAG_ALL else round(len(rows) / seconds, 1),
        megabytes=None if baseline else most_memory(),
    )


def _three(answered: Sequence[tuple[Label, LabelledClaim]]) -> float | None:
    """Return the mean F1 of three labels; `irrelevant` counts as not enough.

    None where the set or the verifier has only two.
    """
    rows = [("not_enough_evidence" if label == "irrelevant" else label, row.label) for label, row in answered]
    if {gold for _, gold in rows} != set(_THREE) or any(label == "not_supported" for label, _ in rows):
        return None
    of_labels = (confusion_of((gold != label, answer == label) for answer, gold in rows) for label in _THREE)
    return fmean(read("f1", counts) or 0.0 for counts in of_labels)


def most_memory() -> int | None:
    """Return the most memory that this process has had, in MB."""
    if not sys.platform.startswith("linux"):
        return None
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return round(int(line.split()[1]) / 1024)
    return None


def means(rows: Sequence[VerifierRow]) -> Iterator[VerifierRow]:
    """Yield the mean over sets for each verifier that has several, each set counting the same.

    A measure that one of the sets lacks has none: it would be the mean of fewer sets than the row says.
    """
    for name, group in group_by(rows, lambda row: row.verifier).items():
        if len(group) > 1:
            values = {measure: [getattr(row, measure) for row in group] for measure in MEASURES}
            yield VerifierRow(
                verifier=name,
                dataset=f"mean of {len(group)}",
                n=sum(row.n for row in group),
                megabytes=max((row.megabytes for row in group if row.megabytes), default=None),
                **{measure: None if None in of_sets else fmean(of_sets) for measure, of_sets in values.items()},
            )


def cells(row: VerifierRow) -> tuple[str, ...]:
    """Return verifier and measures, for a table."""
    figures = (number_cell(getattr(row, name), 3) for name in MEASURES[:-2])
    coverage = NONE if row.coverage is None else percent(row.coverage)
    return row.verifier, *figures, coverage, number_cell(row.pairs_per_second, 0), number_cell(row.megabytes, 0)


def figure_lines(board: VerifierBoard) -> Iterator[FigureLine]:
    """Yield every figure of each row, and of the means."""
    for row in (*board.rows, *means(board.rows)):
        yield from lines_of(row.dataset, row.verifier, {name: getattr(row, name) for name in HEADS}, n=row.n)


def document(board: VerifierBoard) -> Iterator[Block]:
    """Yield the tables, with date and version, and the parts left out."""
    yield Paragraph(f"Factscope {board.factscope}, {board.made[:10]}, {board.machine}.")
    for name, rows in group_by([*board.rows, *means(board.rows)], lambda row: row.dataset).items():
        yield Title(f"{name}, {many(rows[0].n, 'pair')}")
        yield table_of(("verifier", *HEADS.values()), map(cells, rows))
    yield from notes(f"Left out: {text}" for text in board.left_out)
