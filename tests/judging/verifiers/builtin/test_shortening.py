"""Claims that leave out parts of the passage's sentence."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
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
        # an attribute of the subject
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
def test_leaving_out_an_aside_contradicts_nothing(claim: str, passage: str) -> None:
    assert load_small().verify([ClaimPair(claim, passage)])[0].label != "contradicted"
