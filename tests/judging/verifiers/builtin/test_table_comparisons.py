"""Comparisons that the figures of a table decide, and those that they don't."""

from __future__ import annotations

import pytest

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

ISLANDS = (
    "The islands of the group.\n"
    "Island: Corra; Area (km²): 84; Population: 1,930; Ferry crossings per day: 6\n"
    "Island: Tarva; Area (km²): 112; Population: 640; Ferry crossings per day: 2\n"
    "Island: Neave; Area (km²): 37; Population: 815; Ferry crossings per day: 3"
)
LAPTOPS = (
    "Model: Lyra 3; Weight: 1.2 kg; Battery life: 9 hours; Price: €899\n"
    "Model: Lyra 5; Weight: 1.5 kg; Battery life: 14 hours; Price: €1,199\n"
    "Model: Ondo X; Weight: 0.9 kg; Battery life: 11 hours; Price: €1,049"
)
SEGMENTS = (
    "Revenue by segment.\n"
    "Pumps; 2023: €41.3 million; 2024: €44.95 million\n"
    "Valves; 2023: €18.72 million; 2024: €17.005 million\n"
    "Services; 2023: €9.41 million; 2024: €12.6 million\n"
    "Total; 2023: €69.43 million; 2024: €74.555 million"
)
MONTHS = (
    "Month: June 2024; Visitors: 3,120; Income: €18,400\n"
    "Month: July 2024; Visitors: 4,870; Income: €27,950\n"
    "Month: August 2024; Visitors: 4,410; Income: €29,100"
)
MACHINES = (
    "Feature: Weight; Ardent S2: 16.5 kg; Brunello Duo: 11.2 kg; Corso 1: 13.0 kg\n"
    "Feature: Noise; Ardent S2: 44 dB; Brunello Duo: 51 dB; Corso 1: 47 dB"
)
TIED = (
    "Island: Corra; Area (km²): 84; Harbours: 2\n"
    "Island: Tarva; Area (km²): 112; Harbours: 2\n"
    "Island: Neave; Area (km²): 37; Harbours: 1"
)
YEARS = "Year: 2024; Visitors: 310\nYear: 2023; Visitors: 450\nYear: 2022; Visitors: 280\nYear: 2019; Visitors: 900"
WINTER = "Month: January 2024; Visitors: 120\nMonth: December 2023; Visitors: 310"
QUARTERS = (
    "Segment: Pumps; Q3 2023: 40; Q2 2024: 52; Q3 2024: 45\nSegment: Valves; Q3 2023: 20; Q2 2024: 18; Q3 2024: 21"
)
RANKED = "| # | Team | Points |\n|---|---|---|\n| 1 | Marlow | 23 |\n| 2 | Denby | 22 |\n| 3 | Pelland | 18 |"
FISH = "Species: roach; Number: 212; Largest: 29 cm\nSpecies: perch; Number: 164; Largest: 38 cm"
RESERVOIRS = (
    "| Reservoir | Built | Capacity (million m³) |\n|---|---|---|\n"
    "| Askel | 1921 | 14.2 |\n| Brunnow | 1958 | 31.0 |\n| Cattering | 1936 | 29.5 |"
)
ALIGNED = (
    "Segment revenue\n             2023     2024\nPumps      41,300   44,950\n"
    "Valves     18,720   17,005\nServices    9,410   12,600\nTotal      69,430   74,555"
)


SEATS = (
    "Schedule B. Spending by department\nLibrary; FY2023 Actual: 612 thousand dollars; FY2024 Adopted: 630 thousand"
    " dollars; FY2025 Adopted: 655 thousand dollars"
)
EVENTS = (
    "Adverse events\nEvent: Any adverse event; Placebo (N=213) n: 119; 80 mg (N=214) n: 146\n"
    "Event: Constipation; Placebo (N=213) n: 9; 80 mg (N=214) n: 33\n"
    "Event: Nausea; Placebo (N=213) n: 14; 80 mg (N=214) n: 25\n"
    "Event: Fatigue; Placebo (N=213) n: 10; 80 mg (N=214) n: 17"
)
NESTS = (
    "Kittiwakes, occupied nests\nSite: Stack of Hern; 2014: 1,284; 2019: 1,102; 2024: 968\n"
    "Site: Gannel Head; 2014: 845; 2019: 790; 2024: 862\nSite: Merrow Cliffs; 2014: 2,310; 2019: 1,975; 2024: 1,640\n"
    "Site: Tolver Point; 2014: 97; 2019: 134; 2024: 203\nSite: All sites; 2014: 4,536; 2019: 4,001; 2024: 3,673"
)
SCORERS = (
    "Leading scorers\nrank: 1; player: Ilan Verrow; goals: 23; assists: 9\n"
    "rank: 2; player: Mats Ekhaug; goals: 21; assists: 11\n"
    "rank: 3=; player: Pell Onstad; goals: 15; assists: 14\nrank: 3=; player: Kester Lund; goals: 15; assists: 12"
)
WELLS = (
    "Well: Well A; depth (m): 120; nitrate (mg/l): 14\nWell: Well B; depth (m): 95; nitrate (mg/l): 41\n"
    "Well: Well C; depth (m): 210; nitrate (mg/l): 6"
)
TARIFF = "Standing charge; 1 Apr 2021: 31.0; 1 Apr 2022: 36.5; 1 Apr 2023: 36.5"
CITY = "City budget (million)\nItem: Roads; 2023: 95; 2024: 81\nItem: Debt service; 2023: 48; 2024: 61"


def judge(claim: str, passage: str) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


@pytest.mark.parametrize(
    ("claim", "passage", "label", "reason"),
    [
        ("Corra has the largest population of the three islands.", ISLANDS, "supported", "1,930 for Corra"),
        ("Neave has the smallest population.", ISLANDS, "contradicted", "640 for Tarva and 815 for Neave (Population)"),
        ("Corra has the second-largest area.", ISLANDS, "supported", "84 for Corra"),
        ("Tarva has the second-largest area.", ISLANDS, "contradicted", "84 for Corra and 112 for Tarva"),
        ("Tarva is the largest island.", ISLANDS, "supported", "112 for Tarva"),
        ("Tarva has more inhabitants than Neave.", ISLANDS, "contradicted", "640 for Tarva and 815 for Neave"),
        ("The Lyra 3 is the lightest model.", LAPTOPS, "contradicted", "0.9 kg for Ondo X and 1.2 kg for Lyra 3"),
        ("The Lyra 5 has the longest battery life.", LAPTOPS, "supported", "14 hours for Lyra 5"),
        ("The Lyra 5 is the most expensive of the laptops.", LAPTOPS, "supported", "€1,199 for Lyra 5"),
        ("The Ondo X costs less than the Lyra 3.", LAPTOPS, "contradicted", "€1,049 for"),
        ("Pumps was the largest segment by revenue in 2024.", SEGMENTS, "supported", "€44.95 million for Pumps"),
        ("Valves revenue grew in 2024.", SEGMENTS, "contradicted", "€17.005 million for 2024 and €18.72 million"),
        ("Revenue at Services increased in 2024.", SEGMENTS, "supported", "€12.6 million for 2024"),
        ("Total revenue fell between 2023 and 2024.", SEGMENTS, "contradicted", "€74.555 million for 2024"),
        ("Revenue from valves was higher in 2024 than in 2023.", SEGMENTS, "contradicted", "€17.005 million for 2024"),
        ("July had the most visitors.", MONTHS, "supported", "4,870 for July 2024"),
        ("Income was highest in July 2024.", MONTHS, "contradicted", "€29,100 for August 2024"),
        (
            "The number of visitors fell from June to July 2024.",
            MONTHS,
            "contradicted",
            "4,870 for July 2024 and 3,120",
        ),
        (
            "The Corso 1 has the lowest noise level.",
            MACHINES,
            "contradicted",
            "44 dB for Ardent S2 and 47 dB for Corso",
        ),
        ("The Brunello Duo is the lightest of the three machines.", MACHINES, "supported", "11.2 kg for Brunello Duo"),
        ("Brunello Duo, with 16.5 kg, is the heaviest.", MACHINES, "contradicted", "16.5 kg for Ardent S2 and 11.2 kg"),
        ("Denby had the most points.", RANKED, "contradicted", "23 for Marlow and 22 for Denby"),
        ("The number of visitors rose in 2023.", YEARS, "supported", "450 for 2023 and 280 for 2022"),
        ("The number of visitors fell from December to January.", WINTER, "supported", "120 for January 2024 and 310"),
        ("Pumps was the largest of the three segments in 2024.", SEGMENTS, "supported", "€44.95 million for Pumps"),
        ("Brunnow is the oldest reservoir.", RESERVOIRS, "contradicted", "1921 for Askel and 1958 for Brunnow"),
        ("Segment revenue from valves rose in 2024.", ALIGNED, "contradicted", "17,005 for 2024 and 18,720 for 2023"),
    ],
)
def test_the_figures_of_a_table_decide(claim: str, passage: str, label: str, reason: str) -> None:
    prediction = judge(claim, passage)
    assert prediction.label == label, prediction
    assert reason in prediction.rationale


@try_all(
    ("claim", "passage", "label", "reason"),
    [
        ("The library's budget fell.", SEATS, "contradicted", "655 thousand dollars for FY2025 Adopted and 630"),
        ("The library's budget falls slightly, to $630,000.", SEATS, "contradicted", "655 thousand dollars for"),
        ("The standing charge was lowered in April 2023, too.", TARIFF, "contradicted", "36.5 for 1 Apr 2023 and 36.5"),
        ("The most frequent event in the 80 mg group was constipation.", EVENTS, "supported", "33 for Constipation"),
        (
            "The most frequent event in the 80 mg group was nausea.",
            EVENTS,
            "contradicted",
            "33 for Constipation and 25",
        ),
        ("The most common event in the placebo group was fatigue.", EVENTS, "contradicted", "14 for Nausea and 10"),
        ("Kester Lund provided the most assists.", SCORERS, "contradicted", "14 for Pell Onstad and 12"),
        ("Merrow Cliffs has the most nests.", NESTS, "supported", "1,640 for Merrow Cliffs"),
        (
            "Only Gannel Head had more nests in 2024 than in 2019.",
            NESTS,
            "contradicted",
            "134 for Tolver Point",
        ),
        ("Well B has the highest nitrate level.", WELLS, "supported", "41 for Well B"),
        ("Well B is deeper than Well A.", WELLS, "contradicted", "95 for Well B and 120 for Well A"),
        ("Well C is 90 m deeper than Well A.", WELLS, "supported", "210 for Well C and 120 for Well A"),
        ("Well C is 80 m deeper than Well A.", WELLS, "contradicted", "210 for Well C and 120 for Well A"),
        ("Spending on roads fell by 14 million in 2024.", CITY, "supported", "81 for 2024 and 95 for 2023"),
        ("Debt service costs 23 million more in 2024 than in 2023.", CITY, "contradicted", "61 for 2024 and 48"),
    ],
)
def test_changes_and_superlatives_are_decided_by_the_figures(claim: str, passage: str, label: str, reason: str) -> None:
    prediction = judge(claim, passage)
    assert prediction.label == label, prediction
    assert reason in prediction.rationale


TABLE = (
    "Final table\nPos.: 1; Club: Brask Harbour; Pts: 32\nPos.: 2; Club: Eskby Rovers; Pts: 30\n"
    "Pos.: 3; Club: Aldmere Otters; Pts: 26\nPos.: 4; Club: Hollin Bay; Pts: 20"
)
CHICKS = (
    "Breeding success\nSite: Stack of Hern; Nests: 180; Chicks per nest: 0.72\n"
    "Site: Gannel Head; Nests: 145; Chicks per nest: 0.95\nSite: Little Orran; Nests: 60; Chicks per nest: 0.38\n"
    "Site: Merrow Cliffs; Nests: 240; Chicks per nest: 0.77\nSite: Tolver Point; Nests: 75; Chicks per nest: 1.12"
)


@try_all(
    ("claim", "passage", "label"),
    [
        ("Hollin Bay finished fourth.", TABLE, "supported"),
        ("Hollin Bay finished third.", TABLE, "contradicted"),
        ("Gannel Head came second, with 0.95 chicks per nest.", CHICKS, "supported"),
        ("Gannel Head ranked third, with 0.95 chicks per nest.", CHICKS, "contradicted"),
    ],
)
def test_ranks_come_from_the_first_column_or_from_the_figure(claim: str, passage: str, label: str) -> None:
    assert judge(claim, passage).label == label


def test_a_rank_in_another_respect_is_not_taken_from_the_first_column() -> None:
    assert "for Pos." not in judge("Hollin Bay came third in Pts.", TABLE).rationale


def test_the_row_that_decides_is_quoted() -> None:
    quote = judge("Neave has the smallest population.", ISLANDS).quote
    assert quote
    assert ISLANDS[quote.start : quote.end].startswith("Island: Neave;")


@try_all(
    ("claim", "passage"),
    [
        ("The Lyra 3 is the cheapest touchscreen model.", LAPTOPS),  # the table does not distinguish these
        ("Neave has one of the smallest populations.", ISLANDS),
        ("Corra has more than three times as many inhabitants as Tarva.", ISLANDS),
        ("Tarva has the smallest population per square kilometre.", ISLANDS),
        ("Corra had the largest population in 1950.", ISLANDS),
        ("Corra is not the largest island.", ISLANDS),
        ("Three Lyra 3 cost less than two Ondo X.", LAPTOPS),
        ("Ossel has the largest population.", ISLANDS),  # a missing row
        ("The number of visitors fell in 2022.", YEARS),  # the previous year is missing
        ("Revenue from pumps fell in Q3 2024.", QUARTERS),  # from the previous quarter, or from a year ago?
        ("Most visitors came in July.", MONTHS),  # a majority
        ("212 roach were caught, the largest 29 cm.", FISH),  # of all roach
        ("Corra has the largest school.", ISLANDS),  # a missing column
    ],
)
def test_a_claim_that_goes_beyond_the_table_is_not_decided_by_it(claim: str, passage: str) -> None:
    assert "the table has" not in judge(claim, passage).rationale


@try_all(
    ("claim", "passage"),
    [
        ("Corra has the largest population.", ISLANDS.splitlines()[1]),
        ("Corra has the largest population.", "\n".join(ISLANDS.splitlines()[1:3])),
        ("Corra has the most harbours.", TIED),
    ],
)
def test_single_or_tied_rows_do_not_support_a_comparison(claim: str, passage: str) -> None:
    assert judge(claim, passage).label != "supported"


def test_totals_are_not_the_largest() -> None:
    assert judge("Pumps had the highest revenue in 2024.", SEGMENTS).label == "supported"


def test_a_row_in_bold_may_be_the_sum_of_others() -> None:
    power = (
        "| | 2023 | 2024 |\n|---|---|---|\n| Wind | 1,840 | 2,115 |\n| Hydro | 1,260 | 1,095 |\n| Gas | 85 | 1,190 |\n"
    )
    claim = "Wind was the largest source in 2024."
    assert judge(claim, f"{power}| Coal | 3,035 | 3,000 |").label == "contradicted"
    assert judge(claim, f"{power}| **Generation** | **4,520** | **4,400** |").label != "contradicted"


def test_a_row_is_named_by_the_words_before_its_brackets() -> None:
    income = (
        "| | 2022 | 2023 |\n|---|---|---|\n| Fees | £1,310 | £1,120 |\n"
        "| Events (quiz night, wine tasting) | £640 | £985 |\n| Income | £3,450 | £3,305 |"
    )
    assert judge("Its income rose in 2023.", income).label == "contradicted"
    assert judge("Its income from events rose in 2023.", income).label != "contradicted"
    rents = "| | Rent |\n|---|---|\n| Hut (summer) | €40 |\n| Hut (winter) | €55 |\n| Tent (summer) | €12 |"
    assert judge("The hut in summer has the highest rent.", rents).rationale.startswith(
        "the table has €55 for Hut (win"
    )


def test_a_total_is_not_contradicted_by_the_row_of_a_part() -> None:
    reasons = "| Reason | Donors |\n|---|---|\n| Low haemoglobin | 2,240 |\n| Recent travel | 1,010 |"
    claim = "A total of 5,480 donors were turned away, most often because their haemoglobin was too low."
    assert judge(claim, reasons).label != "contradicted"
    assert judge("2,310 donors had low haemoglobin.", reasons).label == "contradicted"
    costs = "| Building | Work | Total |\n|---|---|---|\n| Hall | 210 | 400 |\n| Barn | 80 | 95 |"
    assert judge("The hall cost 300 in total.", costs).label == "contradicted"
