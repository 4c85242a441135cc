"""The prompts of curation: what they are filled with, and replies that can be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from factscope.benchmarks.curate.placeholders import Named, Naming
from factscope.benchmarks.curate.topic_names import Name
from factscope.benchmarks.curate.usefulness import Rated
from factscope.benchmarks.curate.verifiability import KIND_WORDS, Sorted
from factscope.llm.structured import json_reader

CURATING: dict[str, dict[str, str | Mapping[str, str]]] = {
    "curate/deanonymise": {"prompt": "Who is NAME_1?", "response": "A poet.", "placeholders": "NAME_1"},
    "curate/name_topic": {"words": "river length", "prompts": {"p1": "How long is the Oder?"}},
    "curate/useful": {"prompt": "A request."},
    "curate/verifiable": {"prompt": "A request.", "kind": KIND_WORDS},
}
CURATING_FORMS: dict[str, type[BaseModel]] = {"curate/useful": Rated, "curate/verifiable": Sorted}
CURATING_REPLIES: list[tuple[str, Callable[[str], Any], str, Any]] = [
    (
        "curate/deanonymise",
        json_reader(Naming),
        '{"names": [{"placeholder": "NAME_1", "name": "Ida Kern"}]}',
        Naming(names=(Named(placeholder="NAME_1", name="Ida Kern"),)),
    ),
    ("curate/name_topic", json_reader(Name), '{"name": "Rivers"}', Name(name="Rivers")),
    (
        "curate/useful",
        json_reader(Rated),
        '{"reason": "Plain.", "clarity": 5, "generalizability": 4, "relevance": 3, "feasibility": 0}',
        Rated(reason="Plain.", clarity=5, generalizability=4, relevance=3, feasibility=0),
    ),
    (
        "curate/verifiable",
        json_reader(Sorted),
        '{"reason": "A year.", "kind": "Factual", "ambiguous": true, "readings": ["the town", "the ship"]}',
        Sorted(reason="A year.", kind="Factual", ambiguous=True, readings=("the town", "the ship")),
    ),
]
