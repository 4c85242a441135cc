"""Method `builtin` from retrieval to verdict on labelled claims, and the margin of its roll-up.

    .venv/bin/python perf/end_to_end.py ../shared/data

A verifier is trained on a claim with *its* evidence. In use it reads the five best passages of a collection, most of
which are about something else. Here each claim of three labelled sets is searched in all evidence texts of its set,
judged and rolled up. One claim in three loses its own evidence beforehand, so that the right answer is "undecided or
nothing found"; claims whose evidence others share keep it. For each margin the table shows macro-F1 and what was said
of the claims of each gold label. The verifier was trained on parts of these sets, so the figures are kind to it.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from factscope.core.labels import Outcome
from factscope.core.records import Claim, Judgement
from factscope.engine.find_method import find_method
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings
from factscope.evidence.collection import open_collection
from factscope.judging.verifiers.protocol import ClaimPair, Prediction
from factscope.methods import RollUp
from factscope.scoring.verdicts.claim_verdict import claim_verdict

SETS = {"claim_fm2": 600, "claim_scifact": 500, "claim_feverous": 500}
OUTCOMES: tuple[tuple[str, tuple[Outcome, ...]], ...] = (
    ("supported", ("supported",)),
    ("contradicted", ("contradicted",)),
    ("not_enough", ("undecided", "no_evidence")),
)
SEED = 5


class Case(NamedTuple):
    """A claim, what the right outcome is, and what the verifier said of the passages found."""

    gold: str
    opinions: list[Prediction]


def load(path: Path, most: int) -> tuple[list[tuple[str, str]], list[str]]:
    """Return claims with their gold outcome, and the evidence texts left in the collection."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    random.Random(SEED).shuffle(rows)
    uses = Counter(row["evidence"] for row in rows)
    claims, kept = [], set()
    for number, row in enumerate(rows):
        bereft = number % 3 == 0 and uses[row["evidence"]] == 1
        if not bereft:
            kept.add(row["evidence"])
        claims.append((row["claim"], "not_enough" if bereft else row["label"]))
    return claims[:most], sorted(kept)


def judge(claims: list[tuple[str, str]], texts: list[str], folder: Path) -> list[Case]:
    """Search and judge every claim as the method does."""
    evidence = folder / "evidence.jsonl"
    evidence.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    tools = open_tools(evidence, settings=Settings(cache=folder))
    verifier = tools.verifiers["builtin"]()
    collection = open_collection([evidence], folder)
    passages = find_method("builtin").evidence.passages
    cases = []
    for claim, gold in claims:
        found = collection.search(claim, passages)
        cases.append(Case(gold, verifier.verify([ClaimPair(claim, hit.text) for hit in found])))
    return cases


def outcome(case: Case, rules: RollUp) -> str:
    """Return where the claim ends under these rules, in the three classes of the gold labels."""
    judgements = [
        Judgement(
            id=f"s1.c1.p{n}.j1",
            unit_id="s1.c1",
            passage_ids=(f"s1.c1.p{n}",),
            judge="builtin",
            label=opinion.label,
            confidence=opinion.confidence,
        )
        for n, opinion in enumerate(case.opinions, 1)
    ]
    claim = Claim(id="s1.c1", segment_id="s1", text="x", standalone="x")
    ended = claim_verdict(claim, judgements, [], rules).outcome
    return next(name for name, outcomes in OUTCOMES if ended in outcomes)


def macro_f1(pairs: list[tuple[str, str]]) -> float:
    """Return the mean F1 over the classes, from (gold, predicted)."""
    scores = []
    for name, _ in OUTCOMES:
        right = sum(gold == name == said for gold, said in pairs)
        wrong = sum((gold == name) != (said == name) for gold, said in pairs)
        scores.append(2 * right / (2 * right + wrong) if right + wrong else 1.0)
    return sum(scores) / len(scores)


def show(name: str, cases: list[Case], rules: RollUp) -> float:
    """Print one line and give its macro-F1."""
    pairs = [(case.gold, outcome(case, rules)) for case in cases]
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for gold, said in pairs:
        table[gold][said] += 1
    shares = []
    for label, _ in OUTCOMES:
        n = table[label].total()
        shares.append(" ".join(f"{table[label][other] / n if n else 0:5.2f}" for other, _ in OUTCOMES))
    score = macro_f1(pairs)
    print(f"{name:16} {rules.margin:6.2f} {score:8.3f}   {'  |  '.join(shares)}")
    return score


def main(data: Path) -> None:
    """Judge all sets once, then roll up under many rules."""
    cases = {}
    for name, most in SETS.items():
        with tempfile.TemporaryDirectory() as folder:
            cases[name] = judge(*load(data / f"{name}.jsonl", most), Path(folder))
    own = find_method("builtin").roll_up
    names = ", ".join(name for name, _ in OUTCOMES)
    print(f"{'set':16} {'margin':>6} {'macro-F1':>8}   share said ({names}) for each gold label of these")
    for margin in (0.0, 0.02, 0.05, 0.1, 0.2):
        rules = own.model_copy(update={"margin": margin})
        mean = sum(show(name, found, rules) for name, found in cases.items()) / len(cases)
        print(f"{'mean':16} {margin:6.2f} {mean:8.3f}")
    print("\nas shipped")
    for name, found in cases.items():
        show(name, found, own)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: end_to_end.py DATA_FOLDER")
    main(Path(sys.argv[1]))
