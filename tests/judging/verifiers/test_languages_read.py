"""Text that a verifier can't read, distinguished from text that it can; English is never taken for another language."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import pytest

from factscope.core import NOT_READ
from factscope.core.records import Claim
from factscope.judging.verifiers import (
    UNKNOWN,
    ClaimPair,
    Prediction,
    foreign_language,
    not_read,
    other_language,
    set_aside,
    unread,
)
from tests.lab.many_cases import try_all

ENGLISH = "The bridge was opened in 1931."
GERMAN = "Die Brücke wurde 1931 eröffnet."


class Reader:
    """A verifier of some languages that is not asked here."""

    name = "reader-1"

    def __init__(self, *languages: str) -> None:
        self.languages = languages

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        raise AssertionError(pairs)


class AnyReader:
    """A verifier that does not state its languages."""

    name = "any-1"

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        raise AssertionError(pairs)


def claim(text: str, **changes: object) -> Claim:
    return Claim.model_validate({"id": "s1.c1", "segment_id": "s1", "text": text, "standalone": text, **changes})


@try_all(
    ("sentence", "language"),
    [
        (GERMAN, "de"),
        ("Der Fluss ist sehr breit.", "de"),
        ("Le pont a été ouvert en 1931.", "fr"),
        ("La tour est rouge.", "fr"),
        ("El puente fue inaugurado en 1931.", "es"),
        ("La torre è rossa e molto alta.", "it"),
        ("De brug werd in 1931 geopend.", "nl"),
        ("A ponte foi inaugurada em 1931.", "pt"),
        ("Most został otwarty w 1931 roku.", "pl"),
        ("Мост был открыт в 1931 году.", "ru"),
        ("Η γέφυρα άνοιξε το 1931.", "el"),
        ("افتتح الجسر عام 1931.", "ar"),
        ("橋は1931年に開通した。", "ja"),
        ("다리는 1931년에 개통되었다.", "ko"),
    ],
)
def test_a_short_sentence_of_another_language_is_recognised_in_either_unicode_form(
    sentence: str, language: str
) -> None:
    assert foreign_language(sentence) == language
    assert foreign_language(unicodedata.normalize("NFD", sentence)) == language


def test_an_unrecognised_language_is_unknown_and_withheld_from_an_english_only_verifier() -> None:
    swedish = "Bron öppnades 1931."
    assert foreign_language(swedish) == UNKNOWN
    assert other_language(swedish, ("en",)) == UNKNOWN
    # With several languages, it may be one of them.
    assert other_language(swedish, ("en", "sv")) is None


@try_all(
    "sentence",
    [
        "Der Spiegel was founded in 1947.",
        "Vincent van Gogh painted it.",
        "The film La Vie en rose won two prizes.",
        'The novel "Die Verwandlung ist ein Buch" appeared in 1915.',
        "Café owners in the naïve town agreed.",
        "RNA polymerase transcribes DNA.",
        "Kyoto (京都) is a city in Japan.",
        "Ludwig van der Rohe lived there.",
        "The river Ödön flows.",
        "Garçon!",
        "E. coli",
        "x = 5 m",
        "1931",
        " ",
    ],
)
def test_english_with_foreign_names_or_too_few_words_is_not_another_language(sentence: str) -> None:
    assert foreign_language(sentence) is None
    assert other_language(sentence, ("en",)) is None


def test_a_verifier_of_any_language_reads_every_text() -> None:
    for text in (ENGLISH, GERMAN, "橋は1931年に開通した。", "Bron öppnades 1931."):
        assert other_language(text, ()) is None
        assert not_read(text, AnyReader()) is None
        assert unread(ClaimPair(text, text), ()) is None
        assert set_aside(claim(text), text, AnyReader()) == claim(text)


@try_all(
    ("pair", "languages", "flag", "reason"),
    [
        (ClaimPair("…", ENGLISH), (), "nothing_to_read", "the claim contains no words"),
        (ClaimPair(ENGLISH, "— — —"), ("en",), "nothing_to_read", "the passage contains no words"),
        (ClaimPair("", ""), ("en",), "nothing_to_read", "the claim contains no words"),
        # Without words there is no language to name.
        (ClaimPair(GERMAN, "…"), ("en",), "nothing_to_read", "the passage contains no words"),
        (
            ClaimPair(GERMAN, ENGLISH),
            ("en",),
            "other_language",
            "the claim is in German, and this verifier reads English",
        ),
        (
            ClaimPair(ENGLISH, GERMAN),
            ("en",),
            "other_language",
            "the passage is in German, and this verifier reads English",
        ),
        (
            ClaimPair(ENGLISH, GERMAN),
            ("de", "fr"),
            "other_language",
            "the claim is in English, and this verifier reads German, French",
        ),
        (ClaimPair("Bron öppnades 1931.", ENGLISH), ("en",), "other_language", "the claim is in an unknown language"),
    ],
)
def test_the_abstention_names_the_text_that_could_not_be_read(
    pair: ClaimPair, languages: tuple[str, ...], flag: str, reason: str
) -> None:
    prediction = unread(pair, languages)
    assert prediction is not None
    assert (prediction.label, prediction.confidence, prediction.flags) == ("not_enough_evidence", None, (flag,))
    assert prediction.rationale.startswith(reason)


def test_words_after_thousands_of_other_characters_are_words() -> None:
    assert unread(ClaimPair("." * 9_000 + " bridge", ENGLISH), ("en",)) is None
    assert unread(ClaimPair(ENGLISH, ENGLISH), ("en",)) is None


def test_a_claim_its_only_judge_cannot_read_is_set_aside_with_both_languages_named() -> None:
    text = f"{ENGLISH} {GERMAN}"
    found = set_aside(claim(GERMAN), text, Reader("en", "fr"))
    assert found.skipped == f"{NOT_READ}: it is in German, and reader-1 reads English, French"
    assert found.model_copy(update={"skipped": None}) == claim(GERMAN)
    assert set_aside(claim(ENGLISH), text, Reader("en", "fr")).skipped is None


@pytest.mark.parametrize(
    ("sentence", "is_judged"),
    [
        ("Hotel Bristol 1931.", False),  # ambiguous: in a German text it counts as German
        ("It opened in 1931.", True),  # a word that occurs only in English
        (ENGLISH, True),
    ],
)
def test_a_sentence_too_short_to_identify_has_the_language_of_its_text(sentence: str, is_judged: bool) -> None:
    german = "Die Brücke ist sehr alt. Der Fluss ist breit und das Wasser ist kalt, aber nicht tief."
    assert (set_aside(claim(sentence), f"{german} {sentence}", Reader("en")).skipped is None) == is_judged
    assert set_aside(claim(sentence), f"{ENGLISH} It is long. {sentence}", Reader("en")).skipped is None


def test_a_claim_that_was_skipped_before_keeps_its_reason() -> None:
    skipped = claim(GERMAN, skipped="an opinion")
    assert set_aside(skipped, GERMAN, Reader("en")) is skipped


def test_the_warning_about_a_text_names_the_language_and_both_remedies() -> None:
    warning = not_read("Мост был открыт в 1931 году.", Reader("en", "de")) or ""
    assert warning.startswith("The text is in Russian, and the verifier reader-1 reads English, German:")
    assert NOT_READ in warning
    assert "--model PROVIDER/MODEL" in warning
    assert "--verifier builtin-features" in warning
    assert not_read(ENGLISH, Reader("en", "de")) is None
