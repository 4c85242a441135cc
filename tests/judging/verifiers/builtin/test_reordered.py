"""Reordered sentences, table rows, answers and totals that the rules must not take for contradictions."""

from __future__ import annotations

import re

import pytest

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small

PUPILS = (
    "School inspections, Dunmere district, report 2207\n"
    "School: Barrow Lane; Pupils: 214; Teachers: 11; Grade: B\n"
    "School: Saint Ubbe; Pupils: 380; Teachers: 19; Grade: A\n"
    "School: Quarry Hill; Pupils: 96; Teachers: 6; Grade: B"
)
CHESS = "Club: Arnsal; Won: 9; Drawn: 3; Lost: 2\nClub: Lane End; Won: 7; Drawn: 5; Lost: 2"


def verified(claim: str, passage: str) -> Prediction:
    """Return the small verifier's prediction."""
    return load_small().verify([ClaimPair(claim, passage)])[0]


REORDERED = (
    (
        "Of the 212 kilometres of Highway 6 between Nuvok and the Sallit Pass, 140 are gravel.",
        "Highway 6 between Nuvok and the Sallit Pass is 212 kilometres long, of which 140 are gravel.",
    ),
    (
        "The trip to Markneuhof cost less than planned, since six members fell ill.",
        "Since six members fell ill, the trip to Markneuhof cost less than planned.",
    ),
    ("The nine houses of Salthouse Row are numbered.", "Salthouse Row consists of nine houses, which are numbered."),
    (
        "Gorka, the nephew of Irrutia, stayed on as manager.",
        "Irrutia's nephew Gorka stayed on as manager.",
    ),
    (
        "In the test the Hexis finished in 52 seconds, the Orrin in 41.",
        "In the test the Orrin finished in 41 seconds and the Hexis in 52.",
    ),
    (
        "The report shows that half of the 1,200 staff have worked there for less than a year.",
        "Half of the 1,200 staff have worked there for less than a year, the report shows.",
    ),
    (
        "Nils Obermann, a student, showed in 1906 that the weights had been worn.",
        "In 1906 a student, Nils Obermann, showed that the weights had been worn.",
    ),
)


@pytest.mark.parametrize(("claim", "passage"), REORDERED)
def test_reordered_words_are_not_reported_as_the_other_way_round(claim: str, passage: str) -> None:
    assert "the other way round" not in verified(claim, passage).rationale


EXCHANGED = (
    ("The eels now come from Drennan, not Loughmore.", "The eels now come from Loughmore, not Drennan."),
    ("Couzy wrote to Thorlak on Monday.", "Thorlak wrote to Couzy on Monday."),
    (
        "The lander was launched eleven days after the satellite.",
        "The satellite was launched eleven days after the lander.",
    ),
    (
        "The Palace of Anjira has returned 29 doors to the Ministry of Culture.",
        "The Ministry of Culture has returned 29 doors to the Palace of Anjira.",
    ),
    (
        "Females emerge in late March, ten days before the males.",
        "Males emerge in late March, ten days before the females.",
    ),
)
PASSIVE = (
    ("The cat was chased by the dog.", "The cat chased the dog."),
    ("The cat chased the dog.", "The cat was chased by the dog."),
    ("Anna was interviewed by Bert.", "Anna interviewed Bert."),
    ("The small firm was bought by the big bank.", "The small firm bought the big bank."),
    ("The mayor was criticised by the newspaper.", "The mayor criticised the newspaper on Tuesday."),
)


@pytest.mark.parametrize(("claim", "passage"), EXCHANGED + PASSIVE)
def test_exchanged_roles_are_reported_as_the_other_way_round(claim: str, passage: str) -> None:
    prediction = verified(claim, passage)
    assert prediction.label == "contradicted"
    assert prediction.rationale == "the passage has it the other way round"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The wolf was killed by the bear.", "A hungry wolf killed the bear near the lake."),
        ("The farmer sued the company.", "In 2003 the farmer was sued by the company over the fence."),
    ],
)
def test_the_network_does_not_confuse_agent_and_patient_either(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "supported"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The cat was chased by the dog.", "The dog chased the cat."),
        ("The cat was chased by the dog.", "The cat chased the bird, then it was chased by the dog."),
        ("Anna was met by Bert.", "Anna met Bert."),
        ("The walkers stopped by the lake.", "The walkers stopped by the lake at noon."),
        ("Rosewell Rovers are captained by Ben Achebe.", "Rosewell Rovers' captain Ben Achebe has scored 14 goals."),
        ("Jelka Rupnik was found by the dog Aro.", "Rescue log. 18:10 Jelka Rupnik found, unhurt, by the dog Aro."),
    ],
)
def test_the_same_statement_in_the_passive_voice_is_supported(claim: str, passage: str) -> None:
    assert verified(claim, passage).label == "supported"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The inn stands next to the smithy.", "The smithy stands next to the inn."),
        ("Brel lies close to Tarn.", "Tarn lies close to Brel."),
        ("Brel lies far from Tarn.", "Tarn lies far from Brel."),
        ("Brel is connected to Tarn by a tunnel.", "Tarn is connected to Brel by a tunnel."),
        ("Brel is twinned with Tarn.", "Tarn is twinned with Brel."),
        ("Ida Kern was related to Olaf Brun.", "Olaf Brun was related to Ida Kern."),
    ],
)
def test_a_symmetric_relation_is_not_reported_as_the_other_way_round(claim: str, passage: str) -> None:
    assert "the other way round" not in verified(claim, passage).rationale


@pytest.mark.parametrize(
    ("claim", "table"),
    [
        ("Saint Ubbe has exactly twenty pupils to a teacher.", PUPILS),
        ("Saint Ubbe is the only one with more pupils than Barrow Lane.", PUPILS),
        ("Report 2207 gives 380 pupils for Saint Ubbe.", PUPILS),
        ("Each of the 19 teachers of Saint Ubbe has 20 pupils.", PUPILS),
        ("Lane End won 7, drew 5 and lost 2.", CHESS),
        ("Nine in fourteen matches of Arnsal were won.", CHESS),
    ],
)
def test_a_number_that_need_not_match_the_cell_is_not_a_contradiction(claim: str, table: str) -> None:
    assert "the table gives" not in verified(claim, table).rationale


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Rafiq painted the shed.", "Did Rafiq paint the fence? No, Rafiq painted the shed."),
        (
            "Unpaid attendance at conferences is allowed.",
            "May I work? No. Unpaid attendance at conferences is allowed.",
        ),
        (
            "On 1 December unclaimed prizes go to the hospice.",
            "Ticket: 2094; Prize: umbrella; Collected: no\nUnclaimed prizes go to the hospice on 1 December.",
        ),
    ],
)
def test_a_no_that_answers_a_question_does_not_deny_the_next_sentence(claim: str, passage: str) -> None:
    assert verified(claim, passage).label == "supported"


def test_a_statement_after_a_no_still_counts_against_its_denial() -> None:
    passage = "Did Rafiq paint the fence? No, Rafiq painted the shed."
    assert verified("Rafiq did not paint the shed.", passage).label != "supported"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        (
            "The four portions of lentil soup together contain 64 g of protein.",
            "A portion of the lentil soup contains 16 g of protein.",
        ),
        ("Of the four concerts in May, just one is called off.", "Of the 8 concerts in May, Tallis is called off."),
    ],
)
def test_a_number_that_follows_from_others_is_not_replaced(claim: str, passage: str) -> None:
    assert not re.match(r"the passage says .+, not ", verified(claim, passage).rationale)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Norland shares a border with Estrand.", "Estrand shares a border with Norland."),
        ("Estrand borders Norland.", "Norland borders Estrand."),
        ("Otto Lind is a cousin of Ada Berg.", "Ada Berg is a cousin of Otto Lind. She lives in Rome."),
    ],
)
def test_a_symmetric_relation_may_be_stated_from_either_side(claim: str, passage: str) -> None:
    assert verified(claim, passage).label == "supported"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Rovers lost against United.", "United lost against Rovers."),
        ("Otto Lind, a cousin of Ada Berg, was mayor.", "Ada Berg, a cousin of Otto Lind, was mayor."),
    ],
)
def test_an_asymmetric_relation_is_not_supported_from_the_other_side(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "supported"
