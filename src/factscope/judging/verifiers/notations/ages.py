"""Ages that follow from a date of birth: "died at the age of 71" as "died in 1811" beside "(1740–1811)".

The network reads an age that is not stated as another number. Only a passage with one date of birth is read so, and
only a claim about whom it belongs to. The date of another event than a death is that of the one sentence with all
words of the claim.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from factscope.claims.text.segments import sentences
from factscope.core.records import Span
from factscope.judging.verifiers.notations.notation_form import alternatives, notation
from factscope.judging.verifiers.notations.number_forms import SPELLED, read_spelled
from factscope.judging.verifiers.wording.alignment import same_word
from factscope.judging.verifiers.wording.lexicon import MONTHS
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.word_forms import may_be_inflected

_YEAR = r"(?:1\d{3}|20\d{2})"


def _day(name: str) -> str:
    """Return a pattern of a date or a year."""
    return rf"(?:(?P<{name}_day>\d\d?) (?P<{name}_month>{alternatives(MONTHS)})\.? )?(?P<{name}_year>{_YEAR})\b"


_BIRTH = re.compile(rf"(?i)\bborn\b[^.;()]{{0,40}}?\b{_day('born')}|\([^()]{{0,30}}?\b{_day('from')}\s?[–—-]")
_DEATH = re.compile(rf"(?i)\bdied\b[^.;()]{{0,40}}?\b{_day('died')}|[–—-]\s?[^()\d]{{0,20}}{_day('to')}\)")
_AGE = rf"(?P<age>\d{{1,3}}|{SPELLED})"
_NAME = re.compile(r"[A-Z][\w'’-]*(?:\s(?:van|von|de|der|la|[A-Z][\w'’-]*))*")
_ANOTHER = re.compile(
    r"(?i)\b(?:who|whose|father|mother|parents?|wife|husband|widow(?:er)?|sons?|daughters?|child(?:ren)?|brothers?|sisters?"
    r"|uncle|aunt|grand\w+|cousin|king|queen)\b"
)
"""Words before a death that make it another's."""
_OF_DEATH = re.compile(
    rf"(?i)\bwas (?:only )?{_AGE}(?: years old| years of age)? when (?:he|she) died\b"
    rf"|\blived to (?:be|the age of) {_AGE.replace('<age>', '<lived>')}\b"
    rf"|\bdied(?: in (?P<year>{_YEAR}))?,? (?:at the age of|at age|aged) {_AGE.replace('<age>', '<died>')}\b"
)
"""A claim's words about an age at death."""
_OF_EVENT = re.compile(
    rf"(?P<was> was (?:only |just )?{_AGE}(?: years old| years of age)? when (?:he|she))(?P<event> [^.;]+)"
    rf"|(?:^|,? )(?:[Aa]t (?:the age of|age)|[Aa]ged|[Ww]hen (?:he|she) was) {_AGE.replace('<age>', '<at>')}"
    rf"(?: years old)?\b(?P<comma>, )?| at {_AGE.replace('<age>', '<only_at>')}(?=[.!]?\s*$)"
)
"""Those about the age at another event."""
_WHEN = re.compile(
    rf"(?:(?:(?P<on_day>\d\d?) )?(?P<on_month>{alternatives(MONTHS)}) )?(?P<on_year>{_YEAR})\b", re.IGNORECASE
)
_OTHER_TIME = re.compile(r"(?i)\b(?:had|later|earlier|after|before|ago|until|till|since|from|between|by)\b|\d[–-]\d")
"""Words of a sentence with which its year may not be that of the event."""
_SMALL = frozenset(
    ("a", "an", "and", "as", "at", "by", "for", "from", "he", "her", "his", "in", "of", "on", "she", "the", "to", "was")
)


class _Date(NamedTuple):
    year: int
    month: int
    day: int
    """Month and day are 0 where only the year is known, the day where only the month is."""


class _Life(NamedTuple):
    born: _Date
    died: _Date | None
    sentence: Span
    """The sentence with the date of birth."""

    def ages_at(self, date: _Date) -> set[int]:
        """Return the ages that are possible at a date."""
        years = date.year - self.born.year
        if not (self.born.month and date.month) or (self.born.month == date.month and not date.day):
            return {years - 1, years}
        return {years - (date[1:] < self.born[1:])}


def _life(passage: str) -> _Life | None:
    """Return the dates of the one person whose birth a passage gives."""
    births = list(_BIRTH.finditer(passage))
    if len(births) != 1:
        return None
    (birth,), spans = births, sentences(passage)
    sentence = next(span for span in spans if span.start <= birth.start() < span.end)
    deaths = []
    for death in _DEATH.finditer(passage):
        start = max(span.start for span in spans if span.start <= death.start())
        before = passage[max(start, birth.end()) : death.start()].strip()
        is_pronoun = re.fullmatch(r"(?:He|She)(?: [a-z]+){0,3}", before)
        is_same = start == sentence.start or is_pronoun or _is_named(before, sentence.of(passage))
        if (is_same or death["to_year"]) and not _ANOTHER.search(before):
            deaths.append(_date(death, "died", "to"))
    if len(set(deaths)) > 1:
        return None
    died = deaths[0] if deaths else None
    return _Life(_date(birth, "born", "from"), died, sentence)


def _date(match: re.Match[str], *groups: str) -> _Date:
    group = next(group for group in groups if match[f"{group}_year"])
    month, day = match[f"{group}_month"], match[f"{group}_day"]
    return _Date(int(match[f"{group}_year"]), MONTHS[month.lower()] if month else 0, int(day or 0))


def _is_about(subject: str, passage: str, life: _Life) -> bool:
    """Tell whether the subject of a claim is the one who was born."""
    sentence = life.sentence.of(passage)
    goes_on = sentence.startswith(("He ", "She ", "Born "))
    return subject in ("He", "She") or _is_named(subject, passage[: life.sentence.end] if goes_on else sentence)


def _is_named(subject: str, text: str) -> bool:
    words = subject.split() if _NAME.fullmatch(subject) else []
    return bool(words) and all(re.search(rf"\b{re.escape(word)}\b", text) for word in words)


def _age(match: re.Match[str], *groups: str) -> int | None:
    text = next((match[group] for group in groups if match[group]), "")
    return read_spelled(text) if text else None


@notation(_OF_DEATH.pattern, sign=r"(?i)\bborn\b|\d{4}\)")
def age_at_death(match: re.Match[str], other: str) -> str | None:
    """Return "died in 1811" for "died at the age of 71" where the other text gives birth and death."""
    died = _death(match, other)
    return f"died in {died[0].year}" if died and _age(match, "age", "lived", "died") in died[1] else None


_DATE = rf"(?:\d\d? (?:{alternatives(MONTHS)}) |(?:{alternatives(MONTHS)}) \d\d?, )?{_YEAR}"
_PLACE = r"[A-Z][\w.’'-]*(?:(?:,? | of )[A-Z][\w.’'-]*){0,3}"
_LIFE = (
    rf" \((?i:née [^();]{{1,30}}[;,] )?(?i:born(?: on| in)? |b\. |\* ?)?(?P<born>(?i:{_DATE}))"
    rf"(?:,? (?:in |at )?(?P<birthplace>{_PLACE}))?(?:\s?[–—-]\s?|[,;] )(?i:died(?: on| in)? |d\. |† ?)?"
    rf"(?P<died>(?i:{_DATE}))(?:,? (?:in |at )?(?P<place_of_death>{_PLACE}))?\)(?P<end>[,;.]?)"
)


@notation(rf"(?<=\w){_LIFE}", sign=r"(?i)\b(?:born|died)\b")
def years_of_life(match: re.Match[str], _: str) -> str:
    """Return ", born in 1740 and died in 1811," for " (1740–1811)", which is read as two facts about a name."""
    dates = [re.sub(r"(\w+) (\d\d?),", r"\2 \1", match[name]) for name in ("born", "died")]
    born, died = (f"in {date}" if date.isdigit() else f"on {date}" for date in dates)
    places = [f" in {place}" if place else "" for place in (match["birthplace"], match["place_of_death"])]
    return f", born {born}{places[0]} and died {died}{places[1]}{match['end'] or ','}"


@notation(_OF_EVENT.pattern, sign=r"(?i)\bborn\b|\d{4}\)")
def age_at_event(match: re.Match[str], other: str) -> str | None:
    """Return " moved to Paris in 1868" for " was 26 when she moved to Paris" where the other text gives both dates."""
    date, ages, _ = _event(match, other) or (None, (), None)
    if not date or _age(match, "age", "at", "only_at") not in ages:
        return None
    if match["was"]:
        return f"{match['event']} in {date.year}"
    return f" in {date.year}" if match.start() else f"In {date.year}{match['comma'] or ''}"


def find_wrong_age(pair: SentencePair) -> RuleOutcome | None:
    """Contradict a claim by a sentence with a date of birth from which another age follows."""
    claim, passage = pair.text, pair.passage.text
    if claim.startswith(("He ", "She ")):
        return None
    if (match := _OF_DEATH.search(claim)) and claim.rstrip(" .!") == claim[: match.end()]:
        dated, age = _death(match, passage), _age(match, "age", "lived", "died")
    elif match := _OF_EVENT.search(claim):
        dated, age = _event(match, passage), _age(match, "age", "at", "only_at")
    else:
        return None
    if not dated or age is None or age in dated[1]:
        return None
    date, ages, life = dated
    makes = " or ".join(map(str, sorted(ages)))
    reason = f"by the passage ({life.born.year}–{date.year}) the age is {makes}, not {age}"
    return RuleOutcome("contradicted", life.sentence, reason)


def _death(match: re.Match[str], passage: str) -> tuple[_Date, set[int], _Life] | None:
    """Return the date of the death that a claim is about, and the possible ages; None where it may be another's."""
    claim = match.string
    life = _life(passage) if len(passage) > len(claim) else None
    if not life or not life.died or not _is_about(claim[: match.start()].strip(), passage, life):
        return None
    is_same_year = match["year"] in (None, str(life.died.year))
    return (life.died, life.ages_at(life.died), life) if is_same_year else None


def _event(match: re.Match[str], passage: str) -> tuple[_Date, set[int], _Life] | None:
    """Return the date of the event that a claim is about, and the possible ages; None where it is not certain."""
    end = match.end("was") if match["was"] else match.end()
    rest = f"{match.string[: match.start()]} {match.string[end:]}".strip()
    life, name = _life(passage) if len(passage) > len(rest) else None, _NAME.match(rest)
    if not life or not name or not _is_about(name[0], passage, life):
        return None
    words = [word for word in re.findall(r"[^\W\d_]+", rest[name.end() :]) if word.lower() not in _SMALL]
    dates = [date for span in sentences(passage) for date in _dates(span.of(passage), name[0], words)]
    return (dates[0], life.ages_at(dates[0]), life) if len(dates) == 1 else None


def _dates(sentence: str, name: str, words: list[str]) -> list[_Date]:
    """Return the dates of a sentence with all words of an event of somebody, if there is nothing else of time in it."""
    sentence = re.sub(r"\([^()]*\)", "", sentence)
    theirs = re.findall(r"[^\W\d_]+", sentence)
    is_whole = bool(words) and all(any(_is_form(word, other) for other in theirs) for word in words)
    is_own = re.search(r"\b(?:[Hh]e|[Ss]he)\b", sentence) or _is_named(name, sentence)
    if not is_whole or not is_own or _OTHER_TIME.search(sentence) or _ANOTHER.search(sentence):
        return []
    return [_date(match, "on") for match in _WHEN.finditer(sentence)]


def _is_form(word: str, other: str) -> bool:
    left, right = word.lower(), other.lower()
    return left == right or (same_word(left, right) and may_be_inflected(left, right))
