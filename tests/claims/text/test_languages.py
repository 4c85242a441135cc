"""The language of a text, from its script and its commonest words."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.claims.text import NAMES, SAMPLE, common_words, language_of
from tests.claims.text.test_segments import ANY
from tests.lab.many_cases import try_all

ENGLISH = "The bridge that was opened in 1931 is one of the oldest in the town, and it is not for cars."
GERMAN = "Die Brücke, die 1931 eröffnet wurde, ist eine der ältesten in der Stadt und nicht für Autos."


@try_all(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (ENGLISH.upper(), "en"),
        (GERMAN, "de"),
        ("Le pont qui a été ouvert en 1931 est un des plus vieux de la ville, et il ne sert pas aux voitures.", "fr"),
        ("El puente que se abrió en 1931 es uno de los más viejos de la ciudad y no es para los coches.", "es"),
        ("Il ponte che è stato aperto nel 1931 è uno dei più vecchi della città e non serve alle auto.", "it"),
        ("A ponte que foi aberta em 1931 é uma das mais velhas da cidade e não serve para os carros.", "pt"),
        ("De brug die in 1931 werd geopend is een van de oudste van het dorp en is niet voor auto's.", "nl"),
        ("Most, który otwarto w 1931, jest jednym z najstarszych i nie jest dla samochodów, ale się podoba.", "pl"),
        ("Bron som öppnades 1931 är en av de äldsta i staden och är inte till för bilar.", "sv"),
        ("Silta on yksi kaupungin vanhimmista, ja se ei ole autoille, mutta hän kulki sen yli kun oli nuori.", "fi"),
        ("Bu köprü en eski köprülerden biri ve arabalar için değil, ne kadar güzel olduğu da bilinir.", "tr"),
        ("橋は1931年に開通しました。", "ja"),
        ("這座橋於一九三一年開通。", "zh"),
        ("다리는 1931년에 개통되었다.", "ko"),
        ("Мост был открыт в 1931 году.", "ru"),
        ("Η γέφυρα άνοιξε το 1931.", "el"),
        ("פתחו את הגשר בשנת 1931.", "he"),
        ("افتتح الجسر عام 1931.", "ar"),
        ("पुल 1931 में खुला।", "hi"),
        ("สะพานเปิดในปี 1931", "th"),
        ("Կամուրջը բացվել է 1931 թվականին։", "hy"),
        ("ხიდი 1931 წელს გაიხსნა.", "ka"),
        ("பாலம் 1931 இல் திறக்கப்பட்டது.", "ta"),
        ("সেতুটি 1931 সালে খোলা হয়।", "bn"),
    ],
)
def test_a_language_is_recognised_by_its_script_or_its_words(text: str, language: str) -> None:
    assert language_of(text) == language
    assert language in NAMES


@try_all(
    "text",
    ["", "   \n", "1931 — 212!", "👍🏽", "Marlow", "Marlow Bridge, Ida Kern, Paul Low", "the", "x = fn(y); print(z)"],
)
def test_a_text_without_enough_common_words_has_no_known_language(text: str) -> None:
    assert language_of(text) is None


def test_languages_sharing_common_words_are_distinguished_only_if_clear() -> None:
    assert language_of("Huset er stort og det var for mange i byen som har en hund på gården.") is None
    assert language_of("Huset er stort, og det blev ikke solgt af ham; af dem blev det ikke vist ud ad.") == "da"


@try_all(
    ("text", "language"),
    [
        (f"{ENGLISH} The Russian word is мост.", "en"),
        (f"{ENGLISH} In Chinese it is 橋.", "en"),
        ("Мост (the bridge) был открыт в 1931 году, and it is old.", "ru"),
        (f"東京タワーは{'高' * 40}い。", "ja"),
    ],
)
def test_a_few_words_of_another_script_do_not_change_the_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_only_the_beginning_of_a_long_text_is_looked_at() -> None:
    long = (ENGLISH + " ") * (SAMPLE // len(ENGLISH) + 1)
    assert language_of(long + GERMAN * 1_000) == "en"


def test_common_words_are_lower_case_and_an_unknown_language_has_none() -> None:
    assert {"der", "und", "für"} <= common_words("de")
    assert all(word == word.lower() for word in common_words("tr"))
    assert common_words(None) == common_words("xx") == common_words("ja") == frozenset()


@given(ANY, st.integers(0, 3))
@settings(max_examples=50, deadline=None)
def test_any_text_has_a_named_language_or_none_whatever_surrounds_it(text: str, n: int) -> None:
    language = language_of(text)
    assert language is None or language in NAMES
    assert language_of("\n 7 … " * n + text) == language
