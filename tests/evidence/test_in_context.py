"""Passages judged alone: each comes with the headings and lines that introduce it, in the document's own words."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factscope.core.records import Document
from factscope.evidence import Collection, FoundPassage, in_memory, open_collection
from factscope.methods import Passages
from tests.conftest import at_least
from tests.lab.many_cases import try_all

ZOO = """# Aldmoor Zoo

The zoo is on a hill above the town. It was founded in 1901 by the brothers Ames, who had made their money in salt.
Their house still stands beside the gate. It is used as a school for keepers today.

## What does it cost?

Adults pay 7 crowns. Children pay 2 crowns. Nobody under four pays anything.

## The animals

**3. Bears.** The three bears live in the old quarry. They were born in Pelland. One of them is blind.

The zoo has been given these animals:

- twelve lions from Castra
- a giraffe, which is called Mabel. She is nine years old.

## Visitors

| Year | Adults | Children |
|---|---|---|
| 2021 | 40,100 | 20,700 |
| 2022 | 43,900 | |

## Getting there

The bus stops at the gate. It runs every hour.
"""
PAGE = """<html><head><title>Aldmoor tower</title></head><body><h1>Opening hours</h1>
<p>The tower is open from May to October, and its keeper is glad to show you the bells if you ask him in time.</p>
<table><tr><th>Day</th><th>From</th><th>To</th></tr><tr><td>Saturday</td><td>10 am</td><td>6 pm</td></tr>
<tr><td>Sunday</td><td>noon</td><td>4 pm. Bells at 3.</td></tr></table>
<h2>The tower in figures</h2>
<table><tr><td>Built</td><td>1712</td></tr><tr><td>Height</td><td>48 metres</td></tr></table>
<p>Nobody knows who drew the plans of the tower, since the archive of the town burned down in the year of 1790.</p>
</body></html>"""
STORES = 'store,opened,revenue_2022_million\nQuay,2004,16.8\n"Alder Hill, north",2022,2.6\n'
NOTES = """MARL MATTERS - spring 2019

BAND NEWS
Our town band took second prize at the contest in Belvane on 2 March. Twenty-two bands had entered it this year.
The conductor praised the young players above all, and the mayor has invited them to a supper in the town hall.

1. What the council does for
The council looks after the roads, schools and parks of the town, and it meets in the town hall \
on the second Tuesday of every month.
"""
ALONE = Passages(top_k=1, window=0, in_context=True)
NEAR = Passages(top_k=1, window=1, in_context=True)


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    base = tmp_path_factory.mktemp("in_context")
    texts = {"zoo.md": ZOO, "tower.html": PAGE, "stores.csv": STORES, "notes.txt": NOTES}
    for name, text in texts.items():
        (base / name).write_text(text, encoding="utf-8")
    return open_collection([base / name for name in texts], base / "cache")


def best(zoo: Collection, claim: str, settings: Passages = NEAR) -> FoundPassage:
    [found] = zoo.search(claim, settings)
    return found


def test_a_passage_is_read_with_the_title_and_heading_over_it(zoo: Collection) -> None:
    found = best(zoo, "Children pay 2 crowns.")
    assert found.text == "Adults pay 7 crowns. Children pay 2 crowns. Nobody under four pays anything."
    assert found.reading == f"Aldmoor Zoo. What does it cost?\n{found.text}"


def test_a_passage_of_a_page_is_read_with_its_heading(zoo: Collection) -> None:
    found = best(zoo, "The tower is open from May to October.")
    assert found.reading == f"Aldmoor tower. Opening hours.\n{found.text}"


def test_a_heading_that_says_nothing_new_is_left_out(zoo: Collection) -> None:
    assert "zoo" in best(zoo, "The zoo was founded in 1901 by the brothers Ames.").text


def test_plain_text_has_headings_too(zoo: Collection) -> None:
    band = best(zoo, "The town band took second prize in Belvane.")
    assert band.reading is not None
    assert band.reading.startswith("MARL MATTERS - spring 2019. BAND NEWS.\nOur town band took")
    council = best(zoo, "The council looks after the roads.")
    assert council.text.startswith("The council looks after the roads")
    assert council.reading is not None
    assert council.reading.startswith("MARL MATTERS - spring 2019. What the council does for.\n")


def test_bold_words_at_the_beginning_of_a_paragraph_are_its_heading(zoo: Collection) -> None:
    found = best(zoo, "The bears were born in Pelland.")
    assert found.text.startswith("The three bears live in the old quarry.")
    assert found.reading is not None
    assert "3. Bears." in found.reading.split("\n")[0]
    assert "Bears" not in (best(zoo, "The giraffe is called Mabel.").reading or "")


def test_a_list_item_is_read_with_the_lead_in_of_its_list(zoo: Collection) -> None:
    found = best(zoo, "Twelve lions came from Castra.", ALONE)
    assert found.text == "- twelve lions from Castra"
    assert found.reading == f"Aldmoor Zoo. The animals. The zoo has been given these animals:\n{found.text}"


def test_a_passage_does_not_cross_a_heading(zoo: Collection) -> None:
    found = best(zoo, "Nobody under four pays anything.", Passages(top_k=1, window=9, in_context=True))
    assert found.text == "Adults pay 7 crowns. Children pay 2 crowns. Nobody under four pays anything."


def test_a_short_passage_takes_in_more_of_its_paragraph(zoo: Collection) -> None:
    assert best(zoo, "Adults pay 7 crowns.", ALONE).text.endswith("Nobody under four pays anything.")


def test_a_sentence_that_depends_on_the_previous_one_includes_it(zoo: Collection) -> None:
    found = best(zoo, "The brothers Ames founded it and had made their money in salt.", ALONE)
    assert found.text.startswith("The zoo is on a hill above the town. It was founded in 1901")


def test_a_table_row_is_read_with_its_column_names(zoo: Collection) -> None:
    row = best(zoo, "In 2021 there were 40,100 adults.")
    assert row.text == "| 2021 | 40,100 | 20,700 |"
    assert row.reading == "Aldmoor Zoo. Visitors.\nYear: 2021; Adults: 40,100; Children: 20,700"
    assert (best(zoo, "43,900 adults came in 2022.").reading or "").endswith("\nYear: 2022; Adults: 43,900")
    names = best(zoo, "It counts adults and children by year.")
    assert names.text.startswith("| Year | Adults | Children |")
    assert "\nYear: 2021; Adults: 40,100; Children: 20,700\n" in (names.reading or "")
    sunday = best(zoo, "On Sunday the bells are at 3.")
    assert sunday.text == "Sunday | noon | 4 pm. Bells at 3."
    assert (sunday.reading or "").endswith("\nDay: Sunday; From: noon; To: 4 pm. Bells at 3.")


@pytest.mark.parametrize("texts", [["", "12"], ["\u2028|1 \x0b-À\x1c*a:三"], ["a:\n\n- b\u2028| c |"]])
def test_odd_documents_can_be_searched(texts: list[str]) -> None:
    documents = [(Document(id=f"d{number}", text=None, sha256=""), text) for number, text in enumerate(texts)]
    collection = in_memory(documents)
    assert collection is not None
    collection.search("12 a À", NEAR)


def test_a_two_column_table_needs_no_header(zoo: Collection) -> None:
    found = best(zoo, "The height is 48 metres.")
    assert found.text == "Height | 48 metres"
    assert (found.reading or "").endswith("\nBuilt: 1712\nHeight: 48 metres")


GROUPS = "<tr><th>Dish<th>Small<th>Large</tr>{}<tr><th colspan=3>Pizzas:</tr><tr><td>Fish<td>8<td>11</tr>{}"


@pytest.mark.medium
@try_all(
    ("rows", "expected"),
    [
        (("<tr><th colspan=3>Soups</tr><tr><td>Fish<td>4<td>6</tr>", ""), "Dish: Pizzas – Fish; Small: 8; Large: 11"),
        (("<tr><th colspan=3>Soups</tr><tr><td>Leek<td>4<td>6</tr>", ""), "Dish: Fish; Small: 8; Large: 11"),
        (("<tr><td>Leek<td>4<td>6</tr>", ""), "Dish: Fish; Small: 8; Large: 11"),
        (
            (
                "<tr><td colspan=3>Soups</tr><tr><td>Cod<td>4<td>6</tr><tr><td>Total<td>4<td>6</tr>",
                "<tr><td>Cod<td>1<td>2",
            ),
            "Dish: Pizzas – Cod; Small: 1; Large: 2",
        ),
        (
            (
                "<tr><td colspan=3>Soups</tr><tr><td>Leek<td>4<td>6</tr>",
                "<tr><td>Total<td>9<td>9</tr><tr><td>Cod<td>1<td>2",
            ),
            "Dish: Cod; Small: 1; Large: 2",
        ),
    ],
)
def test_a_row_in_a_group_is_read_with_the_group_title_and_the_column_names(
    tmp_path: Path, rows: tuple[str, str], expected: str
) -> None:
    body = f"<h1>Menu</h1><p>{'We cook from noon on. ' * 5}</p><table>{GROUPS.format(*rows)}</table>"
    source = f"<html><head><title>Menu</title></head><body>{body}</body></html>"
    (tmp_path / "menu.html").write_text(source, encoding="utf-8")
    collection = open_collection([tmp_path / "menu.html"], tmp_path / "cache")
    query = " ".join(re.findall(r"\w+", expected))
    assert (best(collection, query, ALONE).reading or "").endswith(f"\n{expected}")


def test_a_csv_row_is_in_its_passage_once(zoo: Collection) -> None:
    found = best(zoo, "The Alder Hill store opened in 2022.")
    assert found.text == "store: Alder Hill, north; opened: 2022; revenue_2022_million: 2.6"
    assert found.reading == "store: Alder Hill, north; opened: 2022; revenue 2022 million: 2.6"


def test_passages_without_context_are_unchanged(zoo: Collection) -> None:
    found = best(zoo, "Children pay 2 crowns.", Passages(top_k=1, window=2))
    assert found.reading is None
    assert found.text.startswith("## What does it cost?")


@given(
    words=st.lists(st.sampled_from(f"{ZOO} {NOTES} {STORES}".split()), min_size=1, max_size=12),
    top_k=st.integers(1, 12),
    around=st.integers(0, 3),
    per_document=st.integers(1, 8),
)
@settings(
    deadline=None, max_examples=at_least(37, in_all=150), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_passages_in_context_are_verbatim_and_each_has_its_own_sentence(
    zoo: Collection, words: list[str], top_k: int, around: int, per_document: int
) -> None:
    wanted = Passages(top_k=top_k, window=around, per_document=per_document, in_context=True)
    found = zoo.search(" ".join(words), wanted)
    for number, one in enumerate(found):
        url = one.document.url or ""
        if url.endswith((".md", ".txt")):
            assert one.span.of(ZOO if url.endswith(".md") else NOTES) == one.text
        assert one.reading
        earlier = [two.span for two in found[:number] if one.document.id == two.document.id]
        inside = [
            at for at in range(one.span.start, one.span.end) if not any(span.start <= at < span.end for span in earlier)
        ]
        assert any(one.text[at - one.span.start].isalnum() for at in inside)


def test_a_passage_keeps_neighbours_it_shares_with_another(tmp_path: Path) -> None:
    (tmp_path / "mole.txt").write_text(
        "For centuries the boats of the town had to be dragged up the shingle by hand whenever the weather was bad."
        " The Long Mole, the great curved wall that shelters the harbour from the south and the west, changed all that."
        " It was designed by the engineer Josiah Penrake and built of limestone that had come down the Orr on barges."
        " It is 640 metres long, twelve metres wide at its foot, and cost 31,000 crowns, twice what had been planned."
        " Penrake did not see it finished, as he died of fever, and so his assistant Nathaniel Loe completed the work.",
        "utf-8",
    )
    wanted = Passages(top_k=4, window=1, per_document=4, in_context=True)
    collection = open_collection([tmp_path], tmp_path / "cache")
    wall, length = collection.search("The harbour is sheltered by a great wall 640 metres in length.", wanted)
    assert "shelters the harbour" in wall.text
    assert "640 metres" not in wall.text
    assert "640 metres" in length.text
    assert "designed by the engineer" in wall.text
    assert "designed by the engineer" in length.text


def test_a_comparing_claim_gets_the_whole_table(zoo: Collection) -> None:
    found = best(zoo, "The zoo had more adults in 2022 than in 2021.")
    assert found.text.startswith("| Year | Adults | Children |")
    assert found.text.endswith("| 2022 | 43,900 | |")
    rows = "Year: 2021; Adults: 40,100; Children: 20,700\nYear: 2022; Adults: 43,900"
    assert found.reading == f"Aldmoor Zoo. Visitors.\n{rows}"


def test_a_very_long_table_stays_in_rows(tmp_path: Path) -> None:
    rows = "\n".join(f"| Ward {number} | {number * 7} |" for number in range(1, 60))
    (tmp_path / "wards.md").write_text(f"# Wards\n\n| Ward | Votes |\n|---|---|\n{rows}\n", encoding="utf-8")
    found = best(open_collection([tmp_path], tmp_path / "cache"), "Ward 31 had the most votes.")
    assert found.text == "| Ward 31 | 217 |"


def test_the_best_row_of_a_file_is_read_with_the_others_for_a_comparison(zoo: Collection) -> None:
    first, *others = zoo.search("The Quay store had the largest revenue.", Passages(top_k=2, window=1, in_context=True))
    assert first.text.startswith("store: Quay; opened: 2004;")
    assert first.reading
    assert first.reading.splitlines()[-2:] == [
        "store: Quay; opened: 2004; revenue 2022 million: 16.8",
        "store: Alder Hill, north; opened: 2022; revenue 2022 million: 2.6",
    ]
    assert not any("Quay" in (other.reading or "") for other in others)


def test_quarters_are_column_names(tmp_path: Path) -> None:
    head = "<tr><th>Segment</th><th>Q1 2024</th><th>2024</th></tr>"
    table = f"<table>{head}<tr><td>Films</td><td>30.1</td><td>124.3</td></tr></table>"
    text = f"<html><body><h1>Results</h1><p>Growth came from films.</p>{table}</body></html>"
    (tmp_path / "results.html").write_text(text, encoding="utf-8")
    found = best(open_collection([tmp_path], tmp_path / "cache"), "Films came to 124.3 in 2024.")
    assert found.reading
    assert found.reading.endswith("Segment: Films; Q1 2024: 30.1; 2024: 124.3")


def test_rows_of_a_file_are_found_among_other_documents_only_if_all_are_present(tmp_path: Path) -> None:
    names = ("Corra", "Tarva", "Neave", "Ossel", "Brint")
    rows = [f"{name},{number * 17}" for number, name in enumerate(names, start=1)]
    (tmp_path / "islands.csv").write_text("\n".join(("Island,Harbours", *rows)), encoding="utf-8")
    (tmp_path / "twice.csv").write_text("\n".join(("Lake,Boats", "Orm,4", "Orm,4", "Sill,9")), encoding="utf-8")
    for number in range(20):
        (tmp_path / f"{number}.txt").write_text(f"Letter {number} speaks of other things.", encoding="utf-8")
    collection = open_collection([tmp_path], tmp_path / "cache")
    islands = best(collection, "Brint has the most harbours.")
    assert islands.reading
    assert [line.partition(";")[0] for line in islands.reading.splitlines()[-5:]] == [
        f"Island: {name}" for name in names
    ]
    assert "Orm" not in (best(collection, "Sill has the most boats.").reading or "")


@try_all(
    ("table", "row"),
    [
        ("Notice | Refund\n---|---\n> 30 days | - 123", "Notice: > 30 days; Refund: - 123"),
        ("Step | Fee\n---|---\n1) apply | + 45", "Step: 1) apply; Fee: + 45"),
        ("Item | Price | Size | Stock\n---|---|---|---\n| Bolt | 200 |", "Item: Bolt; Price: 200"),
        ("Land | Year | People\n---|---|---\n| Oz | 2020 | 67 |\n| | 2021 | 68 |", "Land: Oz; Year: 2021; People: 68"),
        ("Item | 2020 | 2021\n---|---|---\n| Cash | 67 | 66 |\n| | 68 | 69 |", "2020: 68; 2021: 69"),
        ("Land | Year | People\n---|---|---\n| Oz | 2020 | 67 |\n| | 68 | 69 |", "Year: 68; People: 69"),
        (
            "| A | Sales | | Costs | |\n---|---|---|---|---\n| | 2023 | 2024 | 2023 | 2024 |\n| Bolt | 1 | 2 | 3 | 4 |",
            "A: Bolt; Sales 2023: 1; Sales 2024: 2; Costs 2023: 3; Costs 2024: 4",
        ),
        (
            "Dish | S | L\n---|---|---\n| **Soups** |||\n| Fish | 6 | 9 |\n| **Pizzas** |||\n| Fish | 10 | 14 |",
            "Dish: Pizzas – Fish; S: 10; L: 14",
        ),
        (
            "Dish | S | L\n---|---|---\n| Soups |||\n| Fish | 6 | 9 |\n| Pizzas |||\n| Salami | 10 | 14 |",
            "Dish: Salami; S: 10; L: 14",
        ),
    ],
)
def test_the_last_row_of_a_markdown_table_is_read_with_its_column_names(tmp_path: Path, table: str, row: str) -> None:
    lines = [line if line.startswith(("|", "---")) else f"| {line} |" for line in table.split("\n")]
    (tmp_path / "a.md").write_text("# Report\n\n" + "\n".join(lines), encoding="utf-8")
    [passage] = open_collection([tmp_path / "a.md"], tmp_path / "cache").search(lines[-1], ALONE)
    assert (passage.reading or "").rpartition("\n")[2] == row


DAYS = """Saturday
10:00 | Opening | Main stage
12:00 | Boat race | Harbour
Sunday
10:00 | Service | Church
12:00 | Fish soup | Tent
"""
RULED_DAYS = """| Saturday | | |
|---|---|---|
| 10:00 | Opening | Main stage |
| Sunday | | |
| 10:00 | Service | Church |
"""
ACCOUNTS = """Income statement
2024\t2023
Income
Fees\t41\t39
Other\t8\t9
Expenses
Rent\t22\t21
"""
BOATS = """Boats by town
Town | 2023 | 2024
Arnby | 12 | 14
South
Belvik | 3 | 4
"""


@try_all(
    ("table", "query", "expected"),
    [
        (DAYS, "fish soup", "Programme. Sunday.\n12:00: Fish soup: Tent"),
        (DAYS, "boat race", "Programme. Saturday.\n12:00: Boat race: Harbour"),
        (RULED_DAYS, "service", "Programme.\nSunday – 10:00; Service; Church"),
        (RULED_DAYS, "opening", "Programme.\nSaturday – 10:00; Opening; Main stage"),
        (ACCOUNTS, "rent", "Programme. Income statement.\nRent; 2024: 22; 2023: 21"),
        (BOATS, "Belvik", "Programme. Boats by town.\nTown: Belvik; 2023: 3; 2024: 4"),
    ],
)
def test_a_title_in_a_table_without_column_names_applies_to_the_rows_below_it(
    tmp_path: Path, table: str, query: str, expected: str
) -> None:
    (tmp_path / "table.md").write_text(f"# Programme\n\n{table}", encoding="utf-8")
    settings = Passages(top_k=1, window=0, in_context=True)
    [passage] = open_collection([tmp_path / "table.md"], tmp_path / "cache").search(query, settings)
    assert passage.reading == expected


def test_a_passage_of_data_without_spaces_is_not_extended_to_the_end_of_the_document(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(f"Pump seven weighs 900 kilograms. {'x' * 200_000} The end.", "utf-8")
    found = best(open_collection([tmp_path], tmp_path / "cache"), "Pump seven weighs 900 kilograms.")
    assert found.text.startswith("Pump seven weighs 900 kilograms. x")
    assert len(found.text) < 3_000
