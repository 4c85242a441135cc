"""Stored runs and result files → tables with intervals and ranks → a static site that opens from a file system."""

from factscope.benchmarks.leaderboard.board import Leaderboard
from factscope.benchmarks.leaderboard.entries import read_entry
from factscope.benchmarks.leaderboard.published_rows import with_published
from factscope.benchmarks.leaderboard.result_files import gather
from factscope.benchmarks.leaderboard.run_record import RunRecord
from factscope.benchmarks.leaderboard.site import LinkedPage, write_site

__all__ = [
    "Leaderboard",
    "LinkedPage",
    "RunRecord",
    "gather",
    "read_entry",
    "with_published",
    "write_site",
]
