"""Claims with a number or year that can't come from the passage, where the network's support does not count."""

from __future__ import annotations

import pytest

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small, read_model
from factscope.judging.verifiers.rules import underivable
from factscope.judging.verifiers.wording import read
from tests.lab.many_cases import try_all

TANK = "The fire station was rebuilt after the flood. Its new tank in the yard holds 2,100 litres of water."
FAIR = "The book fair opened on Friday. 240 visitors came on the first day, 310 on the second."
JUBILEE = "25. Anniversary\nThe society marked its anniversary in 2019 with a dinner for 50 guests."
LINE = "The line, 2.4 kilometres long with eleven stops, was opened in 1898 and closed twelve years later."
PUMP = "model: Norda 9; output_kw: 9; noise_db: 49; weight_kg: 134; price_crowns: 11400; warranty_years: 5"
RAUK = "Ines Rauk (1920 to 1995). Ines Rauk was born in 1920. She published her first novel in 1950."
REIGN = "Osric ruled the islands from 1540 to 1552. The year before he came to power the harbour had burned."


def missing(claim: str, passage: str) -> float | None:
    weights = read_model().weights
    (sentence,) = read(claim, weights).stretches
    number = underivable(sentence, read(passage, weights))
    return number and number.amount


@pytest.mark.parametrize(
    ("claim", "passage", "number"),
    [
        ("The fire station's new tank can hold 1,200 litres of water.", TANK, 1200),
        # the first half of a year is not a share from which any number might follow
        (
            "Profit was 188.3 million.",
            "Report for the first half of 2024.\nProfit: 243.4 million; 250.5 million",
            188.3e6,
        ),
        # nor is the third day
        (
            "The rent may rise by 10 % a year.",
            "The rent is due on the third working day. It may rise once a year, by at most 4 %.",
            10,
        ),
        ("There were 420 visitors at the book fair on its first day.", FAIR, 420),
        ("The line had a length of 4.2 kilometres.", LINE, 4200),
        ("The line went into service in 1889.", LINE, 1889),
        ("Osric came to power in 1504.", REIGN, 1504),
        ("The tank was bought in 1990.", TANK, 1990),
        ("The boiler had used 1,200 litres of oil a year.", PUMP, 1200),
        ("The tour costs 690 crowns.", "Tour: Salt Path; Days: 5; Price (crowns): 640; Single room (crowns): 90", 690),
        ("She joined the academy in 1955.", RAUK, 1955),
        ("Mothers leave their pups after eighty days.", "Their mothers leave them after eighteen days.", 80),
        ("Brun edited the paper in 1965.", "Brun became the editor in 1951. He kept the post for ten years.", 1965),
        ("The society celebrated its 50. anniversary.", JUBILEE, 50),
        ("The society celebrated its 50th anniversary.", JUBILEE, 50),
        ("The lake covers 12 square miles.", "The lake covers 12 square kilometres.", 12 * 1609.344**2),
        ("The car goes at 200 mph.", "The car goes at 200 km/h.", 200 * 0.44704),
        ("It boils at 100 degrees Fahrenheit.", "It boils at 100 °C, or 212 °F, at sea level.", 100),
        ("The fund holds 500 million dollars.", "The fund holds 500 million euros.", 500_000_000),
        ("The plant made 4 MWh in 2020.", "The plant made 4 GWh in 2020.", 4_000_000),
        ("The drug was given to 5% of the patients.", "The drug was given to 20% of the patients.", 5),
        ("The number of cyclists tripled.", "The number of cyclists rose from 400 in 2010 to 800 in 2020.", 0),
        ("Lake Turmoss has a maximum depth of 61 metres.", "Lake Turmoss lies 611 metres above sea level.", 61),
        ("Bram Oost found his comet in 1999.", "Oost found his comet in 2009. It was last seen in 1899.", 1999),
        ("Dahl became a judge in 2003.", "Dahl was minister from 1996 to 2001 and is now a judge.", 2003),
        ("Wheat rose by 27 crowns.", "A tonne of wheat cost 214 crowns on Friday and 231 on Monday.", 27),
    ],
)
def test_an_underivable_number_is_never_supported(claim: str, passage: str, number: float) -> None:
    assert missing(claim, passage) == number
    assert load_small().verify([ClaimPair(claim, passage)])[0].label != "supported"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The fire station's new tank can hold about 2,000 litres of water.", TANK),
        ("The tank holds more than 1,500 litres.", TANK),
        ("The form must be sent in by 14 October.", "The form must be sent in before 10 October."),
        ("The book fair had 240 visitors on the first day.", FAIR),
        ("The number of cyclists doubled.", "The number of cyclists rose from 400 in 2010 to 800 in 2020."),
        ("Unemployment fell by 50%.", "Unemployment fell from 8% to 4%."),
        ("The plant made 4,000 MWh in 2020.", "The plant made 4 GWh in 2020."),
        ("The car goes at 161 km/h.", "The car goes at 100 miles per hour."),
        ("The park covers 300 hectares.", "The park covers 3 km²."),
        ("The book fair had 550 visitors on its first two days.", FAIR),
        ("The hall has two doors and seats 90 people.", "The hall seats 90 people and has two doors."),
        ("The line was closed in 1910.", LINE),
        ("The line was in service before 1900.", LINE),
        ("Osric ruled in 1545.", REIGN),
        ("There was a fire at the harbour in 1539.", REIGN),
        ("The Norda 9 weighs 134 kilograms.", PUMP),
        ("Osric ruled for twelve years in all, 1540 to 1552.", REIGN),
        ("Half of the 620 tickets were sold.", "A half of the 620 tickets went in a day."),
        ("Ines Rauk was 30 when her first novel came out.", RAUK),
        ("The works were empty in 1962.", "The works closed in 1961. They opened again in 1964."),
        ("In 1950 the island belonged to Norrland.", "Until 1965 the island belonged to Norrland."),
        ("The society marked its 25th anniversary.", JUBILEE),
        ("The mill is of the 19th century.", "The mill, built in 1850, was sold in the 20th century."),
        ("The mill is of the 12th century.", "The 12th-century mill was restored in 1854."),
        ("The mill is of the 12th century.", "The mill is old."),
        ("The two plates got 168 votes.", "97 pupils preferred the soup and 71 wanted pizza back."),
        ("The dig found 258 tablets in all.", "The dig found 212 clay tablets in 1988 and 46 more in 1991."),
        ("The works were still empty in 1963.", "The works closed in 1961. They opened again in 1965."),
        ("Brun edited the paper in 1955.", "Brun became the editor in 1951. He kept the post for ten years."),
    ],
)
def test_a_derivable_number_does_not_block_support(claim: str, passage: str) -> None:
    assert missing(claim, passage) is None


def test_a_century_containing_no_year_of_the_passage_is_not_derivable() -> None:
    for claim in ("The king was born in the 17th century.", "The king was a seventeenth-century poet."):
        assert missing(claim, "The king was born in 1754.") == 17


@try_all(
    ("claim", "passage"),
    [
        ("The wage share rose to 40 percent.", "The wage share was 40 percent, against 45 percent ten years earlier."),
        ("Unemployment climbed to 5%.", "Unemployment went from 6% to 5%."),
        ("Sales grew to 512 million.", "Sales were 512 million (640)."),
        ("The school grew to 300 pupils.", "The school has 300 pupils, fewer than the 340 of ten years ago."),
        ("The price increased to 40 crowns.", "The price is 40 crowns; last year it was 55 crowns."),
        ("Profit rose from 512 million to 431 million.", "Profit rose to 512 million (431)."),
    ],
)
def test_a_rise_is_not_supported_by_the_numbers_of_a_fall(claim: str, passage: str) -> None:
    assert load_small().verify([ClaimPair(claim, passage)])[0].label != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("The wage share fell to 40 percent.", "The wage share was 40 percent, against 45 percent ten years earlier."),
        ("Unemployment fell to 5%.", "Unemployment went from 6% to 5%."),
        ("Sales grew to 640 million.", "Sales were 640 million (512)."),
        ("The temperature fell to -5 degrees.", "It was -5 degrees, compared with -2 degrees the day before."),
    ],
)
def test_a_change_in_the_direction_of_the_numbers_is_supported(claim: str, passage: str) -> None:
    assert load_small().verify([ClaimPair(claim, passage)])[0].label == "supported"
