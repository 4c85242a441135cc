"""Claims that a passage contains verbatim: sixty variants of the case once labelled contradicted."""

from __future__ import annotations

import pytest

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load, load_small
from factscope.judging.verifiers.rules import find_number_change, find_statement, is_ruled

STATEMENTS = (
    ("The {} bridge was opened in {}.", "Marlow", "Denby", "1931", "1940"),
    ("{} has {} inhabitants.", "Orvale", "Tessing", "1,200", "18,450"),
    ("The {} tower is {} metres high.", "North", "South", "41", "57"),
    ("In {1} the {0} mill was rebuilt.", "Upper", "Lower", "1866", "1874"),
    ("{} won the race in {} minutes.", "Ada Holm", "Ida Kern", "38", "44"),
    ("The {} ferry leaves on {} June.", "morning", "evening", "6", "16"),
    ("Dr {} treated {} patients.", "Vance", "Ortiz", "212", "340"),
    ("The {} line carries {} million passengers a year.", "red", "blue", "3.4", "5.1"),
    ("A {} ticket costs {} crowns.", "child", "family", "4", "22"),
    ("The {} valley received {} mm of rain.", "Lorn", "Pell", "88", "120"),
    ("{} was born in {}.", "Clara Sund", "Rosa Melk", "1902", "1911"),
    ("The {} library holds {} books.", "town", "school", "40,000", "9,500"),
    ("{} scored {} points.", "The Hawks", "The Wolves", "71", "68"),
    ("The {} reactor was shut down in March {}.", "first", "older", "2004", "2011"),
    ("Version {} needs {} GB of memory.", "Alto", "Basso", "8", "16"),
)
CASES = [
    (label, template.format(who, amount), f"{template.format(a, m)} {template.format(b, n)} It was in the news.")
    for template, a, b, m, n in STATEMENTS
    for label, who, amount in (
        ("supported", a, m),
        ("supported", b, n),
        ("contradicted", a, n),
        ("contradicted", b, m),
    )
]


def test_each_subject_has_its_own_number() -> None:
    pairs = [ClaimPair(claim, passage) for _, claim, passage in CASES]
    opinions = load().verify(pairs)
    assert len(CASES) == 60
    wrong = [
        (label, opinion.label, claim)
        for (label, claim, _), opinion in zip(CASES, opinions, strict=True)
        if opinion.label != label
    ]
    assert wrong == []


def test_the_quote_is_the_sentence_that_decides() -> None:
    passage = "The Marlow bridge was opened in 1931. The Denby bridge was opened in 1940."
    pairs = [
        ClaimPair("The Marlow bridge was opened in 1931.", passage),
        ClaimPair("The Marlow bridge was opened in 1940.", passage),
    ]
    supported, contradicted = load().verify(pairs)
    assert supported.quote is not None
    assert supported.quote.of(passage) == "The Marlow bridge was opened in 1931."
    assert contradicted.quote is not None
    assert contradicted.quote.of(passage) == "The Marlow bridge was opened in 1931."
    assert contradicted.rationale == "the passage says 1931, not 1940"


@pytest.mark.parametrize(
    "passage",
    [
        "Critics say the dam will ruin the fishery.",
        "The claim that the dam will ruin the fishery is false.",
        "It is not true that the dam will ruin the fishery.",
        "If it is raised, the dam will ruin the fishery.",
        "The dam will ruin the fishery, according to its critics.",
        "The dam will ruin the fishery. This is not true.",
        "A rumour went round the town: the dam will ruin the fishery.",
        "The dam will ruin the fishery unless a ladder is built.",
        "Nobody believes that the dam will ruin the fishery.",
        "It isn’t as if the dam will ruin the fishery.",
        "The dam will ruin the fishery. This isn't true, the ministry found.",
    ],
)
def test_a_report_a_denial_or_a_condition_is_not_a_statement(passage: str) -> None:
    assert find_statement("The dam will ruin the fishery.", passage) is None


@pytest.mark.parametrize(
    "passage",
    [
        "The dam will ruin the fishery.",
        "Work has begun. In two years, the dam will ruin the fishery; the river is small.",
        "# The river\n\nthe dam will  ruin the fishery, which feeds the town.",
        "“The dam will ruin the fishery.”",
    ],
)
def test_a_statement_is_found_whatever_surrounds_it(passage: str) -> None:
    match = find_statement("The dam will ruin the fishery.", passage)
    assert match is not None
    assert "ruin the fishery" in match.sentence.of(passage)


def test_only_a_number_in_the_same_sentence_counts_as_changed() -> None:
    passage = "The crane was built in 1912."
    assert find_number_change("The crane was built in 1921.", passage) is not None
    assert find_number_change("The crane was sold in 1921.", passage) is None
    assert find_number_change("The crane was built in 1921.", f"{passage} The crane was built in 1921.") is None
    assert find_number_change("The crane was built in 1,912.", passage) is None
    assert find_number_change("Was the crane built in 1921?", passage) is None


def _is_decided(claim: str, passage: str) -> bool:
    return is_ruled(load_small().verify([ClaimPair(claim, passage)])[0])


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The choir has at least 30 singers.", "The choir has at least 40 singers."),
        ("The choir has more than 30 singers.", "The choir has more than 40 singers."),
        ("The choir has fewer than 40 singers.", "The choir has fewer than 30 singers."),
        ("The lift carries up to 12 people.", "The lift carries up to 10 people."),
    ],
)
def test_one_bound_does_not_exclude_another(claim: str, passage: str) -> None:
    assert not _is_decided(claim, passage)


def test_a_bound_does_not_count_as_a_changed_number() -> None:
    assert find_number_change("The barn was sold before 1930.", "The barn was sold before 1920.") is None
    assert find_number_change("The barn was sold by 1930.", "The barn was sold by 1920.") is None
    assert find_number_change("The lift carries > 10 people.", "The lift carries > 12 people.") is None
    assert find_number_change("The barn was sold in 1930.", "The barn was sold in 1920.") is not None
    assert find_number_change("The barn is empty since 1930.", "The barn is empty since 1920.") is not None
    assert find_number_change("Rents grew by 12 percent.", "Rents grew by 14 percent.") is not None


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The bus leaves at 8:15 on Sundays.", "The bus leaves at 08:15 on Sundays."),
        ("She rowed in the 2017/2018 season.", "She rowed in the 2017/18 season."),
        ("The form was signed on 4/6/2029 here.", "The form was signed on 04/06/2029 here."),
    ],
)
def test_equal_numbers_in_different_notations_match(claim: str, passage: str) -> None:
    assert find_statement(claim, passage) is not None
    assert find_statement(passage, claim) is not None


@pytest.mark.parametrize(
    ("ours", "theirs", "is_another"),
    [
        ("8:15", "8.15", False),
        ("21.00", "21:00", False),
        ("1939–1945", "1939–45", False),
        ("3.5", "3,5", False),
        ("2.400", "2400", False),
        ("2.400", "2,400", False),
        ("3,150,000", "3.150.000", False),
        ("ten", "10", False),
        ("8:15", "8:45", True),
        ("3.5", "35", True),
        ("2.400", "4200", True),
        ("1945", "2045", True),
        ("1939–1945", "1939–46", True),
    ],
)
def test_a_number_in_another_notation_is_not_another_number(ours: str, theirs: str, is_another: bool) -> None:
    change = find_number_change(
        f"The board of the guild wrote {ours} here.", f"The board of the guild wrote {theirs} here."
    )
    assert (change is not None) == is_another


@pytest.mark.parametrize(
    ("claim", "passage", "is_changed"),
    [
        ("The van seats nine people.", "The van seats seven people. With the bench in it seats nine.", False),
        ("The fee comes to 80 crowns.", "The fee comes to 60 crowns. In 2031 it was raised to 80.", False),
        ("The inn has 25 rooms.", "The inn has 21 rooms. A further four were added.", False),
        ("The inn was opened in 1912.", "The inn was opened in 1910. The feast took two years to come.", False),
        ("The inn was opened in 1915.", "The inn was opened in 1910. The mill was opened in 1915.", False),
        ("The Bell inn was opened in 1915.", "The Bell inn was opened in 1910. The Swan inn was opened in 1915.", True),
        ("The inn has 25 rooms.", "The inn has 21 rooms. The cellar has two doors.", True),
        ("The inn has 22 rooms.", "The inn has 20 rooms. It lies by the lake.", True),
    ],
)
def test_a_number_that_follows_from_the_passage_is_not_a_changed_number(
    claim: str, passage: str, is_changed: bool
) -> None:
    assert (find_number_change(claim, passage) is not None) == is_changed


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("7 °C", "-7 °C"), ("7 °C", "−7 °C"), ("$40", "€40"), ("> 4 bar", "< 4 bar"), ("+6%", "-6%"), ("15", "15%")],
)
def test_a_sign_is_part_of_a_number(ours: str, theirs: str) -> None:
    claim, passage = (f"The gauge showed {number} at noon." for number in (ours, theirs))
    assert find_statement(claim, passage) is None
    assert find_number_change(claim, passage) is None
    assert find_statement(passage, passage) is not None


def test_the_spelling_of_a_sign_does_not_matter() -> None:
    assert find_statement("Prices fell by 6% in May.", "Prices fell by 6 % in May.") is not None
    assert find_statement("It was -6 °C at noon.", "It was −6 °C at noon.") is not None
    assert find_statement("The fair ran from 1931-34 there.", "The fair ran from 1931–34 there.") is not None


@pytest.mark.parametrize(
    "frame",
    [
        "{}, right?",
        "{}, wasn't it?",
        "When the tide is low, {}.",
        "Whenever the tide is low, {}.",
        "Once the tide is low, {}.",
        "As long as the tide is low, {}.",
        "Provided the tide is low, {}.",
        "Assuming the tide is low, {}.",
        "In the opinion of the pilot, {}.",
        "In his view, {}.",
        "Critics: {}.",
        "{}, he warned.",
        "{}, the pilot contended.",
        "{}, he joked.",
        "{}, he lied.",
        "{}, or so it seems.",
        "~~{}.~~ The harbour is deep.",
        "~~It is old. {}.~~ The harbour is deep.",
        "Statement 2: {}. Answer: wrong.",
        "{}. Answer: no.",
        "Anna: {}. Ben: No, it isn't.",
        "{}. False!",
        "“{},” ran a headline last week.",
        "{}. The newspaper has since withdrawn the story.",
        "{}. A week later the board retracted the statement.",
    ],
)
def test_a_sentence_in_a_frame_is_not_stated(frame: str) -> None:
    assert find_statement("The harbour is too shallow.", frame.format("the harbour is too shallow")) is None


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("When the tide is low, the harbour dries out.", "When the tide is low, the harbour dries out."),
        ("The harbour is in full view.", "The harbour is in full view, and deep."),
        ("The harbour is too shallow.", "The harbour is too shallow. No. 5 pier is closed."),
        ("The harbour is too shallow.", "The harbour is too shallow. Ben: Is it?"),
        ("The harbour is too shallow.", "The harbour is too shallow. The pilots have withdrawn the last boat."),
        ("The fair opens at nine.", "~~The fair opens at eight.~~ The fair opens at nine."),
        ("The fair opens at nine.", "The fair opens at ~~eight~~ nine."),
    ],
)
def test_a_plain_sentence_is_still_stated(claim: str, passage: str) -> None:
    assert find_statement(claim, passage) is not None


def test_struck_out_text_is_not_compared() -> None:
    assert find_number_change("The fair opens at eight.", "~~The fair opens at eight.~~ The fair opens at nine.")


def test_an_event_is_stated_before_its_manner() -> None:
    assert find_statement("She flew to Tarnova.", "She flew to Tarnova without a stop, and slept for a day.")
    assert find_statement("Members enter the park.", "Members enter the park without a ticket.") is None
    assert find_statement("She flew to Tarnova.", "She flew to Tarnova without a stop in her dreams.") is None
    for subject in ("Nobody", "No guest", "Few of the guests", "Only the host"):
        assert find_statement(f"{subject} left the hall.", f"{subject} left the hall without a gift.") is None


def test_a_number_in_the_same_words_about_another_thing_is_not_the_claims() -> None:
    prices = "A child ticket costs 4 crowns. A family ticket costs 22 crowns."
    match = find_number_change("A child ticket costs 22 crowns.", prices)
    assert match is not None
    assert (match.claim_word, match.passage_word) == ("22", "4")
    again = "A ticket costs 4 crowns. From May on, it costs 22 crowns."
    assert find_number_change("A ticket costs 22 crowns.", again) is None
