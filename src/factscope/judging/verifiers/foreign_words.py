"""Signs that a text is not English: its script, words of another language, letters that English words don't have.

A short sentence has too few common words for a share of them to mean anything ("Bron öppnades 1931."), and an English
one may be full of foreign names ("Der Spiegel was founded in 1947."). So only words that are hardly names count, and
the foreign ones must outweigh the English ones. Of some 200,000 English passages, claims and single sentences none is
taken for another language, except two scraps of a sentence with a name in its own script. Of 65 short sentences in the
13 listed languages, which were written after the lists, 51 are recognised (9 before), and of 14 in others 10 (2).
"""

# ruff: noqa: SIM905  (a list of words is easier to read and to edit as text)
from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from factscope.claims.text.language import common_words, language_of
from factscope.judging.verifiers.builtin.lexicon import STOP
from factscope.judging.verifiers.builtin.wordpiece import is_whole_word

UNKNOWN = "und"
"""A language that is not English, and that the words don't tell, as in ISO 639-2."""
_OUTWEIGH = 2
"""Foreign words must outnumber English ones by more than this factor, since an English sentence may contain a foreign
title without quotation marks."""
_LEAST_UNKNOWN = 6
"""Words outside the vocabulary that are a sign without any other; three are not, as English about biology has them."""
_WORD = re.compile(r"(?<![\w.@/-])[^\W\d_]+(?![\w@/-]|\.\w)")
"""A word, not a bit of an address or of a compound such as `Hyun-kun`."""
_FIRST_WORD = re.compile(r"(?:^|[.!?:]\s+)[\"“„«(¿¡]*([^\W\d_]{2,})")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]')
_LATIN = re.compile(r"[a-zß-öø-ſơưșț\u1e00-\u1eff]*[ß-öø-ſơưșț\u1e00-\u1eff][a-zß-öø-ſơưșț\u1e00-\u1eff]*")
"""A word with a Latin letter outside English; a phonetic transcript has others."""
_OTHER_SCRIPT = "\u0370"
"""The first letter that is not Latin."""

# Words of short statements: who was born, died, wrote or won; what was built, opened or founded; how high, how many.
# English ones among them ("was", "hat", "most") are there so that they don't count as English in that language.
_STATED = {
    "de": """wurde wurden worden ist sind war waren hat haben hatte wird werden nicht auch nach seit bis vom zum zur
        zwischen starb gestorben geboren gegründet eröffnet gebaut liegt lebt erhielt gewann kam gibt etwa sein
        seine ihre dem den des eine einen einem einer aber oder wie nur noch mehr heute jahr hoch wir sie es zeigt
        schrieb malte durch bleibt brannte kennt fließt was die so am will an in man film meter""",
    "fr": """été est sont était étaient fut furent ont avait né naquit mourut mort fondé fondée ouvert ouverte
        construit construite située compte mesure obtint reçut écrivit abrite dans sur avec aux les une qui que où
        leur cette ans année depuis entre mètres habitants ville on me as or en""",
    "es": """fue fueron era está han tiene tienen nació murió fundó fundada fundado abrió inauguró construyó recibió
        ganó vivió escribió pintó desde hasta entre años año una unos por sus más habitantes metros millones ciudad
        mide me has he no en""",
    "it": """fu sono hanno ha nacque nato nata morì fondata fondato aperto aperta costruito costruita inaugurato
        vinse scrisse ricevette visse ospita dal dalla nel nella sul una uno che non più anni anno abitanti metri
        milioni città tra fra me no in per come""",
    "pt": """foi foram tem têm está nasceu morreu faleceu fundada fundado inaugurada inaugurado construído
        construída recebeu ganhou escreveu chegou desde até entre anos ano uma um pelo pela seu sua mais habitantes
        metros milhões cidade pessoas empresa as do no me em""",
    "nl": """werd wordt worden zijn heeft hebben geboren overleed stierf gebouwd geopend opgericht gesticht ligt
        telt kreeg schreef ging heet bleef een het en voor niet naar uit bij tot sinds jaar hoog groot inwoners
        miljoen tussen ook maar nog wij ik je is was had of over we me at aan meter film""",
    "pl": """się jest był była było byli ma mają roku latach lat zmarł zmarła urodził urodziła założono otwarto
        zbudowano otrzymał zdobył napisał posiada mieszka liczy przez oraz nie że który która które przy nad dla są
        został została we most to do on by""",
    "sv": """är var blev har hade föddes avled grundades byggdes öppnades ligger bor fick vann skrev visar målade år
        dog under all for meter film""",
    "da": """er var blev har havde født døde åbnede åbnet grundlagt bygget ligger bor fik vandt skrev viser malede
        år for at under over her he all to be meter film""",
    "no": """er var ble har hadde født døde åpnet grunnlagt bygget ligger bor fikk vant skrev viser malte år for at
        under over her he all to be meter film""",
    "cs": """byl byla bylo byli má mají roce roku letech zemřel zemřela narodil narodila založeno založen otevřen
        postaven získal obdržel napsal žije leží že je ve který která které na se most to do on by""",
    "tr": """bir oldu olan olarak için ile gibi kadar sonra yılında yıl doğdu öldü kuruldu açıldı aldı kazandı yazdı
        vardır nüfusu ve daha çok on her an metre""",
    "fi": """oli ovat olivat ja ei joka kun vuonna vuoden syntyi kuoli perustettiin avattiin rakennettiin valittiin
        asuu sai voitti kirjoitti metriä asukasta korkea sijaitsee mutta myös hän niin kuin on he me no ne""",
}  # fmt: skip
_WORDS = {code: common_words(code) | frozenset(words.split()) for code, words in _STATED.items()}
_ENGLISH_TOO = STOP | frozenset(
    """hat die den men met door hoe era con par son plus pour come sale dos mort pod let pro far non sur hut war
    ha com meter metre film kun na dog man me no so we an as do he had has bin fat""".split()
)
"""Words, units and abbreviations that are not a sign of another language in a text without any English word."""
_PARTICLES = frozenset(
    """de la le les van von der den da do dos das du del della dei degli di el al las los y e et und og och i en des af
    av zu zum zur am im ten ter est""".split()
)
"""Words of names ("Vincent van Gogh"): between two capitals they don't count, and elsewhere not on their own; nor does
`est`, which English abbreviates."""
_LOANS = frozenset(
    """crème brûlée fraîche purée puréed soufflé pâté pâtés sauté sautéed flambé jalapeño jalapeños piñata piñatas café
    cafés façade façades naïve naïveté fiancé fiancée protégé protégée protégés cliché clichés clichéd exposé résumé
    déjà née né doppelgänger über smörgåsbord señor señora émigré émigrés entrée entrées décor débâcle début matinée
    première rôle séance soirée fête fêtes hôtel crèche crêpe crêpes château châteaux rosé consommé mâché""".split()
)
"""Words that English has with their foreign letters."""
_LETTER_WORDS = frozenset("àáèéíóúåö")
"""Words of a single letter in French, Italian, Spanish, Portuguese, Icelandic and Swedish."""
_ONLY_ENGLISH = frozenset(word for word in STOP if len(word) > 1).difference(*_WORDS.values())


class PlainWords(NamedTuple):
    """The different words of a text, in lower case, that are hardly names."""

    small: frozenset[str]
    """Those that begin with a small letter."""
    first: frozenset[str]
    """Those that begin a sentence: a name may, so they only add to small ones."""
    whole: frozenset[str]
    """The small ones that the vocabulary has."""


class WordSigns(NamedTuple):
    """The different words of a text that speak for a language or for English."""

    language: str
    listed: frozenset[str]
    """On the list of this language, and not English too."""
    first: frozenset[str]
    """Likewise, at the beginning of a sentence."""
    lettered: frozenset[str]
    """With a letter outside English."""
    function_words: frozenset[str]
    """Function words of English that this language does not have."""
    english: frozenset[str]
    """These, and other words of the vocabulary that this language does not have."""
    unknown: frozenset[str]
    """Neither in the vocabulary nor on the list of this language."""


def foreign_language(text: str) -> str | None:
    """Return the language of a text that is certainly not English; None if it is, or may be.

    It is `und` where nothing tells which: there is a single word of a list, or only letters or unknown words.
    """
    language = language_of(text)
    if language not in (None, "en", *_WORDS) and _is_mostly_in_its_script(text):
        return language
    words = _plain_words(unicodedata.normalize("NFC", text))
    every = [_signs(words, code) for code in _WORDS]
    most = max(len(signs.listed | signs.first) for signs in every)
    likeliest = [signs for signs in every if len(signs.listed | signs.first) == most]
    if not all(map(_is_foreign, likeliest)):
        return None
    return likeliest[0].language if most > 1 and len(likeliest) == 1 else UNKNOWN


def has_english(text: str) -> bool:
    """Tell whether a text has a function word that no other language listed here has."""
    return not _ONLY_ENGLISH.isdisjoint(word.lower() for word in _WORD.findall(text))


def _is_mostly_in_its_script(text: str) -> bool:
    """Tell whether letters of other scripts outnumber those of English words: English may quote a Japanese title."""
    english = sum(len(word) for word in _WORD.findall(text) if word[0].islower() and is_whole_word(word))
    return sum(char.isalpha() and char >= _OTHER_SCRIPT for char in text) > english


def _plain_words(text: str) -> PlainWords:
    """Read the words outside quotation marks, where there are some: a title in quotes may be in any language."""
    outside = _QUOTED.sub(" ", text)
    text = outside if len(_WORD.findall(outside)) > 1 else text
    words = _WORD.findall(text)
    small = frozenset(
        word.lower()
        for at, word in enumerate(words)
        if word[0].islower() and _tells(word) and not _is_in_name(words, at)
    )
    first = frozenset(word.lower() for word in _FIRST_WORD.findall(text))
    return PlainWords(small, first, frozenset(filter(is_whole_word, small)))


def _tells(word: str) -> bool:
    """Tell whether a word is more than a letter that may be a unit, a variable or the debris of an encoding."""
    return len(word) > 1 or word in _LETTER_WORDS


def _is_in_name(words: list[str], at: int) -> bool:
    """Tell whether a word is a particle, or in a run of them, with a capital on either side."""
    if words[at] not in _PARTICLES:
        return False
    before = next((word for word in reversed(words[:at]) if word not in _PARTICLES), "")
    after = next((word for word in words[at + 1 :] if word not in _PARTICLES), "")
    return before[:1].isupper() and after[:1].isupper()


def _signs(words: PlainWords, language: str) -> WordSigns:
    listed = _WORDS[language]
    lettered = frozenset(word for word in words.small - words.whole - _LOANS if _LATIN.fullmatch(word))
    function_words = ((words.small | words.first) & STOP) - listed
    others = words.small - listed - lettered - _LOANS
    english = others & words.whole
    return WordSigns(
        language,
        (words.small & listed) - _ENGLISH_TOO,
        (words.first & listed) - _ENGLISH_TOO,
        lettered,
        function_words,
        english | function_words,
        others - english,
    )


def _is_foreign(signs: WordSigns) -> bool:
    """Tell whether the foreign words of a text outweigh its English ones.

    Two listed words are enough where English has hardly a function word and few others ("La tour est rouge."), and
    three whatever the others: content words may look English. Otherwise a word that is not a particle must be listed or
    lettered, or many be unknown.
    """
    listed = len(signs.listed | signs.first)
    if signs.listed and listed > max(1, _OUTWEIGH * len(signs.function_words)) and listed >= min(3, len(signs.english)):
        return True
    foreign = (signs.listed - _PARTICLES) | signs.lettered
    enough = foreign or len(signs.unknown) >= _LEAST_UNKNOWN
    return bool(enough) and len(foreign | signs.unknown) > _OUTWEIGH * len(signs.english)
