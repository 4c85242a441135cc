"""The engine: one response through the stages, its records as they are made, and the report as their fold.

    segment → claims → evidence → judging → verdicts → scores

Claims are worked on side by side, in no promised order; ids keep the order, and the same records fold to the same
report whatever order they came in. What fails for a unit leaves a `Failure` record, made in one place (`Job.fail`).
"""

from factscope.engine.check import MAX_CHARACTERS, OnEvents, as_response, batches, check, check_sync, stream
from factscope.engine.fold import Basis, fold

from .tools import (
    Elsewhere,
    Known,
    LostError,
    Tools,
    basis,
    find_verifiers,
    fitted,
    judges,
    lacks_evidence,
    no_evidence,
    searched,
    source,
)

__all__ = [
    "MAX_CHARACTERS",
    "Basis",
    "Elsewhere",
    "Known",
    "LostError",
    "OnEvents",
    "Tools",
    "as_response",
    "basis",
    "batches",
    "check",
    "check_sync",
    "find_verifiers",
    "fitted",
    "fold",
    "judges",
    "lacks_evidence",
    "no_evidence",
    "searched",
    "source",
    "stream",
]
