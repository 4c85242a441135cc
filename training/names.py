"""Names for families: real first names and words with invented ones, so that no model can know the answers."""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)

from __future__ import annotations

import random

_WOMEN = """Anna Maria Elena Sofia Clara Julia Emma Nora Ida Martha Ruth Alice Helen Irene Lucia Paula Vera Rosa
Greta Hanna Ingrid Lena Mira Nadia Olga Petra Rita Silvia Tanja Ursula Yasmin Zoe Amina Fatima Leila
Priya Ananya Mei Yuki Keiko Aiko Chioma Ngozi Adaeze Thandiwe Margaret Dorothy Eleanor Beatrice
Charlotte Florence Harriet Josephine Matilda Philippa""".split()
_MEN = """Peter Paul Martin Thomas Daniel David Simon Marcus Victor Oscar Hugo Emil Anton Bruno Carl Erik Felix
Georg Henrik Ivan Jonas Karim Leo Milan Nils Otto Pavel Rafael Stefan Tobias Viktor Walter Yusuf Omar
Hassan Rajesh Arjun Wei Hiroshi Kenji Chinedu Kwame Sipho Arthur Edmund Frederick Gilbert Harold Leonard
Norman Percy Ralph Stanley Theodore Wilfred""".split()
_HEADS = """Al Am An Ar Bar Bel Ber Bor Bran Cal Car Cor Dal Dar Del Dor El Er Fal Far Fen Gal Gar Gor Hal Har Hel
Hol Ing Jar Kal Kar Kel Kor Lan Lar Lin Lor Mal Mar Mel Mor Nar Nor Ol Or Pel Per Ran Ras Rem Ros Sal
San Sel Sor Tal Tar Tel Tor Ul Val Var Vel Ven Vor Wal Wes Win Yor Zel""".split()
_TAILS = """a aby ack ade ago aire an and ano ard as asse by da den dle dor dorf e ek el en ena er es eth ey i ia
ick ie ik ina ing is ison kin ko la land le ley lin lo man mar mere mond na nau ne nes ni o off olt on
or ova ow quist ra ren ric ro rup sen sev ski son stad stow strom ta ten tin to ton tova us va vale var
vic wick win wood worth y""".split()
_TOWN_TAILS = """burg bury by dale den ford gate ham haven holm hurst ley mere mouth pool port stead stone ton vale
ville
wick worth""".split()
_REAL_TOWNS = """Bristol Leeds Porto Ghent Lyon Turin Malmo Bergen Gdansk Brno Graz Basel Bonn Cork Dundee Oxford Boston
Denver Austin Seattle Calgary Perth Nairobi Lagos Accra Mumbai Chennai Osaka Busan Hanoi Lima Quito
Bogota""".split()
_REAL_COUNTRIES = """Norway Sweden Finland Denmark Poland Austria Hungary Portugal Spain Italy Greece Turkey Egypt Kenya
Ghana Nigeria India Japan Vietnam Thailand Chile Peru Brazil Canada Mexico Australia""".split()
_ORG_HEADS = """Northern Central United Royal National Coastal Alpine Metro Pioneer Summit Harbour Lakeside Atlas Orion
Vertex Beacon Sterling Crescent Evergreen Granite""".split()
_ORG_TAILS = """Bank Group Foundation Institute Railways Airlines Motors Energy Foods Press Laboratories Insurance
Systems Textiles Shipping Theatre Museum Hospital Trust Society Council Federation""".split()
_LANGUAGES = (
    "French German Spanish Italian Polish Greek Arabic Hindi Swahili Japanese Korean Turkish Danish Dutch".split()
)
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_TEAM_TAILS = "United Rovers City Wanderers Athletic Rangers Tigers Hawks Lions Wolves".split()
_SCHOOL_TAILS = ("School", "College", "Academy", "High School", "University")
_PRODUCT_TAILS = ["One", "Pro", "Plus", "Mini", "X2", "S4", "300", "Lite", "Max", "Air", "Go", "R5"]

NAMES = frozenset("person woman man town country river mountain org school product team language month weekday".split())


def make_name(kind: str, chance: random.Random) -> str:
    """Draw a name of a kind. Raises KeyError for an unknown kind."""
    if kind == "person":
        kind = chance.choice(("woman", "man"))
    simple = {"language": _LANGUAGES, "month": _MONTHS, "weekday": _DAYS}
    if kind in simple:
        return chance.choice(simple[kind])
    if kind in ("woman", "man"):
        return f"{chance.choice(_WOMEN if kind == 'woman' else _MEN)} {_word(chance)}"
    if kind == "town":
        return chance.choice(_REAL_TOWNS) if chance.random() < 0.25 else _town(chance)
    if kind == "country":
        is_real = chance.random() < 0.6
        return chance.choice(_REAL_COUNTRIES) if is_real else _word(chance, ("ia", "land", "mark", "ana", "stan"))
    if kind == "org":
        head = chance.choice((chance.choice(_ORG_HEADS), _word(chance), _town(chance)))
        return f"{head} {chance.choice(_ORG_TAILS)}"
    return {
        "river": lambda: _word(chance),
        "mountain": lambda: f"Mount {_word(chance)}",
        "school": lambda: f"{chance.choice((_town(chance), _word(chance)))} {chance.choice(_SCHOOL_TAILS)}",
        "team": lambda: f"{_town(chance)} {chance.choice(_TEAM_TAILS)}",
        "product": lambda: f"{_word(chance)} {chance.choice(_PRODUCT_TAILS)}",
    }[kind]()


def _word(chance: random.Random, tails: tuple[str, ...] | None = None) -> str:
    middle = chance.choice(_HEADS).lower() if chance.random() < 0.15 else ""
    return chance.choice(_HEADS) + middle + chance.choice(tails or _TAILS)


def _town(chance: random.Random) -> str:
    return chance.choice(_HEADS) + chance.choice(_TOWN_TAILS)
