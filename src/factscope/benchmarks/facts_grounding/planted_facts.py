"""Facts planted in documents that are longer than a judge can read, to see whether judging in pieces finds them.

Each document has filler text, three facts far apart, and sentences that share the facts' words but not their content.
An answer repeats the three (`planted`), rewords them (`reworded`), changes one (`changed`), or replaces one by a fact
that is not in the document (`absent`). Invented for Factscope; Apache-2.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import count
from typing import NamedTuple

from factscope.benchmarks.facts_grounding.probes import PlantedRanks, Probe
from factscope.judging.long_documents import by_worth, cut
from factscope.llm.cost import estimate_tokens

LONGEST = 100_000
"""Tokens of the longest document."""
TIMES = 3
"""Length of a document, as a multiple of a judge's window."""
_PEOPLE = (
    "A clerk",
    "The night porter",
    "One of the cooks",
    "A tall stranger",
    "Her cousin",
    "The postman",
    "A gardener",
)
_DID = ("mended", "carried away", "forgot about", "asked after", "looked for", "paid for", "hid", "talked about")
_THINGS = ("a broken chair", "some wet umbrellas", "the wrong parcel", "a jar of plums", "an old carpet", "two kettles")
_WHERE = ("behind the stables", "near the ferry", "without a word", "after supper", "in the rain")
_REQUEST = "Say in three sentences what the document tells of {}, {} and {}."
_FILLERS = 6
"""Number of filler statements about a planted fact, all over the document."""


class _Fact(NamedTuple):
    id: str
    document: str
    right: str
    reworded: str
    wrong: str
    beside: str


def planted(window: int) -> tuple[Probe, ...]:
    """Make 36 cases for judges that can take `window` tokens: 12 planted, 12 reworded, 6 changed, 6 absent."""
    facts = _facts()
    size = min(TIMES * window, LONGEST)
    probes: list[Probe] = []
    for number in range(len(facts)):
        chosen_facts = [facts[(number + step) % len(facts)] for step in (0, 4, 8)]
        document = _document(chosen_facts, size, number)
        right = [fact.right for fact in chosen_facts]
        index, kind = number // 2 % len(chosen_facts), "changed" if number % 2 else "absent"
        wrong = chosen_facts[index].wrong if number % 2 else facts[(number + 1) % len(facts)].right
        answers = {
            "planted": right,
            "reworded": [fact.reworded for fact in chosen_facts],
            kind: [*right[:index], wrong, *right[index + 1 :]],
        }
        probes += [_probe(kind, number, chosen_facts, document, texts) for kind, texts in answers.items()]
    return tuple(probes)


def ranks(window: int, kind: str) -> PlantedRanks:
    """Measure the ranking of chunks for `planted` or `reworded` sentences, without a judge.

    A chunk that is not among the first is shown in a later pass: the order determines the number of passes, not the
    result.
    """
    facts = {answer: fact.document for fact in _facts() for answer in (fact.right, fact.reworded)}
    ranks_found = []
    for case in planted(window):
        if case.kind != kind:
            continue
        pieces = cut((case.context,))
        for sentence in case.response.split("\n"):
            order = by_worth(sentence, pieces)
            holds = (facts[sentence] in case.context[pieces[index].start : pieces[index].end] for index in order)
            ranks_found.append(next(rank for rank, holds_fact in enumerate(holds, 1) if holds_fact))
    among_eight = sum(rank <= 8 for rank in ranks_found)
    return PlantedRanks(ranks_found.count(1), among_eight, len(ranks_found))


def _facts() -> list[_Fact]:
    lines = files("factscope.benchmarks.facts_grounding").joinpath("planted.jsonl").read_text(encoding="utf-8")
    return [_Fact(**json.loads(line)) for line in lines.splitlines()]


def _probe(kind: str, number: int, facts: Sequence[_Fact], document: str, answers: Sequence[str]) -> Probe:
    return Probe(
        id=f"{kind}-{number + 1}",
        kind=kind,
        request=_REQUEST.format(*(f"the {fact.id}" for fact in facts)),
        context=document,
        response="\n".join(answers),
        accurate=kind in ("planted", "reworded"),
        eligible=True,
    )


def _document(facts: Sequence[_Fact], size: int, number: int) -> str:
    """Return filler of about `size` tokens with the facts at its beginning, middle and end, in varying order."""
    paragraphs, length = [], 0
    for paragraph in _filler(number):
        paragraphs.append(paragraph)
        length += estimate_tokens(paragraph)
        if length >= size:
            break
    last = len(paragraphs) - 1
    depths = (0, last // 2, last)
    for turn, fact in enumerate(facts):
        position = depths[(turn + number) % len(depths)]
        paragraphs[position] = f"{paragraphs[position]} {fact.document}"
        for often in range(_FILLERS):
            other = (position + 1 + (often * last) // _FILLERS) % len(paragraphs)
            paragraphs[other] = f"{fact.beside} {paragraphs[other]}"
    return "\n\n".join(paragraphs)


def _filler(number: int) -> Iterator[str]:
    """Yield paragraphs of five sentences, without end; other ones for each document."""
    for start in count(number * 31, 5):
        yield " ".join(_sentence(position) for position in range(start, start + 5))


def _sentence(position: int) -> str:
    person, act, item = _PEOPLE[position % 7], _DID[position // 3 % 8], _THINGS[position // 5 % 6]
    return f"{person} {act} {item} {_WHERE[position // 2 % 5]}."
