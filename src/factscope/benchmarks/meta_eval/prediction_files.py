"""Anyone's recorded predictions, as JSON lines: scored without running anything.

    {"id": "wk-12", "unit": "g3", "wrong": true, "p_wrong": 0.83}      of one labelled unit, by its id
    {"id": "wk-12", "start": 0, "end": 41, "label": "supported"}       of a place in the response
    {"id": "wk-12", "wrong": false}                                    of the response, or of its only unit
    {"id": "wk-12", "labels": [true, false, true]}                     of all its segments in order: true for right

`wrong` or `label` is the prediction; `p_wrong`, from 0 to 1, and `reason` are optional. `tendency`, also from 0 to 1,
is the score by which the AUROC orders units, if that is not `p_wrong`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from factscope.benchmarks.datasets.labelled_rows import Notes, UnusableSampleError
from factscope.benchmarks.meta_eval.matching import levels_of, matched
from factscope.benchmarks.meta_eval.predictions import CheckerPrediction, Rule, flagged, tendency
from factscope.benchmarks.meta_eval.tasks import Units
from factscope.core import OUTCOMES, InputError, Outcome, Sample, Span, json_object, plurals, user_text, write_whole

_WORDS: Mapping[str, Outcome] = {
    **{outcome: outcome for outcome in OUTCOMES if outcome != "excluded"},  # only a person excludes
    "not_supported": "undecided",
    "not_enough_evidence": "undecided",
    "not_enough": "undecided",
    "irrelevant": "no_evidence",
}


class RecordedPredictions(NamedTuple):
    """The predictions of a file."""

    predictions: dict[str, list[CheckerPrediction]]
    """By sample."""
    notes: tuple[str, ...]
    """Irregularities, one line for each kind with its count."""
    reading: str | None = None
    """How its lists of labels were read; `None` without any."""


class _ReadRow(NamedTuple):
    """The predictions of a row."""

    sample: str
    predictions: list[CheckerPrediction]
    problem: str | None = None
    """Kind of problem, when its unit is known and left unanswered."""
    is_list: bool = False
    """Whether it is a list of labels."""


def read_predictions(path: Path, samples: Sequence[Sample], rule: Rule) -> RecordedPredictions:
    """Return the predictions of a file. Faulty rows are counted, and leave their units unanswered.

    A unit with two different predictions is left unanswered. Raises UsageError if the file does not exist, and
    InputError if nothing in it can be used.
    """
    text = user_text(path, f"The file of predictions {path}", "Check the name.", broken=InputError)
    by_id = {sample.id: sample for sample in samples}
    predictions_by_id: dict[str, dict[str, list[CheckerPrediction]]] = defaultdict(lambda: defaultdict(list))
    usable, n_lists = set(), 0
    notes = Notes()
    for number, line in enumerate(text.split("\n"), 1):  # a JSON text may hold other line ends
        if not line.strip():
            continue
        try:
            row = _row(line, by_id, rule)
        except UnusableSampleError as error:
            notes.add(str(error), f"line {number:,}")
            continue
        if row.problem:
            notes.add(row.problem, f"line {number:,}")
        else:
            usable.add(row.sample)
        n_lists += row.is_list
        for prediction in row.predictions:
            place = f"{prediction.span.start}-{prediction.span.end}" if prediction.span else ""
            predictions_by_id[row.sample][prediction.gold or place].append(prediction)
    if not usable:
        raise InputError(
            f"{path} contains no prediction that can be used: {'; '.join(notes.lines()) or 'it is empty'}.", _FORM
        )
    merged = {
        name: [_merge(group, f"{name} {key}".strip(), notes) for key, group in units.items()]
        for name, units in predictions_by_id.items()
    }
    for name in by_id:
        if name not in usable:
            notes.add("samples without a prediction", name)
    return RecordedPredictions(merged, notes.lines(), _reading(n_lists))


_FORM = 'One object on each line, such as {"id": "a1", "unit": "g2", "wrong": true, "p_wrong": 0.8}.'


def _reading(n_lists: int) -> str | None:
    """State how lists of labels are read: in `wrong`, true means the opposite, and a mix-up would go unnoticed."""
    lists = plurals.many(n_lists, "list of labels", "lists of labels")
    return f"{lists}, read as true = right and false = wrong" if n_lists else None


def _merge(predictions: Sequence[CheckerPrediction], where: str, notes: Notes) -> CheckerPrediction:
    if len(predictions) > 1:
        notes.add("units predicted more than once", where)
    if len({(entry.flagged, entry.p_wrong) for entry in predictions}) > 1:
        notes.add("units with predictions that differ, left unanswered", where)
        return predictions[0]._replace(flagged=None, p_wrong=None, tendency=None, outcome=None)
    return predictions[0]


def _row(line: str, samples: Mapping[str, Sample], rule: Rule) -> _ReadRow:
    try:
        row = json_object(line.encode())
    except ValueError:
        raise UnusableSampleError("lines that are not JSON objects") from None
    name = str(row.get("id"))
    sample = samples.get(name)
    if sample is None:
        raise UnusableSampleError("predictions for samples that the data set does not have")
    if "labels" in row:
        return _ReadRow(name, _all_segments(row["labels"], sample), is_list=True)
    unit, span = _unit(row, sample), None
    if unit is None and ("start" in row or "end" in row):
        span = _span(row, sample)
    try:
        prediction, problem = _prediction(row, rule), None
    except UnusableSampleError as error:
        prediction, problem = CheckerPrediction(None), str(error)
    return _ReadRow(name, [prediction._replace(gold=unit, span=span)], problem)


def _unit(row: Mapping[str, Any], sample: Sample) -> str | None:
    if (unit := row.get("unit")) is None:
        return None
    if str(unit) not in {gold_label.id for gold_label in sample.gold}:
        raise UnusableSampleError("predictions for units that their sample does not have")
    return str(unit)


def _prediction(row: Mapping[str, Any], rule: Rule) -> CheckerPrediction:
    text, p, order = _verdict(row, rule), _probability(row, "p_wrong"), _probability(row, "tendency")
    order = next((value for value in (order, p, text.tendency) if value is not None), None)
    return text._replace(p_wrong=p, tendency=order, reason=_reason(row.get("reason")))


def _all_segments(labels: Any, sample: Sample) -> list[CheckerPrediction]:
    segments = sample.of("segment")
    if not isinstance(labels, list) or len(labels) != len(segments):
        raise UnusableSampleError("lists of labels that are not as long as the sample has segments")
    if not all(label is None or isinstance(label, bool) for label in labels):
        raise UnusableSampleError("labels that are not in the set: a list holds true, false or null")
    return [
        CheckerPrediction(None if label is None else not label, gold=segment.id)
        for label, segment in zip(labels, segments, strict=True)
    ]


def _verdict(row: Mapping[str, Any], rule: Rule) -> CheckerPrediction:
    if "wrong" in row:
        if not (row["wrong"] is None or isinstance(row["wrong"], bool)):
            raise UnusableSampleError("labels that are not in the set: wrong is true, false or null")
        return CheckerPrediction(row["wrong"])
    if "label" not in row:
        raise UnusableSampleError("predictions that say neither wrong nor label")
    word = str(row["label"]).strip().casefold().replace(" ", "_")
    outcome = _WORDS.get(word)
    if outcome is None:
        raise UnusableSampleError(f"labels that are not in the set: {str(row['label'])[:40]!r}")
    return CheckerPrediction(
        flagged(outcome, rule),
        outcome=outcome,
        tendency=tendency(outcome, None),
        has_evidence=word == "irrelevant",  # evidence, but none that bears on it
    )


def _probability(row: Mapping[str, Any], name: str) -> float | None:
    if (cell := row.get(name)) is None:
        return None
    if isinstance(cell, bool) or not isinstance(cell, int | float) or not 0 <= cell <= 1:  # nor is NaN
        raise UnusableSampleError(f"{name} that is not a number from 0 to 1")
    return float(cell)


def _reason(cell: Any) -> str | None:
    """Return the text with lone surrogates replaced, so that it can be written as UTF-8."""
    return str(cell)[:2_000].encode("utf-8", errors="replace").decode() if cell else None


def _span(row: Mapping[str, Any], sample: Sample) -> Span:
    start, end = row.get("start"), row.get("end")
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(sample.response or "")):
        raise UnusableSampleError("places that are not in the response")
    return Span(start=start, end=end)


def prediction_rows(
    samples: Sequence[Sample], predictions: Mapping[str, Sequence[CheckerPrediction]], units: Units
) -> Iterator[dict[str, Any]]:
    """Yield a checker's predictions for every labelled unit, in the format of `read_predictions`.

    So that the same figures come of them, a unit without an answer has a row too, and so has a response whose label
    follows from those of its units.
    """
    for level in levels_of(samples):
        for one in matched(samples, level, predictions, units=units):
            answer, unit = one.answer, {"unit": one.gold.id} if one.gold in one.sample.gold else {}
            stated = {
                "p_wrong": None if answer.flagged is None else answer.p_wrong,
                "tendency": None if answer.flagged is None or answer.tendency == answer.p_wrong else answer.tendency,
                "reason": next((each.reason for each in one.predictions if each.flagged == answer.flagged), None),
            }
            known = {name: value for name, value in stated.items() if value is not None}
            yield {"id": one.sample.id, **unit, "wrong": answer.flagged, **known}


def write_predictions(
    path: Path, samples: Sequence[Sample], predictions: Mapping[str, Sequence[CheckerPrediction]], units: Units
) -> int:
    """Write `prediction_rows` as JSON lines. Returns the number of labelled units with an answer; raises OSError."""
    rows = list(prediction_rows(samples, predictions, units))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (f"{json.dumps(row, ensure_ascii=False)}\n".encode() for row in rows))
    return sum("unit" in row and row["wrong"] is not None for row in rows)
