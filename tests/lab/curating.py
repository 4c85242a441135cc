"""Stand-in replies to the curation prompts: the kind of a prompt, its usefulness, the name of a topic.

They depend only on the words of a prompt and on marks that a test may put into it: `[faithful]`, `[neither]`,
`[ambiguous]`, and `[2 3 4 5]` for the four usefulness scores.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .brain import Asked

_MADE_UP = re.compile(r"\b(?:poem|story|joke|song|pretend|role-?play|python|code)\b", re.IGNORECASE)
_GIVEN = re.compile(r"\b(?:summari[sz]e|translate|rewrite|shorten)\b", re.IGNORECASE)
_SCORES = re.compile(r"\[([0-5]) ([0-5]) ([0-5]) ([0-5])\]")


def _kind(asked: Asked) -> str:
    """Answer curate/verifiable."""
    prompt = asked.one["prompt"]
    faithful = "[faithful]" in prompt or _GIVEN.search(prompt)
    neither = "[neither]" in prompt or _MADE_UP.search(prompt)
    ambiguous = "[ambiguous]" in prompt
    said = {
        "reason": "By what the answer would rest on.",
        "kind": asked.word[f"kind.{'faithful' if faithful else 'neither' if neither else 'factual'}"],
        "ambiguous": ambiguous,
        "readings": ["one thing", "another"] if ambiguous else [],
    }
    return json.dumps(said)


def _scores(asked: Asked) -> str:
    """Answer curate/useful."""
    prompt = asked.one["prompt"]
    marked = _SCORES.search(prompt)
    scores = [int(score) for score in marked.groups()] if marked else [5 if len(prompt.split()) > 3 else 3] * 4
    names = ("clarity", "generalizability", "relevance", "feasibility")
    return json.dumps({"reason": "It was read.", **dict(zip(names, scores, strict=True))})


def _names(asked: Asked) -> str:
    """Answer curate/deanonymise."""
    held = asked.one["placeholders"].replace(",", " ").split()
    return json.dumps(
        {"names": [{"placeholder": one, "name": f"Ida {_SURNAMES[at % 3]}"} for at, one in enumerate(held)]}
    )


_SURNAMES = ("Kern", "Berg", "Holm")


def _name(asked: Asked) -> str:
    """Answer curate/name_topic."""
    return json.dumps({"name": f"On {' and '.join(asked.one['words'].split()[:2])}"})


CURATING: dict[str, Callable[[Asked], str]] = {
    "curate/deanonymise": _names,
    "curate/name_topic": _name,
    "curate/useful": _scores,
    "curate/verifiable": _kind,
}
