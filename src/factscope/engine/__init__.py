"""The engine: one response through all stages, its records as they are made, and the report that combines them.

segment → claims → evidence → judging → verdicts → scores

Claims are processed concurrently and finish in any order; their ids keep the order, and the same records give the same
report in whatever order they arrive. A unit that fails leaves a `Failure` record, made in one place
(`CheckContext.fail`).
"""

from factscope.engine.check import (
    MAX_CHARACTERS,
    OnEvents,
    as_response,
    batches,
    batches_together,
    check,
    check_sync,
    stream,
)
from factscope.engine.fold import Provenance, fold

from .tools import (
    NumberedEvents,
    Tools,
    WorkerLostError,
    find_verifiers,
    judges,
    lacks_evidence,
    no_evidence_in_rows,
    provenance,
    restrict_models,
    source,
)

__all__ = [
    "MAX_CHARACTERS", "NumberedEvents", "OnEvents", "Provenance", "Tools", "WorkerLostError", "as_response",
    "batches", "batches_together", "check", "check_sync", "find_verifiers", "fold", "judges", "lacks_evidence",
    "no_evidence_in_rows", "provenance", "restrict_models", "source", "stream",
]  # fmt: skip
