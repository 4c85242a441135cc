"""Shares in a claim, compared with percentages and pairs of counts."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        ("Most management posts are held by women.", "Women held 38% of management posts."),
        ("Most of the votes were cast by post.", "About 41% of the votes were cast by post."),
        ("The majority of the pupils walk to school.", "Only 35 per cent of the pupils walk to school."),
        ("A minority of the members voted.", "Some 61% of the members voted."),
        ("Less than half of the land is farmed.", "In all, 57% of the land is farmed."),
    ],
)
def test_a_majority_below_half_and_a_minority_above_it_are_contradicted(claim: str, passage: str) -> None:
    assert label(claim, passage) == "contradicted"


@try_all(
    ("claim", "passage"),
    [
        ("Most of the votes were cast by post.", "About 61% of the votes were cast by post."),
        ("Most of the members voted.", "Of the members, 72% voted."),
        ("Most of the land is farmed.", "Only 20% of the land is not farmed."),
        ("Most of the managers are men.", "Only 38% of the managers are women, the rest are men."),
    ],
)
def test_a_majority_above_half_is_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"


@try_all(
    ("claim", "passage"),
    [
        ("More than a third of the pupils walk to school.", "Of the 240 pupils, 48 walk to school."),
        ("Most of the trees survived.", "Of the 400 trees, only 120 survived."),
        ("A fifth of the members voted.", "Twelve of the 40 members voted."),
        ("Most of the members voted.", "A third of the members voted."),
        ("Three quarters of the houses were damaged.", "In the storm, 30 out of 60 houses were damaged."),
        ("At least one in three of the buses is electric.", "Of the 120 buses, 25 are electric."),
    ],
)
def test_a_share_that_the_counts_deny_is_contradicted(claim: str, passage: str) -> None:
    prediction = load_small().verify([ClaimPair(claim, passage)])[0]
    assert prediction.label == "contradicted"
    assert prediction.rationale.startswith("the passage says ")


@try_all(
    ("claim", "passage"),
    [
        ("More than a third of the pupils walk to school.", "Of the 240 pupils, 96 walk to school."),
        ("About a third of the members voted.", "Twelve of the 40 members voted."),
        ("Most of the trees survived.", "Of 400 trees, 280 survived."),
        ("At least half of the houses were damaged.", "In the storm, 30 of the 60 houses were damaged."),
    ],
)
def test_a_share_that_follows_from_counts_is_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"


@try_all(
    ("claim", "passage"),
    [
        ("A quarter of the members voted by post.", "Of the 100 members, 28 voted by post."),  # a rough share
        # the share of something else, of another year, or of another whole
        ("The city hotels filled half of their beds.", "The group filled 81% of its beds, its city hotels 52%."),
        ("Most of the apprentices stayed.", "Of 640 apprentices who began, five years later 58% had stayed."),
        ("A third of the shares belong to Dale.", "Two thirds of the sales were made abroad."),
    ],
)
def test_the_share_of_something_else_is_not_given_as_a_reason(claim: str, passage: str) -> None:
    prediction = load_small().verify([ClaimPair(claim, passage)])[0]
    assert not prediction.rationale.startswith("the passage says ")


@try_all(
    ("claim", "passage"),
    [
        ("In 1939 more than 70 percent of the people of Dargo could read.", "1939: 3,410 inhab. Could read: 61 %."),
        ("The firm holds over 90% of the capital of Tarn.", "The firm's unit holds 85.55% of Tarn's total capital."),
    ],
)
def test_percentages_that_all_miss_the_limit_of_a_claim_do_not_support_it(claim: str, passage: str) -> None:
    assert label(claim, passage) != "supported"


def test_less_than_half_of_a_count_is_not_most_of_it() -> None:
    passage = "The keeper counted 1,460 visitors in all, and 510 of these came by bus."
    assert label("The keeper counted 1,460 visitors, most of whom came by bus.", passage) != "supported"
    passage = passage.replace("510", "1,100")
    assert label("The keeper counted 1,460 visitors, most of whom came by bus.", passage) == "supported"
