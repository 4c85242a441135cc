"""Notations of dates, times, durations and years: "18:00", "1 h 35 min", "1914–18", "Q3", "the nineties"."""

from __future__ import annotations

import re

from factscope.judging.verifiers.builtin.ages import age_at_death, age_at_event, years_of_life
from factscope.judging.verifiers.builtin.lexicon import MONTHS, ORDINALS, SMALL_NUMBERS
from factscope.judging.verifiers.builtin.notation_form import alternatives, has_words, notation

_MONTH_NAMES = {number: name.capitalize() for name, number in reversed(MONTHS.items())}
_HOLIDAYS = {
    "new year's day": "1 January",
    "valentine's day": "14 February",
    "christmas eve": "24 December",
    "christmas day": "25 December",
    "boxing day": "26 December",
    "new year's eve": "31 December",
}
_CLOCK_STEPS = {"half": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
_DECADES = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
            "eighties": 80, "nineties": 90}  # fmt: skip
_CENTURIES = {number: word for word, number in ORDINALS.items()} | {21: "twenty-first"}
_QUARTERS = ("first", "second", "third", "fourth")
_SMALLER = {"hour": (60, "minutes"), "year": (12, "months"), "day": (24, "hours")}
_NUMBER = rf"(?:\d{{1,3}}|{alternatives(SMALL_NUMBERS)})"
_HOUR = rf"(?:1[0-2]|[1-9]|{alternatives(word for word, value in SMALL_NUMBERS.items() if 1 <= value <= 12)})"


@notation(
    r"(?<![\w.,/:-])(?:(?P<year>[12]\d{3})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"|(?P<first>\d{1,2})(?P<mark>[/.])(?P<second>\d{1,2})(?P=mark)(?P<last>[12]\d{3}))(?![\w/-]|[.:,]\d)",
    sign=rf"(?i)\b(?:[12]\d{{3}}|{'|'.join(MONTHS)})\b",
)
def _date(match: re.Match[str], _: str) -> str | None:
    """Return a date in words; None where day and month may be either."""
    if match["year"]:
        year, month, day = match["year"], int(match["month"]), int(match["day"])
    else:
        year, day, month = match["last"], int(match["first"]), int(match["second"])
        if match["mark"] == "/" and day != month and max(day, month) <= 12:
            return None
        if match["mark"] == "/" and month > 12:
            day, month = month, day
    return f"{day} {_MONTH_NAMES[month]} {year}" if month in _MONTH_NAMES and 1 <= day <= 31 else None


@notation(
    r"(?<![\w.,/:-])(?P<month>0?[1-9]|1[0-2])/(?P<year>1[5-9]\d\d|20\d\d)(?![\w/-]|[.:,]\d)",
    sign=rf"(?i)\b(?:{'|'.join(MONTHS)})\b",
)
def _month(match: re.Match[str], _: str) -> str:
    """Return "November 1920" for "11/1920"."""
    return f"{_MONTH_NAMES[int(match['month'])]} {match['year']}"


@notation(
    rf"(?i)\b(?:{alternatives(_HOLIDAYS)})\b".replace("'", "['’]"),
    sign=r"\b(?:\d\d?(?:st|th)?\s(?:of\s)?)(?:Dec|Jan|Feb)|(?:Dec|Jan|Feb)[a-z]*\.?\s\d\d?\b",
)
def _holiday(match: re.Match[str], _: str) -> str:
    """Return "25 December" for "Christmas Day"."""
    return _HOLIDAYS[match[0].lower().replace("’", "'")]


@notation(
    r"(?i)(?<![\w.,/:])(?:12(?::00)?\s?(?P<half>[ap])(?:m\b|\.m\b(?:\.(?=\s[a-z]|,))?)"
    r"|(?P<hour>12|00?|24)[:.]00(?!\s?[ap]\.?m\b))(?![\w:/]|[.,]\d)",
    sign=r"(?i)\b(?:noon|midday|midnight)\b",
)
def _middle_of_day(match: re.Match[str], other: str) -> str | None:
    """Return "noon" for "12 p.m.", "midnight" for "0:00"; None for a 12:00 that may be either."""
    if match["half"]:
        return "midnight" if match["half"].lower() == "a" else "noon"
    is_noon = match["hour"] == "12"
    if is_noon and "noon" not in other.lower():  # 12:00 may be midnight on a clock of twelve hours
        return None
    return "noon" if is_noon else "midnight"


@notation(
    r"(?i)(?<![\w.,/:])(?P<hour>0\d|1[3-9]|2[0-3]):(?P<minute>[0-5]\d)(?![\w:/]|[.,]\d)(?!\s?[ap]\.?m\b)",
    sign=r"(?i)\d\s?[ap]\.?m\b|\bhalf past\b|\bquarter (?:past|to)\b|\bo['’]clock\b",
)
def _time(match: re.Match[str], _: str) -> str:
    """Return a time that can't be one of twelve hours, as "10:15" may be, in those."""
    return _twelve_hours(match, int(match["hour"]), int(match["minute"]))


def _twelve_hours(match: re.Match[str], hour: int, minute: int) -> str:
    minutes = f":{minute:02}" if minute else ""
    stop = "" if match.string.startswith(".", match.end()) else "."
    return f"{hour % 12 or 12}{minutes} {'a' if hour % 24 < 12 else 'p'}.m{stop}"


@notation(
    r"(?i)(?<![\w.,:])(?P<hour>\d\d?)\.(?P<minute>[0-5]\d)(?=\s?[ap]\.?m\b)",
    sign=r"(?i)\d:\d\d\b|\bhalf past\b|\bquarter (?:past|to)\b",
)
def _with_colon(match: re.Match[str], _: str) -> str:
    """Return "6:30" for the "6.30" of "6.30 p.m."."""
    return f"{match['hour']}:{match['minute']}"


@notation(  # "five to ten" may be a range
    rf"(?i)\b(?:(?P<step>(?:half|(?:a )?quarter|five|ten|twenty(?:-five)?)(?= past)|(?:a )?quarter(?= to)"
    rf"|(?<=\bat )(?:five|ten|twenty(?:-five)?)(?= to {_HOUR}(?:[.,;)]|\Z| (?:in|on|every|each)\b)))"
    rf" (?P<way>past|to) (?P<hour>{_HOUR})|(?P<full>{_HOUR}) o['’]clock)\b"
    r"(?: in the (?P<half>morning|afternoon|evening)\b)?",
    sign=r"(?i)\d:\d\d\b|\d\s?[ap]\.?m\b",
)
def _spoken_time(match: re.Match[str], _: str) -> str | None:
    """Return a time such as "half past six" in digits; None for an hour without its half of the day."""
    hour = _number(match["hour"] or match["full"]) % 12
    minute = _CLOCK_STEPS[match["step"].lower()] if match["step"] else 0
    if match["way"] == "to":
        hour, minute = hour - 1, 60 - minute
    if match["half"]:
        return _twelve_hours(match, hour % 12 + (0 if match["half"] == "morning" else 12), minute)
    return f"{hour % 12 or 12}:{minute:02}" if minute else None


def _number(word: str) -> int:
    return int(word) if word.isdigit() else SMALL_NUMBERS[word.lower()]


@notation(
    rf"(?i)(?<![\w.,:])(?P<hours>{_NUMBER})\s?(?:h|hrs?|hours?)(?:,?\s(?:and\s)?|)"
    rf"(?P<minutes>{_NUMBER})(?:\s?(?:m|min|mins|minutes?)\b|(?<=\dh[0-5]\d)(?!\w))",
    sign=r"(?i)\b(?:min|minutes?|h|hours?)\b|\dh\d\d\b",
)
def _minutes(match: re.Match[str], _: str) -> str:
    """Return "95 minutes" for "1 h 35 min"."""
    hours, minutes = map(_number, match.groups())
    return f"{60 * hours + minutes} minutes"


@notation(
    rf"(?i)(?<![\w.,:-])(?:an?\s(?P<unit_first>hour|year|day)\sand\sa\shalf\b"
    rf"|(?P<whole>{_NUMBER})(?:\sand\sa\shalf|\.5|\s?½)[\s-](?P<unit>hour|year|day)s?\b)",
    sign=r"(?i)\b(?:min|minutes|months|hours)\b|and a half|[½]|\d\.5 (?:hour|year|day)",
)
def _halves(match: re.Match[str], _: str) -> str:
    """Return "two and a half hours" in minutes, and years in months."""
    factor, unit = _SMALLER[(match["unit"] or match["unit_first"]).lower()]
    whole = _number(match["whole"]) if match["whole"] else 1
    return f"{whole * factor + factor // 2} {unit}"


@notation(
    r"(?<![\w.,:])(?P<hours>\d{1,2}):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d)(?![\w:]|[.,]\d)",
    sign=r"(?i)\bhours?\b",
)
def _clocked(match: re.Match[str], _: str) -> str:
    """Return "2 hours, 27 minutes and 41 seconds" for "2:27:41"."""
    return f"{match['hours']} hours, {int(match['minutes'])} minutes and {int(match['seconds'])} seconds"


@notation(
    r"(?i)\b(?:in|within|per|every|each)\s(?:any\s|a\s)?24(?:\shours|-hour\speriod)\b",
    sign=r"(?i)\b(?:an?|per|each) day\b|\bdaily\b",
)
def _day_of_hours(_: re.Match[str], __: str) -> str:
    """Return "a day" for "in 24 hours"."""
    return "a day"


@notation(r"(?i)(?<![\w.,:-])(?P<hours>\d{2,3})\shours\b", sign=r"(?i)\bdays?\b")
def _days(match: re.Match[str], _: str) -> str | None:
    """Return "2 days" for "48 hours"."""
    days, hours = divmod(int(match["hours"]), 24)
    return f"{days} days" if days > 1 and not hours else None  # "24 hours a day"


@notation(rf"(?i)(?<![\w.,:-])(?P<months>{_NUMBER})\smonths?\b(?!['’])", sign=r"\d\sdays\b")
def _months(match: re.Match[str], other: str) -> str | None:
    """Return "180 days" for "six months" if the other text has as many days as those months may have."""
    months = _number(match["months"])
    if re.search(r"(?i)\bmonths?\b", other):
        return None
    days = (int(days) for days in re.findall(r"(?<![\w.,:-])(\d{2,3})\sdays\b", other))
    return next((f"{each} days" for each in days if 29.5 * months <= each <= 31 * months), None)


@notation(
    rf"(?i)(?<![\w.,:-])(?P<count>half a|a|{_NUMBER}) (?P<unit>decades?|century|centuries)\b",
    sign=r"(?i)\b(?:\d0|twenty|thirty|forty|fifty|ten|hundred) years\b",
)
def _long_times(match: re.Match[str], _: str) -> str:
    """Return decades and centuries in years."""
    factor = 10 if match["unit"].lower().startswith("decade") else 100
    count = match["count"].lower()
    return f"{factor // 2 if count == 'half a' else factor * (1 if count == 'a' else _number(count))} years"


@notation(
    r"(?<![\w.,:/–-])(?P<century>1\d|20)(?P<first>\d\d)(?P<mark>[–/-])(?P<last>\d\d)(?![\w:/–-]|[.,]\d)",
    sign=r"\b[12]\d{3}\b",
)
def _years(match: re.Match[str], other: str) -> str | None:
    """Return "1914 to 1918" for "1914–18"; None for "2011-12" if it may be a month."""
    first, last = f"{match['century']}{match['first']}", match["last"]
    may_be_month = match["mark"] != "–" and "01" <= last <= "12"
    if last <= match["first"] or has_words(other, match[0]):
        return None
    if may_be_month and not re.search(rf"\b{first}[–/-]{last}\b", other):
        return None
    return f"{first} to {match['century']}{last}"


@notation(  # not in brackets, where they may be those of a life
    r"(?<=[a-z] )(?P<first>1\d{3}|20\d\d)[–-](?P<last>1\d{3}|20\d\d)(?![\w:/–-]|[.,]\d)", sign=r"\b[12]\d{3}\b"
)
def _full_years(match: re.Match[str], other: str) -> str | None:
    """Return "1999 to 2003" for "1999–2003"."""
    return f"{match['first']} to {match['last']}" if match["first"] < match["last"] else None


@notation(
    rf"(?i)\bthe\s(?:nineteen[\s-])?(?P<name>{alternatives(_DECADES)})\b|(?:\bthe\s)?['’](?P<digit>[2-9])0s\b",
    sign=r"\b19[2-9]0s\b",
)
def _decade(match: re.Match[str], _: str) -> str:
    """Return "the 1990s" for "the nineties" and "the '90s"."""
    before = "the " if match[0].lower().startswith("the ") else ""
    return f"{before}19{match['digit']}0s" if match["digit"] else f"{before}19{_DECADES[match['name'].lower()]}s"


@notation(
    r"(?<![\w.,:/–-])(?P<year>1\d{3}|20\d\d)(?![\w:/–-]|[.,]\d|%)(?! (?!was|is|has|as|its|his|this)[a-z]+s\b)",
    sign=r"(?i)\w[\s-]century\b",
)
def _century(match: re.Match[str], _: str) -> str:
    """Return a year with its century: in which one a year is, the network guesses."""
    number = (int(match["year"]) - 1) // 100 + 1
    return f"{match['year']}, in the {_CENTURIES[number]} century"


@notation(
    r"\bQ(?P<number>[1-4])\b(?!:)(?:\s(?:of\s)?(?P<year>[12]\d{3})\b)?",
    sign=r"(?i)\b(?:first|second|third|fourth)\squarter\b",
)
def _quarter(match: re.Match[str], _: str) -> str:
    """Return "the third quarter of 2020" for "Q3 2020"."""
    the = "" if match.string[: match.start()].endswith("the ") else "the "
    of = " of " if match["year"] else ""
    return f"{the}{_QUARTERS[int(match['number']) - 1]} quarter{of}{match['year'] or ''}"


_FISCAL = r"\b(?:FY\s?|(?:[Ff]iscal|[Ff]inancial)(?:\syear)?\s)(?P<year>[12]\d{3})(?![\w/–-])"


@notation(_FISCAL, sign=_FISCAL)
def _fiscal_year(match: re.Match[str], _: str) -> str:
    """Return "fiscal year 2021" for "FY2021"."""
    return f"fiscal year {match['year']}"


CALENDAR = (
    age_at_death, age_at_event, years_of_life, _date, _month, _holiday, _middle_of_day, _time, _with_colon,
    _spoken_time, _minutes, _halves, _clocked, _day_of_hours, _days, _months, _long_times, _years, _full_years, _decade,
    _century, _quarter, _fiscal_year,
)  # fmt: skip
"""In order: of two at one place the earlier one counts."""
