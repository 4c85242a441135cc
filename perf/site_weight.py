"""Weight of a FACTS Grounding leaderboard site, at the size of the public split.

Run `python perf/site_weight.py`. It makes up 860 examples and answers of nine models: documents as long as those
published (2,500 tokens on average, 32,000 at most), answers of twelve sentences, and three judges that label each
sentence, two of them with excerpts, and give reasons. Then it builds the site and weighs it. Smaller: `--examples 50`.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np

from factscope.benchmarks.leaderboard.boards import RunRecord
from factscope.benchmarks.leaderboard.result_files import gather
from factscope.benchmarks.leaderboard.site import write_site
from factscope.core.records import (
    Claim,
    Document,
    Eligibility,
    Finding,
    Judgement,
    Passage,
    Quote,
    Report,
    Response,
    Segment,
    Span,
    Verdict,
)
from factscope.methods.library.facts_grounding import with_judges

MODELS = tuple(f"vendor/model-{number}" for number in range(9))
JUDGES = ("openai/gpt-4.1", "anthropic/claude-sonnet-4-5", "google/gemini-2.5-pro")
RUN = "0123456789abcdef"
SENTENCES, WORDS = 12, 20
MEAN_TOKENS, MOST_TOKENS = 2_500, 32_000
CHARACTERS = 4.0
"""Letters of a token of English."""
TARGET = 40.0
_SYLLABLES = ("ba", "ker", "lo", "mi", "nu", "pra", "ste", "tion", "ve", "dor", "al", "ing")


_POOL = ["".join(np.random.default_rng((0, i)).choice(_SYLLABLES, 1 + i % 3)) for i in range(3_000)]
"""Made-up words, of as many letters as English ones."""


def sentence(random: np.random.Generator, n: int) -> str:
    """Return a sentence of made-up words."""
    words = [_POOL[index] for index in random.integers(0, len(_POOL), n)]
    return f"{' '.join(words).capitalize()}."


def document(number: int) -> Document:
    """Return the document of an example."""
    random = np.random.default_rng((1, number))
    tokens = min(random.lognormal(np.log(MEAN_TOKENS) - 0.5, 1.0), MOST_TOKENS)
    n = max(2, round(tokens * CHARACTERS / (6.3 * WORDS)))
    text = " ".join(sentence(random, WORDS) + ("\n\n" if i % 6 == 5 else "") for i in range(n))
    return Document(id=f"d-{number}", text=text, sha256=sha256(text.encode()).hexdigest())


class MadeUpReports(Mapping[str, Report]):
    """Made-up judgements of each answer, created on request."""

    def __init__(self, n: int) -> None:
        self.keys_made = {
            f"open-{number}/{model}": (number, m) for number in range(n) for m, model in enumerate(MODELS)
        }
        self.last: tuple[int, Document] = (0, document(0))

    def __getitem__(self, name: str) -> Report:
        number, m = self.keys_made[name]
        if self.last[0] != number:
            self.last = number, document(number)
        return judged(name, np.random.default_rng((2, number, m)), self.last[1])

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys_made)

    def __len__(self) -> int:
        return len(self.keys_made)


def judged(name: str, random: np.random.Generator, doc: Document) -> Report:
    """Return one answer with its judges: nine of ten sentences are supported."""
    sentences = [sentence(random, WORDS) for _ in range(SENTENCES)]
    text = " ".join(sentences)
    length = len(doc.text or "")
    passage = Passage(
        id="s1.c1.p1",
        claim_id="s1.c1",
        document_id=doc.id,
        span=Span(start=0, end=length),
        text=doc.text,
        rank=1,
        score=1,
    )
    findings, at = [], 0
    for s, words in enumerate(sentences):
        start = int(random.integers(0, max(1, length - 120)))
        for j in range(len(JUDGES)):
            good = random.random() < 0.9
            start = start if random.random() < 0.5 else int(random.integers(0, max(1, length - 120)))
            quote = Quote(
                passage_id=passage.id, span=Span(start=start, end=start + 100), text=passage.text[start : start + 100]
            )
            findings.append(
                Finding(
                    id=f"s1.c1.j{j + 1}.f{s + 1}",
                    judgement_id=f"s1.c1.j{j + 1}",
                    text=words,
                    span=Span(start=at, end=at + len(words)),
                    label="supported" if good else "not_enough_evidence",
                    raw_label="supported" if good else "unsupported",
                    rationale=sentence(random, WORDS),
                    quotes=(quote,) if good and j < 2 else (),
                )
            )
        at += len(words) + 1
    judgements = [
        Judgement(id=f"s1.c1.j{j + 1}", unit_id="s1.c1", passage_ids=(passage.id,), judge=judge, label="supported")
        for j, judge in enumerate(JUDGES)
    ]
    return Report(
        factscope="0",
        response=Response(id=name, text=text, prompt=sentence(random, 30), context=(doc,)),
        method={"name": "facts-grounding"},
        segments=(Segment(id="s1", span=Span(start=0, end=len(text)), text=text, kind="whole"),),
        claims=(Claim(id="s1.c1", segment_id="s1", text=text, standalone=text),),
        passages=(passage,),
        judgements=tuple(judgements),
        findings=tuple(findings),
        eligibility=tuple(
            Eligibility(id=f"r1.e{j + 1}", judge=judge, eligible=True, raw_label="No Issues")
            for j, judge in enumerate(JUDGES)
        ),
        verdicts=(
            Verdict(unit_id="s1.c1", level="claim", outcome="supported", rule="majority"),
            Verdict(unit_id="s1", level="segment", outcome="supported", rule="majority"),
            Verdict(unit_id=name, level="response", outcome="supported", rule="majority"),
        ),
        counts={"supported": 1},
    )


def result(n: int) -> dict[str, object]:
    """Return the verdicts, as `bench facts-grounding` writes them."""
    random = np.random.default_rng(3)
    return {
        "benchmark": "facts-grounding",
        "factscope": "0",
        "run": RUN,
        "examples": {"sha256": "ab" * 32, "n": n, "splits": ["open"]},
        "judges": [{"name": name, "model": name, "template": "json", "family": None} for name in JUDGES],
        "method": with_judges(["json"] * len(JUDGES)).model_dump(mode="json"),
        "verdicts": [
            {
                "id": f"open-{number}",
                "split": "open",
                "model": model,
                "accurate": (random.random(len(JUDGES)) < 0.8).tolist(),
                "ineligible": [False] * len(JUDGES),
                "refused": False,
            }
            for number in range(n)
            for model in MODELS
        ],
    }


def main() -> None:
    """Build the site and print its size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=860)
    n = parser.parse_args().examples
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        path.write_text(json.dumps(result(n)), encoding="utf-8")
        run = RunRecord(RUN, "facts-grounding", "2026-11-22", "0", {}, {}, None, MadeUpReports(n))
        start, cpu = time.perf_counter(), time.process_time()
        boards, _ = gather([path], [], public=["open"], totals_only=(), find=lambda name: run)
        pages = write_site(boards, Path(folder) / "site")
        seconds, worked = time.perf_counter() - start, time.process_time() - cpu
        sizes = {file: file.stat().st_size for file in (Path(folder) / "site").rglob("*") if file.is_file()}
    shared = [size for file, size in sizes.items() if file.parent.name == "examples"]
    megabytes = sum(sizes.values()) / 1e6
    print(f"{n:,} examples, {len(MODELS)} models, {len(JUDGES)} judges: {pages:,} pages")
    print(f"  {megabytes:.1f} MB in all; target for 860 examples {TARGET:.0f} MB")
    print(f"  {sum(shared) / 1e6:.1f} MB of it examples, {max(shared) / 1e3:.0f} kB the largest page")
    print(f"  {seconds:.0f} s, {worked:.0f} s of processors")
    print(f"  {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB of memory at most")


if __name__ == "__main__":
    main()
