"""Everything needed to write an extension: one decorator for each kind, and the types involved.

`docs/extending.md` has a working example of each. Methods need no code: they are values, in Python or in TOML.
"""

from factscope.benchmarks.datasets import Benchmark, register_dataset, register_form
from factscope.benchmarks.datasets.labelled_cells import identity, label, text
from factscope.benchmarks.datasets.labelled_rows import DatasetForm, Notes, RowLocation, UnusableSampleError
from factscope.core.records import Gold, Report, Sample, Score, Span
from factscope.evidence.search.engine import EngineHit, EngineTraits, SearchEngine, SearchOptions, SearchResults
from factscope.evidence.search.engine_registry import register_search_engine, register_service
from factscope.evidence.search.http_engine import EngineService
from factscope.evidence.search.search_errors import SearchError
from factscope.judging.judge import register_reply_format
from factscope.judging.verifiers.protocol import ClaimPair, LabelProbabilities, Prediction, Verifier
from factscope.judging.verifiers.verifier_list import register_verifier
from factscope.llm.model_errors import UnreadableError
from factscope.methods import REPLY_FORMATS, Judge, ReplyFormat
from factscope.report import Reports, register_renderer
from factscope.scoring import MeasureParameter, MeasureResult, ReportCounts, register_measure

__all__ = [
    "REPLY_FORMATS",
    "Benchmark",
    "ClaimPair",
    "DatasetForm",
    "EngineHit",
    "EngineService",
    "EngineTraits",
    "Gold",
    "Judge",
    "LabelProbabilities",
    "MeasureParameter",
    "MeasureResult",
    "Notes",
    "Prediction",
    "ReplyFormat",
    "Report",
    "ReportCounts",
    "Reports",
    "RowLocation",
    "Sample",
    "Score",
    "SearchEngine",
    "SearchError",
    "SearchOptions",
    "SearchResults",
    "Span",
    "UnreadableError",
    "UnusableSampleError",
    "Verifier",
    "identity",
    "label",
    "register_dataset",
    "register_form",
    "register_measure",
    "register_renderer",
    "register_reply_format",
    "register_search_engine",
    "register_service",
    "register_verifier",
    "text",
]
