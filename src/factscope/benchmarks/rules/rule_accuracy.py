"""Accuracy of the rules: precision and recall on labelled texts of ours that they were not written on.

`refusals.jsonl` holds 220 answers with a category of refusal, `requests.jsonl` 210 requests with a class of FactBench's
filter, each in two halves of the same mix. The rules were written on one half; the other was written before either rule
and read by neither. All have the same author and are in plain English, so real logs are harder: the figures are an
upper limit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

from factscope.benchmarks.rules.refusal_rule import category_of, refuses
from factscope.benchmarks.rules.request_rule import kind_by_rule
from factscope.core import Record
from factscope.scoring.means import Proportion, proportion

HELD_OUT = "held out"
"""The half that no rule was written on."""


class RuleAccuracy(Record):
    """Accuracy of a rule on labelled texts."""

    about: str
    """Its purpose, in words."""
    n: int
    """Labelled texts."""
    precision: Proportion
    """Precision: the share of its picks that are right."""
    recall: Proportion
    """Recall: the share of true cases that it picks."""
    sorted_right: Proportion
    """Accuracy: the share of all cases that it puts into the right class."""

    def sentence(self) -> str:
        """Return the figures in a sentence."""
        return (
            f"The rule for {self.about} has precision {_figure(self.precision)} and recall {_figure(self.recall)} on"
            f" {self.n} labelled texts that it was not written on, and puts {_figure(self.sorted_right)} of them into"
            " the right class; real logs are harder."
        )


def refusal_accuracy() -> RuleAccuracy:
    """Return the rule for refusals, on the answers that are held out."""
    rows = labelled("refusals.jsonl", HELD_OUT)
    truth = [row["category"] for row in rows]
    labels = [(category_of(row["response"]) or -1) if refuses(row["response"]) else 0 for row in rows]
    return _accuracy("refusals", truth, labels, lambda label: label != 0)


def request_accuracy() -> RuleAccuracy:
    """Return the rule for requests that call for facts of the world, on the requests that are held out."""
    rows = labelled("requests.jsonl", HELD_OUT)
    truth, labels = [row["kind"] for row in rows], [kind_by_rule(row["prompt"]) for row in rows]
    return _accuracy("requests that call for facts", truth, labels, lambda label: label == "Factual")


def _accuracy(
    about: str, truth: Sequence[object], labels: Sequence[object], picks: Callable[[object], bool]
) -> RuleAccuracy:
    """Measure how often the rule's label is right, and how well it finds the texts whose label `picks` accepts."""
    true, picked = list(map(picks, truth)), list(map(picks, labels))
    hits = sum(a and b for a, b in zip(true, picked, strict=True))
    right = sum(a == b for a, b in zip(truth, labels, strict=True))
    return RuleAccuracy(
        about=about,
        n=len(truth),
        precision=proportion(hits, sum(picked)),
        recall=proportion(hits, sum(true)),
        sorted_right=proportion(right, len(truth)),
    )


def labelled(name: str, half: str) -> list[dict[str, Any]]:
    """Return the labelled texts of a half of a file."""
    text = files("factscope.benchmarks.rules").joinpath(name).read_text(encoding="utf-8")
    return [row for row in map(json.loads, text.splitlines()) if row["half"] == half]


def _figure(share: Proportion) -> str:
    if share.value is None or share.interval is None:
        return "unknown"
    return f"{share.value:.2f} (95 % {share.interval.low:.2f}–{share.interval.high:.2f})"
