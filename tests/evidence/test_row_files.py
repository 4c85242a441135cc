"""Tables and rows of JSON as evidence: every row is a text or a named problem, and no cell is lost."""

from __future__ import annotations

import csv
import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.evidence import TEXT_FIELDS, BadPart, Kind, TextRow, parse
from tests.conftest import at_least
from tests.lab.many_cases import try_all


def read(content: str, kind: Kind) -> tuple[list[TextRow], list[BadPart]]:
    items = list(parse(content.encode(), kind, 100, 10_000))
    rows = [item for item in items if isinstance(item, TextRow)]
    return rows, [item for item in items if isinstance(item, BadPart)]


CELL = st.text("ab1.,;\"' é橋|", max_size=6).map(str.strip)
TABLES = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width).filter(any), min_size=1, max_size=4)
)


@given(TABLES, st.sampled_from(",;"))
@settings(max_examples=at_least(30, in_all=300))
def test_a_row_of_a_table_holds_each_cell_with_its_column(table: list[list[str]], delimiter: str) -> None:
    header = ["City", "Size", "Note", "Mayor"][: len(table[0])]
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows([header, *table])
    rows, problems = read(file.getvalue(), "csv")
    assert problems == []
    assert [row.place for row in rows] == [f"#row-{number}" for number in range(1, len(table) + 1)]
    for row, cells in zip(rows, table, strict=True):
        assert row.text == "; ".join(
            f"{name}: {' '.join(cell.split())}" for name, cell in zip(header, cells, strict=True) if cell
        )


@try_all(
    ("content", "text"),
    [
        ("text\r\nIt opened.\r\n", "It opened."),
        ("\ufefftext\nIt opened.\n", "It opened."),
        ("TEXT , id\nIt opened.,7\n", "It opened."),
        ('text;id\n"It opened; it is red.";x\n', "It opened; it is red."),
        ("id|passage\n7|It opened.\n", "It opened."),
        ("\n\ntext\n\nIt opened.\n\n", "It opened."),
    ],
)
def test_a_text_column_is_found_whatever_the_separators_and_line_endings(content: str, text: str) -> None:
    rows, problems = read(content, "csv")
    assert ([row.text for row in rows], problems) == ([text], [])


@try_all(
    ("content", "texts"),
    [
        ('name, text\n1, "It opened, then closed."\n', ["It opened, then closed."]),
        ('text\n "It opened" here.\n', [' "It opened" here.']),
        ('"City", "2023", "2024"\n"Kiel", 8, "9, at most"\n', ["City: Kiel; 2023: 8; 2024: 9, at most"]),
        (
            'City\tNote\nKiel\t"Best" in town\nSt. Ives\tnew\n',
            ['City: Kiel; Note: "Best" in town', "City: St. Ives; Note: new"],
        ),
    ],
)
def test_cells_are_read_whatever_is_around_their_quotes(content: str, texts: list[str]) -> None:
    rows, problems = read(content, "csv")
    assert ([row.text for row in rows], problems) == (texts, [])


def test_a_row_without_text_in_one_field_uses_another() -> None:
    for blank in ("", "  \n", None, 5, ["It opened."]):
        (row,), problems = read(json.dumps({"text": blank, "content": "It opened."}), "jsonl")
        assert (row.text, problems) == ("It opened.", [])
    (row,), problems = read("text,content,id\n,It opened.,7\n", "csv")
    assert (row.text, row.place, problems) == ("It opened.", "#7", [])


def test_the_first_text_field_in_documented_order_counts() -> None:
    values = {name: f"The {name}." for name in reversed(TEXT_FIELDS)}
    while values:
        (row,), _ = read(json.dumps(values), "jsonl")
        first = next(name for name in TEXT_FIELDS if name in values)
        assert row.text == values.pop(first)


def test_a_json_row_without_any_text_is_named_by_its_line() -> None:
    rows, problems = read('{"text": "It opened."}\n\n{"text": " "}\n{"title": "T"}\n', "jsonl")
    assert len(rows) == 1
    assert [problem.line for problem in problems] == [3, 4]
    assert all(problem.message.startswith("has no text in any of text, ") for problem in problems)


@try_all("content", ["a,b\n", "a,b\n\n \n", "text\n", "text,id\n,\n"])
def test_a_table_without_rows_is_named(content: str) -> None:
    rows, problems = read(content, "csv")
    assert rows == []
    assert problems


@try_all(
    ("stated", "published"),
    [
        ("1931", "1931"),
        ("1931-05", "1931-05"),
        ("1931-05-04T10:00:00Z", "1931-05-04T10:00:00Z"),
        ("4 May 1931", None),
        ("19310504", None),
        (1931, None),
        (None, None),
    ],
)
def test_the_date_of_a_row_is_used_as_stated_or_left_out(stated: object, published: str | None) -> None:
    (row,), problems = read(json.dumps({"text": "It opened.", "published": stated, "id": "x"}), "jsonl")
    assert (row.published, row.place, problems) == (published, "#x", [])


@try_all(
    ("content", "title", "texts"),
    [
        ('"Schedule A. Revenue, dollars",,\nSource,2024,2025\nTax,9,10\n', "Schedule A. Revenue, dollars", ["Tax"]),
        ("# Scorers; penalties included\nplayer,club,goals\nVerrow,Otters,23\n", "Scorers; penalties included", []),
        ("Results of the cup\n\nteam,won,lost\nMarlow,3,1\n", "Results of the cup", []),
        (
            "Sizes of cities\nSource: Office\n\nCity;Size\nKiel;8\n",
            "Sizes of cities. Source: Office",
            ["City: Kiel; Size: 8"],
        ),
        ("Name\n\nKiel,the port\nMarlow,the town\n", None, []),  # a single column
        ("#,team,won\n1,Marlow,3\n", None, []),  # a column of numbers
        ("text\nHello, world\nYes, no\n", None, []),  # a single column of texts
        ("Waste (tonnes),,\n,,\nSource,2021,2022\nTotal,21,22\n,,\n", "Waste (tonnes)", ["Source: Total; 2021"]),
        ("Accounts, audited\n\nItem,2023,2024\nTax,12,14\n", "Accounts, audited", ["Item: Tax; 2023: 12"]),
        ("Sales, EUR\nItem,2023,2024\nTax,12,14\n", "Sales, EUR", ["Item: Tax; 2023: 12; 2024: 14"]),
        ('"Source","A B",\n\n"At","1 May",\n\nName,Code,2020,\nOslo,O,5,\n', "Source, A B. At, 1 May", ["Name: Oslo"]),
        ("Sales,,\n(in EUR k),,\nItem,2023,2024\nTax,1,2\n", "Sales. (in EUR k)", ["Item: Tax"]),
        ("Item,2023,2024\nTax,1,2\nIn EUR k.,,\n", "(In EUR k)", ["Item: Tax"]),
        ("sep=;\nName;Price;Stock\nLamp;12,90;40\n", None, ["Name: Lamp; Price: 12,90"]),
        ("Name,Info\nBolt,long, hard\nNut,flat, thin\nPin,thin, long\n", None, []),  # texts without quotes
    ],
)
def test_a_title_above_the_column_names_is_recognised(content: str, title: str | None, texts: list[str]) -> None:
    rows, _ = read(content, "csv")
    assert {row.title for row in rows} <= {title}
    assert all(text in row.text for text, row in zip(texts, rows, strict=False))
    assert title is None or rows


@try_all(
    ("content", "first"),
    [
        ('Region,"People\n(thousands)",Area\nNorth,412,88\n', "Region: North; People (thousands): 412; Area: 88"),
        (",2022,2022,2023\nSegment,Sales,Profit,Sales\nPumps,1,2,3\n", "Segment: Pumps; 2022 Sales: 1; 2022 Profit: 2"),
        ("Segment,Sales,,Costs,\n,2023,2024,2023,2024\nA,1,2,3,4\n", "Segment: A; Sales 2023: 1; Sales 2024: 2"),
        ("metric,2022,2022\n,Plan,Actual\nCosts,90,95\n", "metric: Costs; 2022 Plan: 90; 2022 Actual: 95"),
        ("Name,Country,Status,\nAnn,Norway,active,vip\n", "Name: Ann; Country: Norway; Status: active; vip"),
        (",2019,2020\nBirths,737,713\n", "Births; 2019: 737; 2020: 713"),
        (
            "Name;Size, total;Area, km2\nArnby;412;88,5\nBelvik;96;41,0\n",
            "Name: Arnby; Size, total: 412; Area, km2: 88,5",
        ),
        ("Drug,Evidence,Effect\nA,High,0.42\n", "Drug: A; Evidence: High; Effect: 0.42"),
        ("Flight,Passage,Fare\nF1,Arnby to Oslo,120\n", "Flight: F1; Passage: Arnby to Oslo; Fare: 120"),
    ],
)
def test_the_column_names_are_recognised(content: str, first: str) -> None:
    rows, problems = read(content, "csv")
    assert problems == []
    assert rows[0].text.startswith(first)


def test_a_second_table_has_its_own_title() -> None:
    tables = ("Sales report\n\nRegion,Jan,Feb\nNorth,120,130\n", "Returns report\n\nRegion,Jan,Feb\nNorth,12,13\n")
    rows, problems = read("\n".join(tables), "csv")
    assert problems == []
    assert [(row.title, row.place, row.text.partition("\n\n")[0]) for row in rows] == [
        ("Sales report", "#row-1", "Region: North; Jan: 120; Feb: 130"),
        ("Returns report", "#table-2-row-1", "Region: North; Jan: 12; Feb: 13"),
    ]


def test_rows_with_equal_labels_are_read_with_their_group_titles() -> None:
    rows, _ = read(",2023,2024\nAssets,,\nCash,1,2\nOther,3,4\nDebts,,\nOther,5,6\n", "csv")
    assert [row.text.partition("\n\n")[0] for row in rows] == [
        "Assets",
        "Cash; 2023: 1; 2024: 2",
        "Assets – Other; 2023: 3; 2024: 4",
        "Debts",
        "Debts – Other; 2023: 5; 2024: 6",
    ]


def test_column_names_on_two_rows_and_a_note_are_read() -> None:
    rows, problems = read(
        "Table 4. Events,,,,\n,Placebo (N=213),,80 mg (N=214),\nEvent,n,%,n,%\nNausea,14,6.6,25,11.7\n"
        "Some events are left out.,,,,\n",
        "csv",
    )
    assert problems == []
    assert [row.text.partition("\n\n")[0] for row in rows] == [
        "Event: Nausea; Placebo (N=213) n: 14; Placebo (N=213) %: 6.6; 80 mg (N=214) n: 25; 80 mg (N=214) %: 11.7",
        "Some events are left out.",
    ]
    assert rows[0].title == "Table 4. Events"
