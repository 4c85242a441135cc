"""Mutated replies against the readers of replies: what breaks one, what is read as a label that it does not state.

    .venv/bin/python -m perf.parsers [--inputs 10000000] [--seconds N] [--seed 1]

Replies of the tests' corpus are cut, joined, wrapped and strewn with marks, words and characters that no one sees, the
same ones for the same seed. A second look at each, written in another way than the readers, says whether what was read
is what the reply states. Ends with 1 if a reader raised anything but UnreadableError, read what is not stated, or took
more than a second of CPU.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, create_model

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.llm import hard_replies, reply_corpus

from factscope.llm.model_errors import UnreadableError
from factscope.llm.parsers import bracketed_label, claim_lines, fenced, marked_label, typed_units, wrong_ids
from factscope.llm.structured import json_reader

SLOW = 1.0
SHOWN = 5
LONG_EVERY = 20_000
"""One reply in this many is blown up, to `LONGEST` characters at most."""
LONGEST = 400_000
UNITS = 4
"""Number of units that FELM's answers are about."""

MENUS = (reply_corpus.LABELS, ("supported", "not_supported", "not_enough_evidence"), ("Supported", "Not Supported"))
VERDICTS = (("yes", "no"), ("supported", "contradicted", "irrelevant"))
BARE = str.maketrans("", "", "*_`#")
SPACED = str.maketrans("*_`#", "    ")
HARMLESS = set(
    "so thus therefore hence the this my our final overall label verdict answer judgement judgment decision "  # noqa: SIM905
    "conclusion classification result of for statement claim is : ,".split()
)
PIECES = (
    *"[]{}()<>\"'\\:;,.!?-*_`#~|/ \t\n\r\x00\x0b\x0c\x1c\x1e\x85\xa0",
    *("\u200b", "\u200f", "\u202e", "\u2028", "\u3000", "\ufeff", "\ud800", "\u0301", "\uff33", "ſ", "İ", "１", "٣"),
    *("\n\n", "\r\n", "```", "```json\n", "\n```\n", "<think>", "</think>", "> ", "- ", "* ", "1. ", "# ", "**", "~~"),
    *("not ", "Not: ", "no", "never ", "isn't ", "nicht ", "opposite: "),
    *("or ", " and ", "downgrade: ", "is ", "But wait"),
    *("Final label: ", "The label is ", "Final Verdict: ", "\nFinal Verdict:", "Answer: ", "\nAnswer: ", "ALL_CORRECT"),
    *("Claim_1: ", "\nClaim_2: ", "NO_CLAIMS", ": Fact", ": Claim\n", "yes", "1,", "3", "0", "irrelevant"),
    *('{"label": "', '", "score": 1}', '"label"', '"score"', "{}", "[]", "null", "NaN", "1e999", "\\u0041", "\\"),
    *(label for menu in MENUS for label in menu),
    *(f"[{label}]" for menu in MENUS for label in menu),
)


class Reader(NamedTuple):
    """A reader, replies to begin with, and the second look: whether a reply states what was read from it."""

    name: str
    read: Callable[[str], Any]
    replies: Sequence[str]
    states: Callable[[str, Any], bool]


@dataclass
class Tally:
    """Counts for one reader."""

    inputs: int = 0
    taken: int = 0
    crashes: int = 0
    wrong: int = 0
    slow: int = 0
    slowest: float = 0.0
    shown: list[str] = field(default_factory=list)

    def note(self, what: str, text: str) -> None:
        """Keep a failing reply, to be shown."""
        if len(self.shown) < SHOWN:
            self.shown.append(f"{what}: {text[:300]!a}")


def answer_lines(text: str) -> list[str]:
    """Return the lines of the answer with content, without decorations that a person would ignore."""
    text = text.strip()
    if text.startswith("<think>"):
        text = text.rpartition("</think>")[2]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line for line in lines if squeezed(line)]


def squeezed(line: str) -> str:
    """Return a line in lower case without marks of emphasis, its runs of white space as one space."""
    words = " ".join(line.translate(BARE).split()).casefold()
    return words.replace("[ ", "[").replace(" ]", "]").replace("] ", "]").replace(" .", ".").replace("i\u0307", "i")


def bracketed(line: str, menu: Sequence[str]) -> str | None:
    """Return the label that a line states in brackets."""
    for label in menu:
        for tail in ("", ".", "!"):
            if squeezed(line).endswith(f"[{squeezed(label)}]{tail}"):
                lead = line[: line.rindex("[")].casefold()
                ways = (re.findall(r"[^\W\d]+|\S", lead.translate(marks)) for marks in (BARE, SPACED))
                return label if any(HARMLESS.issuperset(words) for words in ways) else None
    return None


def states_bracketed(menu: Sequence[str]) -> Callable[[str, Any], bool]:
    """Return whether the last line states just this label, and no line states another in the plainest ways."""
    names = {label.casefold() for label in menu}
    plain = re.compile(r"[\s*_`#]*(?:(?:final label:|the label is)[\s*_`]*)?\[([^\[\]]*)\][.!]?[\s*_`]*", re.IGNORECASE)

    def states(text: str, value: Any) -> bool:
        lines = answer_lines(text)
        stated = {match[1].casefold() for line in lines if (match := plain.fullmatch(line))}
        return bracketed(lines[-1], menu) == value and stated & names <= {value.casefold()}

    return states


def states_marked(text: str, value: Any) -> bool:
    """Return whether the reply ends with the marker and just this label, and has no other after the marker."""
    lines = answer_lines(text)
    ways = {f"{squeezed(value)}{stop}" for stop in ("", ".")} | {f"[{squeezed(value)}]{stop}" for stop in ("", ".")}
    ends = [squeezed(end).replace(" :", ":").replace(": ", ":") for end in (lines[-1], " ".join(lines[-2:]))]
    said = [line.partition(":")[2] for line in lines if re.match(r"[\s*_`#]*final verdict\s*:", line, re.IGNORECASE)]
    others = {squeezed(each) for each in said} - {""}
    return any(end == f"final verdict:{way}" for end in ends for way in ways) and others <= ways


def states_ids(text: str, value: Any) -> bool:
    """Return whether the reply ends with `Answer:` and just these ids."""
    lines = [squeezed(line).replace(" ", "") for line in answer_lines(text)]
    for end in (lines[-1], "".join(lines[-2:])):
        said = end.removeprefix("answer:").rstrip(".")
        if end.startswith("answer:"):
            ids = set() if said == "allcorrect" else {int(part) if part.isdecimal() else 0 for part in said.split(",")}
            return bool(ids == value and ids <= set(range(1, UNITS + 1)))
    return False


def states_json(text: str, value: Any) -> bool:
    """Return whether all objects outside others that have a label have this one."""
    text = re.sub(r",(?=\s*[}\]])", "", "\n".join(answer_lines(text)))
    found, at = set(), 0
    while (at := text.find("{", at)) >= 0:
        try:
            made, at = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            found |= {made["label"] if isinstance(made["label"], str) else ""} if "label" in made else set()
    return found == {value.label}


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose names are all different. Raises ValueError."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("twice")
    return dict(pairs)


DECODER = json.JSONDecoder(object_pairs_hook=unique)


def states_units(text: str, value: Any) -> bool:
    """Whether every line that a bullet begins and a type ends is there, and nothing that the reply does not hold."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    typed = [line for line in answer_lines(text) if ends_typed(line) and re.match(r"\s*[-*+] ", line)]
    return len(typed) <= len(value) and all(unit.text in text and unit.kind in reply_corpus.KINDS for unit in value)


def ends_typed(line: str) -> bool:
    """Return whether a line is text, a colon and a type."""
    words, _, kind = line.rpartition(": ")
    return bool(words.lstrip(" -*+").strip()) and kind.strip().casefold() in [k.casefold() for k in reply_corpus.KINDS]


def states_claims(text: str, value: Any) -> bool:
    """Return whether each line is one claim, and each claim stands in the reply."""
    lines = answer_lines(text)
    if not value:
        return [squeezed(line) for line in lines] == ["noclaims"]
    begun = re.findall(r"Claim[_ ]\d+\**\s*:", "\n".join(lines))
    return len(value) == len(begun) == len(lines) and all(claim in text for claim in value)


def states_fenced(text: str, value: Any) -> bool:
    """Return whether it is one stretch of the reply between two fences."""
    return bool(value) and "```" not in value and text.count("```") >= 2 and squeezed(value) in squeezed(text)


def form(menu: Sequence[str]) -> type[BaseModel]:
    """Return the JSON form with the labels of a menu."""
    config = ConfigDict(extra="forbid", frozen=True)
    return create_model("Form", __config__=config, label=(Literal[tuple(menu)], ...), score=(float, ...))  # type: ignore[arg-type]


def gathered(name: str) -> list[Any]:
    """Return both sides of both corpora."""
    return [
        each
        for source in (reply_corpus, hard_replies)
        for side in ("GOOD", "BAD")
        for each in vars(source)[f"{name}_{side}"]
    ]


def filled(template: str, menu: Sequence[str]) -> list[str]:
    """Return a template with each label of a menu."""
    pairs = zip(menu, (*menu[1:], menu[0]), strict=True)
    return [template.format(label=a, lower=a.lower(), upper=a.upper(), other=b, oth=b[:3]) for a, b in pairs]


def readers() -> list[Reader]:
    """Return all readers, those of labels once for each menu."""
    firsts = {name: [each if isinstance(each, str) else each[0] for each in gathered(name)]
              for name in ("BRACKETS", "JSON", "VERDICT", "IDS", "UNITS", "FENCE", "CLAIMS")}  # fmt: skip
    found = []
    for menu in MENUS:
        replies = [text for template in firsts["BRACKETS"] for text in filled(template, menu)]
        found.append(Reader("bracketed_label", partial(bracketed_label, labels=menu), replies, states_bracketed(menu)))
        replies = [text for template in firsts["JSON"] for text in filled(template, menu)]
        found.append(Reader("json_reader", json_reader(form(menu)), replies, states_json))
    for menu in VERDICTS:
        read = partial(marked_label, marker="Final Verdict", labels=menu)
        replies = [text.replace("yes", menu[0]).replace("no", menu[1]) for text in firsts["VERDICT"]]
        found.append(Reader("marked_label", read, replies, states_marked))
    return [
        *found,
        Reader("wrong_ids", partial(wrong_ids, count=UNITS), firsts["IDS"], states_ids),
        Reader("typed_units", partial(typed_units, kinds=reply_corpus.KINDS), firsts["UNITS"], states_units),
        Reader("fenced", fenced, firsts["FENCE"], states_fenced),
        Reader("claim_lines", claim_lines, firsts["CLAIMS"], states_claims),
    ]


def mutated(chance: random.Random, text: str, other: str) -> str:
    """Return a reply with one to four changes."""
    for _ in range(1 + int(chance.random() * 4)):
        a, b = sorted((int(chance.random() * (len(text) + 1)), int(chance.random() * (len(text) + 1))))
        piece = PIECES[int(chance.random() * len(PIECES))]
        way = int(chance.random() * 12)
        if way < 4:
            text = text[:a] + piece + text[a:]
        elif way == 4:
            text = text[:a] + piece + text[a + 1 :]
        elif way == 5:
            text = text[:a] + text[a + 1 :]
        elif way == 6:
            text = text[:a] + text[b:]
        elif way == 7:
            text = text[:b] + text[a:]
        elif way == 8:
            text = text[:a] + text[a:b].swapcase() + text[b:]
        elif way == 9:
            text = text[:a] + other[: int(chance.random() * (len(other) + 1))] + text[b:]
        elif way == 10:
            text = f"{text}\n{other}" if a % 2 else f"{other}\n{text}"
        else:
            text = text + piece if a % 2 else piece + text
    return text


def swollen(chance: random.Random, text: str) -> str:
    """Return a reply in which one part is repeated many times."""
    a, b = sorted((int(chance.random() * (len(text) + 1)), int(chance.random() * (len(text) + 1))))
    return text[:a] + text[a:b] * (LONGEST // max(len(text[a:b]), 1)) + text[b:]


def attempt(reader: Reader, text: str, tally: Tally) -> None:
    """Give one reply to one reader."""
    value = None
    began = time.process_time()
    try:
        value = reader.read(text)
    except UnreadableError:
        pass
    except Exception as error:  # noqa: BLE001  whatever it is, it is what is looked for
        tally.crashes += 1
        tally.note(f"{type(error).__name__} {error}", text)
    took = time.process_time() - began
    tally.inputs += 1
    tally.slowest = max(tally.slowest, took)
    if took > SLOW:
        tally.slow += 1
        tally.note(f"{took:.1f} s", text)
    if value is not None:
        tally.taken += 1
        if not reader.states(text, value):
            tally.wrong += 1
            tally.note(f"read as {value!a:.100}", text)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after that long")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    all_readers = readers()
    everything = [text for reader in all_readers for text in reader.replies]
    tallies: dict[str, Tally] = {reader.name: Tally() for reader in all_readers}
    chance = random.Random(asked.seed)
    began = time.monotonic()
    for number in range(asked.inputs):
        if number % 1000 == 0 and time.monotonic() - began > asked.seconds:
            break
        reader = all_readers[number % len(all_readers)]
        text = reader.replies[int(chance.random() * len(reader.replies))]
        text = mutated(chance, text, everything[int(chance.random() * len(everything))])
        if chance.random() * LONG_EVERY < 1:
            text = swollen(chance, text)
        attempt(reader, text, tallies[reader.name])
    print(f"seed {asked.seed}, {time.monotonic() - began:.0f} s")
    print(f"{'reader':16}{'inputs':>12}{'taken':>10}{'crashes':>9}{'wrong':>7}{'slow':>6}{'slowest':>10}")
    for name, tally in [*tallies.items(), ("all", total(tallies.values()))]:
        counts = f"{tally.inputs:12,}{tally.taken:10,}{tally.crashes:9}{tally.wrong:7}{tally.slow:6}"
        print(f"{name:16}{counts}{tally.slowest:9.2f}s", *tally.shown, sep="\n  " if tally.shown else "")
    done = total(tallies.values())
    return 1 if done.crashes or done.wrong or done.slow else 0


def total(tallies: Sequence[Tally] | Any) -> Tally:
    """Return all readers together."""
    each = list(tallies)
    sums = {name: sum(getattr(t, name) for t in each) for name in ("inputs", "taken", "crashes", "wrong", "slow")}
    return Tally(**sums, slowest=max(t.slowest for t in each))


if __name__ == "__main__":
    sys.exit(main())
