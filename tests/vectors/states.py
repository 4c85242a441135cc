"""Random states of a report: its records, what is ruled out, and the measures requested.

The records cover every rule and every odd case rather than resemble a real check: several judges and samples, failures
at every stage, claims that depend on others, copies, and addresses that need careful reading.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from factscope.engine import find_method

METHODS = ["builtin", "facts-and-evidence", "factscore", "safe", "standard", "verify", "veriscore"]
MEASURES = [
    "factual_precision",
    "hallucination",
    "hallucination(alpha=0.3)",
    " hallucination ( alpha = 1 ) ",
    "hallucination(alpha=1e-05)",
    "hallucination(alpha=0.123456789)",
    "credibility",
    "f1_at_k",
    "f1_at_k(k=3)",
    "f1_at_k(k=1000000)",
    "f1_at_k(k=2.5)",
    "f1_at_k(k=100000.5)",
    "f1_at_k(k=100001.5)",
    "factscore",
    "factscore(gamma=4)",
    "factscore(gamma=0)",
    "factscore(gamma=33)",
    "factscore(gamma=123456)",
    "coverage",
]
JUDGE = {
    "prompt": "standard/judge",
    "form": "json",
    "temperature": 0.5,
    "max_tokens": 2048,
    "labels": {"supported": "Ja", "contradicted": "Nein \u2014 \U0001f44e"},
}
LABELS = ["supported", "contradicted", "not_enough_evidence", "not_supported", "irrelevant"]
GAPS = ["insufficient", "partial", "outdated", "subjective", "conflicting"]
FLAGS = ("unsure", "nothing_to_read", "too_long", "partly_read", "other_language")
CATEGORIES = ["news", "blog", "wiki", "social_media", "scientific_medical", "government", "other"]
STAGES = ["segment", "claims", "evidence", "judging", "correction", "verdicts", "scores"]
BOUNDARIES = ["model", "search", "fetch", "read", "parse", "timeout", "budget", "internal"]
MESSAGES = ["The model is gone.", "a timeout", "Zeit überschritten", "\U0001f4a5 broken", "\ufb01le: no such page", "a"]
URLS = [
    "https://www.Example.org/a?b#c",
    "http://example.org:8080/",
    "https://user:pass@news.example.org/x",
    "https://notexample.org/",
    "HTTPS://BLOG.EXAMPLE./",
    "https://straße.example/",
    "https://STRASSE.example/",
    "https://b\u0131g.example/",
    "https://xn--strae-oqa.example/",
    "http://[::1]/",
    "http://[2001:DB8::7]:80/x",
    "http://[::ffff:1.2.3.4]/",
    "http://[1:2:3]/",
    "http://[nonsense]/",
    "http://[v1.x]/",
    "http://broken]/",
    "https://exam\u2100ple.org/",
    "  https://padded.example/\n",
    "https:/one.example/",
    "ftp://files.example/",
    "notes/bridge.md",
    "/home/a/b.pdf",
    "",
    None,
]
DOMAINS = ["example.org", "EXAMPLE.ORG", ".example.", "example", "blog.example", "strasse.example", "STRAẞE.example"]
DOMAINS += ["::1", "2001:db8::7", "1.2.3.4", "big.example", "org", "nowhere.test", "", "padded.example", "nonsense"]


def states(n: int, seed: int) -> list[dict[str, Any]]:
    """Make `n` states, the same for the same seed. Each holds `report`, `exclude` and `measures` as plain values."""
    chance = random.Random(seed)
    methods = {name: _rules_of(name) for name in METHODS}
    return [_state(chance, methods) for _ in range(n)]


def _rules_of(name: str) -> dict[str, Any]:
    """Return the deciding rules of a shipped method: a new setting elsewhere in it must not change the states."""
    values = find_method(name).model_dump(mode="json", include={"name", "title", "roll_up", "scores"})
    return {**values, "judge": JUDGE}


def _state(chance: random.Random, methods: dict[str, dict[str, Any]]) -> dict[str, Any]:
    method, judges = _method(chance, methods)
    report = _report(chance, method, judges)
    report["excluded"] = _exclusions(chance, report) if chance.random() < 0.2 else {}
    return {
        "report": report,
        "exclude": _exclusions(chance, report) if chance.random() < 0.8 else None,
        "measures": chance.choices(MEASURES, k=chance.randint(0, 4)) if chance.random() < 0.6 else None,
    }


def _method(chance: random.Random, methods: dict[str, dict[str, Any]]) -> tuple[dict[str, Any], list[tuple[str, int]]]:
    """Choose a shipped method, usually with other rules or judges, and its judges with their samples."""
    method = dict(methods[chance.choice(METHODS)])
    if chance.random() < 0.7:
        method["roll_up"] = {
            "unit": chance.choice(["strongest", "strongest", "share", "only"]),
            "threshold": chance.choice([0.0, 0.3, 0.5, 1.0, round(chance.random(), 3)]),
            "margin": chance.choice([0.0, 0.05, 0.1, 1.0, round(chance.random(), 3)]),
            "panel": chance.choice(["majority", "consensus", "mean"]),
            "tie": chance.choice(["undecided", "undecided", "contradicted"]),
            "segment": "worst",
            "response": "worst",
        }
        method["scores"] = chance.sample(
            ["factual_precision", "credibility", "coverage", "hallucination(alpha=0.5)", "factscore(gamma=10)"], 3
        )
    if chance.random() < 0.55:
        return method, [("lab/judge-1", chance.choice([1, 1, 1, 3, 4]))]
    seats = [{"name": f"v{n}"} for n in range(1, chance.choice([2, 2, 3, 4]) + 1)]
    method["judge"] = {"judges": seats, "arbiter": {"name": "arbiter"} if chance.random() < 0.4 else None}
    named = [*(seat["name"] for seat in seats), *(["arbiter"] if method["judge"]["arbiter"] else [])]
    return method, [(f"{name}-1", chance.choice([1, 1, 1, 2])) for name in named]


def _report(chance: random.Random, method: dict[str, Any], judges: Sequence[tuple[str, int]]) -> dict[str, Any]:
    response = chance.choice(["r1", "r1", "r1", "row-12", "a.b.3", "z", "s", "Ünit 7"])
    report: dict[str, Any] = {
        "factscope": "0.9.1",
        "response": {"id": response, "text": "x"},
        "method": method,
        "models": chance.choice([{}, {"judge": "openai/größer-4", "extract": "lab/\U0001f9ea"}]),
        "prompts": chance.choice([{}, {"standard/judge": "0123456789ab"}]),
        "searched": chance.choice([None, {"id": "e-77", "n_documents": 3, "n_passages": 9}]),
        **{name: [] for name in ("segments", "claims", "documents", "passages", "judgements", "failures")},
    }
    report["documents"] = [
        {
            "id": f"d-{n:016x}",
            "text": None,
            "sha256": "0",
            "url": chance.choice(URLS),
            "category": chance.choice(CATEGORIES),
        }
        for n in range(chance.randint(1, 5))
    ]
    for number in range(1, chance.choice([0, 1, 2, 3, 11, 12]) + 1):
        name = f"s{number}"
        report["segments"].append({"id": name, "span": {"start": 0, "end": 1}, "text": "x", "kind": "sentence"})
        for place in range(1, chance.choice([0, 1, 1, 2] if number > 3 else [0, 1, 2, 3]) + 1):
            _claim(chance, report, f"{name}.c{place}", judges)
        if chance.random() < 0.1:
            report["failures"].append(_failure(chance, name))
    if chance.random() < 0.1:
        report["failures"].append(_failure(chance, response))
    chance.shuffle(report["claims"])
    chance.shuffle(report["judgements"])
    return report


def _claim(chance: random.Random, report: dict[str, Any], name: str, judges: Sequence[tuple[str, int]]) -> None:
    earlier = [claim["id"] for claim in report["claims"]]
    report["claims"].append(
        {
            "id": name,
            "segment_id": name.partition(".")[0],
            "text": "x",
            "standalone": "x",
            "kind": chance.choice(["fact", "fact", "claim"]),
            "depends_on": chance.sample(earlier, min(len(earlier), chance.choice([0, 0, 0, 1, 2]))),
            "skipped": "a question" if chance.random() < 0.08 else None,
        }
    )
    passages: list[dict[str, Any]] = []
    for rank in range(1, chance.choice([0, 1, 2, 3]) + 1):
        copied = chance.choice(passages)["id"] if passages and chance.random() < 0.35 else None
        first = next((p["copy_of"] or p["id"] for p in passages if p["id"] == copied), None)
        shown = {"span": {"start": 0, "end": 1}, "text": "y", "rank": rank, "score": 1.0}
        source = chance.choice(report["documents"])["id"]
        passages.append({"id": f"{name}.p{rank}", "claim_id": name, "document_id": source, "copy_of": first, **shown})
    report["passages"] += passages
    report["judgements"] += _judgements(chance, name, [passage["id"] for passage in passages], judges)
    if chance.random() < 0.12:
        report["failures"].append(_failure(chance, name))


def _judgements(
    chance: random.Random, claim: str, passages: Sequence[str], judges: Sequence[tuple[str, int]]
) -> list[dict[str, Any]]:
    together = chance.random() < 0.5
    broken, silent, leaning = chance.choice([0, 0, 0.3]), chance.random() < 0.15, chance.choice(LABELS)
    made, number = [], 0
    for judge, samples in judges:
        for _ in range(samples):
            number += 1
            if (not passages and chance.random() < 0.7) or (silent and chance.random() < 0.5):
                continue  # a judge is rarely asked without evidence, and a panel member may give nothing
            for base, read in [(claim, list(passages))] if together else [(one, [one]) for one in passages]:
                made.append(_judgement(chance, claim, f"{base}.j{number}", read, judge, broken, leaning))
    return made


def _judgement(
    chance: random.Random, claim: str, name: str, read: list[str], judge: str, broken: float, leaning: str
) -> dict[str, Any]:
    values: dict[str, Any] = {"id": name, "unit_id": claim, "passage_ids": read, "judge": judge}
    if chance.random() < broken:
        return {**values, "failure": chance.choice(MESSAGES)}
    if chance.random() < 0.1:
        why = {"flags": [chance.choice(FLAGS)], "rationale": chance.choice(MESSAGES)}
        return {**values, "label": "not_enough_evidence", **why}
    sure = chance.choice([None, 0.0, 1.0, chance.randint(0, 20) / 20, chance.randint(0, 10) / 10, chance.random()])
    label = leaning if chance.random() < 0.4 else chance.choice(LABELS)
    gap = chance.choice(GAPS) if chance.random() < 0.3 else None
    return {**values, "label": label, "confidence": sure, "gap": gap}


def _failure(chance: random.Random, unit: str) -> dict[str, Any]:
    return {
        "unit_id": unit,
        "stage": chance.choice(STAGES),
        "boundary": chance.choice(BOUNDARIES),
        "message": chance.choice(MESSAGES),
        "about": "https://example.org/a" if chance.random() < 0.3 else None,
    }


def _exclusions(chance: random.Random, report: dict[str, Any]) -> dict[str, Any]:
    def some(values: Sequence[Any], most: int) -> list[Any]:
        return chance.choices(values, k=chance.randint(1, most)) if values and chance.random() < 0.4 else []

    documents = [name for one in report["documents"] for name in (one["id"], one["url"]) if name is not None]
    found = {
        "passages": some([one["id"] for one in report["passages"]], 5),
        "documents": some(documents, 2),
        "domains": some(DOMAINS, 3),
        "categories": some(CATEGORIES, 2),
        "copies": chance.random() < 0.4,
    }
    return {name: values for name, values in found.items() if values}
