"""Claims that a passage contains verbatim without stating them: as an error, or in somebody's doubtful words."""

from __future__ import annotations

import pytest

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.rules import CERTAIN, ONLY_CLAIMED
from tests.lab.many_cases import try_all

CLAIM = "The Ostrand plant will close in June."


def judge(passage: str, claim: str = CLAIM) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


@try_all(
    "passage",
    [
        "The rumour that the Ostrand plant will close in June is false. It has full order books.",
        "The report that the Ostrand plant will close in June turned out to be a hoax.",
        "It is not true that the Ostrand plant will close in June.",
        "It is not true, whatever the papers repeat, that the Ostrand plant will close in June.",
        "MYTH: The Ostrand plant will close in June. FACT: It has full order books.",
        "Common misconception 3: The Ostrand plant will close in June.",
        "The Ostrand plant will close in June. This is a myth.",
        "It is wrong to say that the Ostrand plant will close in June.",
        "It is a mistake to think that the Ostrand plant will close in June. It was sold.",
        "There is no truth in the rumour that the Ostrand plant will close in June.",
        "A daily wrongly stated that the Ostrand plant will close in June.",
        "The union says the Ostrand plant will close in June. This is no longer true.",
        "One paper wrote that the Ostrand plant will close in June. The minister refuted this.",
        "“The Ostrand plant will close in June,” wrote a paper. It has since withdrawn the false report.",
        "“The Ostrand plant will close in June,” ran one headline. The paper has since withdrawn the story as untrue.",
        "Nobody now believes that the Ostrand plant will close in June: its books are full.",
        "No one maintains any longer that the Ostrand plant will close in June.",
        "It is often said that the Ostrand plant will close in June. Its order books show otherwise.",
        "Two papers reported that the Ostrand plant will close in June. They were wrong.",
        "Five myths about our town\n\nMyth 1: “The Ostrand plant will close in June.”\nFact: Its order books are full.",
        "The first edition said: “The Ostrand plant will close in June.” This was a printing error.",
        "This morning I wrote to you: “The Ostrand plant will close in June.” Please forget that mail.",
        "The claimant submitted that the Ostrand plant will close in June. I reject that submission.",
    ],
)
def test_a_claim_that_the_passage_calls_false_is_contradicted(passage: str) -> None:
    prediction = judge(passage)
    assert (prediction.label, prediction.confidence) == ("contradicted", CERTAIN)
    assert prediction.rationale == "the passage calls this false"
    assert prediction.quote
    assert "Ostrand" in prediction.quote.of(passage)


def test_a_statement_only_attributed_to_somebody_is_undecided() -> None:
    for said in (
        "The union insists that {}.",
        "{}, boasts a rival.",
        "{}, or so the workers feared.",
        "{}, as the old story has it.",
        "Local rumour has it that {}.",
        "The claimant submitted that {}. The owner denies it.",
        "This study tests the hypothesis that {}. Work is under way.",
        "Our hypothesis was that {}.",
        "5. Motion by Ms Frew: “{}.” (for decision)",
    ):
        prediction = judge(said.format(CLAIM.rstrip(".")))
        assert (prediction.label, prediction.confidence) == ("not_enough_evidence", ONLY_CLAIMED), said


@try_all(
    "passage",
    [
        "It is not true that the Ostrand plant will close in June only for a week.",
        "The figures confirmed the hypothesis that the Ostrand plant will close in June.",
        "The idea that the Ostrand plant will close in June is not so bad.",
        "The claim that the Ostrand plant will close in June is false in part.",
        "It is not wrong that the Ostrand plant will close in June.",
        "The claim that the Ostrand plant will close in June is false, but only for part of it.",
        "It was thought false that the Ostrand plant will close in June. The Ostrand plant will close in June.",
        "The union says the Ostrand plant will close in June. This was not mistaken.",
        "The Ostrand plant will close in June. This is a mistake.",
        "The Ostrand plant will close in June. That is wrong.",
        "The Ostrand plant will close in June. This was no longer the case in May.",
        "The Ostrand plant will close in June. It was not so in 1950.",
        "The Ostrand plant will close in June. That is not true of its shop.",
        "It is wrong that the Ostrand plant will close in June.",
        "No one believed that the Ostrand plant will close in June.",
        "Nobody else believes that the Ostrand plant will close in June.",
        "The union says the Ostrand plant will close in June. That was wrong of it, as nobody had asked.",
    ],
)
def test_similar_wording_around_a_statement_does_not_call_it_false(passage: str) -> None:
    assert judge(passage).rationale != "the passage calls this false"


@pytest.mark.parametrize(
    "following",
    [
        "Historians have since shown that this never happened.",
        "Recent finds have disproved this.",
        "Or was it?",
        "So runs the tale.",
        "This version is no longer accepted.",
        "The deed turned out to be a forgery.",
        "That was a clerical error.",
        "They made it up.",
    ],
)
def test_no_rule_supports_a_statement_retracted_by_the_next_sentence(following: str) -> None:
    prediction = judge(f"The mill was sold to the Crole family. {following}", "The mill was sold to the Crole family.")
    assert (prediction.label, prediction.confidence) != ("supported", CERTAIN)


@pytest.mark.parametrize(
    "following",
    [
        "Tests have shown that it still works.",
        "Its gate was forged in Orby.",
        "It was shut for a day by an error.",
    ],
)
def test_a_following_sentence_that_retracts_nothing_does_not_affect_the_rule(following: str) -> None:
    prediction = judge(f"The mill was sold to the Crole family. {following}", "The mill was sold to the Crole family.")
    assert (prediction.label, prediction.confidence) == ("supported", CERTAIN)


def test_a_sentence_that_denies_its_own_clause_does_not_deny_the_previous_sentence() -> None:
    passage = "The mill was sold to the Crole family. It is a mistake to think that it was a ruin."
    prediction = judge(passage, "The mill was sold to the Crole family.")
    assert (prediction.label, prediction.confidence) == ("supported", CERTAIN)


@try_all(
    "passage",
    [
        "There were three options.\n(a) The Ostrand plant will be sold.\n(b) The Ostrand plant will close in June.",
        "Which sentence is true?\n[ ] A  The Ostrand plant will close in June.\n[ ] B  The Ostrand plant will be sold.",
    ],
)
def test_one_of_several_options_is_open(passage: str) -> None:
    prediction = judge(passage)
    assert (prediction.label, prediction.confidence) == ("not_enough_evidence", ONLY_CLAIMED)
    assert prediction.rationale == "the passage only has it among several options"


def test_an_item_of_another_list_is_stated() -> None:
    assert judge(
        "The board has decided:\n(a) The Ostrand plant will close in June.\n(b) The mill will be sold."
    ).label == ("supported")
