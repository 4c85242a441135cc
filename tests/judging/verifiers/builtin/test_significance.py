"""Results that were not statistically significant."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        (
            "Headaches were significantly more frequent with lorvatide.",
            "The difference in headaches with lorvatide was not significant.",
        ),
        (
            "Lorvatide significantly reduced the number of falls.",
            "Lorvatide did not significantly reduce the number of falls.",
        ),
        (
            "There was a significant difference in weight between the groups.",
            "There was no significant difference in weight between the groups.",
        ),
        (
            "The fall in blood pressure was statistically significant.",
            "Blood pressure fell by 3 mmHg, which was not statistically significant.",
        ),
        (
            "Pain fell significantly in the treated group.",
            "Pain fell in the treated group, but the change failed to reach significance.",
        ),
        ("The rise in prices was significant.", "The rise in prices was insignificant."),
        (
            "Lorvatide significantly lowered mortality.",
            "Mortality was 8% with lorvatide and 10% with placebo, a difference without statistical significance.",
        ),
        (
            "Falls were significantly fewer in the exercise group.",
            "There were 31 falls in the exercise group and 40 in the control group, which did not reach significance.",
        ),
        (
            "Vitamin D led to a significant improvement in sleep.",
            "With vitamin D, sleep improved by 12 minutes a night (not significant).",
        ),
        (
            "The treated plots yielded significantly more wheat.",
            "The treated plots yielded 4% more wheat, but the difference was not statistically significant.",
        ),
        (
            "The new method is significantly faster.",
            "The new method was 3% faster; this was not a significant difference.",
        ),
        (
            "Patients on lorvatide had significantly more serious adverse events.",
            "Serious adverse events were more common in patients on lorvatide, but not significantly so.",
        ),
        (
            "Serious side effects were significantly more frequent in the treated group.",
            "Serious side effects occurred in 5% of the treated group and in 4% of the controls; this difference "
            "did not reach statistical significance.",
        ),
    ],
)
def test_a_claim_about_a_nonsignificant_result_is_not_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) != "supported"


@try_all(
    ("claim", "passage"),
    [
        (
            "Pain fell significantly with lorvatide.",
            "Pain fell significantly with lorvatide, whereas sleep did not change significantly.",
        ),
        ("The difference in sleep was not significant.", "The difference in sleep was not significant."),
        ("The drop in attacks was significant.", "The drop in attacks was highly significant."),
    ],
)
def test_a_claim_about_a_significant_result_is_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"
