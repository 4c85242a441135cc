"""Made-up conversations with a known truth: what curation has to drop of them, and which topic each prompt has.

A prompt of a topic has four to six of the topic's twelve words (`planted_topics.txt`) in frames that it shares with
prompts of other topics, names that no other prompt has, and in a quarter of them an aside with words of another topic.
One prompt in ten has no topic: its words come from all of them. No two prompts share more than .9 of their words but
those that are meant to, as three words of each are its own.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

Kind = Literal["plain", "no user turn", "foreign", "placeholder", "exact", "near", "less near"]
SHARES: dict[Kind, float] = {
    "no user turn": 0.003,
    "foreign": 0.08,
    "placeholder": 0.08,
    "exact": 0.08,
    "near": 0.04,
    "less near": 0.03,
}
"""Of all rows. `near` is a copy with a Jaccard overlap above .9, `less near` one below, which has to stay."""
NO_TOPIC = 0.1
ASIDE = 0.25
MODELS = ("gpt-4", "claude-1", "vicuna-33b", "llama-2-13b-chat", "koala-13b")
TOPICS = [
    line.split(": ")[1].split() for line in (Path(__file__).parent / "planted_topics.txt").read_text().splitlines()
]

OPENINGS = (
    "Explain how {0} and {1} came together in the work of {n}, and what {2} had to do with it.",
    "What is the difference between {0} and {1} when {n} talks about {2}?",
    "I am writing a report on {0} for {n}; which facts about {1} and {2} must be in it?",
    "Give me a short history of {0}, from the first {1} to the {2} of {n}.",
    "Can you list five well known examples of {0} that changed {1}, as {n} did with {2}?",
    "Who was {n}, and why do people still speak of {0} and {1} whenever {2} is mentioned?",
    "Why does {0} matter so much for {1}? My friend {n} says that it is because of {2}.",
    "Please compare the {0} at {n} with any other {1} you know, and tell me which {2} is better.",
    "Tell me about {0}: how it began, how {n} used it, and how {1} and {2} look today.",
    "Describe step by step how {n} could have handled the {0} without any {1} or {2}.",
    "When did {n} first deal with {0}, and how long did the {1} last before {2} was tried?",
    "How many kinds of {0} are there, and which of them would {n} choose for {1} and {2}?",
    "Is it true that {0} was known to {n} long before {1}, or is that a story about {2}?",
    "Summarise what is known of {0} and {1} near {n}, with numbers for {2} where there are any.",
    "Write an introduction to {0} for beginners who have only heard of {1} and {2} from {n}.",
    "What would happen to {1} if {n} had no {0} at all, and who would pay for the {2}?",
    "Which books about {0} would {n} recommend to somebody who already knows {1} and {2} well?",
    "Name the people who worked on {0} and {1} with {n}, and say what each did for {2}.",
)
MIDDLES = (
    "Mention {0} as well, and what {n} wrote about {1} in {y}.",
    "In {y} the town of {n} had trouble with {0}; say whether {1} was the reason.",
    "I have read that {n} preferred {0} over {1} since {y}, but I am not sure.",
    "Do not forget the role of {0}, since {n} asked for {1} again in {y}.",
    "If there is a link to {0} or {1}, as {n} claimed in {y}, explain it too.",
    "Somebody called {n} told me in {y} that {0} and {1} are the same thing.",
    "My teacher {n} wants at least {y} words on {0} and nothing about {1}.",
    "Also say where {n} stands on {0}, and whether the {1} of {y} was typical.",
)
ENDINGS = (
    "Keep it simple and use short sentences, {n} is only ten years old.",
    "Answer as if you were {n}, in a friendly tone.",
    "Give your sources, since {n} will check every one of them.",
    "A table would be best for {n}, with one row for each point.",
    "Thank you very much, this is for {n} and it is quite urgent.",
    "Be honest when something is not known, {n} dislikes guesses.",
    "Write it in plain English that {n} can read aloud.",
    "End with one question that I could put to {n} tomorrow.",
)
FOREIGN = (
    "Können Sie mir bitte erklären, warum die Geschichte von {n} im Jahr {y} für unsere Stadt so wichtig wurde?",
    "Pouvez-vous m'expliquer pourquoi l'histoire de {n} est devenue si importante pour notre ville en {y} ?",
    "¿Puedes explicarme por qué la historia de {n} se volvió tan importante para nuestra ciudad durante el año {y}?",
    "Puoi spiegarmi perché la storia di {n} è diventata così importante per la nostra città durante l'anno {y}?",
    "Você pode me explicar por que a história de {n} ficou tão importante para a nossa cidade durante o ano de {y}?",
    "Kun je mij alsjeblieft uitleggen waarom de geschiedenis van {n} in {y} zo belangrijk werd voor onze stad?",
    "Можете ли вы объяснить мне, почему история города {n} стала такой важной для нас в {y} году?",
    "请你解释一下为什么{n}的历史在{y}年对我们的城市变得这么重要，并且举几个例子。",
    "{n}の歴史が{y}年に私たちの町にとってなぜこれほど重要になったのか、例を挙げて説明してください。",
    "Czy możesz mi wyjaśnić, dlaczego historia {n} stała się tak ważna dla naszego miasta w roku {y}?",
    "Kan du förklara för mig varför historien om {n} blev så viktig för vår stad under år {y} och framåt?",
    "{n} hikayesinin {y} yılında şehrimiz için neden bu kadar önemli hale geldiğini bana açıklayabilir misiniz?",
)
LANGUAGES = (
    "German", "French", "Spanish", "Italian", "Portuguese", "Dutch", "Russian", "Chinese", "Japanese", "Polish",
    "Swedish", "Turkish",
)  # fmt: skip
"""Of `FOREIGN`."""
_FIRST = (
    "Black White Green Red Brown Gold Silver Grey North South East West High Low Long Short Broad Old New Little Great"
    " Strong Swift Bright Dark Cold Warm Clear Deep Wild Stone Iron Copper Oak Ash Elm Birch Maple Cherry Apple Thorn"
    " Rose Wolf Fox Bear Hart Raven Swan Crow King Queen Bishop Baker Miller Carter Cooper Fisher Hunter Mason Potter"
    " Shepherd Smith Taylor Turner Walker Weaver Winter Summer Spring Sun Moon Star Rain Snow Frost Storm"
    " Amber Barley Bell Bold Bramble Clover Copse Dawn Dun Eagle Edge Falcon Fern Flint Glen Hazel Heath Holly Honey"
    " Ivy Lamb Lark Linden Marble Mead Moss Nettle Otter Pebble Pine Reed River Rush Sage Salt Sedge Thistle Wheat"
)
_MIDDLE = (
    "water brook lake pool marsh moor fen mead field wood grove forest hill cliff rock stone sand clay peat bank shore"
    " land acre farm mill barn yard wall gate bridge road lane street market church tower castle hall house cot wick"
    " stead ton ham by thorpe worth ford port haven mouth well spring fall ridge edge side end head foot top bottom"
    " croft garth dale combe den glen strand ness holm ey beck burn bourne"
    " barrow bell birch cairn chapel cliffe cote cross elm fall fell fold garden glade grange green hatch haugh hay"
    " hedge hollow hope keld knoll lea loch march mount oak orchard park pasture pike pit plain rigg shaw slope stile"
    " thicket thwaite toft vale view weald weir wharf"
)
_LAST = (
    "ton ham ford ley field wood bury worth stead by well brook land more man son er ing way gate side bridge mouth"
    " port shire wick combe den hurst hill thorpe dale mere pool over stow minster head row"
)


class Row(NamedTuple):
    """A conversation and the truth about it."""

    id: str
    kind: Kind
    topic: int
    """Number of the planted topic; −1 for none."""
    prompt: str
    language: str
    model: str


def rows(number: int, topics: int = len(TOPICS), seed: int = 1) -> list[Row]:
    """Make `number` conversations in random order, with the shares of `SHARES`."""
    chance = random.Random(seed)
    names = _names()
    frames = [(chance.sample(OPENINGS, 6), chance.sample(MIDDLES, 4)) for _ in range(topics)]
    sizes = [2 ** chance.uniform(-1, 1) for _ in range(topics)]
    counts = {kind: round(share * number) for kind, share in SHARES.items()}
    base = [_plain(topic, frames, chance, names) for topic in _draw(number - sum(counts.values()), sizes, chance)]
    copied = iter(chance.sample(base, counts["exact"] + counts["near"] + counts["less near"]))
    made: list[tuple[Kind, int, str, str]] = [("plain", *each, "English") for each in base]
    for kind in SHARES:
        for _ in range(counts[kind]):
            if kind == "foreign":
                language, frame = chance.choice(list(zip(LANGUAGES, FOREIGN, strict=True)))
                made.append((kind, -1, frame.format(n=next(names), y=chance.randint(1200, 2023)), language))
            elif kind in ("placeholder", "no user turn"):
                hidden = iter(("NAME_1", "NAME_2", "NAME_1"))
                made.append((kind, *_plain(chance.randrange(topics), frames, chance, hidden), "English"))
            else:
                topic, prompt = next(copied)
                made.append((kind, topic, _changed(prompt, kind, chance, names), "English"))
    chance.shuffle(made)
    return [Row(f"c{place}", *each, chance.choice(MODELS)) for place, each in enumerate(made)]


def write(made: Sequence[Row], path: Path) -> None:
    """Write the conversations as LMSYS-Chat-1M lays them out, one JSON object a line."""
    with path.open("w", encoding="utf-8") as file:
        for row in made:
            turns = [{"role": "user", "content": row.prompt}, {"role": "assistant", "content": "I can't say."}]
            given = {
                "conversation_id": row.id, "model": row.model, "turn": 1, "language": row.language, "redacted": False,
                "conversation": turns[1:] if row.kind == "no user turn" else turns, "openai_moderation": [],
            }  # fmt: skip
            file.write(json.dumps(given, ensure_ascii=False) + "\n")


def _names() -> Iterator[str]:
    """Yield names that never come twice."""
    made = {first + second + third for first in _FIRST.split() for second in _MIDDLE.split() for third in _LAST.split()}
    yield from random.Random(0).sample(sorted(made), len(made))


def _draw(number: int, sizes: Sequence[float], chance: random.Random) -> list[int]:
    without = round(number * NO_TOPIC)
    return [-1] * without + chance.choices(range(len(sizes)), sizes, k=number - without)


_Frames = list[tuple[list[str], list[str]]]


def _plain(topic: int, frames: _Frames, chance: random.Random, names: Iterator[str]) -> tuple[int, str]:
    openings: Sequence[str] = OPENINGS
    middles: Sequence[str] = MIDDLES
    if topic < 0:
        words = [chance.choice(chance.choice(TOPICS)) for _ in range(5)]
    else:
        words = chance.sample(TOPICS[topic], chance.choice((4, 5, 5, 6)))
        openings, middles = frames[topic]
    aside = chance.choice(TOPICS) if chance.random() < ASIDE else words[2:]
    parts = [
        chance.choice(openings).format(*words[:3], n=next(names)),
        chance.choice(middles).format(*chance.sample(aside, 2), n=next(names), y=chance.randint(1200, 2023)),
        chance.choice(ENDINGS).format(n=next(names)),
    ]
    if len(words) == 6:
        parts.insert(2, f"The {words[4]} and the {words[5]} matter most to me.")
    return topic, " ".join(parts)


def _changed(prompt: str, kind: Kind, chance: random.Random, names: Iterator[str]) -> str:
    words = prompt.split()
    if kind == "near":  # one word more, one less, or two in each other's place
        place = chance.randrange(1, len(words) - 1)
        before, after = words[:place], words[place + 1 :]
        return " ".join(
            chance.choice(([*words, "Cheers!"], before + after, [*before, after[0], words[place], *after[1:]]))
        )
    if kind == "less near":
        for place in chance.sample(range(len(words)), len(words) // 8 + 1):
            words[place] = next(names)
    return " ".join(words)
