"""Other forms of names: a country's short name is a name, and no name denies another form of itself."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.rules import is_ruled
from tests.lab.many_cases import try_all


def verified(claim: str, passage: str) -> Prediction:
    """Return the small verifier's prediction."""
    return load_small().verify([ClaimPair(claim, passage)])[0]


@try_all(
    ("claim", "passage"),
    [
        ("The drug is approved in the US.", "The drug is approved in the EU but not in the US."),
        ("The drug is approved in the US.", "The drug is approved in the EU."),
        ("The firm is based in the US.", "The firm is based in Canada."),
        ("The U.K. has banned the sale of the drug.", "The U.S. has banned the sale of the drug."),
        ("The U.S. army has 5,000 tanks.", "The army has 5,000 tanks."),
        ("The US exports wheat.", "It exports wheat."),
        ("IT spending rose by 5% in 2020.", "Spending rose by 5% in 2020."),
        ("The WHO recommends masks.", "The ministry recommends masks."),
    ],
)
def test_a_short_name_spelled_like_a_pronoun_is_not_left_out(claim: str, passage: str) -> None:
    prediction = verified(claim, passage)
    assert not (is_ruled(prediction) and prediction.label == "supported")


@try_all(
    ("claim", "passage"),
    [
        ("The US joined the league in 1950.", "The US joined the league in 1950 and left it in 1960."),
        ("The US joined the league in 1950.", "The U.S. joined the league in 1950 and left it in 1960."),
        ("He moved to the U.S.A. in 1990.", "In 1990, he moved to the USA."),
        ("The US joined the league in 1950.", "America joined the league in 1950 and left it in 1960."),
        ("SHE TOLD US ABOUT THE TRIP.", "In May she told us about the trip."),
        ("The price was $5 million.", "The price was US$5 million in May."),
        ("She told us about the trip.", "In May she told us about the trip."),
    ],
)
def test_the_same_name_with_or_without_full_stops_is_supported_by_rule(claim: str, passage: str) -> None:
    prediction = verified(claim, passage)
    assert prediction.label == "supported"
    assert is_ruled(prediction)


ALIKE = [
    ("the US", "the United States"),
    ("the US", "America"),
    ("the USA", "Texas"),
    ("the USA", "Ohio"),
    ("Leeds", "Yorkshire"),
    ("Austin", "Texas"),
    ("Portland", "Oregon"),
    ("the UK", "Britain"),
    ("the UK", "England"),
    ("Holland", "the Netherlands"),
    ("Germany", "Bavaria"),
    ("Europe", "France"),
    ("the EU", "the European Union"),
    ("IBM", "International Business Machines"),
    ("MIT", "the Massachusetts Institute of Technology"),
    ("NYC", "New York City"),
    ("LA", "Los Angeles"),
    ("Liz", "Elizabeth"),
    ("Bill Hart", "William Hart"),
    ("Zurich", "Zürich"),
    ("Mueller", "Müller"),
    ("St. Louis", "Saint Louis"),
    ("President Obama", "Barack Obama"),
]


@try_all(("short", "full"), ALIKE)
def test_another_form_of_a_name_or_an_area_around_it_contradicts_nothing(short: str, full: str) -> None:
    for ours, theirs in ((short, full), (full, short)):
        for claim, passage in (
            (f"He worked for a bank in {ours} in 1990.", f"In 1990, he worked for a bank in {theirs}."),
            (f"He wrote to {ours} in 1990.", f"He wrote to {theirs} in 1990."),
        ):
            prediction = verified(claim, passage)
            reason = prediction.rationale
            assert not (prediction.label == "contradicted" and reason.startswith("the passage says")), (claim, reason)


@try_all(
    ("ours", "theirs"),
    [
        ("the US", "Germany"),
        ("Germany", "the US"),
        ("the UK", "the US"),
        ("England", "Scotland"),
        ("Ohio", "Oregon"),
        ("Europe", "Asia"),
        ("Liz", "Robert"),
        ("Bill Hart", "William Berg"),
        ("NYC", "Los Angeles"),
    ],
)
def test_another_name_in_its_place_still_contradicts(ours: str, theirs: str) -> None:
    prediction = verified(f"He wrote a book in {ours} in 1990.", f"In 1990, he wrote a book in {theirs}.")
    assert prediction.label == "contradicted"


@try_all(
    ("ours", "theirs"),
    [
        ("Patricia Hart", "Patrick Hart"),
        ("Johnson", "Johnston"),
        ("Petersen", "Peterson"),
        ("Christina Roth", "Christian Roth"),
        ("Martina Berg", "Martin Berg"),
        ("Austria", "Australia"),
        ("Victoria", "Victor"),
        ("Kingston", "Kingsdown"),
        ("John Williams", "John William"),
        ("Andrea Berg", "Andreas Berg"),
        ("Adams", "Adam"),
        ("the contract", "the contrast"),
        ("the university", "the universe"),
        ("the animal", "the animation"),
        ("the author", "the authority"),
        ("the department", "the departed"),
        ("the childless couple", "the couple with children"),
        ("the country", "the counter"),
        ("the lighthouse", "the light"),
    ],
)
def test_a_word_with_only_the_same_beginning_is_not_the_same_by_rule(ours: str, theirs: str) -> None:
    prediction = verified(f"He wrote a book for {ours} in 1990.", f"In 1990, he wrote a book for {theirs}.")
    assert not is_ruled(prediction), prediction


@try_all(
    ("ours", "theirs"),
    [
        ("The Chilean mine closed in 1990.", "The mine in Chile closed in 1990."),
        ("The Canadian mine closed in 1990.", "The mine in Canada closed in 1990."),
        ("Ada Kern's mine closed in 1990.", "The mine of Ada Kern closed in 1990."),
    ],
)
def test_forms_of_one_word_are_the_same_by_rule(ours: str, theirs: str) -> None:
    prediction = verified(ours, theirs)
    assert prediction.label == "supported"
    assert is_ruled(prediction), prediction


@try_all(
    ("claim", "passage"),
    [
        ("Adams signed the letter.", "Adam signed the letter."),
        ("Adam signed the letter.", "Adams signed the letter."),
        ("In 1776 Adams signed the letter.", "In 1776 Adam signed the letter."),
        ("Peters bought the farm in 1988.", "Peter bought the farm in 1988."),
        ("She studied the university.", "She studied the universe."),
    ],
)
def test_a_name_or_word_with_another_ending_is_not_supported(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("Adams' house burned down.", "The house of Adams burned down."),
        ("The Beatle married in 1969.", "The Beatle, John Lennon, married in 1969."),
        ("A German bought the house.", "The house was bought by Germans."),
        ("Boats may be hired at the jetty.", "A boat may be hired at the jetty."),
        ("Soils on organic farms gained carbon.", "Soil carbon rose on organic farms."),
        ("She studied two universities.", "She studied two universities and a university college."),
    ],
)
def test_a_plural_is_not_another_name(claim: str, passage: str) -> None:
    assert verified(claim, passage).label == "supported"
