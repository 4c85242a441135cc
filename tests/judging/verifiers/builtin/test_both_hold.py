"""True claims beside seemingly opposite statements, and false ones whose every word is in the passage."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.rules import CERTAIN
from tests.lab.many_cases import try_all


def judge(claim: str, passage: str) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


def ruling(claim: str, passage: str) -> str | None:
    """Return the label that a rule gives, if one does."""
    prediction = judge(claim, passage)
    return prediction.label if prediction.confidence == CERTAIN else None


@try_all(
    ("claim", "passage"),
    [
        ("He won the cup in 1992.", "He won the cup in 1990. He won it again in 1992."),
        ("Line 5 serves the airport.", "Line 3 serves the airport. So does line 5."),
        ("Bus 22 stops at the hospital.", "Bus 14 stops at the hospital. Bus 22 stops there, too."),
        ("The market is held on Saturday.", "The market is held on Tuesday. On Saturday it is held, too."),
        ("The flag has a blue stripe.", "The flag has a red stripe. A blue stripe runs below it."),
        (
            "The firm has an office in Trier.",
            "The firm has an office in Bonn. A second one, in Trier, opened last year.",
        ),
    ],
)
def test_compatible_statements_do_not_contradict_each_other(claim: str, passage: str) -> None:
    assert ruling(claim, passage) != "contradicted"


@try_all(
    ("claim", "passage"),
    [
        ("Bert Ostrow danced with Anna Weil.", "Anna Weil danced with Bert Ostrow."),
        ("Estrand shares a border with Norvale.", "Norvale shares a border with Estrand."),
        ("Tarnby is near Ostrel.", "Ostrel is near Tarnby."),
        ("Bert Ostrow is a cousin of Anna Weil.", "Anna Weil is a cousin of Bert Ostrow."),
        ("Bert Ostrow played chess against Anna Weil.", "Anna Weil played chess against Bert Ostrow."),
        ("Hamburg lies 80 kilometres from Kiel.", "Kiel lies 80 kilometres from Hamburg."),
        ("The chapel lies below the spring.", "The spring lies above the chapel."),
        ("He moved to Paris after he had lived in Rome.", "He lived in Rome before he moved to Paris."),
    ],
)
def test_a_relation_stated_from_the_other_side_is_not_an_opposite(claim: str, passage: str) -> None:
    assert ruling(claim, passage) != "contradicted"


@try_all(
    ("claim", "passage"),
    [
        ("The firm Ledermann is based in Germany.", "The firm Ledermann is based in Munich."),
        ("The mayor is Ines Falk.", "The mayor is Mrs Falk."),
        ("At most 40 visitors are admitted at a time.", "No more than 40 visitors are admitted at a time."),
        ("The lowest step is not worn.", "There are eight steps; all but the lowest are worn."),
        ("Trains on the red line are driverless.", "Trains on the green line are driverless."),
        ("Lotte is older than Henrike.", "Lotte is older than Mads. He is in turn older than Henrike."),
        ("A ball that is in may be moved by hand.", "A dead ball may not be moved by hand."),
        ("Ada Fenn was in Orm in 1989.", "Ada Fenn left Orm in 1972 and has been back every summer since 1987."),
        ("The first volume is thicker than the second.", "The second volume is thinner, the third is thicker."),
        ("Some of the nurses do not speak Polish.", "Some of the nurses speak Polish."),
        ("All of the nurses speak Polish.", "Some of the nurses speak Polish."),
        ("Ada Fenn froze the samples.", "Ada Fenn need not have frozen the samples: the courier was early."),
        ("The school let two cooks go rather than raise fees.", "Rather than raise fees, the school let two cooks go."),
    ],
)
def test_a_paraphrase_is_not_an_opposite(claim: str, passage: str) -> None:
    assert ruling(claim, passage) != "contradicted"


@try_all(
    ("claim", "passage", "reason"),
    [
        ("The chapel lies above the spring.", "The spring lies above the chapel.", "other way round"),
        ("He moved to Paris before he lived in Rome.", "He lived in Rome before he moved to Paris.", "other way round"),
        ("He signed a petition against the dam.", "He signed a petition for the dam.", "other way round"),
        ("The ferry leaves Holm at 06:50.", "The ferry leaves Holm at 06:40.", "06:40"),
        (
            "The bridge was built by Weir.",
            "The bridge was designed by Weir and built by Ortega in 1902.",
            "Weir with designed, and built with Ortega",
        ),
        (
            "The pills helped 71 per cent of the children.",
            "The pills helped 71 per cent of the adults and 54 per cent of the children.",
            "71 per cent with adults, and children with 54 per cent",
        ),
        ("The choir toured Chile in 2011.", "The choir toured Japan in 2011, and Chile in 2014.", "2011 with Japan"),
        (
            "Tickets cost 8 euros at weekends.",
            "Tickets cost 8 euros on weekdays and 11 at weekends.",
            "weekends with 11",
        ),
        ("The west gate opens at noon.", "The west gate opens at dawn, the east gate at noon.", "noon with east"),
        ("Velmo was acquired by Tarsen in 2015.", "Velmo acquired Tarsen in 2015.", "other way round"),
    ],
)
def test_the_words_of_a_claim_in_other_roles_contradict_it(claim: str, passage: str, reason: str) -> None:
    assert ruling(claim, passage) == "contradicted"
    assert reason in judge(claim, passage).rationale


@try_all(
    ("claim", "passage"),
    [
        ("The choir toured Chile in 2014.", "The choir toured Japan in 2011, and Chile in 2014."),
        ("The choir toured Chile in 2014.", "The choir toured Japan in 2011, and, — and, Chile in 2014."),
        ("Ada Fenn's first book was dedicated to Rust.", "Ada Fenn dedicated her first book to her editor, Saul Rust."),
        ("Rolf's son was born in 1983.", "Rolf married Ida in 1980, and their son Karl was born in 1983."),
        ("Petra was re-elected mayor in 2008.", "Petra was elected mayor in 2004 and re-elected in 2008."),
        (
            "The pills helped 54 per cent of the children.",
            "The pills helped 71 per cent of the adults and 54 per cent of the children.",
        ),
        (
            "The choir toured Chile in 2011.",
            "The choir toured Japan in 2011, and Chile in 2014. It had toured Chile in 2011 as well.",
        ),
        ("The laundry moved in 1972.", "The tannery moved in 1965 and the laundry went in 1972."),
        (
            "Seats in the upper tier cost 30 crowns.",
            "Seats in the lower tier cost 20 crowns; those in the upper tier sell at 30.",
        ),
        ("Trams were introduced in Brel in 1908.", "Trams were introduced in Holm in 1902; Brel's turn came in 1908."),
    ],
)
def test_words_from_both_halves_of_a_sentence_may_belong_together(claim: str, passage: str) -> None:
    assert ruling(claim, passage) != "contradicted"


@try_all(
    ("claim", "passage"),
    [
        ("Anna Holt was born in Kiel.", "The pianist Rolf Weir, a pupil of his aunt, Anna Holt, was born in Kiel."),
        ("The harbour of Brel freezes over.", "In the novel, the harbour of Brel freezes over."),
        ("Bats are quite blind.", "Bats are quite blind. Not true: most of them see well."),
        ("The court ruled against the tenants.", "The court ruled in favour of the tenants and against the landlord."),
        ("The door on the left is green.", "The door on the left is red; the door on the right is green."),
        ("The miller of Brel was hanged in 1702.", "The son of the miller of Brel was hanged in 1702."),
        ("The crown was stolen in 1911.", "A copy of the crown was stolen in 1911."),
        ("Jackets are tested after they have been sold.", "Before a jacket is sold, its cloth is tested."),
        (
            "The spire at the bottom is the reflection.",
            "The spire at the bottom is real, and the top one a reflection.",
        ),
        ("Rosa got the higher mark.", "Rosa's essay was longer than Kemal's, but his got the higher mark."),
        ("Grade B is sold by the pallet.", "Grade B stays in our yard, grade C is sold by the pallet."),
        ("Item 77 is a shaving bowl.", "For decades the inventory listed item 77 as a shaving bowl."),
        ("The hotel is in Brel.", "The hotel is near Brel."),
        ("The hotel is in Brel.", "The hotel is outside Brel."),
        ("The mill stands on the river.", "The mill stands beside the river."),
        ("The track runs along the lake.", "The track runs across the lake."),
        ("The weaving is done in December.", "In December we do the peeling, in October we do the weaving."),
    ],
)
def test_no_rule_finds_support_where_the_words_mean_something_else(claim: str, passage: str) -> None:
    assert ruling(claim, passage) != "supported"


def test_the_same_place_with_another_preposition_is_supported() -> None:
    assert ruling("The fair was held at Brel.", "The fair was held in Brel.") == "supported"


def test_a_missing_ordinal_is_reported_as_a_word_and_not_as_a_number() -> None:
    rationale = judge("The first settlers came from Holm in 1701.", "Settlers came from Holm in 1701.").rationale
    assert "does not have first" in rationale
