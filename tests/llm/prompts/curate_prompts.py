"""Curation prompts: their values, and replies that can be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from factscope.benchmarks.curate import (
    KIND_WORDS,
    PlaceholderName,
    PlaceholderNames,
    PromptClass,
    TopicName,
    UsefulnessRatings,
)
from factscope.llm import json_reader

CURATING: dict[str, dict[str, str | Mapping[str, str]]] = {
    "curate/deanonymise": {"prompt": "Who is NAME_1?", "response": "A poet.", "placeholders": "NAME_1"},
    "curate/name_topic": {"words": "river length", "prompts": {"p1": "How long is the Oder?"}},
    "curate/useful": {"prompt": "A request."},
    "curate/verifiable": {"prompt": "A request.", "kind": KIND_WORDS},
}
CURATING_FORMS: dict[str, type[BaseModel]] = {"curate/useful": UsefulnessRatings, "curate/verifiable": PromptClass}
CURATING_REPLIES: list[tuple[str, Callable[[str], Any], str, Any]] = [
    (
        "curate/deanonymise",
        json_reader(PlaceholderNames),
        '{"names": [{"placeholder": "NAME_1", "name": "Ida Kern"}]}',
        PlaceholderNames(names=(PlaceholderName(placeholder="NAME_1", name="Ida Kern"),)),
    ),
    ("curate/name_topic", json_reader(TopicName), '{"name": "Rivers"}', TopicName(name="Rivers")),
    (
        "curate/useful",
        json_reader(UsefulnessRatings),
        '{"reason": "Plain.", "clarity": 5, "generalizability": 4, "relevance": 3, "feasibility": 0}',
        UsefulnessRatings(reason="Plain.", clarity=5, generalizability=4, relevance=3, feasibility=0),
    ),
    (
        "curate/verifiable",
        json_reader(PromptClass),
        '{"reason": "A year.", "kind": "Factual", "ambiguous": true, "readings": ["the town", "the ship"]}',
        PromptClass(reason="A year.", kind="Factual", ambiguous=True, readings=("the town", "the ship")),
    ),
]
