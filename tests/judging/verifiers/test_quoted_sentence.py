"""The sentence that a report quotes for a verdict: it contains the words that the reason names."""

from __future__ import annotations

from factscope import check
from factscope.core.records import Judgement
from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

STRIKE = """# Ferry strike ends after nine days

HARSUND, 4 October. The crews of the Harsund ferries returned to work on Friday, nine days after they had walked out.
The union Sjøfolk and the operator NordLinje agreed on a wage rise of 3.8 percent from January and a further 2 percent
in 2026. The union had demanded 7 percent. About 14,000 passengers were affected each day, according to the operator.
"We did not get everything, but nobody lost their job," said union leader Marit Dahl. The minister of transport, Olav
Hegge, had refused to intervene. Freight traffic was exempt from the strike.
"""


BRIDGE = """# Halvard Bridge, report for 2022

The toll went up by one crown in May. The number of lorries, however, fell from 41,000 to 36,000. The paint of the
eastern tower was renewed, and no wire had to be replaced.
"""


def against(claim: str, document: str) -> list[Judgement]:
    report = check(claim, contexts=[document]).record
    return [judgement for judgement in report.judgements if judgement.label == "contradicted"]


def test_a_single_sentence_is_quoted_and_not_everything_under_the_matching_title() -> None:
    (judgement,) = against("More lorries used the Halvard Bridge in 2022.", BRIDGE)
    assert judgement.quote is not None
    assert judgement.quote.text == "The number of lorries, however, fell from 41,000 to 36,000."


def test_no_sentence_is_quoted_when_only_the_title_decides() -> None:
    by_text, by_title = against("The ferry crews went back to work after twelve days.", STRIKE)
    assert by_text.quote is not None
    assert "nine days after they had walked out" in by_text.quote.text
    assert by_title.quote is None
    assert by_title.rationale == (
        "the passage has nine days, not twelve days; closest to the claim is its title, “Ferry strike ends after nine"
        " days”"
    )


TENANCY = """# Tenancy agreement, 14 Mill Lane

The rent is 840 euros a month and is due on the third working day. The landlord may adjust the rent once a year, with
three months' notice in writing. The increase is at most 4 %.

The deposit is two months' rent. It is returned within eight weeks after the tenant moves out. Pets other than cats need
the landlord's consent.
"""


@try_all(
    ("claim", "quote", "reason"),
    [
        (
            "The landlord may raise the rent by at most 10 % a year.",
            "The increase is at most 4 %.",
            "the passage has 4 %, not 10 %",
        ),
        (
            "The deposit is three months' rent and comes back within eight weeks.",
            "The deposit is two months' rent.",
            "“The deposit is three months' rent”: the passage says two months, not three months",
        ),
    ],
)
def test_the_sentence_with_the_other_amount_is_quoted(claim: str, quote: str, reason: str) -> None:
    (judgement,) = against(claim, TENANCY)
    assert judgement.quote is not None
    assert " ".join(judgement.quote.text.split()) == quote
    assert judgement.rationale == reason


@try_all(
    ("claim", "passage", "reason"),
    [
        (
            "She studied in Leipzig with Hugo Brandt until 1958.",
            "Elin Marrow was a composer. She studied with Hugo Brandt in Leipzig from 1952 to 1956.",
            "the passage has 1956, not 1958",
        ),
        (
            "The railway did not reach the town until 1886.",
            "The railway arrived in the town in 1866 and brought the first summer visitors.",
            "the passage has 1866, not 1886",
        ),
        (
            "Emilia Thorsgard's father illustrated children's books, while her mother was a pharmacist.",
            "Her father, Henrik Thorsgard, was a pharmacist, and her mother, Sofie Lang, drew for children's books.",
            "the passage says something that rules the claim out",
        ),
    ],
)
def test_a_reason_names_the_words_that_differ(claim: str, passage: str, reason: str) -> None:
    (prediction,) = load_small().verify([ClaimPair(claim, passage)])
    assert (prediction.label, prediction.rationale) == ("contradicted", reason)


MOLE = """The Long Mole was designed by the engineer Ada Lund and built between 1764 and 1771 from limestone. It is 640
metres long. Lund did not see it finished; she died of a fever in 1769, and her assistant took over.
"""


def test_the_contradicting_sentence_is_quoted_and_not_the_one_with_most_words_in_common() -> None:
    (judgement,) = against("The designer of the Long Mole, Ada Lund, lived to see the last stone laid in 1771.", MOLE)
    assert judgement.quote is not None
    assert judgement.quote.text.startswith("Lund did not see it finished")
