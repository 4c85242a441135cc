"""Overhead of Factscope around a verifier: pairs as records through its judging against the bare model.

    .venv/bin/python perf/verifier.py [PAIRS] [VERIFIER]

Default: 10,000 pairs, the built-in verifier. Bare: `verify` on batches of the size that judging uses. Each claim of the
other has one passage, is judged among as many claims in flight as a check has, and becomes a judgement. The two take
turns in slices, so that a busy machine is equally busy for both.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Sequence
from time import perf_counter

from factscope.core.records import Claim, Passage, Response, Span
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import load_settings
from factscope.judging.cases import JudgeCase
from factscope.judging.verifiers.protocol import ClaimPair, Verifier
from factscope.judging.verifiers.unsupported_words import MOST
from factscope.judging.verifiers.verifier_judge import verify
from factscope.llm.session import CheckContext, gather_all
from factscope.methods import VerifierJudge

SLICE = 500


def main() -> None:
    """Print seconds and the ratio."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    name = sys.argv[2] if len(sys.argv) > 2 else "builtin"
    verifier = open_tools(settings=load_settings()[0]).verifiers[name]()
    pairs = made(n)
    verifier.verify(pairs[:10])
    bare = ours = 0.0
    for number, start in enumerate(range(0, n, SLICE)):
        part = pairs[start : start + SLICE]
        for own in (False, True) if number % 2 else (True, False):
            begun = perf_counter()
            if own:
                asyncio.run(through(verifier, part))
                ours += perf_counter() - begun
            else:
                for at in range(0, len(part), MOST):
                    verifier.verify(part[at : at + MOST])
                bare += perf_counter() - begun
    print(f"{verifier.name}: {n:,} pairs, bare {bare:.1f} s, through judging {ours:.1f} s, ratio {ours / bare:.3f}")


def made(n: int) -> list[ClaimPair]:
    """Return claims and passages of invented words, each different."""
    draw = random.Random(0)
    words = ["harbour", "ferry", "bridge", "market", "mayor", "storm", "school", "tower", "herring", "library"]
    verbs = ["opened", "closed", "moved", "burned", "grew", "fell"]
    found = []
    for number in range(n):
        said = [f"The {draw.choice(words)} {draw.choice(verbs)} in {draw.randint(1800, 2020)}." for _ in range(8)]
        claim = draw.choice(said) if number % 2 else f"The {draw.choice(words)} {draw.choice(verbs)} in 1900."
        found.append(ClaimPair(claim, f"Note {number}. {' '.join(said)}"))
    return found


async def through(verifier: Verifier, pairs: Sequence[ClaimPair]) -> None:
    """Judge the pairs as claims with their passages."""
    kept: list[object] = []
    job = CheckContext(Response(text="-"), (), lambda *records: kept.extend(records))
    await gather_all(
        verify(job, verifier, 1, _case(number, pair), VerifierJudge()) for number, pair in enumerate(pairs, 1)
    )
    assert len(kept) == len(pairs)


def _case(number: int, pair: ClaimPair) -> JudgeCase:
    name, span = f"s{number}.c1", Span(start=0, end=len(pair.passage))
    claim = Claim(id=name, segment_id=f"s{number}", text=pair.claim, standalone=pair.claim)
    passage = Passage(
        id=f"{name}.p1", claim_id=name, document_id="d-0", span=span, text=pair.passage, rank=1, score=1.0
    )
    return JudgeCase(claim, (passage,), {})


if __name__ == "__main__":
    main()
