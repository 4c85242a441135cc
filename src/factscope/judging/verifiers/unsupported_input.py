"""Input that no verifier can judge: texts without words, or in a language that it can't read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from factscope.claims.text.language import NAMES, language_of
from factscope.claims.text.terms import has_words
from factscope.core import NOT_READ
from factscope.core.records import Claim
from factscope.judging.verifiers.foreign_words import UNKNOWN, foreign_language, has_english
from factscope.judging.verifiers.protocol import ClaimPair, Prediction, Verifier, abstention

MOST_CHUNKS = 48
"""Parts of a passage from which the silence of those that were read says nothing about the others."""
_SAMPLE = 4_000
"""Characters from which the language of a text is detected."""


def unread(pair: ClaimPair, languages: Sequence[str]) -> Prediction | None:
    """Return the abstention on a pair that a verifier of these languages (empty for any) can't judge, or None."""
    texts = (("claim", pair.claim), ("passage", pair.passage))
    for kind, text in texts:
        if not has_words(text):
            return abstention("nothing_to_read", f"the {kind} contains no words")
    for kind, text in texts:
        language = other_language(text, languages)
        if language:
            reason = f"the {kind} is in {language_name(language)}, and this verifier reads {_all_named(languages)}"
            return abstention("other_language", reason)
    return None


def other_language(text: str, languages: Sequence[str]) -> str | None:
    """Return the language of the text when it is certainly none of these; None otherwise, or when there are none.

    It is `und` for a text that is only known not to be English, where that is all that is read.
    """
    if not languages:
        return None
    language = _language(text[:_SAMPLE])
    if language == UNKNOWN and tuple(languages) != ("en",):
        return None
    return None if language in languages else language


def languages_read(verifier: Verifier) -> Sequence[str]:
    """Return the languages that a verifier reads, as in ISO 639-1; empty for any, or when it does not state them."""
    languages: Sequence[str] = getattr(verifier, "languages", ())
    return languages


def set_aside(claim: Claim, text: str, verifier: Verifier) -> Claim:
    """Return the claim, or mark it as skipped if its only judge does not read its language.

    A sentence too short to tell, without a word that only English has, is taken to be in the language of the `text`.
    """
    languages = languages_read(verifier)
    if claim.skipped is not None or not languages:
        return claim
    language = other_language(claim.standalone, languages)
    is_english = "en" in languages and has_english(claim.standalone)
    if language is None and not is_english and language_of(claim.standalone) not in languages:
        language = other_language(text, languages)
    if language is None:
        return claim
    readable = _all_named(languages)
    skipped = f"{NOT_READ}: it is in {language_name(language)}, and {verifier.name} reads {readable}"
    return claim.model_copy(update={"skipped": skipped})


def not_read(text: str, verifier: Verifier) -> str | None:
    """Return the warning, with remedies, for a text that a verifier can't read; None when it can."""
    languages = languages_read(verifier)
    other = other_language(text, languages)
    if other is None:
        return None
    return (
        f"The text is in {language_name(other)}, and the verifier {verifier.name} reads {_all_named(languages)}: its"
        f" sentences end as {NOT_READ}. Two ways out: a language model (--model PROVIDER/MODEL; in Python model=…), or"
        " --verifier builtin-features, which compares words and numbers in any language."
    )


def language_name(language: str) -> str:
    """Return the English name of a language, otherwise its code."""
    return NAMES.get(language, language)


def _all_named(languages: Sequence[str]) -> str:
    return ", ".join(map(language_name, languages))


@lru_cache(maxsize=1024)
def _language(sample: str) -> str | None:
    foreign = foreign_language(sample)
    return "en" if foreign is None and language_of(sample) == "en" else foreign
