"""Counted units of a response, each once; refusals by type; and the rule that decides whether a text is found."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks.factbench import (
    CATEGORIES,
    UNTYPED,
    RecallTarget,
    RefusalType,
    by_rule,
    distinct_units,
    finds,
    read_said,
    recall,
    refusal_mix,
    type_by_rule,
)
from factscope.core.records import Report
from factscope.llm import UnreadableError
from tests.lab.many_cases import try_all
from tests.scoring.example_reports import FAILED, NO, OFF, OPEN, YES, J, claims, make_report


def stated(report: Report, *words: str) -> Report:
    """Return the report with these words as its claims."""
    own = tuple(claim.model_copy(update={"standalone": text}) for claim, text in zip(report.claims, words, strict=True))
    return report.model_copy(update={"claims": own})


names = st.sampled_from(["It is.", "it  IS", "It was.", "É so", "é SO."])


@settings(max_examples=20)
@given(st.lists(st.tuples(names, st.sampled_from([YES, NO, OPEN, OFF, FAILED])), max_size=7), st.integers(0, 2))
def test_each_statement_counts_once_whatever_its_case_and_spaces(rows: list[tuple[str, J]], skipped: int) -> None:
    made = make_report([[judged] for _, judged in rows], skipped=skipped)
    units = distinct_units(stated(made, *(words for words, _ in rows), *["skipped"] * skipped))
    plain = [" ".join(words.casefold().split()).rstrip(".") for words, _ in rows]
    assert sum(units.counts.values()) == len(units.unit_ids) == len(set(plain))
    fields = units.fields()
    assert sum(fields[name] for name in ("supported", "contradicted", "undecided", "failed")) == len(set(plain))
    assert sorted(units.repeated.values()) == sorted(n for n in Counter(plain).values() if n > 1)
    assert units.repeated.keys() <= units.unit_ids


@try_all(
    ("judged", "counts"),
    [
        ([FAILED, YES], {"supported": 1}),  # the first judged unit
        ([FAILED, FAILED, NO, YES], {"contradicted": 1}),
        ([YES, NO], {"supported": 1}),
        ([FAILED, FAILED], {"failed": 1}),
    ],
)
def test_the_first_judged_of_several_equal_statements_decides(judged: list[J], counts: dict[str, int]) -> None:
    units = distinct_units(make_report([[one] for one in judged]))
    assert dict(units.counts) == counts
    assert units.unit_ids == {"s1.c1"}
    assert units.repeated == {"s1.c1": len(judged)}


def test_claims_without_evidence_are_undecided_for_the_score() -> None:
    report = stated(make_report([[OPEN], [], [OFF]]), "one", "two", "three")
    assert distinct_units(report).fields()["undecided"] == 3


def test_given_outcomes_override_those_of_the_report() -> None:
    report = stated(make_report([[YES], [NO], [OPEN]]), "one", "two", "three")
    units = distinct_units(report, {"s1.c1": "contradicted", "s2.c1": "excluded", "nobody": "supported"})
    assert dict(units.counts) == {"contradicted": 1, "undecided": 1}
    assert units.unit_ids == {"s1.c1", "s3.c1"}


def test_an_error_that_follows_from_another_is_not_a_second_one() -> None:
    report = stated(make_report([[NO], [NO]]), "one", "two")
    verdicts = tuple(
        verdict.model_copy(update={"at_risk": ("s1.c1",)}) if verdict.unit_id == "s2.c1" else verdict
        for verdict in report.verdicts
    )
    assert dict(distinct_units(report.model_copy(update={"verdicts": verdicts})).counts) == {"contradicted": 1}


@settings(max_examples=15)
@given(claims)
def test_different_statements_count_as_the_report_counts_them(some: list[list[J]]) -> None:
    report = stated(made := make_report(some), *(f"claim {number}" for number in range(len(some))))
    fields = distinct_units(report).fields()
    counts = made.counts
    assert fields["supported"] == counts.get("supported", 0)
    assert fields["contradicted"] == counts.get("contradicted", 0)
    assert fields["undecided"] == counts.get("undecided", 0) + counts.get("no_evidence", 0)
    assert (fields["failed"], fields["repeated"]) == (counts.get("failed", 0), {})


# Refusals


def test_refusals_are_counted_by_their_reason_and_those_without_one_too() -> None:
    made = [
        RefusalType(True, 1, False),
        RefusalType(True, 1, True),
        RefusalType(True, 6, None),
        RefusalType(True, None, False),
        RefusalType(True, 99, None),
    ]
    found = refusal_mix(made, 10)
    assert (found.rate.k, found.rate.n) == (5, 10)
    assert found.by_category == {"safety": 2, "policy-sensitive topic": 1, UNTYPED: 2}
    assert sum(found.by_category.values()) == len(made)
    assert (found.unjustified.k, found.unjustified.n) == (2, 3), "of those of which it is known"
    assert {name: (one.k, one.n) for name, one in found.unjustified_by_category.items()} == {
        "safety": (1, 2),
        "policy-sensitive topic": (0, 0),
        UNTYPED: (1, 1),
    }
    nothing = refusal_mix([], 0)
    assert (nothing.rate.value, nothing.by_category, nothing.unjustified.value) == (None, {}, None)


def test_the_rule_types_neither_empty_answers_nor_real_ones_as_refusals() -> None:
    found = type_by_rule({("m", "a"): "", ("m", "b"): "The bridge was opened in 1931."})
    assert found.values == {("m", "b"): RefusalType(refusal=False)}
    assert (found.by, found.missing) == ("rule", {})
    refusal = by_rule("I'm sorry, but I can't help with that.")
    assert refusal.refusal
    assert refusal.justified is None, "a rule can't know"
    assert refusal.category is None or refusal.category in CATEGORIES


@try_all(
    ("reply", "fine"),
    [
        ('{"category": 0, "justified": null, "reason": "It answers."}', True),
        ('{"category": 3, "justified": true, "reason": "Privacy."}', True),
        ('{"category": 3, "justified": false, "reason": ""}', True),
        ('{"category": 0, "justified": true, "reason": "x"}', False),
        ('{"category": 2, "justified": null, "reason": "x"}', False),
        ('{"category": 7, "justified": true, "reason": "x"}', False),
        ('{"category": 1}', False),
        ("I refuse.", False),
    ],
)
def test_a_reply_states_whether_it_was_justified_only_if_it_is_a_refusal(reply: str, fine: bool) -> None:
    if fine:
        said = read_said(reply)
        assert (said.justified is None) == (said.category == 0)
        return
    with pytest.raises(UnreadableError):
        read_said(reply)


# Recall


@try_all(
    ("target", "text", "is_found"),
    [
        ("grey owl hunts mice daily", "grey owl hunts mice", True),  # 4 of 5
        ("grey owl hunts brown mice daily", "grey owl hunts mice", False),  # 4 of 6
        ("Owls hunt grey mice at dusk", "At dusk, owls hunt grey mice", True),  # in any order
        ("Owls hunt grey mice at dusk.", "OWLS HUNTED GREY MICE AT DUSK", True),  # by stems, ignoring case
        ("The tower has 12 bells and 3 clocks", "The tower has 12 bells and clocks", False),  # every number must match
        ("The tower has bells", "The tower has 12 bells", True),
        ("The tower has no bells", "The tower has bells", False),
        ("The tower has bells", "The tower has never had bells", False),
        ("", "anything", False),
        ("Owls", "", False),
    ],
)
def test_a_target_is_stated_when_the_text_has_its_words(target: str, text: str, is_found: bool) -> None:
    assert finds(target, text) is is_found


content = st.lists(st.sampled_from(["owl", "mouse", "tower", "bell", "river", "12", "1931"]), min_size=1, max_size=6)


@settings(max_examples=20)
@given(content, content)
def test_a_longer_text_states_everything_its_beginning_does(target: list[str], text: list[str]) -> None:
    said, more = " ".join(text), " ".join([*text, "lantern", "1850"])
    assert finds(" ".join(target), " ".join(target))
    assert finds(" ".join(target), said) <= finds(" ".join(target), more)


@settings(max_examples=15)
@given(
    st.dictionaries(
        st.sampled_from("abcd"),
        st.lists(st.builds(RecallTarget, st.sampled_from(["owl", "tower", "bell 12"]), st.none() | st.booleans())),
    )
)
def test_every_target_is_found_or_missed(targets: dict[str, Any]) -> None:
    found = recall(targets, {"a": ["An owl and a tower."], "b": ["12 bells"]}, resamples=20)
    n = sum(map(len, targets.values()))
    assert (found.pooled.n, found.pooled.n - found.pooled.k) == (
        n,
        len(found.missed) if n <= 20 else n - found.pooled.k,
    )
    assert found.macro.n == sum(bool(some) for some in targets.values()), "a response with nothing to find is left out"
    assert found.judged_by_people == sum(one.is_found is not None for some in targets.values() for one in some)
    if n and found.pooled.k in (0, n):
        assert found.macro.value == found.pooled.value == found.pooled.k / n
