"""Claims that are a sentence of the passage with parts left out, where leaving these out changes nothing.

Every word of the claim stands in the sentence, in its order, and nothing else is said; `omissions` knows which parts
may be left out. Words that bend the statement or set its scope make the rule silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import Token, tokens
from factscope.core.records import Span
from factscope.judging.verifiers.builtin.omissions import (
    Gap,
    has_scope,
    is_bent,
    is_date,
    is_limiting,
    is_past,
    kind_of,
)
from factscope.judging.verifiers.builtin.verbatim import MIN_WORDS, is_left_standing, plain

_MOST_GAPS = 3
"""Parts left out of one sentence; with more, little of it remains."""
_MOST_WORDS = 100
"""Words of a sentence; a longer one is a list."""
_MOST_STEPS = 2000
"""Steps in laying a claim on a sentence; only a text that repeats its words over and over takes more."""
_TAKEN_BACK = re.compile(
    r"\W*(?:in (?:fact|truth|reality)|actually|but|however|yet|later it|it (?:later|soon)|not so|none of)\b",
    re.IGNORECASE,
)
"""Beginning of a next sentence that may take back the one before."""
_ARTICLES = ("a", "an", "the")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"(?=[,;:]\s|\s?[(—–])")
_CLOSING = ' .!"”’*_)'


def find_shortened(claim: str, passage: str) -> Span | None:
    """Find the sentence that says all of the claim and more; None where leaving that out may change it."""
    ours = _words(claim)
    keys = [plain(token) for token in ours]
    if len(keys) < MIN_WORDS or claim.rstrip().endswith("?") or has_scope(claim):
        return None
    spans = sentences(passage)
    for number, span in enumerate(spans):
        text = span.of(passage)
        theirs = _words(text)
        their_keys = [plain(token) for token in theirs]
        if len(theirs) > _MOST_WORDS or not set(keys).issubset(their_keys):
            continue
        if is_bent(text) or text.rstrip().endswith("?"):
            continue
        following = spans[number + 1].of(passage) if number + 1 < len(spans) else ""
        if _TAKEN_BACK.match(following) or not is_left_standing(passage[: span.start], following):
            continue
        layouts = ([theirs[at] for at in layout] for layout in _layouts(keys, their_keys))
        if any(_says(claim, ours, text, matched, passage) for matched in layouts):
            return span
    return None


def _words(text: str) -> list[Token]:
    """Return the words but for articles; "A" within a sentence is a name."""
    return [
        token
        for at, token in enumerate(tokens(text))
        if token.text not in _ARTICLES and (at or token.text.lower() not in _ARTICLES)
    ]


def _layouts(keys: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Yield the positions of the claim's words in a sentence, in their order and with a few gaps."""
    stack: list[tuple[tuple[int, ...], int]] = [((), 0)]
    for _ in range(_MOST_STEPS):
        if not stack:
            return
        layout, gaps = stack.pop()
        if len(layout) == len(keys):
            yield layout
            continue
        start = layout[-1] + 1 if layout else 0
        end = start + 1 if gaps == _MOST_GAPS else len(theirs)
        following = [at for at in range(start, min(end, len(theirs))) if theirs[at] == keys[len(layout)]]
        stack += [((*layout, at), gaps + (bool(layout) and at > start)) for at in reversed(following)]


def _says(claim: str, ours: Sequence[Token], text: str, matched: Sequence[Token], passage: str) -> bool:
    """Tell whether a sentence says the claim with those of its words that the claim is laid on."""
    words = [token.text for token in matched]
    lead, tail = text[: matched[0].start], text[matched[-1].end :]
    if not _is_opening(lead, claim[: ours[0].start], words):
        return False
    gaps = []
    for at, ((left, right), (our_left, our_right)) in enumerate(zip(pairwise(matched), pairwise(ours), strict=True), 1):
        between = text[left.end : right.start]
        joint = _ARTICLE.sub("", claim[our_left.end : our_right.start]).strip()
        if _ARTICLE.sub("", between).strip() == joint:
            continue
        if joint:
            return False
        gaps.append(_gap(words[:at], between, words[at:]))
    end, *addition = _CLAUSE_END.split(tail, maxsplit=1)
    if addition and is_limiting(addition[0], words):
        return False
    if end := end.strip(_CLOSING):
        gaps.append(_gap(words, end, ()))
    kinds = [kind_of(gap, words, passage) for gap in gaps]
    return all(kinds) and not {"verb", "date"}.issubset(kinds) and len(kinds) - kinds.count("aside") <= 2


def _gap(before: Sequence[str], between: str, after: Sequence[str]) -> Gap:
    article = re.match(r"\s*(a|an|the)\b", between)
    text = between[article.end() :] if article else between
    text = re.sub(r"\s(?:a|an|the)\s*$", "", text) if after else text
    return Gap(before, text.strip(), after, article[1] if article else "")


def _is_opening(lead: str, claim_lead: str, words: Sequence[str]) -> bool:
    """Tell whether nothing but a date stands before the claim's first word, and an article where the claim has one."""
    lead = re.split(r";\s", lead)[-1].strip("\"“‘'([*_#>-• \n\t")
    article = re.search(r"(?:^|\s)(?:a|an|the)$", lead, re.IGNORECASE)
    opening = lead[: article.start()] if article else lead
    if bool(article) != bool(_ARTICLE.search(claim_lead)):
        return False
    return not opening or (opening.endswith(",") and is_date(opening[:-1]) and is_past(words))
