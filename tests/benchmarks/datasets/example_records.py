"""A few invented records in the original form of each data set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from factscope.benchmarks.datasets import LabelledData, load

FELM: list[dict[str, Any]] = [
    {
        "index": "0",
        "domain": "wk",
        "source": "quora",
        "prompt": "When was the Marlow bridge opened?",
        "response": "The Marlow bridge was opened in 1913. It has four arches.",
        "segmented_response": ["The Marlow bridge was opened in 1913. ", "It has four arches."],
        "labels": [False, True],
        "comment": ["It was 1931.", ""],
        "type": ["knowledge_error", None],
        "ref": ["https://marlow.example/bridge", "https://marlow.example/gone"],
        "ref_contents": ["The Marlow bridge was opened in 1931. It has four arches.", ""],
    },
    {
        "index": "1",
        "domain": "reasoning",
        "source": "gsm8k",
        "prompt": "Two and two?",
        "response": "1.\n2 + 2 = 4.\nSo it is 4.",
        "segmented_response": ["1.", "2 + 2 = 4.", "So it is 4."],
        "labels": [True, True, True],
        "comment": [],
        "type": "",
        "ref": [],
        "ref_contents": "",
    },
    {
        "index": "350",
        "domain": "math",
        "source": "math",
        "prompt": "x?",
        "response": float("nan"),
        "segmented_response": ["x = 1", "x = 2"],
        "labels": [True, False],
        "comment": ["", ""],
        "type": ["", ""],
        "ref": [],
        "ref_contents": [],
    },
    {
        "index": "3",
        "domain": "writing_rec",
        "source": "chat",
        "prompt": "Three books?",
        "response": "Read Salt Roads by Ida Kern. Read The Osk Tower.",
        "segmented_response": [
            "Read Salt Roads (Ida Kern).",
            "Read The Osk Tower.",
            "Nothing of the sort stands there",
        ],
        "labels": [True, True, False],
        "comment": ["", "", "no such book"],
        "type": [None, None, "fooled"],
        "ref": ["https://books.example"],
        "ref_contents": ["Salt Roads is a novel.", "A second one."],
    },
]
FAVA = [
    {
        "prompt": "Who is Ida Kern?",
        "output": "Ida Kern is a painter. She built the hall. She sings badly. She may fly.",
        "annotated": "Ida Kern is a <entity><delete>painter</delete><mark>architect</mark></entity>. She built the"
        " <relation><mark>town</mark></relation>hall. <subjective>She sings badly.</subjective> She may fly.",
        "model": "chatgpt",
    },
    {
        "prompt": "And Tor Hald?",
        "output": "Tor Hald bakes. He was born in Varn. It is an island.",
        "annotated": "Tor Hald bakes. <invented>He was born in Varn. It is an island.",
        "model": "llama",
    },
]
FACTCHECK_BENCH = [
    {
        "prompt": "Bridge?",
        "response": "The bridge opened in 1913. It is lovely.",
        "response_factuality": False,
        "sentences": {
            "sentence1": {
                "text": "The bridge opened in 1913.",
                "sentence_factuality_label": False,
                "claims": ["The bridge opened in 1913.", "There is a bridge."],
                "claims_factuality_label": [False, True],
            },
            "sentence2": {
                "text": "It is lovely.",
                "sentence_factuality_label": None,
                "claims": ["It is lovely."],
                "claims_factuality_label": [None],
            },
        },
    }
]
FACTSCORE = [
    {
        "input": "Question: Tell me a bio of Ida Kern.",
        "output": "Ida Kern is an architect. She lives in Oslo.",
        "topic": "Ida Kern",
        "cat": ["rare"],
        "annotations": [
            {
                "text": "Ida Kern is an architect.",
                "is-relevant": True,
                "human-atomic-facts": [{"text": "Ida Kern is an architect.", "label": "S"}],
            },
            {
                "text": "She lives in Oslo.",
                "is-relevant": True,
                "human-atomic-facts": [
                    {"text": "She lives in Oslo.", "label": "NS"},
                    {"text": "Oslo is a city.", "label": "IR"},
                ],
            },
        ],
    },
    {"input": "Question: Tell me a bio of Nobody.", "output": "I can't.", "topic": "Nobody", "annotations": None},
]
HALUEVAL: list[dict[str, Any]] = [
    {
        "ID": "7",
        "user_query": "Bridge?",
        "chatgpt_response": "It opened in 1913.",
        "hallucination": "yes",
        "hallucination_spans": ["opened in 1913"],
    },
    {
        "knowledge": "The bridge opened in 1931.",
        "question": "When did the bridge open?",
        "right_answer": "1931",
        "hallucinated_answer": "In the year 1913",
    },
]
WICE = [
    {
        "label": "partially_supported",
        "supporting_sentences": [[0]],
        "claim": "Ida Kern built the hall in 1908.",
        "evidence": ["Ida Kern built the hall.", "It stands."],
        "meta": {"id": "dev00001", "claim_title": "Ida Kern"},
    }
]
FM2 = [
    {
        "id": "abc",
        "label": "REFUTES",
        "text": "The hall is older than the town.",
        "gold_evidence": [{"text": "The town was founded in 1200.", "section_header": "History"}],
        "wikipedia_page": "Marlow",
    }
]
SCIFACT: list[dict[str, Any]] = [
    {"id": 1, "claim": "Tea cures colds.", "evidence": {"11": [{"sentences": [0], "label": "CONTRADICT"}]},
     "cited_doc_ids": [11]},
    {"id": 2, "claim": "Rain is wet.", "evidence": {}, "cited_doc_ids": [11]},
    {"id": 3, "claim": "Sun is hot.", "evidence": {"99": [{"sentences": [0], "label": "SUPPORT"}]},
     "cited_doc_ids": [99]},
]  # fmt: skip
CORPUS = [{"doc_id": 11, "title": "On tea", "abstract": ["Tea did nothing.", "Colds went by."], "structured": False}]


def written(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    """Write a file of JSON lines, or of one array for .json."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row) for row in rows]
    content = "[" + ",\n".join(lines) + "]" if name.endswith(".json") else "\n".join(lines) + "\n"
    (folder / name).write_text(content, encoding="utf-8")
    return folder / name


def read(folder: Path, rows: list[dict[str, Any]], name: str = "", file: str = "some.jsonl") -> LabelledData:
    """Write these rows to a file and read it by the name of a data set, or by its columns."""
    path = written(folder, file, rows)
    return load(name or str(path), path if name else None, cache=folder / "cache", environment={})
