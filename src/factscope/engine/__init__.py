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
from factscope.engine.find_method import chosen_method, default_method, find_method, method_names
from factscope.engine.fold import Provenance, fold
from factscope.engine.open_tools import open_tools
from factscope.engine.run_store import Store, StoredRun
from factscope.engine.settings import Settings, load_settings

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
    "MAX_CHARACTERS", "NumberedEvents", "OnEvents", "Provenance", "Settings", "Store", "StoredRun", "Tools",
    "WorkerLostError", "as_response", "batches", "batches_together", "check", "check_sync", "chosen_method",
    "default_method", "find_method", "find_verifiers", "fold", "judges", "lacks_evidence", "load_settings",
    "method_names", "no_evidence_in_rows", "open_tools", "provenance", "restrict_models", "source", "stream",
]  # fmt: skip
