"""Short word lists of our own: function words, negations, opposites, hedges, numbers and units.

Lists are written as plain words and compared as stems, so one entry covers its inflections.
"""

# ruff: noqa: SIM905  (a list of words is easier to read and to edit as text)
from __future__ import annotations

from itertools import permutations

from factscope.claims.text.terms import term

_IRREGULAR = """
be am is are was were been; begin began begun; break broke broken; bring brought; build built; buy bought; catch caught;
choose chose chosen; come came; cost costs; cut cuts; draw drew drawn; drink drank drunk; drive drove driven;
eat ate eaten; fall fell fallen; feel felt; fight fought; find found; fly flew flown; forget forgot forgotten;
get got gotten; give gave given; go went gone goes; grow grew grown; hear heard; hide hid hidden; hold held; keep kept;
know knew known; lead led; leave left; lend lent; lie lay lain; light lit; lose lost; make made; mean meant; meet met;
pay paid; ride rode ridden; rise rose risen; run ran; say said; see saw seen; sell sold; send sent; shoot shot;
sing sang sung; sink sank sunk; sit sat; sleep slept; speak spoke spoken; spend spent; stand stood; steal stole stolen;
strike struck; swim swam swum; take took taken; teach taught; tell told; think thought; throw threw thrown;
understand understood; wear wore worn; win won; write wrote written; man men; woman women; child children; foot feet;
tooth teeth; person people persons; mouse mice; goose geese; wife wives; life lives
"""
BASE_FORMS = {word: line.split()[0] for line in _IRREGULAR.replace("\n", " ").split(";") for word in line.split()[1:]}
"""Irregular form → the form that stemming can work on."""


def _stems(words: str) -> frozenset[str]:
    return frozenset(term(BASE_FORMS.get(word, word)) for word in words.split())


STOP = frozenset(
    """a an the this that these those some any all each every both either neither no not nor none never only just also
    and or but if then than so as of in on at by to from with without for about into onto over under after before
    during until since between among through against within upon per via is are was were be been being am has have had
    having do does did done will would shall should can could may might must cannot i you he she it we they me him her
    us them my your his its our their mine who whom whose which what when where why how there here very too more most
    less least much many few own same such other another up down out off again further once because while although
    though however n't s t re ve d ll m many several often usually always sometimes ever yet still even quite rather
    it's he's she's that's there's isn't aren't wasn't weren't don't doesn't didn't won't wouldn't can't couldn't
    shouldn't hasn't haven't hadn't""".split()
)
"""Words without content of their own, including negations and quantifiers, which are compared separately."""

NEGATIONS = frozenset(
    """not no never none neither nor nobody nothing nowhere cannot without hardly barely scarcely rarely seldom unable
    fail fails failed failing refuse refuses refused refusing deny denies denied denying lack lacks lacked lacking
    prevent prevents prevented stop stops stopped cease ceased false untrue incorrect myth""".split()
)
JOINING = frozenset("and but which who although though while whereas because".split())
"""Words that begin another clause."""
STRONG = frozenset("all every each always only never none no entire entirely sole solely exclusively must any".split())
WEAK = frozenset(
    "some many most several often usually sometimes partly mostly few generally typically about nearly almost".split()
)
HEDGES = frozenset(
    """may might could possibly perhaps probably likely suggest suggests suggested reportedly allegedly alleged
    apparently claimed believed rumoured rumored planned plans would seems seemed unclear unknown potentially""".split()
)
ABOUT = frozenset("about around approximately roughly nearly almost over under more less least most than up".split())
SUPERLATIVES = frozenset("most least best worst first last only sole biggest largest smallest".split())

NUMBERED = frozenset(
    """line bus route room track platform car train tram grade type class version model lot lane level stage phase unit
    group team house flat apartment building hall pier berth gallery block plot row seat table act scene highway
    motorway runway terminal tunnel shaft ward district zone channel flight mission chapter article no number
    invoice patient sample""".split()
)
"""Things that have numbers as names: line 5 is not line 3."""
TITLES = _stems("mr mrs ms miss dr doctor prof professor sir lady lord dame")
LARGE_AREAS = _stems(
    """africa asia europe america australia antarctica oceania scandinavia argentina austria bangladesh belgium bolivia
    brazil britain bulgaria cambodia canada chile china colombia croatia cuba cyprus czechia denmark ecuador egypt
    england estonia ethiopia finland france germany ghana greece hungary iceland india indonesia iran iraq ireland
    israel italy jamaica japan jordan kenya korea latvia lebanon libya lithuania luxembourg malaysia malta mexico
    mongolia morocco mozambique myanmar nepal netherlands nigeria norway pakistan panama paraguay peru philippines
    poland portugal romania russia rwanda scotland senegal serbia singapore slovakia slovenia somalia spain sudan
    sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda ukraine uruguay usa uk venezuela vietnam
    wales yemen zambia zimbabwe kingdom states california texas florida bavaria brittany tuscany queensland ontario
    quebec"""
)
"""Countries, continents and other large areas: something in one of these may also be in Munich."""

OPPOSITE_GROUPS = """
increase/decrease,reduce rise/fall,drop grow/shrink,decline gain/lose win/lose won/lost victory/defeat,loss
high/low higher/lower highest/lowest more/less,fewer most/least large/small larger/smaller largest/smallest
big/small bigger/smaller biggest/smallest great/small long/short longer/shorter longest/shortest tall/short
old/young,new older/younger,newer oldest/youngest,newest ancient/modern early/late earlier/later early/recent first/last
before/after begin/end start/end,finish started/ended,finished began/ended,finished open/close opened/closed
build/demolish built/demolished create/destroy construct/demolish appear/disappear arrive/depart,leave
accept/reject,refuse approve/reject allow/ban,forbid,prohibit permit/ban,forbid,prohibit legal/illegal lawful/unlawful
include/exclude include/omit with/without present/absent presence/absence succeed/fail success/failure
true/false correct/incorrect right/wrong right/left positive/negative positively/negatively good/bad better/worse
best/worst strong/weak stronger/weaker fast/slow faster/slower hot/cold warm/cool warmer/cooler wet/dry
rich/poor cheap/expensive public/private domestic/foreign national/international urban/rural inside/outside
indoors/outdoors indoor/outdoor upstairs/downstairs above/below over/under up/down top/bottom front/back
north/south/east/west northern/southern/eastern/western northeast/southwest northwest/southeast
alive/dead living/dead,extinct live/die born/die birth/death marry/divorce married/unmarried,single/divorced
male/female man/woman men/women boy/girl husband/wife father/mother son/daughter brother/sister king/queen
uncle/aunt he/she his/her him/her actor/actress human/animal adult/child parent/child
love/hate like/dislike agree/disagree support/oppose for/against ally/enemy friend/enemy attack/defend
buy/sell bought/sold import/export borrow/lend employ/dismiss hire/fire join/leave enter/exit
maximum/minimum major/minor majority/minority odd/even full/empty complete/incomplete finished/unfinished
day/night morning/evening summer/winter spring/autumn,fall sit/stand/run/sleep walk/run awake/asleep
smile/cry,frown happy/sad laugh/cry safe/dangerous common/rare rarely/often never/always all/none
upper/lower acid/alkaline guilty/innocent convicted/acquitted sink/float import/export permanent/temporary
inhibit/activate,promote suppress/enhance upregulate/downregulate upregulated/downregulated benefit/harm
activation/inhibition activate/suppress induce/inhibit sensitivity/resistance sensitive/resistant
same/different similar/different equal/unequal similar/dissimilar alone/together voluntary/forced
black/white/red/blue/green/yellow/brown/purple/pink/orange/grey,gray
monday/tuesday/wednesday/thursday/friday/saturday/sunday
africa/asia/europe/australia/antarctica democrat/republican democratic/republican conservative/liberal
heavy/light heavier/lighter thick/thin wide/narrow deep/shallow loud/quiet near/far hard/soft
gold/silver/bronze freshwater/saltwater carnivore/herbivore predator/prey solid/liquid/gas
widen/narrow widened/narrowed strengthen/weaken strengthened/weakened lengthen/shorten lengthened/shortened raise/lower
raised/lowered heat/cool expand/contract tighten/loosen,relax improve/worsen lock/unlock load/unload push/pull
encourage/discourage praise/criticise,criticize send/receive sent/received introduce/abolish keep/abolish adopt/reject
promote/relegate,demote admit/deny confirm/deny resume/suspend ascend/descend arrival/departure entrance/exit
dawn/dusk sunrise/sunset upstream/downstream clockwise/anticlockwise,counterclockwise horizontal/vertical
internal/external inner/outer front/rear forwards/backwards eastbound/westbound northbound/southbound
landlord/tenant buyer/seller winner/loser surplus/deficit income/expenditure advantage/disadvantage
tame/wild raw/cooked sharp/blunt smooth/rough tight/loose bright/dark clean/dirty flat/steep
compulsory/voluntary,optional mandatory/voluntary,optional genuine/fake original/copy pass/fail
amateur/professional fiction/nonfiction fictional/real classical/modern import/export profit/loss
"""
"""Words that exclude each other, group by group; words separated by a comma are synonyms and do not."""


def _opposites() -> dict[str, frozenset[str]]:
    opposites: dict[str, set[str]] = {}
    for group in OPPOSITE_GROUPS.split():
        sides = [_stems(side.replace(",", " ")) for side in group.split("/")]
        for left, right in permutations(sides, 2):
            for word in left:
                opposites.setdefault(word, set()).update(right)
    return {word: frozenset(others) for word, others in opposites.items()}


OPPOSITES = _opposites()
"""Stem → stems that exclude it in the same position; so do members of a closed class (colours, weekdays)."""

NEGATIVE_PREFIXES = ("un", "in", "im", "non", "dis", "ir", "il")

SMALL_NUMBERS = {
    word: value
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split()
    )
} | {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
ORDINALS = {
    word: value
    for value, word in enumerate(
        """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
        fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split(),
        start=1,
    )
} | {
    word: 10 * value
    for value, word in enumerate(
        "thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth".split(), start=3
    )
}
SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "mn": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
    "dozen": 12.0,
}
TIMED = frozenset(
    """delay pause silence wait break gap lead head start clip video film ad advert spot trailer speech penalty burst
    interval countdown timer limit rule ride walk run hold exposure improvement margin""".split()
)
"""Things that last some seconds: "the thirty-second delay" is not the 32nd."""
MONEY_SCALES = {"m": 1e6, "b": 1e9, "tn": 1e12}
"""Scales of amounts of money; after other numbers they may be units."""
CURRENCIES = frozenset(
    """euro euros dollar dollars pound pounds crown crowns franc francs yen yuan rupee rupees rouble roubles
    ruble rubles peso pesos krona kronor krone kroner lira zloty rand""".split()
)
COUNTED_BY_A = frozenset("hundred thousand million billion dozen".split())
"""Scales that "a" may count: "a hundred boats"."""
BEFORE_MAY = frozenset("in since until till by last next of late early mid from".split())
"""Words after which "May" is the month."""
MONTHS = {
    word: value
    for value, words in enumerate(
        """january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct
        november/nov december/dec""".split(),
        start=1,
    )
    for word in words.split("/")
}

_UNITS = """
m 1 m meter meters metre metres; m 1000 km kilometer kilometers kilometre kilometres; m 0.01 cm centimetre centimetres
centimeter centimeters; m 0.001 mm millimetre millimetres millimeter millimeters; m 1609.344 mile miles mi;
m 0.3048 foot feet ft; m 0.0254 inch inches; kg 1 kg kilogram kilograms kilo kilos;
kg 0.001 g gram grams gramme grammes;
kg 1000 tonne tonnes ton tons t; kg 0.45359237 lb lbs pound pounds; l 1 l litre litres liter liters; l 0.001 ml
millilitre millilitres milliliter milliliters; s 1 second seconds sec; s 60 minute minutes min; s 3600 hour hours hr;
day 1 day days; day 7 week weeks; year 1 year years yr; year 10 decade decades; year 100 century centuries;
m2 10000 hectare hectares ha; m2 4046.8564224 acre acres
"""


def _units() -> dict[str, tuple[str, float]]:
    units: dict[str, tuple[str, float]] = {}
    for entry in _UNITS.split(";"):
        base, factor, *names = entry.split()
        units |= {name: (base, float(factor)) for name in names}
    return units


UNITS = _units()
"""Name of a unit → its base unit and the factor to it."""
