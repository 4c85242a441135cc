"""Claims that leave out a phrase of the passage: "in the dry season", "in his view", "when it rains"."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.rules import apply_rules
from factscope.judging.verifiers.wording import SentencePair, read, read_sentences
from tests.lab.many_cases import try_all


def ruled(claim: str, passage: str) -> str | None:
    """Return the label that a rule gives, without the network."""
    weights = load_small().weights
    (sentence,) = read_sentences(claim, weights)
    prediction = apply_rules(SentencePair(sentence, read(passage, weights), weights))
    return prediction.label if prediction else None


@try_all(
    "lead",
    """Whenever the sawmill pays;As long as the sawmill pays;As soon as the sawmill pays;Once the sawmill pays;
    When demand is high;When it rains;Where the ground is wet;Assuming the loan is granted;Provided that it rains;
    If the vote passes;Should the levy fail;In case of fire;In the event of a strike;Suppose the dam breaks;
    Supposedly;According to legend;In his view;From her point of view;In the opinion of the court;As the story goes;
    In the judgment of the panel;In the eyes of the law;By all accounts;In popular belief;In folklore;For the mayor;
    To critics;To its owner;Among collectors;In one version of the tale;In the novel;In the screenplay;In her memoir;
    In a simulation;In the model;In this scenario;On paper;On the map;On the old map;In the draft;At best;At worst;
    Under the old rules;Under the plan;Under certain conditions;In the dry season;In winter;In July;In wet years;
    In hot weather;During storms;At night;At low tide;At weekends;On Sundays;On rainy days;On public holidays;
    Maybe;Presumably;Seemingly;Reputedly;Theoretically;Nominally;Ideally;Hopefully;Normally;Occasionally;Usually;
    In an emergency;In the worst case;After rain;Before an exam;With the new engine""".replace("\n    ", "").split(";"),
)
def test_a_statement_limited_by_a_leading_phrase_is_left_to_the_network(lead: str) -> None:
    passage = f"{lead}, the old mill employs 40 people."
    claims = (f"The {mill} employs {count} people." for mill in ("mill", "old mill") for count in (40, 60))
    assert [claim for claim in claims if ruled(claim, passage)] == []


@try_all(
    ("claim", "passage"),
    [
        ("The museum opens at ten.", "In winter the old museum opens at ten."),
        ("The causeway is flooded.", "At high water the stone causeway is flooded."),
        ("The pool is closed.", "On Sundays the city pool is closed."),
        ("In the dry season, the lake is empty.", "In the wet season, the lake is empty."),
        ("The gate was locked at nine.", "Under the old rules, the main gate was locked at nine."),
        ("The bridge collapsed.", "In a simulation, the steel bridge collapsed after two hours."),
        ("The clerk was a thief.", "In the eyes of the law, the young clerk was a thief."),
        ("The mill is closed.", "The old mill is closed whenever the river floods."),
        ("The cave is open.", "The north cave is open provided the tide is low."),
        ("The cable car stands still.", "The cable car stands still when the wind is strong."),
        ("The bridge is unsafe.", "The old bridge is unsafe, in his view."),
        ("The bus leaves at eight.", "In winter, the ferry leaves at eight and the bus leaves at nine."),
        ("The harbour wall collapsed.", "Had the storm lasted, the old harbour wall would have collapsed."),
        ("The dam burst.", "He warned that the old dam would burst."),
        ("The station served Denby.", "Until 1950, the small station served Denby."),
    ],
)
def test_a_statement_limited_by_any_other_phrase_is_left_to_the_network(claim: str, passage: str) -> None:
    assert ruled(claim, passage) is None


@try_all(
    "lead",
    """Unfortunately;However;In fact;In addition;As a result;At present;Today;Located in Marlow;Built in 1880;
    With its two towers;On its top floor;In 1931;In May 1931;In Marlow;On the quay at Marlow;Because of the fair;
    Thanks to a gift""".replace("\n    ", "").split(";"),
)
def test_a_phrase_that_limits_nothing_changes_nothing(lead: str) -> None:
    passage = f"{lead}, the old mill employs 40 people."
    assert ruled("The mill employs 40 people.", passage) == "supported"
    assert ruled("The mill employs 60 people.", passage) == "contradicted"


@try_all(
    ("claim", "passage"),
    [
        ("The mill was sold to the town.", "When the war ended, the old mill was sold to the town."),
        ("The pier was washed away.", "During the storm, the old pier was washed away."),
        ("The church flies a flag.", "In summer the inn is full; the old church flies a flag."),
        ("The lake is empty in the dry season.", "In the dry season, the lower lake is empty."),
        ("In the novel, the bank is robbed.", "In the novel, the small bank is robbed."),
        ("When it rains, the roof leaks.", "When it rains, the old roof leaks."),
        ("The bee flies in April.", "The grey bee flies in April, when the pears are in flower."),
    ],
)
def test_a_phrase_that_only_gives_the_time_does_not_limit_a_statement(claim: str, passage: str) -> None:
    assert ruled(claim, passage) == "supported"


def test_a_statement_about_one_case_does_not_support_a_claim_about_all_cases() -> None:
    passage = (
        "Upon termination, the Provider shall make the Customer Data available for download for 30 days in a common "
        "format. Thereafter it shall delete the Customer Data within 60 days and confirm the deletion in writing. "
        "Backups may be kept for up to 180 days if they are encrypted."
    )
    for all_cases in ("whether or not they are encrypted", "regardless of whether they are encrypted"):
        (prediction,) = load_small().verify(
            [ClaimPair(f"Backups may be kept for up to 180 days {all_cases}.", passage)]
        )
        assert prediction.label != "supported", all_cases


@try_all(
    ("claim", "passage"),
    [
        (
            "Climbing is insured up to 3,000 metres, with or without a guide.",
            "Insured: climbing up to 3,000 metres if a guide is present.",
        ),
        (
            "A tenant may sublet a room even without the landlord's consent.",
            "With the consent of the landlord, a tenant may sublet a room.",
        ),
    ],
)
def test_a_condition_that_the_claim_lifts_leaves_it_unsupported(claim: str, passage: str) -> None:
    assert load_small().verify([ClaimPair(claim, passage)])[0].label != "supported"
