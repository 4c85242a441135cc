"""Make the bundled sample of conversations, from which `factscope curate` makes a small release in tests and docs.

    .venv/bin/python scripts/curate_sample.py          writes examples/conversations*
    .venv/bin/python scripts/curate_sample.py --check  exit code 1 when they would come out otherwise

Every conversation is invented; nobody said any of this. The first file stands for the logs of one year, the second for
those of the next: some topics are gone, some are new, and some prompts come again. In both is planted what curation
has to find: equal and almost equal prompts, placeholders, other languages, refusals, answers that are missing, rows
without a user, four forms of rows, models that no tier knows. `make` says how many of each. A third file holds what the
answers should have said, to check them against. Apache-2.0, like the rest.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from curate_sample_words import ELSEWHERE, LONG, NEITHER, TOPICS, Subject, Topic

ROOT = Path(__file__).parent.parent
FACTS = ROOT / "examples" / "conversations-facts.md"
PLACES = {1: ROOT / "examples" / "conversations.jsonl", 2: ROOT / "examples" / "conversations-later.jsonl"}
YEARS = {1: 2023, 2: 2024}
STRONG = ("gpt-4", "gpt-4", "gpt-4-0314", "claude-2", "palm-2", "gpt-3.5-turbo", "claude-instant-1")
MIDDLE = ("llama-2-13b-chat", "vicuna-33b")
WEAK = ("guanaco-33b", "mpt-30b-chat")
NO_TIER = ("fastchat-t5-3b", "dolly-v2-12b")
REFUSAL = "I'm sorry, but I can't help with that request."


class Said(NamedTuple):
    """A prompt, what was answered, and by whom."""

    prompt: str
    response: object
    model: str


class Planted(NamedTuple):
    """Counts of the rows in a file."""

    rows: list[dict[str, Any]]
    counts: Counter[str]
    """Number of rows of each kind; `fine` are those that get through as far as the topics."""


def make(part: int) -> Planted:
    """Return one of the two files."""
    chance = random.Random(part)
    topics = TOPICS[:12] if part == 1 else TOPICS[3:]
    prompts = [said for topic in topics for said in _asked(topic, 24 if part == 1 else 18, part, chance)]
    fine = [*prompts, *(Said(prompt, _chat(prompt), _model(chance)) for prompt in NEITHER)]
    counts = Counter({"fine": len(fine)})
    said = list(fine)
    for kind, more in _unwanted(prompts, chance).items():
        counts[kind] = len(more)
        said += more
    head, tail = said[: len(fine)], said[len(fine) :]
    chance.shuffle(head)
    rows = [_row(one, n, part, chance) for n, one in enumerate([*head, *tail])]  # the first of equal ones is kept
    broken = _broken(part)
    counts["unusable"] = len(broken)
    return Planted(rows + broken, counts)


def _asked(topic: Topic, n: int, part: int, chance: random.Random) -> list[Said]:
    """Return different questions on a topic, each with an answer; of weak models more of the answers are wrong."""
    pairs = [(form, subject) for form in topic.forms for subject in topic.subjects]
    asked = []
    for form, subject in [*random.Random(f"{topic.name}{part}").sample(pairs, n), (LONG, topic.subjects[0])]:
        model = _model(chance)
        prompt = form.format(x=subject.name, topic=topic.name)
        asked.append(Said(prompt[0].upper() + prompt[1:], _answer(topic, subject, model, chance), model))
    return asked


def _model(chance: random.Random) -> str:
    return chance.choice(chance.choices((STRONG, MIDDLE, WEAK, NO_TIER), (60, 22, 12, 6))[0])


def _answer(topic: Topic, subject: Subject, model: str, chance: random.Random) -> str:
    """Return a few sentences on a subject and two others, with some of the numbers off."""
    wrong = {STRONG: 0.2, MIDDLE: 0.4, WEAK: 0.6, NO_TIER: 0.5}[
        next(g for g in (STRONG, MIDDLE, WEAK, NO_TIER) if model in g)
    ]
    others = chance.sample([one for one in topic.subjects if one != subject], 2)
    facts = [_told(one, chance.random() < wrong, chance) for one in (subject, *others)]
    return f"{facts[0]} On {topic.name} in general: {facts[1]} Besides, {facts[2][0].lower()}{facts[2][1:]}"


def _told(subject: Subject, wrong: bool, chance: random.Random) -> str:
    number = subject.number + (chance.choice((-7, -3, 4, 12)) if wrong else 0)
    return subject.fact.format(n=number)


def _chat(prompt: str) -> str:
    return f"Gladly! Here is what I came up with for “{prompt[:40]}”: …"


def _unwanted(prompts: list[Said], chance: random.Random) -> dict[str, list[Said]]:
    """Make rows to be found and dropped, besides rows that can't be used at all."""
    long = [said for said in prompts if len(said.prompt.split()) >= len(LONG.split())]
    equal = [
        said._replace(prompt=change(said.prompt))
        for said, change in zip(chance.sample(prompts, 24), _SAME * 8, strict=True)
    ]
    near = [said._replace(prompt=f"{said.prompt} Thanks") for said in long]
    named = [
        said._replace(prompt=f"Write to NAME_1 and tell NAME_2 what {said.prompt[0].lower()}{said.prompt[1:]}")
        for said in chance.sample(prompts, 14)
    ]
    other = [Said(prompt, response, _model(chance)) for prompt, response in ELSEWHERE]
    return {"duplicate": equal, "near-duplicate": near, "placeholder": named, "other language": other}


_SAME: list[Callable[[str], str]] = [str.upper, lambda text: f"  {text}\n", lambda text: text.replace(" ", "  ")]
"""Changes that leave a prompt the same."""


def _row(said: Said, n: int, part: int, chance: random.Random) -> dict[str, Any]:
    """Return a conversation in one of four forms; some answers are missing, empty, NaN or a refusal."""
    response: Any = {7: REFUSAL, 23: None, 31: "", 41: float("nan")}.get(n % 47, said.response)
    year, form = YEARS[part], n % 10
    name = f"{part}-{n:04}"
    if form < 5:
        turns = [{"content": said.prompt, "role": "user"}, {"content": response, "role": "assistant"}]
        return {
            "conversation_id": name,
            "model": said.model,
            "conversation": turns,
            "turn": 1,
            "language": "English",
            "redacted": "NAME_" in said.prompt,
        }
    if form < 7:
        when = f"{year}-{1 + n % 12:02}-{1 + n % 28:02}T12:00:00+00:00"
        turns = [
            {"role": "user", "content": said.prompt, "redacted": False, "toxic": False},
            {"role": "assistant", "content": response, "redacted": False, "toxic": False},
            {"role": "user", "content": "Thank you!", "redacted": False, "toxic": False},
        ]
        return {
            "conversation_hash": name,
            "model": said.model,
            "timestamp": when,
            "conversation": turns,
            "redacted": False,
        }
    if form == 7:
        chat = [{"from": "human", "value": said.prompt}, {"from": "gpt", "value": response}]
        return {"id": name, "model": said.model, "conversations": chat}
    return {"id": name, "prompt": said.prompt, "response": response, "model": said.model}


def _broken(part: int) -> list[dict[str, Any]]:
    """Return the rows without a prompt."""
    return [
        {
            "conversation_id": f"{part}-b1",
            "model": "gpt-4",
            "conversation": [{"role": "assistant", "content": "Hello!"}],
        },
        {"conversation_id": f"{part}-b2", "model": "gpt-4", "conversation": []},
        {
            "id": f"{part}-b3",
            "conversations": [{"from": "gpt", "value": "… as I said."}, {"from": "human", "value": "And?"}],
        },
        {"id": f"{part}-b4", "prompt": "   ", "response": "What would you like to know?", "model": "gpt-4"},
        {"id": f"{part}-b5", "prompt": float("nan"), "response": "What would you like to know?", "model": "gpt-4"},
        {"title": "a row of another file", "score": 3},
    ]


def text(part: int) -> str:
    """Return a file of conversations, one row a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in make(part).rows)


def facts() -> str:
    """Return the true facts, topic by topic."""
    parts = []
    for topic in TOPICS:
        told = [subject.fact.format(n=subject.number) for subject in topic.subjects]
        parts.append(f"# {topic.name[0].upper()}{topic.name[1:]}\n\n" + "\n".join(told) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Write the files, or look whether they are as they would be."""
    for place, content in [*((place, text(part)) for part, place in PLACES.items()), (FACTS, facts())]:
        if "--check" in sys.argv[1:]:
            if place.read_text(encoding="utf-8") != content:
                sys.exit(f"{place} is not what this script makes")
        else:
            place.write_text(content, encoding="utf-8")
            print(f"{place}: {place.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
