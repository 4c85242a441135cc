"""Numbers in a claim that differ from those in a table row."""

from __future__ import annotations

import pytest

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.wording import items_of
from tests.lab.many_cases import try_all

TOUR = (
    "Tour: Varga Ridge; Days: 9; Grade: hard; Start: 7 July; Guide: Ilan Drew; Price (crowns): 1,390;"
    " Single room (crowns extra): 210"
)
DIVISION = "Division: Farming; Revenue Q3 (million marens): 14.9; Q3 last year: 13.1; Employees: 275"
SEASON = "Season: 2022/23; Division: District League; Place: 1; Points: 71; Goals: 82:24; Average crowd: 1,480"


def verified(claim: str, passage: str) -> Prediction:
    """Return the small verifier's prediction."""
    return load_small().verify([ClaimPair(claim, passage)])[0]


@pytest.mark.parametrize(
    ("claim", "row", "reason"),
    [
        ("Varga Ridge costs 1,090 crowns.", TOUR, "Varga Ridge: the table gives 1,390 for Price (crowns), not 1,090"),
        ("Varga Ridge takes seven days.", TOUR, "Varga Ridge: the table gives 9 for Days, not seven days"),
        (
            "Farming, with its 190 employees, came to 14.9 million.",
            DIVISION,
            "Farming: the table gives 275 for Employees, not 190",
        ),
    ],
)
def test_another_number_in_the_row_of_the_claim_contradicts_it(claim: str, row: str, reason: str) -> None:
    prediction = verified(
        claim, f"Division: Shipping; Employees: 340; Ports: 3\n{row}\nTour: Monks' Way; Days: 7; Beds: 4"
    )
    assert (prediction.label, prediction.rationale) == ("contradicted", reason)
    assert prediction.quote is not None


@pytest.mark.parametrize(
    ("claim", "row"),
    [
        ("Varga Ridge takes nine days.", TOUR),
        ("A single room on Varga Ridge costs another 210 crowns.", TOUR),
        ("Varga Ridge costs less than 2,000 crowns.", TOUR),
        ("Ilan Drew has led Varga Ridge 12 times.", TOUR),
        ("Monks' Way costs 970 crowns.", TOUR),
        ("Farming came to 14.9 million.", DIVISION),
        ("A trouser hem costs €12 and is ready in 2 days.", "Service: trouser hem; Price: €12; Ready in: 2 days"),
        ("In 2022/23 they won the District League with 71 points and 82 goals.", SEASON),
    ],
)
def test_a_row_that_gives_or_omits_the_number_is_not_a_contradiction(claim: str, row: str) -> None:
    assert "the table gives" not in verified(claim, row).rationale


INN = "Inn: Linden; Rooms: 36; Bar seats: 20; Occupancy (%): 70; Price per night (euros): 90"
STRIKER = "Player: Orla Finn; Goals: 7; Assists: 5; Matches: 31"


@pytest.mark.parametrize(
    ("claim", "row"),
    [
        ("Three nights at the Linden cost 270 euros.", INN),
        ("A stay at the Linden costs 250 euros.", INN),
        ("Nine rooms would be a quarter of the Linden.", INN),
        ("The occupancy of the Linden is 25.", INN),
        ("The bar of the Linden is 70% full.", INN),
        ("The Linden and its neighbour have 72 rooms.", INN),
        ("Orla Finn had a hand in 12 goals, scoring seven and setting up five.", STRIKER),
        ("Orla Finn played 29 matches in 11 weeks.", STRIKER),
        ("Orla Finn scored three goals more.", STRIKER),
        ("That makes 36 rooms for the Rose and the Linden together, and 20 seats in the bar.", INN),
        ("For two zones that makes 3.10 for you and 1.50 for the child.", "Ticket: Child; 1 zone: 1.20; 2 zones: 1.50"),
    ],
)
def test_a_number_of_another_kind_or_derivable_from_the_row_is_not_contradicted(claim: str, row: str) -> None:
    assert "the table gives" not in verified(claim, row).rationale


@pytest.mark.parametrize(
    ("claim", "row"),
    [
        ("The Linden has 34 rooms.", INN),
        ("The occupancy of the Linden is 74%.", INN),
        ("Orla Finn scored 9 goals.", STRIKER),
        ("Orla Finn, with her seven goals, played 37 matches.", STRIKER),
    ],
)
def test_a_wrong_number_of_the_same_kind_as_its_column_is_contradicted(claim: str, row: str) -> None:
    assert "the table gives" in verified(claim, row).rationale


@pytest.mark.parametrize(
    ("claim", "row", "reason"),
    [
        ("Varga Ridge takes nine days.", TOUR, "Varga Ridge: 9 for Days in the table"),
        ("Varga Ridge costs about 1,400 crowns.", TOUR, "Varga Ridge: 1,390 for Price (crowns) in the table"),
        ("Varga Ridge costs 1,390 crowns.", TOUR, "Varga Ridge: 1,390 for Price (crowns) in the table"),
        (
            "The Norda 12 weighs 161 kilograms.",
            "model: Norda 9; weight_kg: 131; price: 9900\nmodel: Norda 12; output_kw: 12; weight_kg: 161; price: 12900",
            "Norda 12: 161 for weight_kg in the table",
        ),
    ],
)
def test_the_number_in_the_row_of_the_claim_supports_it(claim: str, row: str, reason: str) -> None:
    prediction = verified(claim, row)
    assert (prediction.label, prediction.rationale) == ("supported", reason)


@pytest.mark.parametrize(
    "claim",
    [
        "Varga Ridge was cancelled for nine days.",
        "Varga Ridge starts after nine days.",
        "Varga Ridge does not take nine days.",
        "Varga Ridge with Bram Teske takes nine days.",
        "Varga Ridge takes less than nine days.",
        "Varga Ridge costs 1,400 crowns.",
        "Varga Ridge has a single room for 200 crowns extra.",
    ],
)
def test_a_row_does_not_support_a_claim_that_goes_beyond_it(claim: str) -> None:
    assert "in the table" not in verified(claim, TOUR).rationale


@pytest.mark.parametrize(
    ("claim", "row"),
    [
        ("The mayor of Port Vance is Ida Holm.", "City: Aldermere; Country: Norland; Founded: 1204; Mayor: Ida Holm"),
        ("Amble has a capacity of 48 Ml/day.", "Site: Scarth; Opened: 1974; Capacity (Ml/day): 48; Status: in service"),
        ("Medicine had 44 doctors.", "Hospital staff.\nDepartment: General surgery; Doctors: 44; Nurses: 97; Beds: 64"),
        ("Grann Point has an output of 42 MW.", "Site: Tjeld Moor; Turbines: 21; Output (MW): 42; Opened: 2004"),
    ],
)
def test_the_row_of_another_thing_supports_nothing(claim: str, row: str) -> None:
    assert verified(claim, row).label != "supported"


@pytest.mark.parametrize("claim", ["Medicine has 31 doctors.", "There are 31 doctors in the medicine ward."])
def test_rows_of_two_columns_contradict(claim: str) -> None:
    assert verified(claim, "Ward: Medicine; Doctors: 44\nWard: Surgery; Doctors: 31").label == "contradicted"


def test_an_explanation_in_brackets_is_not_a_row() -> None:
    dynasty = "The Han dynasty (Chinese: 漢朝; pinyin: Hàncháo) was the second imperial dynasty of China."
    assert verified("The Han dynasty was the second imperial dynasty of China.", dynasty).label == "supported"


def test_a_paragraph_with_semicolons_is_not_a_row() -> None:
    paragraph = (
        "Houseplants for dark rooms: a short list. Cast-iron plant (Lumen need 50): will stand a north room. Zanzi fern"
        " (75): stores water in its roots; water monthly. Peace sail (150): droops when thirsty and recovers in an"
        " hour; flowers only above 400. None of these is safe for cats except the cast-iron plant."
    )
    claim = "Of the plants on the list the cast-iron plant makes do with the least light."
    assert verified(claim, paragraph).label == "supported"


@pytest.mark.parametrize(
    ("claim", "is_supported"),
    [
        ("The lowest temperature on 3 March 2024 was 1.0 degrees.", True),
        ("On March 3rd, the lowest temperature was 1.0 degrees.", True),
        ("The lowest temperature on 4 March was 1.0 degrees.", False),
        ("It was warmest on 2 March 2024.", False),
    ],
)
def test_the_row_of_another_day_supports_nothing(claim: str, is_supported: bool) -> None:
    row = "date: 2024-03-03; lowest temperature: 1.0; highest temperature: 8.7; rain mm: 12.3"
    assert (verified(claim, row).label == "supported") == is_supported


@pytest.mark.parametrize(
    "claim",
    ["The mayor of Aldermere is Ida Holm.", "Ida Holm is the mayor of Aldermere in Norland."],
)
def test_the_row_of_the_same_thing_supports_what_it_says(claim: str) -> None:
    assert verified(claim, "City: Aldermere; Country: Norland; Founded: 1204; Mayor: Ida Holm").label == "supported"


@pytest.mark.medium
@pytest.mark.parametrize("value", ["word " * 5_000, "a: b" * 20_000, "; " * 20_000, "1 " * 5_000])
def test_rows_of_any_length_are_read(value: str) -> None:
    row = f"Tour: Varga Ridge; Days: 9; Remarks: {value}"
    verified("Varga Ridge takes nine days.", row)  # must neither fail nor take minutes
    short = f"{TOUR}\nTour: Monks' Way; Days: 7; Remarks: {value}"
    assert verified("Varga Ridge takes seven days.", short).label == "contradicted"


LEAFLET = (
    "Common (up to 1 in 10 people): dizziness, headache. Uncommon (up to 1 in 100 people): cough, rash. "
    "Rare (up to 1 in 1,000 people): swelling of the face."
)


@pytest.mark.parametrize(
    ("claim", "is_supported"),
    [
        ("Cough is a rare side effect, occurring in up to 1 in 1,000 patients.", False),
        ("Headache is an uncommon side effect.", False),
        ("Cough is an uncommon side effect.", True),
        ("Dizziness is common and cough is uncommon.", True),
    ],
)
def test_an_item_of_one_list_is_not_in_the_next_list(claim: str, is_supported: bool) -> None:
    assert (verified(claim, LEAFLET).label == "supported") == is_supported


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        (
            "On 11 January 2023, Ostrelle passed in front of a star in Gemini.",
            "Event: Ostrelle occults a star\nNight: 11 January 2023\nStar: in Gemini, altitude 52°",
        ),
        (
            "From the age of 60 you get a fifth off, though not in August.",
            "**Seniors (60+):** 20% off, except in August.\n\n**Children:** Up to two children travel free.",
        ),
    ],
)
def test_a_claim_may_have_words_of_several_fields_of_one_thing(claim: str, passage: str) -> None:
    assert verified(claim, passage).label == "supported"


def test_a_day_that_a_claim_excludes_need_not_be_named() -> None:
    passage = "In the hall, soup is served from Monday to Thursday, for 3 crowns."
    assert verified("Soup is served in the hall, but not on Fridays.", passage).label == "supported"
    assert verified("Soup is served in the hall on Fridays.", passage).label != "supported"


PUMPS = "Segment revenue.\nSegment: Pumps; 2023: €41.3 million; 2024: €44.95 million"
FARE = "from: Marrow; to: Tolsey; season: summer; fare: 8.50"
MARROW = "Entrant: D. Achterberg; Weight: 31.2 kg; Age of grower: 67; Previous wins: 4"


@pytest.mark.parametrize(
    ("claim", "row"),
    [
        ("The population of Denby in 2001 was 9,400.", "town: Denby; year: 2011; population: 10,100"),
        ("The fare from Marrow to Tolsey in winter is 6.00.", FARE),
        ("Rovers had 36 points last season.", "Team: Rovers; Played: 20; Won: 12; Points: 38"),
        ("D. Achterberg, 67, with 4 previous wins, entered a marrow of 31.2 kg.", MARROW),
        ("The profit of Pumps was €39.2 million in 2024.", PUMPS),
        ("Pumps revenue was €39.2 million in 2022.", PUMPS),
    ],
)
def test_the_row_of_another_time_or_thing_never_contradicts(claim: str, row: str) -> None:
    assert verified(claim, row).label != "contradicted"


@pytest.mark.parametrize(
    ("claim", "row"),
    [
        ("The population of Denby in 2011 was 9,400.", "town: Denby; year: 2011; population: 10,100"),
        ("The fare from Marrow to Tolsey in summer is 6.00.", FARE),
        ("Pumps revenue was €39.2 million in 2024.", PUMPS),
        ("Pumps revenue was €41.3 million in 2024.", PUMPS),  # the figure of 2023
        (
            "Frozen had revenue of £131 million in 2023.",
            "Item: Frozen; Revenue 2022 (£m): £131 million; Revenue 2023 (£m): £142 million; Employees: 1,210",
        ),
    ],
)
def test_another_number_for_the_same_time_contradicts(claim: str, row: str) -> None:
    assert verified(claim, row).label == "contradicted"


def test_one_row_does_not_support_a_comparison_with_another() -> None:
    row = "Division: Frozen; Revenue 2023 (£m): £142 million; Employees: 1,210"
    assert verified("Bakery employs fewer people than Frozen.", row).label != "supported"
    both = f"Division: Bakery; Revenue 2023 (£m): £88 million; Employees: 940\n{row}"
    assert verified("Bakery employs fewer people than Frozen.", both).label != "contradicted"


@pytest.mark.parametrize(
    ("claim", "row", "label"),
    [
        (
            "The largest division is Water works, which brought in 38.2 million marens.",
            "Division: Water works; Revenue Q3 (million marens): 38.2 million marens; Employees: 610",
            "supported",
        ),
        (
            "The cheapest is the Salt Path of Calla, which costs 690 crowns and starts on 12 May.",
            "Tour: Salt Path of Calla; Days: 5; Grade: easy; Start: 12 May; Guide: Ilan Drew; Price (crowns): 640",
            "contradicted",
        ),
    ],
)
def test_a_scale_counts_once_and_words_of_other_columns_do_not_matter(claim: str, row: str, label: str) -> None:
    assert verified(claim, row).label == label


HALF_YEARS = (
    "Report for the first half of 2024.\nPersonnel expenses; H1 2024: −EUR 151.4 million; H1 2023: −EUR 143.0 million;"
    " Full year 2023: −EUR 290.6 million"
)


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("Personnel expenses came to EUR 151.4 million in the first half of 2024.", "supported"),
        ("Personnel expenses came to EUR 143.0 million in the first half of 2024.", "contradicted"),
        ("Personnel expenses amounted to EUR 290.6 million in the first half of 2024.", "contradicted"),
        ("Personnel expenses were EUR 143.0 million in the first half of 2023.", "supported"),
    ],
)
def test_half_years_are_columns_of_a_row_without_a_name_column(claim: str, label: str) -> None:
    assert verified(claim, HALF_YEARS).label == label


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("Train 1405 calls at Lund Mill at 06:41.", "contradicted"),
        ("Train 1405 leaves Karsholm at 06:42.", "supported"),
        ("Train 1405 leaves Karsholm at 06:24.", "contradicted"),
        ("Train 1405 runs from Karsholm to Brenna at 07:29.", "not_enough_evidence"),  # from two columns
    ],
)
def test_a_time_of_another_stop_contradicts(claim: str, label: str) -> None:
    row = "Train: 1405; Karsholm: 06:42; Tovik: 07:04; Lund Mill: –; Brenna: 07:29; Days: Mon–Fri"
    assert verified(claim, f"Timetable from 15 December.\n{row}").label == label


REVENUE = "General fund revenue, dollars\nSource: Property tax; FY2024 adopted: 9,310,000; FY2025 adopted: 9,785,000"
PREY = "prey: sandeel; samples 2023: 38; percent 2023: 31.7; samples 2024: 87; percent 2024: 58.0"
CENSUS = "Census, inhabitants\nIsland: Storön; 1950: 812; 2000: 640; 2020: 655; Ferry: daily"


@try_all(
    ("claim", "row", "is_contradicted"),
    [
        ("Property tax is expected to bring in $9,310,000 in fiscal 2025.", REVENUE, True),
        ("Property tax is expected to bring in $9,785,000 in fiscal 2025.", REVENUE, False),
        ("Property tax brings in $9,310,000 in fiscal 2023.", REVENUE, False),
        ("Sandeels made up 58 percent of the food samples in 2023.", PREY, True),
        ("Sandeels made up 58 percent in 2024, up from 40.8 percent in 2023.", PREY, True),
        ("Sandeels made up 58 percent in 2024, up from 31.7 percent in 2023.", PREY, False),
        ("Storön had 812 inhabitants in 1950, 640 in 2000 and 655 in 2020.", CENSUS, False),
        ("Storön had 812 inhabitants in 1950, 655 in 2000 and 640 in 2020.", CENSUS, True),
        ("Inhabitants of Storön numbered 640 in 2020.", CENSUS, True),
        ("Compared with 2023, sandeel rose to 58 percent.", PREY, False),
        ("Sandeel rose to 58 percent, well above 2023.", PREY, False),
        ("After a poor 2023, sandeel recovered to 58 percent.", PREY, False),
        ("Sandeel made up 58 percent, up on 2023.", PREY, False),
        ("Cindel Town drew 640 in 2022–23.", "Club: Cindel Town; 2021-22: 640; 2022-23: 598; 2023-24: 571", True),
        ("Cindel Town drew 598 in 2022–23.", "Club: Cindel Town; 2021-22: 640; 2022-23: 598; 2023-24: 571", False),
    ],
)
def test_a_figure_of_another_year_contradicts(claim: str, row: str, is_contradicted: bool) -> None:
    assert (verified(claim, row).label == "contradicted") is is_contradicted


@try_all(
    ("claim", "row", "label"),
    [
        ("Well A is 120 metres deep.", "Well: Well A; depth (m): 120; yield (m3/h): 6", "supported"),
        ("Well A is 95 m deep.", "Well: Well A; depth (m): 120; yield (m3/h): 6", "contradicted"),
        ("The Corvo 3 is 41 cm tall.", "Model: Corvo 3; weight (kg): 2.4; height (cm): 31", "contradicted"),
        ("Larne Bay has a population of 12,400.", "Town: Larne Bay; inhabitants: 12,400; area (km2): 31", "supported"),
        ("Larne Bay has 9,300 residents.", "Town: Larne Bay; inhabitants: 12,400; area (km2): 31", "contradicted"),
        ("The lamp for the Heron costs €45.", "Model: Heron; Weight: 11 kg; Price: €910", "not_enough_evidence"),
    ],
)
def test_a_column_may_have_another_word_for_it_and_its_own_unit(claim: str, row: str, label: str) -> None:
    assert verified(claim, row).label == label


def test_the_size_of_a_change_is_not_compared_with_the_figure() -> None:
    table = "| Year | Visitors | Income |\n|---|---|---|\n| 2022 | 280 | 900 |\n| 2023 | 450 | 1,400 |\n| 2024 | 310 | 1,600 |"  # noqa: E501
    for claim in (
        "Income rose by 500 in 2023.",
        "Visitors fell by 140 in 2024.",
        "Income has risen by 700 since 2022.",
    ):
        assert verified(claim, table).label != "contradicted"


def test_a_number_is_not_a_share_of_what_the_next_column_names() -> None:
    items = items_of("samples 2023: 49; percent 2023: 40.8", load_small().weights)
    assert [item.kind for item in items if item.amount in (49, 40.8)] == ["count", "count"]


def test_a_row_about_something_else_supports_no_figure_by_chance() -> None:
    row = "Event: Constipation; Placebo n: 9; 40 mg n: 18; 80 mg n: 33; all: 60"
    assert verified("In the 80 mg group, 36 patients left the trial.", row).label != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("He did it.", "Name: Anna; Score: 3; Note: done"),
        ("It is.", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("Corra has the largest population.", ""),
        ("", ""),
    ],
)
def test_without_words_on_either_side_no_rule_is_tried(claim: str, passage: str) -> None:
    assert load_small().verify([ClaimPair(claim, passage)])[0].label == "not_enough_evidence"
