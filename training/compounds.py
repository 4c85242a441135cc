"""Claims of two or three facts, joined from claims about the same passage.

A network that has seen mostly claims of one fact judges by the first half (docs/verifier-training.md, "Joined claims").
No network that ships was trained on these.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

from .labelled import Label, Pair

_BETWEEN = (", and ", ", and ", ", and ", " and ", ", while ", ", but ", "; ", ". ", ", whereas ", ", although ", " – ")
"""The first is as likely as in texts: most sentences with two facts join them with "and"."""
_BEFORE = ("While ", "Although ", "Whereas ")
_ENDED = re.compile(r"[.!]$")
_LOWERED = re.compile(
    r"The|An?|It|He|She|They|His|Her|Its|Their|Th(?:is|ese|at|ose)|In|On|At|By|After|Before|During|Since|Until|From|For"
    r"|With|Only|Some|All|No|Two|Three|Four|Both|Most|Each|Every|One|Few|Many|Several|More|Fewer|About|Over|Under|There|Neither"
)
"""First words that have a capital only because they begin a sentence."""
_VERB = re.compile(r"(?:is|are|was|were|has|have|had|will|can|could|may|must|did|does|do)\b|[a-z]+(?:ed|s)\b")
_THREE = 0.15
"""Share of claims with three facts."""
_SHARED_SUBJECT = 0.7
"""Share of claims with one subject that name it once."""
_SHARES: dict[tuple[Label, Label], float] = {
    ("supported", "supported"): 0.48,
    ("supported", "contradicted"): 0.15,
    ("contradicted", "supported"): 0.09,
    ("supported", "not_enough"): 0.11,
    ("not_enough", "supported"): 0.07,
    ("contradicted", "contradicted"): 0.03,
    ("contradicted", "not_enough"): 0.02,
    ("not_enough", "contradicted"): 0.02,
    ("not_enough", "not_enough"): 0.03,
}
"""Labels of the halves: most joined claims have a true half, and a third are true, as few passages have two."""


def joined(pairs: Iterable[Pair], count: int, longest: int, chance: random.Random) -> list[Pair]:
    """Make `count` pairs whose claim joins claims about one passage, with at most `longest` words with it."""
    by_passage: dict[str, dict[Label, list[Pair]]] = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        if _ENDED.search(pair.claim) and not _ENDED.search(pair.claim[:-1]):
            by_passage[pair.passage][pair.label].append(pair)
    passages = list(by_passage.values())
    kinds, weights = list(_SHARES), list(_SHARES.values())
    made: list[Pair] = []
    while len(made) < count:
        by_label = chance.choice(passages)
        labels: list[Label] = list(chance.choices(kinds, weights)[0])
        if chance.random() < _THREE:
            labels.insert(chance.randrange(3), "supported")
        halves = [chance.choice(by_label[label]) for label in labels if by_label.get(label)]
        if len({half.claim for half in halves}) < len(labels):
            continue
        claim = _join([half.claim for half in halves], set(halves[0].passage.split()), chance)
        first = halves[0]
        if len(f"{claim} {first.passage}".split()) <= longest:
            made.append(Pair("made:joined", claim, first.passage, label_of(labels), first.held_out))
    return made


def label_of(labels: Sequence[Label]) -> Label:
    """Return the label of a claim whose parts have these: false if one is, and true only if all are."""
    if "contradicted" in labels:
        return "contradicted"
    return "not_enough" if "not_enough" in labels else "supported"


def _join(claims: Sequence[str], known: Container[str], chance: random.Random) -> str:
    text, *others = (claim[:-1] for claim in claims)
    for other in others:
        rest = _without_subject(text, other)
        if rest and chance.random() < _SHARED_SUBJECT:
            text += chance.choice((" and ", " and ", ", and ", ", but ")) + rest
        elif len(others) == 1 and chance.random() < 0.1:
            text = f"{chance.choice(_BEFORE)}{_inside(text, known)}, {_inside(other, known)}"
        else:
            between = chance.choice(_BETWEEN)
            text += between + (other if between == ". " else _inside(other, known))
    return f"{text}."


def _without_subject(first: str, second: str) -> str | None:
    """Return the second claim from its verb on if both begin with the same words before a verb, otherwise None."""
    words, others = first.split(), second.split()
    for n in range(1, min(len(words), len(others))):
        if words[:n] == others[:n] and _VERB.match(others[n]) and _VERB.match(words[n]):
            return " ".join(others[n:])
    return None


def _inside(claim: str, known: Container[str]) -> str:
    """Return a claim with a small first letter, unless its first word looks like a name."""
    first, space, rest = claim.partition(" ")
    return f"{first.lower() if _LOWERED.fullmatch(first) or first.lower() in known else first}{space}{rest}"
