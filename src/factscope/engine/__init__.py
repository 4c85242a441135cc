"""The engine: one response through the stages, its records as they are made, and the report as their fold.

    segment → claims → evidence → judging → verdicts → scores

Claims are worked on side by side, in no promised order; ids keep the order, and the same records fold to the same
report whatever order they came in. What fails for a unit leaves a `Failure` record, made in one place
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
    RemoteExecutor,
    Tools,
    WorkerLostError,
    find_verifiers,
    judges,
    lacks_evidence,
    no_evidence,
    provenance,
    restrict_models,
    searched,
    source,
)

__all__ = [
    "MAX_CHARACTERS",
    "NumberedEvents",
    "OnEvents",
    "Provenance",
    "RemoteExecutor",
    "Tools",
    "WorkerLostError",
    "as_response",
    "batches",
    "batches_together",
    "check",
    "check_sync",
    "find_verifiers",
    "fold",
    "judges",
    "lacks_evidence",
    "no_evidence",
    "provenance",
    "restrict_models",
    "resumable_events",
    "searched",
    "source",
    "stream",
]
