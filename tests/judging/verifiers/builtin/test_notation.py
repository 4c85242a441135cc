"""Dates, times and amounts in different notations: words in the claim and digits in the passage, or vice versa."""

from __future__ import annotations

import pytest

from factscope.core.records import Span
from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small, read_model
from factscope.judging.verifiers.notations import write_alike
from factscope.judging.verifiers.wording import read_sentences
from tests.lab.growth import growth
from tests.lab.many_cases import try_all

RELEASES = "Version 4.3 was released on 2021-08-19. Version 4.2 was released on 2021-02-05, in a hurry."
TREATY = (
    "After eleven weeks of talks, envoys of both duchies put their names to the Treaty of Ostrava on %s. "
    "Ratification followed."
)


@pytest.mark.parametrize(
    ("claim", "passage", "label"),
    [
        ("The Treaty of Ostrava was signed on 14 March 1822.", TREATY % "14/03/1822", "supported"),
        ("The Treaty of Ostrava was signed on 14 March 1822.", TREATY % "3/14/1822", "supported"),
        ("The Treaty of Ostrava was signed on 14 March 1822.", TREATY % "14.03.1822", "supported"),
        ("The Treaty of Ostrava was signed on 14 March 1822.", TREATY % "1822-03-14", "supported"),
        ("The Treaty of Ostrava was signed on 1822-03-14.", TREATY % "14 March 1822", "supported"),
        ("The Treaty of Ostrava was signed on 15 March 1822.", TREATY % "14/03/1822", "contradicted"),
        ("The Treaty of Ostrava was signed on 14 May 1822.", TREATY % "1822-03-14", "contradicted"),
        ("Version 4.2 was released on 5 February 2021.", RELEASES, "supported"),
        ("The museum closes at 6 pm.", "The museum is open from 09:00 and closes at 18:00.", "supported"),
        ("The museum closes at 18:00.", "The museum is open from 9 a.m. and closes at 6 p.m.", "supported"),
        ("The museum closes at 5 pm.", "The museum is open from 09:00 and closes at 18:00.", "contradicted"),
        ("Revenue was 201.9 million pounds.", "Revenue was £201.9 million.", "supported"),
        ("Revenue was £201.9m.", "Revenue was 201.9 million pounds.", "supported"),
        ("Revenue was 210.9 million pounds.", "Revenue was £201.9 million.", "contradicted"),
        ("The prize was 500 euros.", "The prize was 500 EUR.", "supported"),
        ("The Pro plan costs $45.", "Plans\n\nPro\nPrice: $45.00", "supported"),
        ("The Pro plan costs $1,045.", "The price of the Pro plan is $1,045.00 a year.", "supported"),
        ("The prize was 1 million dollars.", "The prize was US$1m.", "supported"),
        ("The prize was 500 euros.", "The prize was €300, and the second one €500.", "contradicted"),
        ("The film runs for 95 minutes.", "The film runs for 1 h 35 min.", "supported"),
        ("The ride takes two hours and 30 minutes.", "The ride takes 150 minutes.", "supported"),
        ("The ride takes two hours and 40 minutes.", "The ride takes 150 minutes.", "contradicted"),
        ("Lind ran it in 2 hours, 27 minutes and 41 seconds.", "Lind ran it in 2:27:41.", "supported"),
        ("The war lasted from 1914 to 1918.", "The war (1914–18) changed the town.", "supported"),
    ],
)
def test_the_notation_does_not_matter(claim: str, passage: str, label: str) -> None:
    (prediction,) = load_small().verify([ClaimPair(claim, passage)])
    assert prediction.label == label, prediction


GROWTH = "Revenue rose 8 % to 412 million, driven by services (+21 %) while hardware fell (-3 %)."
REGIONS = "Sales by region: Europe 120 million (+4%), Asia 88 million (−7%), Americas 45 million (+12%)."


@pytest.mark.parametrize(
    ("claim", "passage", "label"),
    [
        ("Services revenue grew 21 %.", GROWTH, "supported"),
        ("Services revenue fell 21 %.", GROWTH, "contradicted"),
        ("Hardware fell 3 %.", GROWTH, "supported"),
        ("Hardware rose 3 %.", GROWTH, "contradicted"),
        ("Sales in Asia fell by 7%.", REGIONS, "supported"),
        ("Sales in Asia rose by 7%.", REGIONS, "contradicted"),
        ("Sales in the Americas increased 12%.", REGIONS, "supported"),
        ("Sales in Europe rose by 12%.", REGIONS, "contradicted"),
    ],
)
def test_the_sign_of_a_change_in_brackets_is_a_rise_or_a_fall(claim: str, passage: str, label: str) -> None:
    (prediction,) = load_small().verify([ClaimPair(claim, passage)])
    assert prediction.label == label, prediction


def test_percent_is_not_cents() -> None:
    passage = "Revenue rose 6 per cent. The Board proposes a dividend of €0.32 per share, to be paid in June."
    (prediction,) = load_small().verify([ClaimPair("The Board proposes a dividend of €0.32 per share.", passage)])
    assert prediction.label == "supported", prediction


def test_a_maximum_in_24_hours_is_a_maximum_per_day() -> None:
    passage = "Adults: one tablet every six hours. Do not take more than four in 24 hours."
    (prediction,) = load_small().verify([ClaimPair("Adults can take up to four tablets a day.", passage)])
    assert prediction.label != "contradicted", prediction


SHOP = "The shop opened at noon and closed at half past six. Its owner, Ada Berg, worked alone."
SONG = "The song was a hit in the 1980s and was recorded again in the nineties."
MILL = "The mill was built c. 1750 and burnt down on Christmas Day 1844."
LEAGUE = "Sunderland won the league in the 1935–36 season under Johnny Cochrane."
LEASE = "The lease runs for 18 months from 1 March 2022."
EARNED = "In FY2021 the group earned £40 million. It paid no dividend."


@pytest.mark.parametrize(
    ("claim", "passage", "label"),
    [
        ("The shop opened at 12 p.m.", SHOP, "supported"),
        ("The shop opened at 12:00.", SHOP, "supported"),
        ("The shop closed at 18:30.", SHOP, "supported"),
        ("The shop closed at 7:30 p.m.", SHOP, "contradicted"),
        ("The siren sounded at 00:00.", "The siren sounded at midnight. Nobody was hurt.", "supported"),
        ("It starts at six o'clock in the morning.", "It starts at 6 a.m. and ends at noon.", "supported"),
        ("The walk takes an hour and a half.", "The walk takes one and a half hours.", "supported"),
        ("The film is 2h22 long.", "The film is 142 minutes long and was shot in 1994.", "supported"),
        ("The lease runs for a year and a half.", LEASE, "supported"),
        ("The lease runs for two and a half years.", LEASE, "contradicted"),
        ("The parcel must arrive within two days.", "The parcel must arrive within 48 hours.", "supported"),
        ("The loan is to be repaid over two decades.", "The loan is to be repaid over 20 years.", "supported"),
        ("The song was recorded again in the 1990s.", SONG, "supported"),
        ("The song was a hit in the '80s.", SONG, "supported"),
        ("The song was a hit in the seventies.", SONG, "contradicted"),
        ("The mill was built around 1750.", MILL, "supported"),
        ("The mill burnt down on December 25, 1844.", MILL, "supported"),
        ("The mill burnt down on 26 December 1844.", MILL, "contradicted"),
        ("Sunderland won the league in the 1935/36 season.", LEAGUE, "supported"),
        ("Sunderland won the league in the 1936/37 season.", LEAGUE, "contradicted"),
        ("Ayr lost in the 2011/12 season.", "In the 2011–12 season, Ayr lost.", "supported"),
        ("Smith served as mayor from 1999 to 2003.", "Smith served as mayor from 1999–2003.", "supported"),
        ("The group earned £40m in fiscal 2021.", EARNED, "supported"),
        ("In fiscal year 2020 the group earned £40 million.", EARNED, "contradicted"),
        (
            "In Q1 2020, the airline lost $300 million.",
            "In the first quarter of 2020, it lost $300 million.",
            "supported",
        ),
        ("The treaty was signed in November 1920.", "The treaty was signed in 11/1920, in Graz.", "supported"),
    ],
)
def test_times_and_years_are_read_in_any_notation(claim: str, passage: str, label: str) -> None:
    (prediction,) = load_small().verify([ClaimPair(claim, passage)])
    assert prediction.label == label, prediction


PARTS = "The method is described in Chapter IV of the book. Chapter V lists the results."
SURVEY = "In the survey, one in four teachers said that they planned to leave the profession."
WAR = "The bridge was destroyed in World War II and rebuilt by the town in 1951."
LAKE = "The lake covers 12 km² and is up to 80 m deep."
SEATS = "The parliament has 349 seats; the Greens hold 18 of them."
PHONE = "The office can be reached at +44 20 7946 0958 on weekdays."
VILLAGE = "The village had 1 200 inhabitants in 1950 and 1,750 in 2000."
HOSPITAL = "Elizabeth II visited the hospital in May 1977. She was the first monarch to do so."
CASTLE = "Louis XIV stayed at the castle for three weeks in 1670."
GRANT = "The foundation gave a grant of £250,000, which will pay for new cases."
ROYALTY = "The Licensee shall pay a royalty of four and one-half per cent of Net Sales."
PHONES = "The company sold half a million phones in its first year and 2.5 million in its second."


@pytest.mark.parametrize(
    ("claim", "passage", "label"),
    [
        ("The results are listed in chapter five.", PARTS, "supported"),
        ("The method is described in chapter 5 of the book.", PARTS, "contradicted"),
        ("The bridge was destroyed in the Second World War.", WAR, "supported"),
        ("The bridge was destroyed in World War One.", WAR, "contradicted"),
        ("Louis the Fourteenth stayed at the castle for three weeks.", CASTLE, "supported"),
        ("Louis XVI stayed at the castle in 1670.", CASTLE, "contradicted"),
        ("Elizabeth I visited the hospital in May 1977.", HOSPITAL, "contradicted"),
        ("25% of the teachers said that they planned to leave the profession.", SURVEY, "supported"),
        ("40% of the teachers said that they planned to leave the profession.", SURVEY, "contradicted"),
        ("Half of the teachers said that they planned to leave the profession.", SURVEY, "contradicted"),
        ("60% of the delegates were women.", "Three-fifths of the delegates were women.", "supported"),
        ("35% of the delegates were women.", "Three-fifths of the delegates were women.", "contradicted"),
        ("Ayr lost 50% of its games.", "In the 2011–12 season, Ayr lost 14 of its 28 games.", "supported"),
        ("The company sold 500,000 phones in its first year.", PHONES, "supported"),
        ("The company sold 50,000 phones in its first year.", PHONES, "contradicted"),
        ("The village had one thousand two hundred inhabitants in 1950.", VILLAGE, "supported"),
        ("The parliament has three hundred and forty-nine seats.", SEATS, "supported"),
        ("The parliament has three hundred and ninety-four seats.", SEATS, "contradicted"),
        ("Snow lay for a month and a half.", "Snow lay for 1.5 months, until April.", "supported"),
        ("Backups may be kept for up to six months.", "Backups may be kept for up to 180 days.", "supported"),
        ("The exhibition lasted 92 days.", "The exhibition lasted three months.", "supported"),
        ("Profit rose to 512 million from 431 million.", "Profit rose to 512 million (431).", "supported"),
        ("Profit rose from €431 million to €512 million.", "Profit rose to €512 million (431).", "supported"),
        ("The lake covers 12 sq km.", LAKE, "supported"),
        ("The lake covers twelve square kilometers.", LAKE, "supported"),
        ("The lake covers 12 square miles.", LAKE, "contradicted"),
        ("The lake is 33 feet deep.", "The lake is 10 metres deep.", "supported"),
        ("The lake is 10 metres deep.", "The lake is 33 feet deep.", "supported"),
        ("The lake is 40 feet deep.", "The lake is 10 metres deep.", "contradicted"),
        ("Mount Orrel is 2,914 metres high.", "Mount Orrel is 2,914 metres (9,560 ft) high.", "supported"),
        ("Mount Orrel is 2,941 metres high.", "Mount Orrel is 2,914 metres (9,560 ft) high.", "contradicted"),
        ("Mount Orrel is 9,560 feet high.", "Mount Orrel is 2,914 metres (9,560 ft) high.", "supported"),
        ("Mount Orrel is 9,650 feet high.", "Mount Orrel is 2,914 metres (9,560 ft) high.", "contradicted"),
        ("The train runs at 186 mph.", "The train runs at 300 km/h.", "supported"),
        ("The farm has five acres of land.", "The farm has two hectares of land.", "supported"),
        ("She weighed 132 pounds.", "She weighed 60 kg and swam every day.", "supported"),
        ("The pole was 6 feet 2 inches long.", "The pole was 6' 2\" long and made of ash.", "supported"),
        ("In January the temperature was twelve degrees below zero.", "In January it was −12 °C.", "supported"),
        ("The rent is 1,200.50 euros a month.", "The rent is 1.200,50 € a month, heating included.", "supported"),
        ("It costs 1,200.50 euros.", "The machine is sold for 1.200,50 euros in every shop.", "supported"),
        ("Admission to the exhibition is 8 pounds 50.", "The exhibition costs £8.50.", "supported"),
        ("The coin is worth fifty pence.", "The coin is worth 50p and weighs 8 g.", "supported"),
        ("A ticket costs $0.80 for children.", "A ticket costs 80 cents for children.", "supported"),
        ("The office can be reached at +442079460958.", PHONE, "supported"),
        ("The office can be reached at 020 7946 0958.", PHONE, "supported"),
        ("The office can be reached at +44 20 7946 0985.", PHONE, "contradicted"),
        ("Leeds beat Hull 3:1 in the semi-final.", "Leeds beat Hull 3–1 in the semi-final.", "supported"),
        ("Leeds beat Hull by two goals to one.", "Leeds beat Hull 3–1 in the semi-final.", "contradicted"),
        ("The grant was worth a quarter of a million pounds.", GRANT, "supported"),
        ("The grant was worth half a million pounds.", GRANT, "contradicted"),
        ("The royalty is 4.5% of net sales.", ROYALTY, "supported"),
        ("The royalty is 5.4% of net sales.", ROYALTY, "contradicted"),
    ],
)
def test_amounts_are_read_in_any_notation(claim: str, passage: str, label: str) -> None:
    (prediction,) = load_small().verify([ClaimPair(claim, passage)])
    assert prediction.label == label, prediction


HEAT = "Heat the oven to 180 °C and grease a tin."
DAM = "The reservoir holds 120 million m³ of water."
WARRANTY = "Batteries: warranty 12 months."
SOLAR = "In 2023 the solar park produced 4,800 MWh, enough for 1,500 homes."
VACCINE = "Store the vaccine at 2–8 °C. Do not freeze."
GALE = "Gusts reached 108 km/h and the temperature fell to −12 °C."
BOXER = "The boxer weighs 11 st 6 lb and is 5'11\" tall."


@try_all(
    ("claim", "passage", "label"),
    [
        ("The oven must be heated to 350 °F.", HEAT, "supported"),
        ("The oven must be heated to 425 °F.", HEAT, "contradicted"),
        ("The reservoir holds 0.12 cubic kilometres of water.", DAM, "supported"),
        ("The reservoir holds 1.2 cubic kilometres of water.", DAM, "contradicted"),
        ("Batteries have a one-year warranty.", WARRANTY, "supported"),
        ("Batteries have a two-year warranty.", WARRANTY, "contradicted"),
        ("The trial lasted a year.", "The trial lasted 52 weeks.", "supported"),
        ("The trial lasted two years.", "The trial lasted 52 weeks.", "contradicted"),
        ("The fair goes on for a fortnight.", "The fair goes on for two weeks.", "supported"),
        ("In 2023 the solar park produced 4.8 million kWh.", SOLAR, "supported"),
        ("In 2023 the solar park produced 48 GWh.", SOLAR, "contradicted"),
        ("The vaccine must be stored at 36 to 46 °F.", VACCINE, "supported"),
        ("Gusts reached 67 mph.", GALE, "supported"),
        ("Gusts reached 97 mph.", GALE, "contradicted"),
        ("The temperature fell to 10 °F.", GALE, "supported"),
        ("The region has warmed by 2.7 °F.", "Since 1900 the region has warmed by 1.5 °C.", "supported"),
        ("The boxer weighs 160 pounds.", BOXER, "supported"),
        ("The boxer is 190 cm tall.", BOXER, "contradicted"),
        ("The descent takes 35 minutes.", "The descent takes three quarters of an hour.", "contradicted"),
        ("The flight takes 150 minutes.", "The flight takes 2.5 h.", "supported"),
        ("Tours last 75 minutes.", "Guided tours last an hour and a quarter.", "supported"),
        ("Tours last 95 minutes.", "Guided tours last an hour and a quarter.", "contradicted"),
        ("Sow the seeds a foot apart.", "Sow the seeds 2 cm deep and about a foot apart.", "supported"),
        ("Sow the seeds about a foot apart.", "Sow the seeds 2 cm deep and 30 cm apart.", "supported"),
        ("The tank holds 13.2 gallons.", "The tank holds 60 litres.", "supported"),
        ("The tank holds 15.9 US gallons.", "The tank holds 60 litres.", "supported"),
        ("Inflate the tyres to 36 psi.", "Inflate the tyres to 2.5 bar.", "supported"),
        ("The dish is just under 15 centimetres across.", "The dish is 148 mm across.", "supported"),
    ],
)
def test_a_measure_may_be_in_another_unit(claim: str, passage: str, label: str) -> None:
    (prediction,) = load_small().verify([ClaimPair(claim, passage)])
    assert prediction.label == label, prediction


CANTON = "The canton has 1'234'567 inhabitants."
DOSE = "Patients received 0.5 mg/kg twice daily."
INCOME = "Net income was $1,250m in FY2022. Gross margin improved by 120 bps to 41.2%."
CHECKS = "Check-in from 3 pm, check-out by noon."


@try_all(
    ("claim", "passage", "label"),
    [
        ("The canton has 1.23 million inhabitants.", CANTON, "supported"),
        ("The canton has 1,324,567 inhabitants.", CANTON, "contradicted"),
        ("The city has 1,234,567 inhabitants.", "The city has 1.234.567 inhabitants.", "supported"),
        ("The plank is 2.5 m long.", "The plank is 2,5 m long.", "supported"),
        ("The sample contained 600,000 cells.", "The sample contained 6 × 10⁵ cells.", "supported"),
        ("The sample contained 60,000 cells.", "The sample contained 6 × 10⁵ cells.", "contradicted"),
        ("Light travels at about 300,000 km/s.", "Light travels at about 3×10^8 m/s.", "supported"),
        ("The film earned 3 billion rupees.", "The film earned 300 crore rupees.", "supported"),
        ("The coupon is 4.25%.", "The coupon is 4 1/4 % and the bond matures in 10 years.", "supported"),
        ("Stir in two teaspoons of salt.", "Stir in ¾ cup of milk and ½ tsp of salt.", "contradicted"),
        ("Patients received half a milligram per kilogram twice a day.", DOSE, "supported"),
        ("The region has 58 people per square kilometre.", "The region has 85 people per km².", "contradicted"),
        ("Organisers spoke of 250,000 on Sunday.", "Organisers spoke of 250k on Sunday.", "supported"),
        ("Rocky 3 was released in May 1982.", "Rocky III was released in May 1982.", "supported"),
        ("He won the title 3 times.", "He won the title thrice.", "supported"),
        ("The club won the cup twice.", "The club has won the cup thrice.", "contradicted"),
        ("The new model is twice as fast as the old one.", "The new model is 2x as fast as the old one.", "supported"),
        ("The strike lasted 2 days.", "The strike lasted a couple of days.", "supported"),
        ("The storm killed two people.", "The storm killed a couple of people.", "supported"),
        ("The 21st Winter Games were held in Rome.", "The XXI Winter Games were held in Rome.", "supported"),
        ("The 22nd Winter Games were held in Rome.", "The XXI Winter Games were held in Rome.", "contradicted"),
        ("Net income in FY22 was $1.25 billion.", INCOME, "supported"),
        ("Net income in FY22 was $1.52 billion.", INCOME, "contradicted"),
        ("Gross margin improved by 1.2 percentage points.", INCOME, "supported"),
        ("Gross margin improved by 12 percentage points.", INCOME, "contradicted"),
        ("Sales grew 8% in the second half of 2023.", "Sales grew 8% in H1 2023.", "contradicted"),
        ("Check-in is from 15:00.", CHECKS, "supported"),
        ("The deadline is at 5 pm on 5 November 2024.", "Deadline: 2024-11-05T17:00.", "supported"),
        ("The school opened in the late 1880s.", "The school opened in 1888.", "supported"),
        ("The school opened in the early 1880s.", "The school opened in 1888.", "contradicted"),
        ("The chapel dates from the 17th century.", "The chapel dates from the 1800s.", "contradicted"),
        ("The committee meets every month.", "The committee meets once a month.", "supported"),
        ("The yew is no less than 500 years old.", "The yew is at least three centuries old.", "contradicted"),
        ("The yew is no less than 300 years old.", "The yew is at least three centuries old.", "supported"),
        ("In winter the first boat is at 8:15.", "season: winter; from: Marrow; first boat: 08:15", "supported"),
    ],
)
def test_numbers_and_dates_are_read_as_documents_write_them(claim: str, passage: str, label: str) -> None:
    (prediction,) = load_small().verify([ClaimPair(claim, passage)])
    assert prediction.label == label, prediction


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Five to ten people work on it, 5:10 a.m. or not.", "Five to ten people work on it at a time."),
        ("The share rose by 5% in the second half of 2020.", "In the second half of the year it rose."),
        ("It needs 20% cream.", "It needs a quarter of an hour, and one in two minutes counts."),
        ("The book sold 1,984 copies.", "Nineteen eighty-four sold well, as did the part I played."),
        ("It was 24 hours a day, every day.", "The helpline is open 24 hours a day, in Part 3 too."),
        ("Her dog lived in the 1990s.", "She was in her nineties."),
        ("The 2011 budget was passed.", "The budget of 2011/12 was passed."),
        ("Marie the Second knew her.", "On Monday I met Marie, and Elizabeth I knew."),
        ("The shop opens at midnight.", "The shop opens at 12:00."),
        ("Almost 20 percent came, 19,000 in all.", "Almost twenty thousand came."),
        ("It ran for 33 minutes.", "He ran in the 1980s."),
        ("It cost 500 cm of cloth.", "It cost £5m."),
        ("She weighs 2 kg.", "It costs 300 pounds, and she sat down for a second time."),
        ("The speed limit is 100 km/h.", "Both may be rounded: 60 mph."),
        ("The vial keeps for up to ten days.", "The vial keeps for a week."),
        ("Plan 5 and the 5th man were seen, 1,234 in all.", "I saw Vitamin C, a Category I storm and 1.234 m."),
        ("They won 0.5 of it.", "They met on 3/4 and 1/2, 24/7."),
    ],
)
def test_an_ambiguous_expression_is_not_rewritten(claim: str, passage: str) -> None:
    assert write_alike(ClaimPair(claim, passage)).pair.passage == passage


def test_the_reason_mentions_the_different_notation() -> None:
    (prediction,) = load_small().verify([ClaimPair("The lake is 33 feet deep.", "The lake is 10 metres deep.")])
    assert prediction.rationale == "the passage states it in another notation"


def test_the_reason_has_the_words_of_the_claim() -> None:
    passage = "The lease was signed on 4 May. The rent is due within 14 days."
    (prediction,) = load_small().verify([ClaimPair("The lease runs for three months.", passage)])
    assert prediction.rationale.startswith("the passage does not have three months")


def test_the_quote_is_an_unaltered_sentence_of_the_passage() -> None:
    passage = "Minutes of 2021-01-04. The vote was on 2021-02-05. The next one is on 2021-03-09."
    (prediction,) = load_small().verify([ClaimPair("The vote was on 5 February 2021.", passage)])
    assert prediction.label == "supported"
    assert prediction.quote is not None
    assert prediction.quote.of(passage) == "The vote was on 2021-02-05."


@pytest.mark.parametrize("date", ["03/04/2021", "2021-13-40", "1.2.2021.5", "ISBN 978-2021-02-05"])
def test_an_ambiguous_or_invalid_date_is_not_rewritten(date: str) -> None:
    passage = f"The vote was on {date}, in the town hall."
    (prediction,) = load_small().verify([ClaimPair(f"The vote was on {date}, in the town hall.", passage)])
    assert prediction.label == "supported"
    assert prediction.quote == Span(start=0, end=len(passage))


@pytest.mark.parametrize(
    ("claim", "is_supported"),
    [
        ("Maria Sol died in 1901.", False),
        ("Maria Sol was born in 1980.", False),
        ("Maria Sol was born in 1901.", True),
        ("Maria Sol died in 1980.", True),
    ],
)
def test_a_year_of_birth_is_not_a_year_of_death(claim: str, is_supported: bool) -> None:
    passage = "Maria Sol (1901–1980) was a Spanish painter. She settled in Lisbon in 1931."
    (prediction,) = load_small().verify([ClaimPair(claim, passage)])
    assert (prediction.label == "supported") == is_supported, prediction


@pytest.mark.parametrize(
    ("claim", "passage", "label"),
    [
        ("The mill was sold in the 19th century.", "The mill, built in 1654, was sold in 1890.", "supported"),
        ("The mill was sold in the 17th century.", "The mill, built in 1654, was sold in 1890.", "contradicted"),
        ("The king was born in the 18th century.", "The king was born in 1754.", "supported"),
        ("The church was built in the twelfth century.", "The church was built in 1254.", "contradicted"),
        ("Riesk was born in the eighteenth century.", "Anton Riesk was born on 11 July 1823.", "contradicted"),
    ],
)
def test_a_century_is_derived_from_the_year(claim: str, passage: str, label: str) -> None:
    (prediction,) = load_small().verify([ClaimPair(claim, passage)])
    assert prediction.label == label, prediction


@pytest.mark.parametrize("part", ["$5 ", "one two three ", "12:30 ", "two and a half ", "5 miles ", "1 1/2 ", "3,5-"])
def test_time_grows_linearly_with_the_length_of_a_passage(part: str) -> None:
    claim = "It cost 5 dollars at 6 p.m., half of 12, for 90 minutes and 8 km."
    assert growth(lambda size: write_alike(ClaimPair(claim, part * (size // len(part)))), 25_000) < 1.5


def test_time_grows_linearly_with_the_gaps_of_a_claim() -> None:
    weights = read_model().weights
    assert growth(lambda size: read_sentences(f"The bridge{' ' * size}is old.", weights), 200_000) < 1.5
