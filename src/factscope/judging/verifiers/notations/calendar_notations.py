"""Notations of dates, times, durations and years: "18:00", "1 h 35 min", "1914–18", "Q3", "the nineties"."""

from __future__ import annotations

import re

from factscope.judging.verifiers.notations.ages import age_at_death, age_at_event, years_of_life
from factscope.judging.verifiers.notations.notation_form import alternatives, has_words, notation
from factscope.judging.verifiers.notations.rates import same_rate
from factscope.judging.verifiers.wording.lexicon import MONTHS, ORDINALS, SMALL_NUMBERS

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
_DECADE_ERAS = {"early": range(5), "mid": range(3, 8), "late": range(6, 10)}
_CENTURY_ERAS = {"early": range(36), "mid": range(29, 71), "late": range(64, 100)}
_CENTURY_ERA = re.compile(r"(?i)\b(?:early|mid|late)[\s-][\w-]+\scentury\b")
_ORDINALS = ("first", "second", "third", "fourth")
_SMALLER = {"hour": (60, "minutes"), "year": (12, "months"), "day": (24, "hours")}
_SMALLER |= dict.fromkeys(("h", "hr"), _SMALLER["hour"])
_FRACTION = r"(?P<part>(?:a\s|one\s)?(?:half|quarter)|three[\s-]quarters?)"
_HALF = frozenset(("half", "a half", "one half", "5", "50", "½"))
_QUARTER = frozenset(("quarter", "a quarter", "one quarter", "25", "¼"))
_NUMBER = rf"(?:\d{{1,3}}|{alternatives(SMALL_NUMBERS)})"
_HOUR = rf"(?:1[0-2]|[1-9]|{alternatives(word for word, value in SMALL_NUMBERS.items() if 1 <= value <= 12)})"


@notation(
    r"(?<![\w.,/:-])(?:(?P<year>[12]\d{3})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"(?:T(?P<hour>[0-2]\d):(?P<minute>[0-5]\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|(?P<first>\d{1,2})(?P<mark>[/.])(?P<second>\d{1,2})(?P=mark)(?P<last>[12]\d{3}))(?![\w/-]|[.:,]\d)",
    sign=rf"(?i)\b(?:[12]\d{{3}}|{'|'.join(MONTHS)})\b",
)
def _date(match: re.Match[str], other: str) -> str | None:
    """Return a date in words, with the time of "2021-08-19T17:00"; None where day and month may be either."""
    if match["year"]:
        year, month, day = match["year"], int(match["month"]), int(match["day"])
    else:
        year, day, month = match["last"], int(match["first"]), int(match["second"])
        if match["mark"] == "/" and day != month and max(day, month) <= 12:
            return None
        if match["mark"] == "/" and month > 12:
            day, month = month, day
    if month not in _MONTH_NAMES or not 1 <= day <= 31:
        return None
    time = f" at {match['hour']}:{match['minute']}" if match["hour"] else ""
    if time and re.search(r"(?i)\d\s?[ap]\.?m\b", other):
        time = f" at {_twelve_hours(match, other, int(match['hour']), int(match['minute']))}"
    return f"{day} {_MONTH_NAMES[month]} {year}{time}"


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
def _time(match: re.Match[str], other: str) -> str:
    """Return a time that can't be one of twelve hours, as "10:15" may be, in those."""
    return _twelve_hours(match, other, int(match["hour"]), int(match["minute"]))


@notation(r"(?<=: )0(?P<time>[1-9]:[0-5]\d)(?![\w:/]|[.,]\d)", sign=r"(?<![\d:])[1-9]:[0-5]\d(?![\d:])")
def _without_zero(match: re.Match[str], _: str) -> str:
    """Return "6:30" for the "06:30" of a row, whose cells are compared as they stand."""
    return match["time"]


def _twelve_hours(match: re.Match[str], other: str, hour: int, minute: int) -> str:
    """Return a time in place of a match, with "p.m." or "pm" as in the other text."""
    minutes = f":{minute:02}" if minute else ""
    half = "a" if hour % 24 < 12 else "p"
    if re.search(r"(?i)\d\s?[ap]m\b", other):
        return f"{hour % 12 or 12}{minutes} {half}m"
    stop = "" if match.string.startswith(".", match.end()) else "."
    return f"{hour % 12 or 12}{minutes} {half}.m{stop}"


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
def _spoken_time(match: re.Match[str], other: str) -> str | None:
    """Return a time such as "half past six" in digits; None for an hour without its half of the day."""
    hour = _number(match["hour"] or match["full"]) % 12
    minute = _CLOCK_STEPS[match["step"].lower()] if match["step"] else 0
    if match["way"] == "to":
        hour, minute = hour - 1, 60 - minute
    if match["half"]:
        return _twelve_hours(match, other, hour % 12 + (0 if match["half"] == "morning" else 12), minute)
    return f"{hour % 12 or 12}:{minute:02}" if minute else None


def _number(word: str) -> int:
    return int(word) if word.isdigit() else SMALL_NUMBERS[word.lower()]


@notation(
    r"(?<![\w.,:])(?P<hours>\d{1,2})(?::|\s?h(?:rs?)?\s)(?P<minutes>[0-5]?\d)(?::(?P<seconds>[0-5]\d)(?![\w:]|[.,]\d)"
    r"|\s?m(?:in)?\s(?P<last>[0-5]?\d)\s?s(?:ec)?\b)",
    sign=r"(?i)\bhours?\b|\d:\d\d:\d\d|\d\s?h",
)
def _clocked(match: re.Match[str], other: str) -> str | None:
    """Return "2 hours, 27 minutes and 41 seconds" for "2:27:41" and "2 h 27 min 41 s"."""
    if has_words(other, match[0]):
        return None
    seconds = int(match["seconds"] or match["last"])
    return f"{match['hours']} hours, {int(match['minutes'])} minutes and {seconds} seconds"


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
    rf"(?i)(?<![\w.,:-])(?:an?\s(?P<unit_first>hour|year|day)\sand\s{_FRACTION}\b"
    rf"|(?P<whole>{_NUMBER})"
    rf"(?:\sand\s{_FRACTION.replace('part', 'part_first')}|\.(?P<decimals>25|50?|75)|\s?(?P<sign>[¼½¾]))"
    r"[\s-]?(?P<unit>hours?|hrs?|h|years?|days?)\b)",
    sign=r"(?i)\b(?:min|minutes|months|hours)\b|and a (?:half|quarter)|[½¼¾]|\d\.(?:5|25|75) ?(?:h|year|day)",
)
def _halves(match: re.Match[str], _: str) -> str:
    """Return "two and a half hours" in minutes, and years in months; quarters as well."""
    factor, unit = _SMALLER[(match["unit"] or match["unit_first"]).lower().removesuffix("s")]
    whole = _number(match["whole"]) if match["whole"] else 1
    fraction = match["part"] or match["part_first"] or match["decimals"] or match["sign"]
    quarters = 2 if fraction.lower() in _HALF else 1 if fraction.lower() in _QUARTER else 3
    return f"{whole * factor + quarters * factor // 4} {unit}"


@notation(
    r"(?i)\b(?:in|within|per|every|each)\s(?:any\s|a\s)?24(?:\shours|-hour\speriod)\b",
    sign=r"(?i)\b(?:an?|per|each) day\b|\bdaily\b",
)
def _day_of_hours(_: re.Match[str], __: str) -> str:
    """Return "a day" for "in 24 hours"."""
    return "a day"


@notation(r"(?i)\bonce (?:an?|per|each|every) (?P<period>day|week|month|year)\b", sign=r"(?i)\b(?:every|each) [a-z]")
def _once(match: re.Match[str], other: str) -> str | None:
    """Return "every month" for "once a month" where the other text has the first."""
    every = next((every for every in ("every", "each") if has_words(other, f"{every} {match['period']}")), None)
    return f"{every.capitalize() if match[0][0] == 'O' else every} {match['period']}" if every else None


@notation(
    r"(?i)\b(?:(?P<rate>fortnightly|every fortnight)|(?<!twice )(?<!once )(?<!times )(?:an?|one) fortnight)\b",
    sign=r"(?i)\b(?:weeks|days)\b",
)
def _fortnight(match: re.Match[str], other: str) -> str:
    """Return "two weeks" or "14 days" for "a fortnight"."""
    weeks = "two weeks" if re.search(r"(?i)\bweeks\b", other) else "14 days"
    return f"every {weeks}" if match["rate"] else weeks


@notation(rf"(?i)(?<![\w.,:-])(?P<months>{_NUMBER})\smonths?\b(?!['’])", sign=r"\d\sdays\b")
def _months(match: re.Match[str], other: str) -> str | None:
    """Return "180 days" for "six months" if the other text has as many days as those months may have."""
    months = _number(match["months"])
    if re.search(r"(?i)\bmonths?\b", other):
        return None
    days = (int(days) for days in re.findall(r"(?<![\w.,:-])(\d{2,3})\sdays\b", other))
    return next((f"{each} days" for each in days if 29.5 * months <= each <= 31 * months), None)


@notation(
    rf"(?i)(?<![\w.,:-])(?P<count>half a|(?<!of )a|{_NUMBER}) (?P<unit>decades?|century|centuries)\b",
    sign=r"(?i)\b(?:\d+0|twenty|thirty|forty|fifty|ten|hundred) years\b",
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
    r"(?<![\w.,:/–-])(?P<year>1\d{3}|20\d\d)(?P<decade>(?<=0)s)?(?![\w:/–-]|[.,]\d|%)"
    r"(?! people\b| BC\b| (?!was|is|has|as|its|his|this)[a-z]+s\b)",
    sign=r"(?i)\w[\s-]century\b",
)
def _century(match: re.Match[str], other: str) -> str:
    """Return a year or decade with its century, and the part of it: in which one a year is, the network guesses."""
    number, years_in = divmod(int(match["year"]) - (0 if match["decade"] else 1), 100)
    era = _era(_CENTURY_ERAS, years_in, other, r"[\s-][\w-]+\scentury") if _CENTURY_ERA.search(other) else ""
    return f"{match[0]}, in the {era}{_CENTURIES[number + 1]} century"


def _era(eras: dict[str, range], years_in: int, other: str, rest: str) -> str:
    """Return "early ", "mid-" or "late ", the word of the other text before `rest` where that is right."""
    names = [name for name, years in eras.items() if years_in in years]
    name = next((name for name in names if re.search(rf"(?i)\b{name}{rest}", other)), names[0])
    return "mid-" if name == "mid" else f"{name} "


@notation(
    r"(?<![\w.,:/–-])(?P<year>1\d{3}|20\d\d)(?![\w:/–-]|[.,]\d|%)"
    r"(?! people\b| (?!was|is|has|as|its|his|this)[a-z]+s\b)",
    sign=r"(?i)\b(?:early|mid|late)[ -](?:1\d|20)\d0s\b",
)
def _decade_era(match: re.Match[str], other: str) -> str:
    """Return a year with its part of a decade, in the word of the other text where that is right."""
    era = _era(_DECADE_ERAS, int(match["year"]) % 10, other, r"[ -]\d")
    return f"{match['year']}, in the {era}{match['year'][:3]}0s"


@notation(r"\b[Tt]he (?P<century>1\d|20)00s\b", sign=r"(?i)\w[\s-]century\b")
def _hundreds(match: re.Match[str], _: str) -> str:
    """Return "the nineteenth century" for "the 1800s"."""
    return f"the {_CENTURIES[int(match['century']) + 1]} century"


@notation(
    r"\b(?P<part>Q[1-4]|H[12])\b(?!:)(?:\s(?:of\s)?(?P<year>[12]\d{3})\b)?",
    sign=r"(?i)\b(?:first|second|third|fourth)\s(?:quarter|half)\b",
)
def _part_of_year(match: re.Match[str], other: str) -> str | None:
    """Return "the third quarter of 2020" for "Q3 2020", and "the first half of 2020" for "H1 2020"."""
    noun = "quarter" if match["part"][0] == "Q" else "half"
    if not re.search(rf"(?i)\b(?:first|second|third|fourth)\s{noun}\b", other):
        return None
    the = "" if match.string[: match.start()].endswith("the ") else "the "
    of = " of " if match["year"] else ""
    return f"{the}{_ORDINALS[int(match['part'][1]) - 1]} {noun}{of}{match['year'] or ''}"


_FISCAL = (
    r"\b(?:FY\s?['’]?|(?:[Ff]iscal|[Ff]inancial)(?:\syear)?\s)(?P<year>[12]\d{3}|\d\d)(?![\w/–-])"
    r"|\b(?P<first>[12]\d{3}) (?:fiscal|financial) year\b"
)


@notation(_FISCAL, sign=_FISCAL)
def _fiscal_year(match: re.Match[str], _: str) -> str:
    """Return "fiscal year 2021" for "FY2021", "FY21" and "2021 financial year"."""
    year = match["year"] or match["first"]
    return f"fiscal year {'20' if len(year) == 2 else ''}{year}"


CALENDAR = (
    age_at_death, age_at_event, years_of_life, _date, _month, _holiday, _middle_of_day, _time, _with_colon,
    _without_zero, _spoken_time, _clocked, _minutes, _halves, _day_of_hours, _once, _fortnight, _months,
    _long_times, _years, _full_years, _decade, _hundreds, _century, _decade_era, _part_of_year, _fiscal_year,
    same_rate,
)  # fmt: skip
"""In order: of two at one place the earlier one counts."""
