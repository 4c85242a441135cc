"""Comparison of two runs: which claims are the same, which are never compared, and what the counts add up to."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.core import NOT_READ, OUTCOMES, InputError, Outcome, UsageError
from factscope.core.records import Claim, Exclusions, Judgement, Report, Searched, Segment, Span, Usage, Verdict
from factscope.scoring import compare, summarise
from tests.scoring.two_runs import METHOD, checked, finished, runs

TEXT = "Ada Kern built the bridge. It has six arches and was opened in 1931. It rains."


def cut(*claims: tuple[int, str, tuple[int, int] | None, Outcome]) -> dict[str, Report]:
    """Make a run on TEXT, whose three sentences are cut into claims of (sentence, words, place, outcome)."""
    ends = [0, 26, 69, len(TEXT)]
    spans = [Span(start=start + (start > 0), end=end) for start, end in pairwise(ends)]
    segments = [Segment(id=f"s{i}", span=s, text=s.of(TEXT), kind="sentence") for i, s in enumerate(spans, 1)]
    made, verdicts, taken = [], [], dict.fromkeys((1, 2, 3), 0)
    for sentence, words, place, outcome in claims:
        taken[sentence] += 1
        name = f"s{sentence}.c{taken[sentence]}"
        span = Span(start=place[0], end=place[1]) if place else None
        made.append(Claim(id=name, segment_id=f"s{sentence}", text=words, standalone=words, span=span))
        verdicts.append(Verdict(unit_id=name, level="claim", outcome=outcome, rule="strongest"))
    verdicts += [Verdict(unit_id=s.id, level="segment", outcome="not_checkable", rule="worst") for s in segments]
    return {"r1": finished("r1", TEXT, segments, made, verdicts)}


def changed(first: Mapping[str, Report], second: Mapping[str, Report]) -> list[tuple[str, str, Outcome, Outcome]]:
    return [(c.first_id, c.second_id, c.first, c.second) for c in compare(first, second).changes]


def test_a_claim_is_matched_by_its_words_whatever_its_id() -> None:
    first = cut((2, "The bridge has six arches.", None, "supported"), (2, "It was opened in 1931.", None, "undecided"))
    second = cut(
        (2, "It  was opened in 1931", None, "contradicted"),
        (2, "The bridge has six arches.", None, "supported"),
        (2, "The bridge rains.", None, "failed"),
    )
    assert changed(first, second) == [("s2.c2", "s2.c1", "undecided", "contradicted")]
    found = compare(first, second)
    assert (found.n_units, found.n_changed) == (4, 1), "two claims, and two sentences without any"
    assert (found.first.n_units_alone, found.second.n_units_alone) == (0, 1)
    assert found.changes[0].second_text is None


def test_a_claim_with_changed_words_is_matched_by_its_position() -> None:
    whole = (27, 69)
    first = cut((2, "It has six arches and was opened in 1931.", whole, "supported"))
    second = cut((2, "The bridge has six arches and was opened in 1931.", whole, "contradicted"))
    assert changed(first, second) == [("s2.c1", "s2.c1", "supported", "contradicted")]
    assert compare(first, second).changes[0].second_text == "The bridge has six arches and was opened in 1931."
    twice = cut((2, "The bridge has six arches.", whole, "failed"), (2, "It was opened in 1931.", whole, "failed"))
    for pair in ((first, twice), (twice, first)):
        found = compare(*pair)
        assert found.n_changed == 0
        assert {found.first.n_units_alone, found.second.n_units_alone} == {1, 2}
    nowhere = cut((2, "The bridge has six arches.", None, "failed"))
    assert changed(nowhere, cut((2, "It has arches.", None, "supported"))) == []


def test_the_same_words_in_the_same_sentence_come_first() -> None:
    first = cut((1, "It rains.", None, "supported"), (3, "It rains.", None, "contradicted"))
    second = cut((3, "It rains.", None, "undecided"))
    assert changed(first, second) == [("s3.c1", "s3.c1", "contradicted", "undecided")]
    assert changed(second, first) == [("s3.c1", "s3.c1", "undecided", "contradicted")]
    again = cut((1, "It rains.", None, "supported"), (1, "It rains.", None, "failed"))
    assert changed(again, again) == []


def test_a_sentence_without_claims_is_a_unit() -> None:
    first, second = cut(), cut((3, "It rains.", (70, 78), "supported"))
    assert changed(first, second) == [("s3", "s3.c1", "not_checkable", "supported")]


def test_responses_not_in_both_runs_with_the_same_text_are_counted_but_not_compared() -> None:
    same = checked("a", [("One.", "supported")])
    first = {"a": same, "b": same, "c": checked("c", [("One.", "supported")])}
    second = {"a": same, "d": same, "e": same, "c": checked("c", [("Two.", "contradicted")])}
    found = compare(first, second)
    assert (found.n_compared, found.n_other_text) == (1, 1)
    assert (found.first.n_alone, found.second.n_alone) == (1, 2)
    assert (found.first.n_responses, found.second.n_responses) == (3, 4)
    assert (found.n_units, found.n_changed) == (1, 0)
    assert found.scores[0].n == 1


class OneByOne(Mapping[str, Report]):
    """A run that makes each report on request, and tracks how many are alive at once."""

    def __init__(self, reports: Mapping[str, Report], broken: tuple[str, ...] = ()) -> None:
        self.reports, self.broken = reports, broken
        self.made: list[weakref.ref[Report]] = []
        self.fetched: list[str] = []
        self.most = 0

    def __len__(self) -> int:
        return len(self.reports)

    def __iter__(self) -> Iterator[str]:
        return iter(self.reports)

    def __getitem__(self, name: str) -> Report:
        self.fetched.append(name)
        if name in self.broken:
            raise InputError(f"Check {name} was stopped before it finished.", "Run it again.")
        report = self.reports[name].model_copy()
        self.made.append(weakref.ref(report))
        self.most = max(self.most, sum(made() is not None for made in self.made))
        return report


def test_reports_are_fetched_once_and_not_held() -> None:
    first, second = map(OneByOne, runs(60, 0.2))
    second.reports = {name: report for name, report in reversed(second.reports.items()) if name != "r7"}
    found = compare(first, second)
    assert first.fetched == second.fetched == [f"r{i}" for i in range(60) if i != 7]
    assert max(first.most, second.most) <= 2
    assert found == compare(first.reports, second.reports)


def test_an_unreadable_report_does_not_affect_the_others() -> None:
    first, second = runs(8, 0.2)
    found = compare(OneByOne(first), OneByOne(second, broken=("r2", "r5")))
    assert (found.n_compared, found.n_unreadable) == (6, 2)
    assert found.notes == (
        "2 of the reports could not be read, the first of them: r2: Check r2 was stopped before it finished.",
    )
    lost = first["r0"].claims[0].model_copy(update={"segment_id": "s99"})
    broken = first["r0"].model_copy(update={"claims": (lost, *first["r0"].claims[1:])})
    assert compare({"r0": broken}, second).n_unreadable == 1


outcomes = st.sampled_from(OUTCOMES)
pairs_of_ends = st.lists(st.tuples(outcomes, outcomes), min_size=1, max_size=8)


@given(st.lists(pairs_of_ends, min_size=1, max_size=6))
def test_the_counts_add_up_and_swapping_the_runs_reverses_the_comparison(
    responses: list[list[tuple[Outcome, Outcome]]],
) -> None:
    first, second = (
        {
            f"r{i}": checked(f"r{i}", [(f"Fact {k}." if k % 3 else "", ends[side]) for k, ends in enumerate(response)])
            for i, response in enumerate(responses)
        }
        for side in (0, 1)
    )
    found, back = compare(first, second), compare(second, first)
    assert found.n_units == sum(map(len, responses))
    assert found.n_changed == sum(a != b for response in responses for a, b in response) == len(found.changes)
    for run, totals in ((first, [sum(row.values()) for row in found.transitions.values()]),
                        (second, [sum(row.values()) for row in back.transitions.values()])):  # fmt: skip
        assert totals == [sum(report.counts[outcome] for report in run.values()) for outcome in OUTCOMES]
    assert all(found.transitions[a][b] == back.transitions[b][a] for a in OUTCOMES for b in OUTCOMES)
    support = found.support
    assert (support.gained, support.lost) == (back.support.lost, back.support.gained)
    assert support.second - support.first == support.gained - support.lost
    assert (support.p, support.p_mcnemar) == (back.support.p, back.support.p_mcnemar)
    for one, other in zip(found.scores, back.scores, strict=True):
        assert (one.p, one.p_adjusted, one.finding) == (other.p, other.p_adjusted, other.finding)
        assert one.value == (None if other.value is None else -other.value)


def test_scores_of_runs_that_differ_and_of_a_run_with_itself() -> None:
    first, second = runs(40, 0.4)
    found = compare(first, second)
    assert [score.name for score in found.scores] == ["factual_precision", "hallucination(alpha=0.5)"]
    precision, hallucination = found.scores
    assert precision.finding == hallucination.finding == found.support.finding == "differs"
    assert (precision.value or 0) > 0 > (hallucination.value or 0)
    assert precision.p_adjusted == 2 * (precision.p or 0)
    same = compare(first, first)
    assert {score.finding for score in same.scores} == {"no_difference"}
    assert (same.n_changed, same.settings, same.notes) == (0, (), ())


def test_a_score_counts_only_where_both_runs_have_one() -> None:
    first = {"a": checked("a", [("One.", "supported")]), "b": checked("b", [("Two.", "failed")])}
    second = {"a": checked("a", [("One.", "undecided")]), "b": checked("b", [("Two.", "supported")])}
    found = compare(first, second, ["factual_precision", "coverage", "coverage"])
    precision, coverage = found.scores
    assert (precision.n, precision.n_left_out, precision.first, precision.second) == (1, 1, 1, 0)
    assert (coverage.n, coverage.n_left_out, coverage.value) == (2, 0, 0.5)
    assert (precision.finding, precision.p_adjusted) == ("too_few", 1)
    assert (found.first.coverage, found.second.coverage) == (0.5, 1)
    assert found.notes == (
        "Coverage differs by 50 points: a difference may come from what failed, not from what was judged.",
    )
    assert found.support.n == 1, "a failed claim was not judged"


def test_scores_and_coverage_are_those_of_each_run_alone() -> None:
    """Units in an unsupported language count as not covered; a score withheld by a run is not compared."""
    ends: list[tuple[str, Outcome]] = [("One.", "supported"), ("Zwei.", "not_checkable"), ("Drei.", "not_checkable")]
    read = checked("a", ends)
    foreign = tuple(
        claim.model_copy(update={"skipped": NOT_READ}) if claim.id != "s1.c1" else claim for claim in read.claims
    )
    half = checked("b", [("One.", "supported"), ("Two.", "contradicted")])
    run = {"a": read.model_copy(update={"claims": foreign}), "b": half}
    found = compare(run, run)
    precision = found.scores[0]
    alone = summarise(run.values(), "factual_precision")
    assert found.first.coverage == found.second.coverage == alone.coverage == 3 / 5
    assert (precision.first, precision.n) == (alone.value, alone.n) == (0.5, 1)


def test_a_response_that_could_not_be_cut_lowers_the_coverage() -> None:
    """Its run would otherwise seem to have judged everything."""
    whole = checked("a", [("One.", "supported")])
    lost = finished("b", "Two.", [], [], [Verdict(unit_id="b", level="response", outcome="failed", rule="worst")])
    full = {"a": whole, "b": checked("b", [("Two.", "supported")])}
    found = compare(full, {"a": whole, "b": lost}, ["factual_precision", "coverage"])
    alone = summarise([whole, lost], "factual_precision")
    assert (found.first.coverage, found.second.coverage, alone.coverage) == (1, 0.5, 0.5)
    assert "Coverage differs by 50 points" in found.notes[0]
    assert [(score.n, score.value) for score in found.scores] == [(1, 0), (2, -0.5)]


def test_coverage_five_points_apart_is_not_noted() -> None:
    full = [(f"Fact {k}.", "supported") for k in range(20)]
    one, two = ([*full[:-n], *[(text, "failed") for text, _ in full[-n:]]] for n in (1, 2))
    first = {"a": checked("a", full)}
    assert compare(first, {"a": checked("a", one)}).notes == ()
    assert "10 points" in compare(first, {"a": checked("a", two)}).notes[0]


def test_the_common_measures_of_both_methods_are_compared_by_default() -> None:
    first = {"a": checked("a", [("One.", "supported")], method={"scores": ["coverage", "hallucination"]})}
    second = {"a": checked("a", [("One.", "supported")], method={"scores": ["hallucination(alpha=0.5)"]})}
    assert [score.name for score in compare(first, second).scores] == ["hallucination(alpha=0.5)"]
    other = {"a": checked("a", [("One.", "supported")], method={"name": "bare"})}
    assert "none in common" in compare(first, other).notes[0]
    assert [score.name for score in compare(first, other, ["f1_at_k(k=2)"]).scores] == ["f1_at_k(k=2)"]
    with pytest.raises(UsageError, match="factual_precison"):
        compare({}, {}, ["factual_precison"])


def test_differences_in_how_the_runs_were_made_are_listed() -> None:
    searched = [Searched(id=name, n_documents=1, n_passages=1) for name in ("e1", "e2")]
    usage = [Usage(role="judge", model=model, calls=1) for model in ("small", "large")]
    judged = Judgement(id="s1.c1.j1", unit_id="s1.c1", passage_ids=(), judge="builtin-1", label="supported")
    first, second = (
        checked(
            "a",
            [("One.", "supported")],
            method={**METHOD, "roll_up": {"unit": "strongest", "margin": margin}},
            searched=place,
            usage=(used,),
            judgements=(judged,) if margin == 0.1 else (),
        )
        for margin, place, used in zip((0.1, 0.2), searched, usage, strict=True)
    )
    found = compare({"a": first}, {"a": second}).settings
    assert {setting.name: (setting.first, setting.second) for setting in found} == {
        "method.roll_up.margin": ("0.1", "0.2"),
        "evidence": ("e1", "e2"),
        "model for judge": ("small", "large"),
        "judge": ("builtin-1", "none"),
    }


def test_different_writers_and_exclusions_are_listed_in_both_directions() -> None:
    plain = checked("a", [("One.", "supported")])
    other = plain.model_copy(
        update={
            "response": plain.response.model_copy(update={"model": "m-1"}),
            "excluded": Exclusions(documents=("d-1",)),
            "factscope": "9.9.9",
        }
    )
    there, back = compare({"a": plain}, {"a": other}), compare({"a": other}, {"a": plain})
    assert {setting.name: (setting.first, setting.second) for setting in there.settings} == {
        "model that wrote the response": ("none", "m-1"),
        "excluded": ("none", '{"documents": ["d-1"]}'),
        "factscope": ("0.1.0", "9.9.9"),
    }
    assert {(setting.name, setting.second, setting.first) for setting in back.settings} == {
        (setting.name, setting.first, setting.second) for setting in there.settings
    }


def test_up_to_three_values_of_a_setting_are_named() -> None:
    def run(n: int) -> dict[str, Report]:
        return {
            f"r{k}": checked(
                f"r{k}", [("One.", "supported")], searched=Searched(id=f"e{k % n}", n_documents=1, n_passages=1)
            )
            for k in range(4)
        }

    (three,) = compare(run(1), run(3)).settings
    assert (three.name, three.first, three.second) == ("evidence", "e0", "e0 + e1 + e2")
    assert compare(run(1), run(4)).settings[0].second == "4 different ones"


def test_the_support_of_units_that_both_judged_worked_by_hand() -> None:
    # Five responses gain one unit and one loses one; each keeps another unit, and a seventh could not be judged.
    def run(*first_units: Outcome) -> dict[str, Report]:
        return {
            f"r{i}": checked(f"r{i}", [(f"Fact {i}.", outcome), ("The rest.", "failed" if i == 6 else "supported")])
            for i, outcome in enumerate(first_units)
        }

    found = compare(run(*["undecided"] * 5, "supported", "failed"), run(*["supported"] * 5, "no_evidence", "supported"))
    support = found.support
    assert (support.n, support.n_responses, support.gained, support.lost) == (12, 6, 5, 1)
    assert (support.first, support.second) == (7, 11)
    assert support.p == support.p_mcnemar == 2 * (1 + 6) / 2**6
    assert found.seed == 0


def test_one_run_has_one_method() -> None:
    first, _ = runs(2, 0)
    mixed = {**first, "r1": first["r1"].model_copy(update={"method": {**METHOD, "name": "other"}})}
    with pytest.raises(UsageError, match="not one run: other and test"):
        compare(first, mixed)


def test_only_a_limited_number_of_changes_is_listed_but_all_are_counted() -> None:
    first, second = runs(30, 0.5)
    whole = compare(first, second)
    assert whole.n_changed == len(whole.changes) > 5
    few = compare(first, second, most_changes=5)
    assert (few.n_changed, few.changes) == (whole.n_changed, whole.changes[:5])
    assert few.transitions == whole.transitions


def test_runs_with_nothing_in_common_are_reported() -> None:
    found = compare(runs(2, 0)[0], {}, names=("old", "new"))
    assert (found.n_compared, found.scores, found.first.name, found.second.coverage) == (0, (), "old", None)
    assert found.support.finding == "too_few"
    assert found.notes == ("Nothing could be compared: no response is in both runs with the same text.",)
