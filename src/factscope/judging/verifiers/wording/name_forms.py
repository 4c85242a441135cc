"""Forms of names that may mean the same, so that neither denies the other: "MIT", "Liz", a state and its country."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from factscope.judging.verifiers.wording.alignment import same_word
from factscope.judging.verifiers.wording.clauses import Clause, ClauseAlignment, align_clause
from factscope.judging.verifiers.wording.lexicon import LARGE_AREAS, LISTS, stems_of
from factscope.judging.verifiers.wording.rival_dates import is_date
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, TextItem
from factscope.judging.verifiers.wording.word_forms import may_be_inflected

_NESTED = [tuple(map(stems_of, group.split("/"))) for group in LISTS["nested_areas"].split(";")]
"""Names of a large area, and those of areas in it."""
_CONTINENTS = stems_of(LISTS["continents"])
_SHORT_FORMS = [stems_of(group) for group in LISTS["short_forms"].split(";")]
_DETERMINERS = frozenset(("a", "an", "the", "each", "every", "no", "some", "all", "many", "most", "few", "any", "this"))
_FULL_NAME = 8
"""Most words of a name that is shortened to its initials."""


def may_be_one(
    claim: AnalysedSentence, ours: Sequence[TextItem], sentence: AnalysedSentence, theirs: Sequence[TextItem]
) -> bool:
    """Tell whether two names may mean the same, or one place lies in the other: "in Munich" and "in Germany"."""
    if all(_are_forms(item.key, other.key) for item, other in zip(ours, theirs, strict=False)):
        return True
    is_short = _is_short_for(ours, sentence, theirs[0]) or _is_short_for(theirs, claim, ours[0])
    return is_short or _overlap(ours[-1].key, theirs[-1].key)


def has_another_ending(text: str, passage: str, aligned: ClauseAlignment) -> bool:
    """Tell whether two names or words have one stem, but are others: "Williams", "William"; "import", "important".

    The first word of a sentence may be a name, too.
    """
    pairs = [
        (
            "name" in (item.kind, other.kind) or item.at == other.at == 0,
            text[item.start : item.end],
            passage[other.start : other.end],
        )
        for item, other in aligned.pairs
        if item.key == other.key and item.kind not in NUMERIC
    ]
    return any(
        _letters(ours) != _letters(theirs) if is_name else not may_be_inflected(ours, theirs)
        for is_name, ours, theirs in pairs
    )


def has_namesake(pair: SentencePair) -> bool:
    """Tell whether the closest sentence has a name with an "s" more or less in the place of the claim's: Adam, Adams.

    After an article it may be one of several: "a German".
    """
    claim, passage = pair.claim.text, pair.passage.text
    present = {_letters(word) for stretch in pair.passage.stretches for word in stretch.lower}
    return any(
        item.key == other.key
        and item.kind not in NUMERIC
        and not is_date(item)
        and claim[item.start].isupper()
        and passage[other.start].isupper()
        and (name := _letters(claim[item.start : item.end])) not in present
        and {name + "s", name.removesuffix("s")} - {name} >= {_letters(passage[other.start : other.end])}
        and _is_beside_same(pair.claimed, item, pair.nearest, other)
        for item, other in align_clause(pair.claimed, Clause(pair.nearest, pair.nearest_at, ())).pairs
    )


def _is_beside_same(claim: AnalysedSentence, item: TextItem, sentence: AnalysedSentence, other: TextItem) -> bool:
    """Tell whether two items have the same word before or after them, and no article; "Orders 1 and 2" is a plural."""
    before = [words.lower[:at][-1:] for words, at in ((claim, item.at), (sentence, other.at))]
    after = [words.lower[at + 1 :][:1] for words, at in ((claim, item.at), (sentence, other.at))]
    is_plain = _DETERMINERS.isdisjoint((*before[0], *before[1]))
    return is_plain and any(left == right and "".join(left).isalpha() for left, right in (before, after))


def _letters(name: str) -> str:
    return re.sub(r"['’]s?$|[.\s-]", "", name.casefold())


def _are_forms(left: str, right: str) -> bool:
    """Tell whether two words may be forms of one name: "Vienna" and "Viennese", perhaps "Petersen" and "Peterson"."""
    is_alike = _plain(left) == _plain(right) or same_word(left, right)
    return is_alike or any({left, right} <= group for group in _SHORT_FORMS)


def _plain(name: str) -> str:
    """Return a name without accents: "zurich" for "zürich", and "muller" for "müller" and "mueller"."""
    letters = unicodedata.normalize("NFKD", name)
    return re.sub("(?<=[aou])e", "", "".join(letter for letter in letters if not unicodedata.combining(letter)))


def _overlap(left: str, right: str) -> bool:
    """Tell whether one of two places may lie in the other: only one is a large area, or one is around the other."""
    if left not in LARGE_AREAS or right not in LARGE_AREAS:
        return left in LARGE_AREAS or right in LARGE_AREAS
    is_nested = any({left, right} <= whole | parts and not {left, right} <= parts for whole, parts in _NESTED)
    return is_nested or (left in _CONTINENTS) != (right in _CONTINENTS)


def _is_short_for(short: Sequence[TextItem], sentence: AnalysedSentence, first: TextItem) -> bool:
    """Tell whether a short name has the initials of the name that begins with `first`, minor words left out."""
    full = [item for item in sentence.items if first.at <= item.at < first.at + _FULL_NAME and item.kind == "name"]
    initials = "".join(item.key[0] for item in full)
    return len(short) == 1 and len(short[0].key) > 1 and initials.startswith(short[0].key)
