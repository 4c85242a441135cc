"""Ranges such as "3 to 10 days": one quantity, neither stated by one of its ends nor denied by a value inside."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.rules import is_ruled
from tests.lab.many_cases import try_all


def verified(claim: str, passage: str) -> Prediction:
    """Return the small verifier's prediction."""
    return load_small().verify([ClaimPair(claim, passage)])[0]


TRIAL = (
    "In a study of 1,204 adults, 62% of those who took Veloprin were well after twelve weeks, compared with 29% of "
    "those who took a placebo."
)


@try_all(
    ("claim", "passage"),
    [
        ("Delivery takes 3 days.", "Delivery takes 3 to 10 days."),
        ("Refunds take 5 days.", "Refunds take 5 to 7 days."),
        ("Refunds take 5 days.", "Refunds take between 5 and 7 days."),
        ("Refunds do not take 5 days.", "Refunds take 5 to 7 days."),
        ("The warranty lasts 2 years.", "The warranty lasts 2 to 5 years."),
        ("The ticket costs €3.", "The ticket costs €3 to €10."),
        ("Rooms cost $3 million.", "Rooms cost $3 million to $10 million."),
        ("The tour lasts 3 hours.", "The tour lasts 3 hours to 10 hours."),
        ("10 days are needed.", "3–10 days are needed."),
        ("It costs exactly 5.", "It costs exactly 5-7 euros."),
    ],
)
def test_an_end_of_a_range_states_and_denies_nothing_by_rule(claim: str, passage: str) -> None:
    assert not is_ruled(verified(claim, passage))


@try_all(
    ("claim", "passage"),
    [
        ("Refunds take 6 days.", "Refunds take 5 to 7 days."),
        ("Refunds take 6 hours.", "Refunds take 5 to 7 hours."),
        ("Refunds take 5 hours.", "Refunds take between five and seven hours."),
        ("Turnout was 42%.", "Turnout was 40–45%."),
        ("Turnout was 42 percent.", "Turnout was 40 percent to 45 percent."),
        ("The ticket costs 5 euros.", "The ticket costs between 3 and 10 euros."),
        ("The ticket costs €5.", "The ticket costs €3 to €10."),
        ("About 5 million people live there.", "Between 3 and 10 million people live there."),
        ("The path is 1300 metres long.", "The path is 1200 to 1500 metres long."),
        ("The tower has six floors.", "The tower has five to seven floors."),
        ("The fair takes place on 13 March.", "The fair takes place from 12 to 15 March."),
        ("Groups of 15 get a discount.", "Groups of 10-20 get a discount."),
        ("A child of 8 may take one tablet a day.", "Children aged 6 to 12 years may take one tablet a day."),
    ],
)
def test_a_value_inside_a_range_is_not_replaced_by_its_end(claim: str, passage: str) -> None:
    assert not verified(claim, passage).rationale.startswith("the passage says")


@try_all(
    ("claim", "passage"),
    [
        ("The trip takes 6 days.", "The trip takes 5 to 7 days."),
        ("The trip takes 6 days.", "The trip takes between five and seven days."),
        ("Groups of 15 get a discount.", "Groups of 10-20 get a discount."),
        ("The deal was worth $6 million.", "The deal was worth $5–7 million."),
        ("The festival takes place on 5 May.", "The festival takes place from 4 to 8 May."),
        ("The mill was sold for £8.5 million.", "The mill was sold for between £8 million and £9 million."),
    ],
)
def test_a_value_inside_a_range_is_not_contradicted_by_the_network_either(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "contradicted"


@try_all(
    ("claim", "passage", "reason"),
    [
        ("Refunds take 9 days.", "Refunds take 5 to 7 days.", "the passage says 7 days, not 9 days"),
        ("The price rose to 8 euros.", "The price rose from 5 to 10 euros.", "the passage says 10, not 8"),
        ("Delivery takes 3 to 9 days.", "Delivery takes 3 to 10 days.", "the passage says 10 days, not 9 days"),
        ("Delivery takes 3 to 9 days.", "Delivery takes between 3 and 10 days.", "the passage says 10 days, not 9"),
        ("Holm led it from 1931 to 1938.", "Holm led it from 1931 to 1940.", "the passage says 1940, not 1938"),
        ("Estrand won 2–1.", "Estrand won 3–1.", "the passage says 3, not 2"),
        ("Estrand lost 1–2.", "Estrand lost 1–3.", "the passage says 3, not 2"),
    ],
)
def test_another_range_an_outside_value_or_another_score_still_contradicts(
    claim: str, passage: str, reason: str
) -> None:
    prediction = verified(claim, passage)
    assert prediction.label == "contradicted"
    assert reason in prediction.rationale


@try_all("ours", ["3–10 days", "3-10 days", "between 3 and 10 days", "3 to 10 days", "from 3 to 10 days"])
def test_the_same_range_is_supported_however_it_is_written(ours: str) -> None:
    for theirs in ("3–10 days", "between 3 and 10 days", "3 to 10 days"):
        assert verified(f"Delivery takes {ours}.", f"Delivery takes {theirs}.").label == "supported", theirs


@try_all(
    ("claim", "passage", "by_rule"),
    [
        ("Holm was treasurer from 1931 to 1940.", "Holm was treasurer 1931–1940.", False),
        ("Holm was treasurer in 1931.", "Holm was treasurer from 1931 to 1940.", False),
        ("The fair is open from 9 to 17.", "The fair is open from 9 to 17 on Mondays.", True),
        ("Estrand won 3 to 1.", "Estrand won 3–1 in May.", False),
        ("Estrand lost 1 to 3.", "Estrand lost 1–3 in May.", False),
        ("Estrand won 3 games.", "Estrand won 3 games to 1.", True),
        ("Turnout rose to 45 percent.", "Turnout rose from 40 to 45 percent.", False),
        ("5 men sat on the jury.", "The vote was split between 5 men and 7 women on the jury.", False),
    ],
)
def test_years_scores_and_changes_are_not_treated_as_ranges(claim: str, passage: str, by_rule: bool) -> None:
    prediction = verified(claim, passage)
    assert prediction.label == "supported"
    assert is_ruled(prediction) is by_rule


@try_all(
    ("claim", "passage"),
    [
        ("About six in ten of the patients on the drug were well after twelve weeks.", TRIAL),
        ("About 60% of patients on Veloprin were well after twelve weeks.", TRIAL),
    ],
)
def test_a_rough_number_is_not_contradicted_by_the_exact_one(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "contradicted"
