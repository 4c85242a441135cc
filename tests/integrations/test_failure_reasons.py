"""An adapter's reason for a check in which something failed: that of the unit it names."""

from __future__ import annotations

from typing import Any

from factscope.core.records import Failure
from factscope.integrations import failure_of, shortfall, with_words
from factscope.integrations.python import Report
from tests.lab.many_cases import try_all
from tests.scoring.example_reports import NO, YES, make_report


def failing(*failures: tuple[str, str, str | None], n: int = 10, failed: int = 10) -> Report:
    """Make a report in which one claim failed; `failures` are unit, message and the affected source."""
    report = make_report([[YES] if i != failed else [] for i in range(1, n + 1)], failed_claims=[failed])
    records = [
        Failure(unit_id=unit, stage="evidence", boundary="search", message=message, about=about)
        for unit, message, about in failures
    ]
    return Report(report.model_copy(update={"failures": tuple(records)}))


@try_all(
    ("failures", "reason"),
    [
        ([("s10.c1", "its own", None)], "its own"),
        ([("s10", "its segment's", None)], "its segment's"),
        ([("s1", "another's", None), ("s10.c1", "its own", None)], "its own"),  # s10 is not a part of s1
        ([("s1.c1", "another's", None), ("s10", "its segment's", None)], "its segment's"),
        ([("s10.c1", "a page's", "https://a.example"), ("s10.c1", "its own", None)], "its own"),
        ([("s10.c10", "another's", None), ("s10.c1", "its own", None)], "its own"),
    ],
)
def test_the_reason_is_that_of_the_named_unit(failures: list[Any], reason: str) -> None:
    message = failure_of(failing(*failures))
    assert message is not None
    assert message.startswith("1 of 10 units could not be checked, first s10.c1 (x): ")
    assert message.endswith(f": {reason}")


def test_a_failure_of_one_source_is_not_a_failure_of_the_check() -> None:
    report = make_report([[YES], [NO]])
    about = Failure(unit_id="s1.c1", stage="evidence", boundary="search", message="gone", about="https://a.example")
    assert failure_of(Report(report.model_copy(update={"failures": (about,)}))) is None


@try_all(
    ("per_claim", "least", "words"),
    [
        ([[YES], [NO]], 0.8, "score 0.50 is below 0.80"),
        ([[YES]] * 2 + [[NO]], 0.667, "score 0.6667 is below 0.6670"),
        ([[YES], [NO]], 0.5, ""),
        ([[YES]] * 799 + [[NO]] * 201, 0.8, "score 0.799 is below 0.800"),
    ],
)
def test_a_score_and_its_minimum_are_shown_with_enough_decimals_to_differ(
    per_claim: Any, least: float, words: str
) -> None:
    assert shortfall(Report(make_report(per_claim)), least, 1.0) == words


@try_all(
    ("contexts", "texts"),
    [
        (None, None), ("", None), (" \n", None), ([], None), (["", None, "\t"], None), ("a", ["a"]),
        (["", "a", None, " b "], ["a", " b "]),
    ],
)  # fmt: skip
def test_contexts_without_words_are_dropped(contexts: Any, texts: object) -> None:
    assert with_words(contexts) == texts
