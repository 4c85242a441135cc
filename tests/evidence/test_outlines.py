"""The outline of a document: the lines that are headings or rows, and the one above each sentence."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.claims.text import cells
from factscope.core.records import Document
from factscope.evidence import MAX_HEADING, cut, in_memory, outline
from factscope.methods import Passages
from tests.conftest import at_least
from tests.lab.many_cases import try_all


def outlined(text: str) -> list[tuple[str, str, str]]:
    """Return each sentence with its kind and the sentence above it."""
    spans = cut(text)
    texts = [span.of(text) for span in spans]
    return [
        (texts[number], place.kind, texts[place.over] if place.over >= 0 else "")
        for number, place in enumerate(outline(text, spans))
    ]


def over(text: str, sentence: str) -> str:
    """Return the sentence above a sentence."""
    (found,) = [above for words, _, above in outlined(text) if words == sentence]
    return found


def blocks(text: str) -> list[int]:
    return [place.block for place in outline(text, cut(text))]


def headings(text: str) -> list[str]:
    return [words for words, kind, _ in outlined(text) if kind == "heading"]


NESTED = "# A\n\nOne.\n\n### B\n\nTwo.\n\n## C\n\nThree. Four.\n\n#### D\n\nFive.\n\n# E\n\nSix.\n"


def test_a_heading_covers_its_section_until_one_of_the_same_or_a_higher_level() -> None:
    assert [(words, above) for words, _, above in outlined(NESTED)] == [
        ("# A", ""),
        ("One.", "# A"),
        ("### B", "# A"),
        ("Two.", "### B"),
        ("## C", "# A"),
        ("Three.", "## C"),
        ("Four.", "## C"),
        ("#### D", "## C"),
        ("Five.", "#### D"),
        ("# E", ""),
        ("Six.", "# E"),
    ]


@try_all(
    ("line", "is_heading"),
    [
        ("Opening hours", True),
        ("“Opening hours”", False),  # a quotation
        ("¿Cuándo abre?", True),
        ("3.2 Opening hours", True),
        ("IV Opening hours", True),
        ("2021", True),
        ("Who pays?", True),
        ("opening hours", False),
        ("We open at nine.", False),
        ("Dear Ida,", False),
        ("They have these animals:", False),
        ("1. opening hours", False),
        ("- Opening hours", False),
        ("**We open at nine.**", True),
        ("__Hours__:", True),
        ("# we open at nine.", True),
        ("#hashtag of the day", False),
        (" ".join(["Word"] * MAX_HEADING), True),
        (" ".join(["Word"] * (MAX_HEADING + 1)), False),
    ],
)
def test_a_short_line_by_itself_that_begins_like_a_title_is_a_heading(line: str, is_heading: bool) -> None:
    text = f"The museum is in the old mill.\n\n{line}\n\nIt has twelve rooms."
    assert headings(text) == ([line] if is_heading else [])


def test_the_last_line_of_a_document_heads_nothing_unless_it_is_marked() -> None:
    assert headings("It is open.\n\nOpening hours") == []
    assert headings("It is open.\n\n## Opening hours") == ["## Opening hours"]
    assert outlined("Only one line") == [("Only one line", "sentence", "")]
    assert outlined(" \n\n ") == outlined("") == []


def test_bold_words_that_begin_a_paragraph_head_that_paragraph_only() -> None:
    text = "# Zoo\n\n**Bears.** They live here. One is blind.\n\nNobody knows."
    assert over(text, "One is blind.") == "**Bears.**"
    assert over(text, "**Bears.**") == "# Zoo"
    assert over(text, "Nobody knows.") == "# Zoo"


def test_the_lead_in_of_a_list_covers_its_items_but_not_the_text_after_it() -> None:
    text = "# Zoo\n\nThese are animals:\n\n- lions\n- a giraffe. She is nine.\n\nAfter."
    assert over(text, "- lions") == over(text, "She is nine.") == "These are animals:"
    assert over(text, "These are animals:") == over(text, "After.") == "# Zoo"
    # A list item that ends with a colon introduces no list of its own.
    assert over("Animals:\n\n- big ones:\n- lions\n", "- lions") == "Animals:"


def test_the_first_row_heads_the_others_of_its_table_until_an_empty_line() -> None:
    text = "## Hours\n\n| Day | From |\n|---|---|\n| Sat | 10 |\n\n| Sun | 12 |\n| Mon | 9 |\n"
    rows = [(words, above) for words, kind, above in outlined(text) if kind == "row"]
    assert rows == [
        ("| Day | From |", "## Hours"),
        ("|---|---|", "| Day | From |"),
        ("| Sat | 10 |", "| Day | From |"),
        ("| Sun | 12 |", "## Hours"),
        ("| Mon | 9 |", "| Sun | 12 |"),
    ]


def test_sentences_of_one_paragraph_or_item_share_a_block() -> None:
    assert blocks("One. Two.\n\nThree.\n- Four. Five.\n- Six.\n") == [0, 0, 1, 2, 2, 3]


LINES = st.sampled_from(
    [
        "# A",
        "## B",
        "Hours",
        "It opened. It is red.",
        "- item",
        "1. item",
        "| a | b |",
        "a | b",
        "",
        "Animals:",
        "**B.** C.",
    ]
)


@given(st.lists(LINES, max_size=12).map("\n".join) | st.text("aB.:|#*- \n\u2028\x0b", max_size=60))
@settings(max_examples=at_least(20, in_all=400))
def test_every_sentence_has_a_place_and_its_heading_precedes_it(text: str) -> None:
    spans = cut(text)
    places = outline(text, spans)
    assert len(places) == len(spans)
    assert all(-1 <= place.over < number for number, place in enumerate(places))
    numbers = [place.block for place in places]
    assert numbers == sorted(numbers)
    # Only headings, rows and sentences that introduce a list or table have anything below them.
    for place in places:
        above = places[place.over] if place.over >= 0 else None
        assert above is None or above.kind in ("heading", "row") or spans[place.over].of(text).rstrip("*_ ")[-1] == ":"


@try_all(
    ("row", "expected"),
    [
        ("| a | b |", ["a", "b"]),
        ("|a|b|", ["a", "b"]),
        ("a | b", ["a", "b"]),
        ("  | a | b |  ", ["a", "b"]),
        ("| a | | c |", ["a", "", "c"]),
        ("|| b |", ["", "b"]),
        ("| a ||", ["a", ""]),
        ("| | b", ["", "b"]),
        ("a | b | |", ["a", "b", ""]),
        (r"| a \| b | c |", ["a | b", "c"]),
        (r"a\|b | c", ["a|b", "c"]),
        ("a", ["a"]),
        ("", [""]),
        ("|", [""]),
    ],
)
def test_every_cell_of_a_row_keeps_its_place(row: str, expected: list[str]) -> None:
    assert cells(row) == expected


@given(st.lists(st.text("ab|1 ", max_size=4).map(str.strip), min_size=1, max_size=5))
def test_cells_that_were_written_as_markdown_are_read_back(written: list[str]) -> None:
    escaped = [cell.replace("|", r"\|") for cell in written]
    for joint in ("|", " | "):
        assert cells(f"|{joint.join(escaped)} |") == written


@try_all(
    ("row", "query", "reading"),
    [
        ("|Adults|40|50|", "Adults 40 50", "Adults; 2021: 40; 2022: 50"),
        ("|Children||60|", "Children 60", "Children; 2022: 60"),
        ("|Dogs|70||", "Dogs 70", "Dogs; 2021: 70"),
        (r"|Cats \| lions|8|9|", "Cats lions", "Cats | lions; 2021: 8; 2022: 9"),
    ],
)
def test_a_figure_is_never_read_under_the_name_of_another_column(row: str, query: str, reading: str) -> None:
    text = f"# Zoo\n\nVisitors are counted at the gate.\n\n||2021|2022|\n|---|---|---|\n|Nobody|1|2|\n{row}\n"
    collection = in_memory([(Document(id="d1", text=None, sha256=""), text)])
    assert collection is not None
    (found,) = collection.search(query, Passages(top_k=1, window=0, in_context=True))
    assert (found.text, found.reading) == (row, f"Zoo.\n{reading}")


def test_a_rule_alone_below_a_heading_is_not_a_table() -> None:
    assert headings("Report\n|---|---|\n\nThe text is here.\n") == ["Report"]
