"""Things with numbers in their names: a passage about Line 3 says nothing about Line 5."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

A8_SHEET = "Data sheet Norvik A8.\nThe outdoor unit measures 1,100 × 890 × 480 mm and weighs 128 kg."


@try_all(
    ("claim", "passage", "label"),
    [
        ("Mill 5 was built in 1505.", "Mill 905 was built in 1505.", "not_enough_evidence"),
        ("Apollo 11 landed on the Moon.", "Apollo 12 landed on the Moon.", "not_enough_evidence"),
        ("The Lumio 4 has a lens.", "The Lumio 2 has a lens.", "not_enough_evidence"),
        ("Hut 17 sleeps ten.", "Hut 71 sleeps ten.", "not_enough_evidence"),
        ("Line 3 was opened in 1971.", "Line 2 was opened in 1971.", "not_enough_evidence"),
        ("Mill 5 was built in 1505.", "Mill 5 was closed. Mill 905 was built in 1505.", "not_enough_evidence"),
        ("Mill 5 was built in 1505.", "Mill 905 was built in 1505. Mill 5 was built in 1505.", "supported"),
        ("Mill 5 was built in 1505.", "Mill 5 was built in 1605.", "contradicted"),
        ("In 1931 the bridge was opened.", "In 1940 the bridge was opened.", "contradicted"),
        ("Nearly 300 people came.", "Nearly 400 people came.", "contradicted"),
        ("The 1978 final was won by Orby.", "The 1974 final was won by Orby.", "not_enough_evidence"),
        ("The 1921 census counted 4,120 people.", "The 1931 census counted 4,120 people.", "not_enough_evidence"),
        ("The 1974 final was won by Orby.", "The 1974 final was won by Orby. The 1978 final was lost.", "supported"),
        ("The 12 rooms have balconies.", "The 14 rooms have balconies.", "contradicted"),
        ("The order number 4411 was shipped.", "The order number 4412 was shipped.", "not_enough_evidence"),
        ("Invoice no. 12 was paid in May.", "Invoice no. 13 was paid in May.", "not_enough_evidence"),
        ("The item #12 weighs two kilos.", "The item #13 weighs two kilos.", "not_enough_evidence"),
        ("Vitamin B12 is found in meat.", "Vitamin B6 is found in meat.", "not_enough_evidence"),
        ("The A380 was built in Toulouse.", "The A320 was built in Toulouse.", "not_enough_evidence"),
        ("Flight BA2490 landed in May.", "Flight BA2491 landed in May.", "not_enough_evidence"),
        ("The U-21 team won the cup.", "The U-19 team won the cup.", "not_enough_evidence"),
        ("The U-21 team won the cup.", "The U21 team won the cup in May.", "supported"),
        (
            "The vaccine protects against hepatitis B.",
            "The vaccine protects against hepatitis A.",
            "not_enough_evidence",
        ),
        ("Well B was drilled in 1990.", "Well A was drilled in 1990.", "not_enough_evidence"),
        ("Well A was drilled in 1990.", "Well A was drilled in 1990. Well B was drilled in 2004.", "supported"),
        ("Well A was drilled in 2004.", "Well A was drilled in 1990. Well B was drilled in 2004.", "contradicted"),
        ("Team B scored 14 points.", "Team A scored 14 points, and Team B scored 21.", "contradicted"),
        ("The second edition was printed in 1900.", "The first edition was printed in 1900.", "not_enough_evidence"),
        ("The second edition was printed in 1900.", "The second edition was printed in 1910.", "contradicted"),
        ("The A380 has 525 seats.", "The A380 has 225 seats.", "contradicted"),
        ("The mill number 17 closed in 1961.", "The mill number 17 closed in 1971.", "contradicted"),
        ("The council built 12 ships.", "The council built 14 ships.", "contradicted"),
        ("The outdoor unit of the B12 weighs 128 kg.", A8_SHEET, "not_enough_evidence"),
        ("The outdoor unit of the A8 weighs 128 kg.", A8_SHEET, "supported"),
        ("The outdoor unit of the A-8 weighs 128 kg.", A8_SHEET, "supported"),
    ],
)
def test_a_statement_about_another_numbered_thing_does_not_contradict(claim: str, passage: str, label: str) -> None:
    assert load_small().verify([ClaimPair(claim, passage)])[0].label == label
