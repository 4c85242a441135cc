"""Speed of the table of FACTS Grounding, at the size of the published one.

Run `python perf/grounding.py`. It makes up verdicts for 1,719 examples, 9 models and 3 judges, with 1 % of the calls
missing, and makes everything that the table says: both tables with 2,000 resamples of examples, the differences of all
36 pairs, self-preference, agreement, and scores corrected for the errors of the judges; then the same from a file of
these verdicts, as `factscope bench facts-table` does. The first call of each is measured.
"""

from __future__ import annotations

import json
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from factscope.benchmarks.examples import BenchmarkPlan, Example, Examples, GivenAnswers
from factscope.benchmarks.facts_grounding.grounding_result import as_json, read_results, summary_of
from factscope.benchmarks.facts_grounding.grounding_run import (
    AnswerVerdicts,
    GroundingOutcome,
    GroundingPanel,
    SentenceCounts,
)
from factscope.benchmarks.facts_grounding.run_scores import summarise
from factscope.benchmarks.facts_grounding.score_table import Floats, VerdictArrays
from factscope.core.records import Response
from factscope.engine.run import RunProgress
from factscope.methods.method_catalogue import method_named
from factscope.scoring.detection import Confusion

SIZES = (860, 859)
N_MODELS, N_JUDGES = 9, 3
JUDGE = Confusion(tp=305, fp=28, fn=39, tn=34)


def made_up() -> VerdictArrays:
    """Return verdicts on which the judges agree in part."""
    random = np.random.default_rng(7)
    shape = (sum(SIZES), N_MODELS, N_JUDGES)
    hard = random.normal(size=(shape[0], 1, 1)) + random.normal(size=(shape[0], N_MODELS, 1))
    skill = np.linspace(2.4, 0.6, N_MODELS)[None, :, None] + np.array([0.4, -0.5, 0.1])
    accurate = (hard + random.normal(size=shape) < skill).astype(np.float64)
    ineligible = (random.random(shape) < 0.1).astype(np.float64)
    for values in (accurate, ineligible):
        values[random.random(shape) < 0.01] = np.nan
    return VerdictArrays(
        tuple(f"vendor/model-{m}" for m in range(N_MODELS)),
        tuple(f"vendor/model-{j}" for j in range(N_JUDGES)),
        ("open", "blind"),
        np.repeat(np.arange(2), SIZES),
        accurate,
        ineligible,
    )


def main() -> None:
    """Print the figures."""
    verdicts = made_up()
    families = {name: f"family {int(name[-1]) // 3}" for name in verdicts.models}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start, cpu = time.perf_counter(), time.process_time()
    made = summarise(
        verdicts,
        families=families,
        refused=np.zeros(verdicts.accurate.shape[:2], dtype=bool),
        errors=dict.fromkeys(verdicts.judges, JUDGE),
    )
    seconds, worked = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    first = made.final.rows[0].average if made.final else None
    print(f"{sum(SIZES):,} examples, {N_MODELS} models, {N_JUDGES} judges, 2,000 resamples")
    print(f"  {seconds:.2f} s, {worked:.2f} s of processors; target 5 s")
    print(f"  {peak:.0f} MB at most, {before:.0f} MB before; target 500 MB")
    if first and first.score is not None and first.bootstrap:
        print(f"  the first model: {first.score:.3f}, {first.bootstrap.low:.3f} to {first.bootstrap.high:.3f}")
    from_a_file(verdicts)


def from_a_file(verdicts: VerdictArrays) -> None:
    """Do the same from a file of the verdicts."""
    names = [f"{verdicts.splits[split]}-{n}" for n, split in enumerate(verdicts.split)]
    rows = tuple(
        Example(name, verdicts.splits[split], Response(id=name, text=""), {})
        for name, split in zip(names, verdicts.split, strict=True)
    )
    examples = Examples(rows, verdicts.splits, (), "made up")
    plan = BenchmarkPlan(examples, rows, GivenAnswers({}, verdicts.models, ()))
    panel = GroundingPanel(verdicts.judges, ("json",) * N_JUDGES, method_named("facts-grounding"))
    entries = tuple(
        AnswerVerdicts(
            id=row.id,
            split=row.split,
            model=model,
            accurate=_said(verdicts.accurate[e, m]),
            ineligible=None if verdicts.ineligible is None else _said(verdicts.ineligible[e, m]),
            unanswered=False,
        )
        for e, row in enumerate(rows)
        for m, model in enumerate(verdicts.models)
    )
    outcome = GroundingOutcome(plan, panel, entries, verdicts, RunProgress("made-up"), 0, (), SentenceCounts())
    values = as_json(summary_of(outcome, resamples=2), outcome, resamples=2, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.json"
        path.write_text(json.dumps(values), encoding="utf-8")
        start = time.perf_counter()
        found = read_results([path])
        read = time.perf_counter() - start
        summary_of(found, dict.fromkeys(verdicts.judges, JUDGE))
        seconds = time.perf_counter() - start
        size = path.stat().st_size / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  from a file of {size:.1f} MB: {seconds:.2f} s, {read:.2f} s of it to read it; {peak:.0f} MB at most")


def _said(values: Floats) -> tuple[bool | None, ...]:
    return tuple(None if np.isnan(value) else bool(value) for value in values)


if __name__ == "__main__":
    main()
