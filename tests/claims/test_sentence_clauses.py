"""Sentences whose clauses are claims of their own, and sentences that stay whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from factscope import check
from factscope.claims import cut_clauses
from factscope.core.records import Claim, Segment, Span
from tests.lab.many_cases import try_all


def claims_of(text: str, kind: str = "sentence", start: int = 0) -> list[Claim]:
    span = Span(start=start, end=start + len(text))
    return cut_clauses(Segment.model_validate({"id": "s1", "span": span, "text": text, "kind": kind}))


@try_all(
    ("text", "statements"),
    [
        (
            "Tickets cost 9 crowns each, and the tower closes at noon.",
            ["Tickets cost 9 crowns each", "the tower closes at noon."],
        ),
        (
            "Tickets are 9 crowns each and can be bought at the tower.",
            ["Tickets are 9 crowns each", "Tickets can be bought at the tower."],
        ),
        (
            "The pump beeps every hour; the battery lasts for eight days.",
            ["The pump beeps every hour", "the battery lasts for eight days."],
        ),
        (
            "Her father was a pharmacist, while her mother drew children's books.",
            ["Her father was a pharmacist", "her mother drew children's books."],
        ),
        (
            "The first pause is half a second, and it doubles every time.",
            ["The first pause is half a second", "The first pause doubles every time."],
        ),
        (
            "Revenue rose by 6 %, but operating profit fell, and the dividend remains at 2 crowns.",
            ["Revenue rose by 6 %", "operating profit fell", "the dividend remains at 2 crowns."],
        ),
        ("Anna Marl was born in 1903 and died in 1970.", ["Anna Marl was born in 1903", "Anna Marl died in 1970."]),
        (
            "The treaty was signed in 1648 and ended the war.",
            ["The treaty was signed in 1648", "The treaty ended the war."],
        ),
        (
            "Anna Marl has written three novels and won two prizes.",
            ["Anna Marl has written three novels", "Anna Marl won two prizes."],
        ),
        (
            "The observatory lies at 1,870 metres and belongs to the University of Pellwick.",
            ["The observatory lies at 1,870 metres", "The observatory belongs to the University of Pellwick."],
        ),
        (
            "The motion passed with 14 votes, although Graham Tull spoke against it at the meeting.",
            ["The motion passed with 14 votes", "Graham Tull spoke against it at the meeting."],
        ),
        (
            "The head is Rafe Dunmore, who used to lead Varrow Primary.",
            ["The head is Rafe Dunmore", "Rafe Dunmore used to lead Varrow Primary."],
        ),
        (
            "The longest is Varga Ridge, which lasts nine days and is led by Jorun Bask.",
            ["The longest is Varga Ridge", "Varga Ridge lasts nine days and is led by Jorun Bask."],
        ),
        (
            "The biggest cost was the insurance premium, which rose by 12%.",
            ["The biggest cost was the insurance premium", "the insurance premium rose by 12%."],
        ),
        (
            "**Price:** The room costs $45, and **breakfast** is free.",
            ["Price: The room costs $45", "breakfast is free."],
        ),
        (
            "Its lamp was fed first with oil, and it did not become electric until 1937.",
            ["Its lamp was fed first with oil", "it did not become electric until 1937."],
        ),
        (
            "Its engineer was Josiah Penwarden, and it was built by Gant & Lowe.",
            ["Its engineer was Josiah Penwarden", "it was built by Gant & Lowe."],
        ),
        (
            "Tesmond stopped the work, but it was finished by a pupil.",
            ["Tesmond stopped the work", "it was finished by a pupil."],
        ),
        (
            "The module never ran on Windows and will be removed in May.",
            ["The module never ran on Windows", "The module will be removed in May."],
        ),
        (
            "Self-employed people can draw 900 crowns, but they'll pay tax.",
            ["Self-employed people can draw 900 crowns", "Self-employed people will pay tax."],
        ),
        (
            "The firm said the pool would cost 9 million; it cost 14.",
            ["The firm said the pool would cost 9 million", "it cost 14."],
        ),
        ("The team lost in 1990, but they won in 1991.", ["The team lost in 1990", "The team won in 1991."]),
    ],
)
def test_clauses_that_state_something_alone_are_claims(text: str, statements: list[str]) -> None:
    claims = claims_of(text, start=7)
    assert [claim.standalone for claim in claims] == statements
    assert [claim.id for claim in claims] == [f"s1.c{number}" for number in range(1, len(statements) + 1)]
    for claim in claims:
        assert claim.span is not None
        assert claim.span.start >= 7
        inside = Span(start=claim.span.start - 7, end=claim.span.end - 7).of(text)
        assert claim.text == inside.replace("*", "")


@try_all(
    "text",
    [
        "The twins were born in 1990, and it made them famous.",
        "Pupils in Years 5 and 6 may bring a phone, but it has to be switched off.",
        "Peter and Anna married in 1990, and he died in 1995.",
        "The town has two churches, and they were built in 1300.",
        "The king defeated three rebels, and they fled to Rome.",
        "The bridge was closed, and they built a new one.",
        "Anna's firm grew quickly, and she sold it in 1990.",
        "The firm bought a mill, but it burned down in 1950.",
        "The dog barked loudly, and it began to rain.",
        "The train was late, and it was very cold.",
        "The mill was sold in 1950, and it's been closed since.",
        "The war ended in 1945, but it took years to rebuild the city.",
        "The tower was closed, and it was feared that the bells would fall.",
        "The dam was planned by the state, but it was Anna Marl who built it.",
        "The firm said the pool would cost 9 million; the work took two years, and it cost 14 million.",
    ],
)
def test_a_pronoun_that_may_stand_for_something_else_is_not_replaced(text: str) -> None:
    claims = claims_of(text)
    assert len(claims) == 2 + text.count(";")
    assert all(claim.standalone == claim.text for claim in claims)


@try_all(
    "text",
    [
        "The bridge has six arches.",
        "The mill has a wheel, a barn, and an inn.",
        "The shop sells fresh and dried fruit.",
        "The tower built in 1903 and restored in 1950 holds five bells.",
        "The club was founded in 1958 and renamed in 1970.",
        "It was opened on the first weekend of September and was closed in May.",
        "The fair is held in September and drew about 18,000 people in 2023.",
        "No hotel has a pool and is near the sea.",
        "Only Tarva has a pool and is near the sea.",
        "The club was bought in 1958 and renamed Nova.",
        "He was elected in 2010 and awarded a medal.",
        "The tower was built in 1903 and destroyed by a storm.",
        "The tower was designed and built by Elof Brandil.",
        "The plan was drawn up by Mr Penhall and checked by a pharmacist.",
        "You should call the office; do not open the box.",
        "These are tools made and used in the mine.",
        "The hall will open in May and cost 14 million crowns.",
        "If the light is red, the elements are worn, and all six must be replaced.",
        "She said that the mill was cold, and the roof was open.",
        "Neither machine stops automatically, and the tank was full.",
        "Showering is fine, but swimming is not.",
        "The bank is covered, and so is the car.",
        "Hot lunch is served in Cobb Lane, but not on Fridays.",
        "The bell cracked in a year that was cold and was mended later.",
        "The bridge (it was opened in 1931, and the mill was burned in 1940) is closed.",
        'The song "He came, and she was gone" sold well.',
        "Is the bridge open, and does it cost anything?",
        "~~The bridge was opened in 1931, and~~ the mill was burned in 1940.",
        "The firm, founded in 1990, has 300 employees and is based in Rome.",
        "In winter the Alda lies in Kelm and was repaired there in 1958.",
        "It managed this, although its captain was sent off.",
        "The prompt may be hidden on Windows, which is to be fixed in 4.0.1.",
        "They beat Dunmarrow after overtime, which was their first win.",
        "Dostal, who is 54, teaches mathematics.",
        "Pass the option, and the call is repeated three times.",
        "Critics say the dam is unsafe, and they want it closed.",
        "Had the dam been finished, the town would be gone, and the lake would be wide.",
    ],
)
def test_a_sentence_is_not_cut_where_a_clause_needs_the_others(text: str) -> None:
    assert [claim.id for claim in claims_of(text)] == ["s1.c1"]


def test_rows_paragraphs_and_whole_texts_are_not_cut() -> None:
    text = "Tickets cost 9 crowns each, and the tower closes at noon."
    for kind in ("table_row", "paragraph", "whole", "heading", "code"):
        assert len(claims_of(text, kind)) == 1, kind
    assert len(claims_of(f"- {text}", "list_item")) == 2


@given(
    st.lists(
        st.sampled_from(
            [
                "It",
                "Marlow",
                "is",
                "has",
                "opened",
                "and",
                ", and",
                ";",
                "but",
                "(",
                ")",
                '"',
                "12",
                "the",
                "mill",
                "which",
                ".",
            ]
        ),
        max_size=20,
    )
)
def test_clauses_lie_in_the_sentence_in_order_and_lose_nothing_but_their_joints(words: list[str]) -> None:
    text = " ".join(words) or "A"
    claims = claims_of(text)
    assert claims
    end = 0
    for claim in claims:
        assert claim.span is not None
        between = text[end : claim.span.start].strip(" ,;")
        assert between in ("", "and", "but")
        end = claim.span.end
    assert not text[end:].strip()


def test_each_clause_has_its_own_verdict_and_the_worst_is_the_sentences() -> None:
    evidence = ["Tickets cost 9 crowns and are sold at the village shop, not at the tower."]
    report = check("Tickets cost 9 crowns each and can be bought at the tower.", contexts=evidence)
    assert [claim.verdict for claim in report.claims] == ["supported", "contradicted"]
    (sentence,) = [verdict for verdict in report.record.verdicts if verdict.level == "segment"]
    assert sentence.outcome == "contradicted"
