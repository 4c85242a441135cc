"""Our own cases: those that words decide come out right whatever the network says, and few true claims are accused.

`plain_cases.jsonl` has short cases; `realistic_cases.jsonl` has paraphrases with other numbers, dates and names nearby.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.rules import CERTAIN
from factscope.judging.verifiers.wording import keeps_bound, read
from factscope.methods import FLOORS
from tests.lab.many_cases import try_all

LABELS = {"s": "supported", "c": "contradicted", "n": "not_enough_evidence"}
EASY = (
    "verbatim",
    "changed-number",
    "changed-date",
    "changed-name-place",
    "two-subjects",
    "negation",
    "units-rounding",
)


class PlainPair(NamedTuple):
    """A claim and passage with a careful reader's label."""

    kind: str
    label: str
    pair: ClaimPair


def own_pairs(file: str) -> list[PlainPair]:
    lines = Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines()
    return [
        PlainPair(row["kind"], LABELS[letter], ClaimPair(claim, row["evidence"]))
        for row in map(json.loads, lines)
        for letter, claim in row["claims"]
    ]


def by_rule(prediction: Prediction) -> bool:
    return prediction.confidence == CERTAIN


def accuses(prediction: Prediction) -> bool:
    """Tell whether a prediction calls its claim contradicted with enough confidence to count by default."""
    return prediction.label == "contradicted" and (prediction.confidence or 0) >= FLOORS["normal"]


def judge(claim: str, passage: str) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


def test_the_rules_decide_most_easy_cases_and_are_never_wrong() -> None:
    pairs = own_pairs("plain_cases.jsonl")
    assert len(pairs) >= 300
    predictions = load_small().verify([row.pair for row in pairs])
    decided = [(row, answer) for row, answer in zip(pairs, predictions, strict=True) if by_rule(answer)]
    assert [row.pair.claim for row, answer in decided if answer.label != row.label] == []
    easy = [row for row, _ in decided if row.kind in EASY]
    counts = Counter(row.label for row in pairs if row.kind in EASY)
    assert len(easy) >= 0.6 * (counts["supported"] + counts["contradicted"])


@cache
def answered(every: int) -> list[tuple[PlainPair, Prediction]]:
    pairs = own_pairs("realistic_cases.jsonl")[::every]
    assert len(pairs) >= 500 // every
    return list(zip(pairs, load_small().verify([row.pair for row in pairs]), strict=True))


EVERY = pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])


@EVERY
def test_few_true_claims_beside_other_numbers_are_accused_by_default(every: int) -> None:
    answers = answered(every)
    assert [row.pair.claim for row, answer in answers if by_rule(answer) and answer.label != row.label] == []
    labels = Counter(row.label for row, _ in answers)
    accused = Counter(row.label for row, answer in answers if accuses(answer))
    assert accused["supported"] <= 0.05 * labels["supported"]
    assert accused["contradicted"] >= 3 * (accused["supported"] + accused["not_enough_evidence"])


@EVERY
def test_few_true_claims_beside_other_numbers_are_labelled_contradicted(every: int) -> None:
    answers = answered(every)
    labels = Counter(row.label for row, _ in answers)
    accused = Counter(row.label for row, answer in answers if answer.label == "contradicted")
    assert accused["supported"] <= 0.09 * labels["supported"]
    assert accused["contradicted"] >= 3 * (accused["supported"] + accused["not_enough_evidence"])


@try_all(
    ("claim", "passage", "label", "reason"),
    [
        ("The dam is 46 metres high.", "The dam, built in 1960, is 64 metres high.", "contradicted", "64 metres"),
        ("The hall seats about 30,000 people.", "The hall seats 29,870 people.", "supported", "key words"),
        ("The hall seats more than 300 people.", "The hall seats 280 people.", "contradicted", "280"),
        ("The hut is 5,200 metres away.", "The hut is 5.2 kilometres away.", "supported", "another notation"),
        ("The lease runs for two years.", "The lease runs for 24 months.", "supported", "another notation"),
        ("The patient got 500 mg.", "The patient got 0.5 g.", "supported", "another notation"),
        ("The daily dose of Tarnol is 5 µg.", "The daily dose of Tarnol is 5 mg.", "contradicted", "5 mg"),
        ("The server answers in 200 ms.", "The server answers in 0.2 seconds.", "supported", "another notation"),
        ("The lease runs for two years.", "The lease runs for 36 months.", "contradicted", "36 months"),
        ("The mural was painted by Viktor Hahn.", "The mural was painted by Rasmus Telle.", "contradicted", "Telle"),
        ("Norvale was defeated by Estrand.", "Estrand defeated Norvale in May.", "supported", "key words"),
        ("Estrand defeated Norvale.", "Norvale defeated Estrand.", "contradicted", "other way round"),
        ("The train runs from Darrow to Pell.", "The train runs from Pell to Darrow.", "contradicted", "other way"),
        ("The castle has a lift.", "The castle is old. It has no lift.", "contradicted", "denies"),
        ("The club marked its 25. anniversary.", "The club marked its 25th anniversary in May.", "supported", "key"),
        (
            "The club marked its 50. anniversary.",
            "The club marked its 25th anniversary in May.",
            "contradicted",
            "25th",
        ),
        ("The club marked its 50th anniversary.", "In May the club marked its 25. anniversary.", "contradicted", "25"),
        ("Turnout in Orve was 47 percent.", "Turnout in Orve was 47 % last year.", "supported", "key words"),
        ("Turnout in Orve was 62 percent.", "Turnout in Orve was 47 % last year.", "contradicted", "47 %"),
        ("The rooms were all sold.", "The rooms were not sold.", "contradicted", ""),
        ("None of the rooms has a balcony.", "All of the rooms have a balcony.", "contradicted", "share"),
        ("It was rebuilt after the war.", "It was rebuilt before the war.", "contradicted", "other way"),
        ("Mirjam Foss plays the cello.", "Mirjam Foss teaches. She plays the cello.", "supported", "key words"),
        (
            "At its height, in 1889, 340 boats were registered.",
            "In 1889 214 boats were registered.",
            "contradicted",
            "214",
        ),
    ],
)
def test_the_deciding_difference_is_named(claim: str, passage: str, label: str, reason: str) -> None:
    prediction = judge(claim, passage)
    assert prediction.label == label
    assert reason in prediction.rationale


@try_all(
    ("claim", "passage"),
    [
        ("The Brindle mill was built in 1788.", "The Hollin mill was built in 1788. The Carse mill was built in 1821."),
        ("The mine will close.", "It was rumoured that the mine will close."),
        ("The drug reduced mortality.", "The drug did not reduce mortality in women."),
        ("The bridge carries lorries.", "The bridge does not carry lorries on Sundays."),
        ("The Earth is 400 million years old.", "Kelvin estimated that the Earth is 400 million years old."),
        ("Tom had no place to go.", "Tom had no comfortable place to go."),
        ("The painting is by Durel.", "The owner claims that the painting is by Durel."),
        ("He advises the museum.", "Wei met Alice. She advises a rival. He now lives abroad."),
        ("In 1990 the town had 8,400 inhabitants.", "As of 2019 the town had 8,400 inhabitants."),
        ("Karel has never been to Norway.", "Karel has never been to Iceland."),
        ("It was built in 1921.", "The Carse mill was built in 1821."),
        ("In 1990 some 40 members left the club.", "In 1990 the club had 212 members."),
        ("In 1889 some 340 boats were registered.", "In 1889 12 boats registered in the port sank."),
        ("The choir sold 400 tickets in all.", "The choir sold 180 tickets on Friday and 220 on Saturday."),
        ("Horst became a priest in 1957.", "Horst, born in 1931, became a priest at 26 and a bishop in 1969."),
    ],
)
def test_no_rule_decides_when_the_words_do_not_settle_the_claim(claim: str, passage: str) -> None:
    assert not by_rule(judge(claim, passage))


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Seals have bred there since the 1980s.", "Seals have bred here since 1986, when three pups were seen."),
        ("Indoors it was at least 20 degrees.", "It was never colder than 20 degrees indoors."),
        ("Bode was switched on in 1981.", "Bode followed in 1981 and was switched off in 2009."),
        ("Car 4 is the oldest.", "Car no. 4, built in 1899, is the oldest of them."),
        ("The maker confirmed the fault within two weeks.", "The maker confirmed the fault after nine days."),
        ("Leave of three weeks must be approved.", "Leave of more than two weeks must be approved by the head."),
    ],
)
def test_another_number_nearby_is_not_a_contradiction(claim: str, passage: str) -> None:
    assert judge(claim, passage).label != "contradicted"


def test_a_later_switching_off_does_not_deny_by_default_an_earlier_switching_on() -> None:
    prediction = judge("Bode was switched on in 1981.", "Bode followed in 1981 and was switched off in 2009.")
    assert not accuses(prediction)


@pytest.mark.parametrize(
    ("claim", "passage", "holds"),
    [
        ("It took less than two weeks.", "It took nine days.", True),
        ("It took less than two weeks.", "It took nineteen days.", False),
        ("In less than two weeks six boats sank.", "In nine days six boats sank.", True),
        ("In less than two weeks six boats sank.", "In nine days eight boats sank.", False),
        ("Six boats sank.", "Six boats sank.", False),
        ("Leave lasts up to 30 weeks.", "Leave lasts up to 26 weeks, of which 14 weeks are paid.", False),
        ("Teams have at most four boats.", "Teams have at most five boats, two of these boats new.", False),
    ],
)
def test_a_bound_holds_only_where_no_other_number_differs(claim: str, passage: str, holds: bool) -> None:
    ours, theirs = (read(text, load_small().weights).stretches[0] for text in (claim, passage))
    assert keeps_bound(ours, theirs) is holds


@try_all(
    ("claim", "passage"),
    [
        ("You can return items within 60 days of purchase.", "You can return items within 30 days of purchase."),
        ("Employees must report accidents within 48 hours.", "Employees must report accidents within 24 hours."),
        ("Keep the fridge below 10 degrees.", "Keep the fridge below 5 degrees."),
        ("Orders above 50 euros ship free.", "Orders above 100 euros ship free."),
        ("People above 50 years get the vaccine.", "People above 65 years get the vaccine."),
        ("The boat was found within 60 days.", "The boat was found within 30 days."),
        ("The fridge stayed below 10 degrees.", "The fridge stayed below 5 degrees."),
        ("It took more than 5 hours.", "It took more than 8 hours."),
    ],
)
def test_a_looser_limit_is_neither_stated_nor_denied_by_a_stricter_one(claim: str, passage: str) -> None:
    assert not by_rule(judge(claim, passage))


@try_all(
    ("claim", "passage", "label"),
    [
        ("The hall seats above 200 people.", "The hall seats 280 people.", "supported"),
        ("The fridge stayed below 10 degrees.", "The fridge stayed at 5 degrees all night.", "supported"),
        ("The tower is below 60 metres high.", "The tower, built in 1960, is 44 metres high.", "supported"),
        ("Return items within 30 days.", "Return all items within 30 days of purchase.", "supported"),
        (
            "You can return items within 30 days of purchase.",
            "You can return items within 60 days of purchase.",
            "contradicted",
        ),
    ],
)
def test_a_value_within_a_limit_and_the_same_limit_support_and_a_stricter_limit_is_denied(
    claim: str, passage: str, label: str
) -> None:
    assert judge(claim, passage).label == label


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("It came into force on 3 March 1847.", "It was signed on 3 March 1847 and came into force in 1848."),
        ("Ida Strom plays the cello.", "The first violin is played by Ida Strom, the cello by Per Ovesen."),
        ("Turnout was 61 per cent.", "In the election of two years ago turnout was 61 per cent."),
        ("The stadium was empty.", "The stadium was anything but empty."),
    ],
)
def test_all_words_of_a_claim_may_occur_in_a_sentence_that_says_something_else(claim: str, passage: str) -> None:
    assert not by_rule(judge(claim, passage))


def test_a_leading_speaker_name_and_yes_are_ignored() -> None:
    passage = "The last boat leaves Marrow at noon. Dogs travel free."
    assert judge("Guide: Yes, the last boat leaves Marrow at noon.", passage).confidence == CERTAIN


SPEAKERS = ["Guide", "Tour Guide", "Tour guide", "Second old visitor", "Local radio reporter", "Speaker 2", "SPEAKER 2"]


@try_all("speaker", SPEAKERS)
def test_a_speaker_of_several_words_is_left_out_like_a_single_word(speaker: str) -> None:
    passage = "The Marrow tower is open all year. It is 40 metres tall. The lift was added in 1934."
    assert judge(f"{speaker}: The lift was added in 1934.", passage).confidence == CERTAIN
    opinion = judge(f"{speaker}: It is 45 metres tall.", passage)
    assert (opinion.label, opinion.confidence) == ("contradicted", CERTAIN)


@try_all("beginning", ["Opening hours", "Chapter two", "The result", "Room 12", "Town mayor", "Final order of the day"])
def test_a_leading_phrase_that_is_not_a_speaker_is_part_of_the_claim(beginning: str) -> None:
    assert not by_rule(judge(f"{beginning}: The lift was added in 1934.", "The lift was added in 1934."))


def test_a_name_before_a_pronoun_is_the_subject_and_not_left_out() -> None:
    passage = "The Eiffel Tower was built in 1889. It is 330 metres tall. The bridge in Porto was opened in 1900."
    assert not by_rule(judge("Big Ben: It was built in 1889.", passage))
    assert judge("The Eiffel Tower: It was built in 1889.", passage).label == "supported"


def test_another_row_of_a_table_contradicts_nothing() -> None:
    row = "route: Marrow to Tolsey; season: winter; days: Monday to Saturday; departs: 16:00; remarks: last boat"
    assert judge("In summer the last boat leaves Marrow at 19:00.", row).label != "contradicted"


def test_each_clause_of_a_claim_counts() -> None:
    passage = "The inn has twelve rooms and a garden. Breakfast is included. Dogs are not allowed."
    assert judge("The inn has twelve rooms, and breakfast is included.", passage).label == "supported"
    assert judge("The inn has twelve rooms, and dogs are allowed.", passage).label == "contradicted"


@try_all("lead", ["Unfortunately", "Sadly", "Surprisingly", "Admittedly", "Needless to say"])
def test_a_comment_before_the_claim_changes_nothing(lead: str) -> None:
    passage = "The Marlow bridge was opened in 1931. It has four arches."
    assert judge(f"{lead}, the Marlow bridge was opened in 1931.", passage).label == "supported"
    assert judge(f"{lead}, the Marlow bridge was opened in 1940.", passage).label == "contradicted"


@try_all("year", ["1898", "1884"])
def test_the_day_of_a_date_is_not_a_number_of_years(year: str) -> None:
    passage = "The public library of Dunmarrow closed on 7 October 1891."
    assert judge(f"The library closed in {year}.", passage).label != "supported"


def test_the_month_of_may_is_not_the_verb() -> None:
    prediction = judge("In May the mill burnt down.", "In May the mill burnt down; in June it was rebuilt.")
    assert prediction.label == "supported"
    assert by_rule(prediction)
    assert "cautious" not in judge("The mill opened in 1890.", "The mill was opened on 4 May 1891.").rationale
    assert judge("The play was first staged in May.", "It was first staged in October, after May.").label != "supported"
    assert by_rule(judge("It rains in May and June.", "It rains in May, June and July."))


@try_all(
    ("claim", "passage"),
    [
        (
            "The ferry carries ninety cars.",
            "The white ferry carries sixty cars. With its new deck it will carry ninety.",
        ),
        ("The bakery has 70 employees.", "The bakery has 40 employees in Marlow. In Denby it has 30."),
        ("In July the club won six games.", "In April the club won exactly six games. In July it did as well as that."),
        ("On Fridays the pool closes at nine.", "On Thursdays the pool closes at nine."),
        (
            "Ida Holm was treasurer in 1962.",
            "From 1960 to 1964 Ida Holm was treasurer. She was treasurer again in 1971.",
        ),
        ("Ida Holm remained treasurer in 1962.", "Ida Holm remained the treasurer in 1960."),
        (
            "Karel Brun edited the paper in 1955.",
            "Karel Brun edited the weekly paper in 1951. He kept the post for ten years.",
        ),
        ("Half of the pumps do not leak.", "Half of the pumps leak."),
        ("Three of the goats did not return.", "Three of the goats returned."),
        ("One of the towers did not collapse.", "All but one of the towers collapsed."),
        ("Two of the cabins have no stove.", "All but two of the cabins have a stove."),
        ("The concert begins at 9:30.", "The second concert begins at 09:30."),
        ("The concert begins at 8:30.", "The second concert begins at 20:30."),
    ],
)
def test_a_claim_compatible_with_the_passage_is_not_contradicted_by_rule(claim: str, passage: str) -> None:
    assert not by_rule(judge(claim, passage))


@try_all(
    ("claim", "passage"),
    [
        ("The ferry carries ninety cars.", "The white ferry carries sixty cars. In October it is painted."),
        ("The bakery has 70 employees.", "The bakery has 40 employees in Marlow. It sells bread."),
        ("The kiln cracked in July.", "The old kiln cracked in April."),
        ("The kiln was repaired on Friday.", "The old kiln was repaired on Thursday."),
        ("Ida Holm was elected in 1962.", "Ida Holm was duly elected in 1960."),
        ("The canal was shut in 1986.", "The canal was shut in 1968 after a flood."),
        ("The three goats did not return.", "The three goats returned."),
        ("The concert begins at 9:30.", "The second concert begins at 9:45."),
    ],
)
def test_another_number_date_or_time_of_the_same_event_still_contradicts(claim: str, passage: str) -> None:
    prediction = judge(claim, passage)
    assert prediction.label == "contradicted"
    assert by_rule(prediction)


@try_all("verb", ["avoided", "opposes", "postponed", "debated", "was accused of", "was cleared of", "dislikes"])
def test_an_act_that_is_only_mentioned_is_not_stated(verb: str) -> None:
    assert not by_rule(judge("Ida Holm sold the farm.", f"Ida Holm {verb} selling the farm."))


@try_all(
    ("claim", "passage", "decided"),
    [
        ("The chapel is a theatre.", "The chapel was a theatre in the war.", False),
        ("The brewery employs 48 people.", "The brewery employed 48 people in the war.", False),
        ("The valley has two schools.", "The valley had two schools in the war.", False),
        ("Ida Holm was head of the museum.", "Ida Holm is head of the museum in Marlow.", False),
        ("The chapel was a theatre.", "The chapel was a theatre in the war.", True),
        ("The brewery has employed 48 people.", "The brewery employed 48 people in the war.", True),
        ("Ida Holm sells farms.", "Ida Holm is selling farms in Marlow.", True),
        ("The cellar was dug in 1862.", "The cellar, dug in 1862, is 18 metres deep.", True),
    ],
)
def test_support_by_rule_needs_the_same_tense(claim: str, passage: str, decided: bool) -> None:
    prediction = judge(claim, passage)
    assert by_rule(prediction) is decided
    assert prediction.label == "supported" or not decided


def test_an_exception_denies_without_a_negation() -> None:
    claim = "The limit applies in residential streets, but not on bus corridors."
    passage = "The limit applies in residential streets from 1 May; bus corridors are excepted."
    assert load_small().verify([ClaimPair(claim, passage)])[0].label != "contradicted"


def test_a_state_that_begins_thereafter_is_not_earlier() -> None:
    claim = "For the first five years the rent goes to the diocese."
    passage = "For the first five years the rent goes to the parish, thereafter to the diocese."
    prediction = load_small().verify([ClaimPair(claim, passage)])[0]
    assert (prediction.label, prediction.confidence) != ("supported", CERTAIN)
