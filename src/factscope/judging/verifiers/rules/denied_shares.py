"""Shares of a claim that the passage's percentage or counts deny: "Most posts are held by women" beside "38% of posts".

The network finds all words and takes the claim for supported, since it seldom compares a percentage, or two counts,
with a half or a third.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from factscope.judging.verifiers.notations.number_forms import NUMBER, read_number
from factscope.judging.verifiers.rules.force import denials
from factscope.judging.verifiers.wording.clauses import has, same_item
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence

_FRACTION_WORDS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_DETERMINER = r"(?:(?:the|its|all|these|those|their|his|her|our) |\w+['’]s )"
_FRACTION = (
    r"(?P<words>(?P<percent>\d+(?:\.\d+)?) ?(?:%|per ?cent)"
    r"|(?:(?P<many>an?|one|two|three|four|five|seven|nine)[ -])?(?P<part>half|third|quarter|fifth|sixth|eighth|tenth)s?"
    rf"|(?P<upper>{NUMBER}) (?:in|out of)(?: every)? (?P<lower>{NUMBER}))"
    rf"(?: of {_DETERMINER}*|(?<=half) {_DETERMINER})"
)
_LOWER = {"more than": 1, "over": 1, "at least": -1}
_UPPER = {"less than": -1, "fewer than": -1, "under": -1, "at most": 1, "no more than": 1}
"""Bounds of a share, and on which side of it the bound is: "at least a half" may be a half."""
_CLAIMED = re.compile(
    rf"\b(?:(?:(?P<most>most(?! of {_DETERMINER}(?:life|time|day|year)\b)|(?:the|a) (?:\w+ )?majority)"
    rf"|(?P<least>(?:a|the) (?:\w+ )?minority))(?: of)? {_DETERMINER}*|(?:(?P<bound>{'|'.join((*_LOWER, *_UPPER))}"
    r"|nearly|almost|just under|just over|a little over|about|around|roughly|only) )?"
    rf"{_FRACTION})(?=[^\W\d])",
    re.IGNORECASE,
)
"""A share in a claim, up to the noun of the whole."""
_WRITTEN = re.compile(rf"\b{_FRACTION}(?:{NUMBER} )?(?=[^\W\d])", re.IGNORECASE)
_COUNTED = re.compile(
    rf"\b(?P<upper>{NUMBER}) (?:out )?of {_DETERMINER}*(?P<lower>{NUMBER}) (?=[^\W\d])", re.IGNORECASE
)
_OF_ALL = re.compile(
    rf"\bof {_DETERMINER}*(?P<lower>{NUMBER}) (?P<between>[^\W\d][^.;:\d]{{0,60}}?),?(?: only| just)?"
    rf" (?P<upper>{NUMBER}) (?!per ?cent|years?\b|days?\b|months?\b|weeks?\b|hours?\b)(?=[^\W\d])",
    re.IGNORECASE,
)
_MOST_OF_THEM = re.compile(r"\bmost of (?:these|those|them|which|whom)\b", re.IGNORECASE)
_OF_THEM = re.compile(
    rf"\b(?P<lower>{NUMBER}) [^\W\d][^.;:\d]{{0,80}}?\b(?P<upper>{NUMBER}) of (?:these|those|them|which|whom)\b",
    re.IGNORECASE,
)
_OTHER_SHARE = re.compile(
    r"\b(?:rest|others?|remain\w+|remainder|all but|except|average|least|most|than|nearly|almost)\b", re.IGNORECASE
)
"""Words for another part, "38% of managers are women, the rest men", or for a share that is not exact."""
_ROUNDED = 0.1
"""Part of a fraction by which it may be rounded, twice that after "about"."""
_TINY = 1e-9


class _Denied(NamedTuple):
    words: str
    """The share as the passage has it."""
    is_near: bool
    """Whether the claim's share may be a rough one of it: a quarter of 28 %."""
    missing: int
    """Number of the claim's words that the sentence lacks, besides the share."""


class _PassageShare(NamedTuple):
    """A share in `text[start:end]`, after which the whole is named."""

    start: int
    end: int
    value: float
    words: str


def denies_share(pair: SentencePair) -> bool:
    """Tell whether the closest sentence has another share of the same whole, and all words of the claim but one."""
    denied = _denied(pair)
    return denied is not None and denied.missing <= 1


def find_denied_share(pair: SentencePair) -> RuleOutcome | None:
    """Contradict a claim by a sentence with such a share that has all of its words."""
    denied = _denied(pair)
    if denied is None or denied.missing or denied.is_near:
        return None
    return pair.contradicted(pair.nearest, f"the passage says {denied.words}")


def misses_bound(pair: SentencePair) -> bool:
    """Tell whether no share in the closest sentence, nor its remainder, satisfies the claim's bound: "over 90 %".

    Of 1,216 labelled pairs with a share and a percentage, 28 are such, of which 25 are contradicted. The small network
    calls 14 of them supported, all wrongly.
    """
    phrases = list(_CLAIMED.finditer(pair.text))
    if len(phrases) != 1 or not _is_bound(phrases[0]) or denials(pair.claimed):
        return False
    low, high = _admitted(phrases[0]) or (0.0, 1.0)
    if low > 1:
        return False  # "150 % of the target"
    shares = [item.amount / 100 for item in pair.nearest.items if item.kind == "percent"]
    shares += [share.value for share in _shares(pair.passage.text, pair.nearest)]
    return bool(shares) and not any(
        low - 2 * _TINY <= share <= high + 2 * _TINY for stated in shares for share in (stated, 1 - stated)
    )


def takes_fewer_for_most(pair: SentencePair) -> bool:
    """Tell whether the closest sentence counts less than half of what a claim calls most: "40 came, 9 of them wet"."""
    counts = _OF_THEM.search(pair.nearest_text) if _MOST_OF_THEM.search(pair.text) else None
    upper, lower = (_read(counts[name]) for name in ("upper", "lower")) if counts else (None, None)
    return bool(upper and lower and upper < lower / 2)


def _denied(pair: SentencePair) -> _Denied | None:
    claimed, sentence = pair.claimed, pair.nearest
    phrases = list(_CLAIMED.finditer(pair.text))
    if len(phrases) != 1 or denials(claimed):
        return None
    (phrase,) = phrases
    admitted = _admitted(phrase)
    start, end = (claimed.start + at for at in phrase.span())
    others = [item for item in claimed.items if not start <= item.start < end]
    if not admitted or denials(sentence) or _OTHER_SHARE.search(pair.nearest_text):
        return None
    if any(item.kind in ("count", "percent") for item in others):
        return None
    present = list(_shares(pair.passage.text, sentence))
    wholes = [item for item in others if item.start >= end][:2]
    percentages = sum(item.kind == "percent" for item in sentence.items)
    if len(present) != 1 or percentages > 1 or admitted[0] <= present[0].value <= admitted[1]:
        return None
    theirs = [item for item in sentence.items if item.start >= present[0].end][:2]
    if not any(same_item(ours, other) for ours in wholes for other in theirs):
        return None
    missing = sum(not has(sentence.items, item) for item in others)
    low, high = admitted
    is_near = not _is_bound(phrase) and 2 * low - high <= present[0].value <= 2 * high - low
    return _Denied(present[0].words, is_near, missing)


def _shares(text: str, sentence: AnalysedSentence) -> Iterator[_PassageShare]:
    """Yield the shares of a sentence: pairs of counts, percentages and fractions."""
    pairs = [pair for pattern in (_COUNTED, _OF_ALL) for pair in pattern.finditer(text, sentence.start, sentence.end)]
    for pair in pairs:
        upper, lower = _read(pair["upper"]), _read(pair["lower"])
        if upper and lower and upper <= lower:
            end = pair.start("between") if pair.re is _OF_ALL else pair.end()
            yield _PassageShare(pair.start(), end, upper / lower, f"{pair['upper']} of {pair['lower']}")
    for match in _WRITTEN.finditer(text, sentence.start, sentence.end):
        if (value := _value(match)) and not any(pair.start() < match.end() <= pair.end() for pair in pairs):
            yield _PassageShare(match.start(), match.end(), value, match["words"])


def _admitted(phrase: re.Match[str]) -> tuple[float, float] | None:
    """Return the least and the largest share that a phrase of a claim admits."""
    if phrase["most"] or phrase["least"]:
        return (0.5 + _TINY, 1.0) if phrase["most"] else (0.0, 0.5 - _TINY)
    if not (value := _value(phrase)):
        return None
    bound = (phrase["bound"] or "").lower()
    if bound in _LOWER:
        return value + _LOWER[bound] * _TINY, 1.0
    if bound in _UPPER:
        return 0.0, value + _UPPER[bound] * _TINY
    slack = value * (2 * _ROUNDED if bound else _ROUNDED)
    return value - slack, value + slack


def _is_bound(phrase: re.Match[str]) -> bool:
    """Tell whether a phrase of a claim has a limit, which no rounding moves: "most", "more than a third"."""
    return bool(phrase["most"] or phrase["least"] or (phrase["bound"] or "").lower() in {**_LOWER, **_UPPER})


def _value(match: re.Match[str]) -> float | None:
    """Return the share that a match of `_FRACTION` states; None where a third, a fourth, … may be an ordinal."""
    if match["percent"]:
        return float(match["percent"]) / 100
    if fraction := (match["part"] or "").lower():
        is_share = match["many"] or fraction == "half"
        return (_read(match["many"] or "one") or 0.0) / _FRACTION_WORDS[fraction] if is_share else None
    upper, lower = _read(match["upper"]), _read(match["lower"])
    return upper / lower if upper and lower and upper < lower else None


def _read(number: str) -> float | None:
    read = (1.0, 0.0) if number.lower() in ("a", "an") else read_number(number)
    return read[0] if read else None
