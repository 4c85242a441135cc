"""The engine: one response through all stages, its records as they are made, and the report that combines them.

segment → claims → evidence → judging → verdicts → scores

Claims are processed concurrently and finish in any order; their ids keep the order, and the same records give the same
report in whatever order they arrive. A unit that fails leaves a `Failure` record, made in one place
(`CheckContext.fail`).
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
