"""Claims that leave out parts of the passage's sentence: what may be left out, and where leaving out says more."""

from __future__ import annotations

from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.builtin.hybrid import CERTAIN
from factscope.judging.verifiers.builtin.shortening import find_shortened
from factscope.judging.verifiers.builtin.two_sentences import find_in_two
from factscope.judging.verifiers.protocol import ClaimPair
from tests.lab.many_cases import try_all


@try_all(
    ("claim", "passage"),
    [
        # an aside after the subject or at the end
        ("The canal was dug by hand.", "The canal, 14 kilometres long, was dug by hand between 1832 and 1836."),
        ("The lighthouse stands on a rock.", "The lighthouse (41 metres high) stands on a rock."),
        ("Berit Solum was elected in May.", "Berit Solum, a teacher from Orvale, was elected in May."),
        ("The tannery belongs to the town.", "The tannery, which closed in 1963, belongs to the town."),
        ("Jonas Kirch is the new director.", "Jonas Kirch (born 1970) is the new director."),
        ("The chapel was sold to a farmer.", "The chapel, built in 1720, was sold to a farmer in 1911."),
        ("The organ was restored by Ulla Brandt.", "The organ – a gift from the guild – was restored by Ulla Brandt."),
        ("The ferry runs daily.", "The ferry (a catamaran) runs daily, which suits the school."),
        ("The clock was repaired.", "The clock, known for its bells, was repaired by Emil Tarn."),
        # when, where and by whom
        ("The bridge was opened by the queen.", "The bridge was opened in 1931 by the queen."),
        ("The bridge was opened in 1931.", "The bridge was opened in 1931 by the queen."),
        ("Nora Feld was buried in June 1902.", "Nora Feld was buried in Tolsey in June 1902."),
        ("The railway was closed.", "On 4 May 1968, the railway was closed."),
        ("The museum bought the portrait.", "The museum bought the portrait in the spring of 1984."),
        ("The charter was signed by Duke Aldric.", "The charter was signed by Duke Aldric in March 1288."),
        ("Letters are answered.", "Letters are answered by the secretary."),
        (
            "The orchard was planted by monks.",
            "The orchard was planted by monks in the 1640s; it bears fruit.",
        ),
        # of the subject
        ("The mayor is elected every five years.", "The mayor of Marlow is elected every five years."),
        ("The roof was repaired.", "The roof of the market hall was repaired in 2004."),
        ("The door was broken.", "The door at the back was broken in May 1990."),
        ("The tower was struck by lightning.", "The tower in the north was struck by lightning."),
        ("Ester Vall was a member of the board.", "Ester Vall of Brennick was a member of the board."),
        # one of two verbs
        (
            "The strike ended on Thursday.",
            "The strike began on Monday and ended on Thursday. Talks resumed.",
        ),
        ("The strike began on Monday.", "The strike began on Monday and ended on Thursday."),
        ("The brewery was sold to a rival.", "The brewery was founded in 1871 and sold to a rival."),
        ("Ruta Meyne won the prize.", "Ruta Meyne entered the contest and won the prize."),
        ("Ruta Meyne entered the contest.", "Ruta Meyne entered the contest and won the prize."),
        (
            "The seeds were dried in Borstead.",
            "The seeds were collected near Zelford, dried in Borstead and sown.",
        ),
        ("The council accepted the offer.", "The council met on Tuesday and accepted the offer."),
        # an adjective, and one of several things that somebody has
        ("Olga Dern was a painter.", "Olga Dern was a famous painter."),
        ("The farm has a pond.", "The farm has a small pond."),
        ("The inn has twelve rooms.", "The inn has twelve rooms and a garden."),
        ("The school has a library.", "The school has a library and a laboratory."),
    ],
)
def test_what_says_nothing_of_its_own_may_be_left_out(claim: str, passage: str) -> None:
    assert find_shortened(claim, passage) is not None


@try_all(
    ("claim", "passage"),
    [
        # denial, report, plan, condition, fiction
        ("The well was dug by hand.", "The well, 9 metres deep, was not dug by hand."),
        ("The well was dug by hand.", "The well, 9 metres deep, was almost dug by hand in 1832."),
        ("The farm doesn't have a pond.", "The farm doesn't have a big pond."),
        ("The farm couldn’t sell a cow.", "The farm couldn’t sell a young cow."),
        ("The station was closed in 1926.", "The station of Orm was closed in 1926, but opened again in May."),
        ("The choir sang on Friday.", "The choir never rehearsed and sang on Friday in 1990."),
        ("The bank was robbed.", "The bank, said the porter, was robbed in 1931."),
        ("The bank was robbed.", "According to the porter, the bank of Pell was robbed in 1931."),
        ("The duchess was poisoned.", "The duchess of Orm was rumoured to be ill and was poisoned."),
        ("The pier was closed.", "The pier of Tolsey was to be closed, if the money ran out, in 1990."),
        ("The lift was replaced.", "The lift, planned in 1960, was replaced in 1980."),
        ("The king is killed by his brother.", "The king, in the play, is killed by his brother."),
        ("The dam was raised in 1990.", "The dam of Pell was raised in 1990? Nobody remembers."),
        ("The dam was raised by two metres.", "The dam of Pell was raised by two metres. This is not true."),
        ("The mayor was arrested.", "The mayor of Pell was arrested in May. In fact, only her driver was."),
        ("The pass is open.", "The pass, weather permitting, is open."),
        # quantities, shares, ordinals, comparison
        ("The three boats sank.", "Two of the three boats sank."),
        ("Three boats sank.", "Two boats of the three sank in 1931."),
        ("The boats were sold in Marrow.", "Most of the boats, all from Pell, were sold in Marrow."),
        ("Rooms have a balcony.", "Few rooms, on the whole, have a balcony."),
        ("The rooms have a balcony.", "The rooms on the top floor have a balcony."),
        ("The firm employed 340 people.", "The firm employed 340 people in 1952 and 85 in 1998."),
        ("The tower is the tallest.", "The tower is the tallest in Marlow."),
        ("The tallest tower was built in 1890.", "The tallest tower in Marlow was built in 1890."),
        ("The first concert was held in May.", "The first concert in Marlow was held in May."),
        ("The hall is bigger.", "The hall of Pell is bigger than the church."),
        ("The inn has twelve rooms.", "The inn has twelve rooms or a few more."),
        ("The inn has twelve rooms.", "The inn has twelve rooms and suites."),
        ("The club has 40 members.", "The club has 40 members under ten."),
        # another subject
        ("Tom Hahn was born in 1931.", "The wife of Tom Hahn was born in 1931."),
        ("The river was built in 1890.", "The bridge over the river was built in 1890."),
        ("Anna moved to Rome.", "Anna, whose brother moved to Rome, died."),
        ("The mayor is a dentist.", "The mayor of Marlow's wife is a dentist."),
        ("The mayor met in Pell.", "The mayor of Marlow and the bishop met in Pell."),
        ("The bridge was opened in 1931.", "The bridge in Marlow was opened in 1931. The bridge in Denby is older."),
        ("Ida Strom died in Lund.", "Ida Strom met a man who was born in Pell and died in Lund."),
        ("Ida Strom was painted in Lund.", "Ida Strom was given a boat built in Pell and painted in Lund."),
        ("Carl Dossin moved to Wenden.", "Carl Dossin stayed, Ruta Meyne moved to Wenden."),
        ("The violin is played by Per Ovesen.", "The violin is played by Ida Strom, the cello by Per Ovesen."),
        ("Anna Roe died in Pell.", "Anna Roe, who met Tom, was ill, and Bert, who knew her, died in Pell."),
        ("Anna Roe was applauded.", "Anna Roe sang, Bert danced, and was applauded."),
        (
            "The mill was closed in 1990.",
            "The mill built in 1890 and sold in 1950 was closed in 1990.",
        ),
        ("The mill sold in 1950 burned down.", "The mill built in 1890 and sold in 1950 burned down."),
        # times, places and others that bound the claim
        ("The hotel is closed.", "The hotel is closed in winter."),
        ("The hotel is closed.", "The hotel, in winter, is closed."),
        ("The hotel is closed.", "The hotel of Pell is closed, in winter."),
        ("The hotel is closed.", "The hotel (in winter) is closed."),
        ("The lift is running.", "The lift in the tower is running, as long as there is power."),
        ("The pass is blocked.", "The pass is blocked by snow in winter."),
        ("The heated pool is open.", "The heated pool is open in May."),
        ("The risk is low.", "The risk of fire is low."),
        ("The island belongs to Norrland.", "The island belongs to Norrland until 1965."),
        ("Smoking was banned in 2007.", "Smoking was banned in pubs in 2007."),
        ("The road was closed.", "The road was closed to lorries."),
        ("The road was closed in May.", "The road was closed near the quarry in May."),
        ("Ruta Meyne moved in 1890.", "Ruta Meyne moved to Rome in 1890."),
        ("The road runs between the church.", "The road runs between the church and painted houses."),
        # a word that changes what the noun means
        ("Jonas Kirch is the director.", "Jonas Kirch is the former director."),
        ("The museum shows a coin.", "The museum shows a fake coin."),
        ("Hugo Stahl is a thief.", "Hugo Stahl is an alleged thief."),
        ("The bridge was built in 1901.", "The second bridge was built in 1901."),
        ("The mill was sold in 1931.", "The old mill was sold in 1931. The new mill was sold in 1950."),
        ("Red squirrels are protected.", "Squirrels, red ones, are protected."),
    ],
)
def test_where_leaving_out_changes_it_no_sentence_is_found(claim: str, passage: str) -> None:
    assert find_shortened(claim, passage) is None


@try_all(
    ("claim", "passage"),
    [
        ("Some of the rooms face the sea.", "All of the rooms have a balcony. Some of them face the sea."),
        ("Two of the boats were lost.", "The boats were built in Orm. Two of them were lost. One was sold."),
        (
            "The inn has twelve rooms and breakfast is included.",
            "The inn has twelve rooms and a garden. Breakfast is included.",
        ),
        (
            "The mill was sold to a baker and the pond was drained.",
            "The mill, a ruin, was sold to a baker. The pond was drained in 1990.",
        ),
    ],
)
def test_two_neighbouring_sentences_may_say_a_claim(claim: str, passage: str) -> None:
    assert find_in_two(claim, passage) is not None


@try_all(
    ("claim", "passage"),
    [
        ("Some of the rooms face the sea.", "The rooms have balconies. Some of them face the sea."),
        ("Some of the rooms face the sea.", "The rooms and the hall are new. Some of them face the sea."),
        ("Some of the rooms face the sea.", "The rooms are large. The huts are small. Some of them face the sea."),
        ("Some of the rooms face the sea.", "It is said that the rooms are large. Some of them face the sea."),
        (
            "The Swan has twelve rooms and breakfast is included.",
            "The Swan has twelve rooms and a garden. The Bell is small. Breakfast is included.",
        ),
        (
            "In 1990 the mill burned down and the church was built.",
            "In 1990 the mill burned down. The church was built.",
        ),
        ("The mill burned down and it was sold.", "The mill burned down. It was sold."),
        ("The mill burned down and only the pond was left.", "The mill burned down. Only the pond was left."),
        ("The mill burned down and the pond was sold.", "The mill burned down. He said that the pond was sold."),
    ],
)
def test_sentences_that_do_not_say_both_halves_are_not_enough(claim: str, passage: str) -> None:
    assert find_in_two(claim, passage) is None


def test_a_shortened_sentence_is_supported_and_quoted() -> None:
    passage = "Talks resumed in May. The strike began on Monday and ended on Thursday."
    (prediction,) = load_small().verify([ClaimPair("The strike ended on Thursday.", passage)])
    assert (prediction.label, prediction.confidence) == ("supported", CERTAIN)
    assert prediction.quote is not None
    assert prediction.quote.of(passage) == "The strike began on Monday and ended on Thursday."
    assert prediction.rationale == "the passage says it in the same words, and more"


def test_a_text_that_repeats_itself_takes_no_longer() -> None:
    assert find_shortened("bell " * 60 + "tolled in May.", "tolled in May " + "bell " * 90) is None
