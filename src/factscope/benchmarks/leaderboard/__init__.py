"""Stored runs and result files → tables with intervals and ranks → a static site that opens from a file system."""

from factscope.benchmarks.leaderboard.board import Board, Row
from factscope.benchmarks.leaderboard.entries import Entry, read_entry
from factscope.benchmarks.leaderboard.result_files import gather
from factscope.benchmarks.leaderboard.run_record import Stored
from factscope.benchmarks.leaderboard.site import Page, write_site

__all__ = ["Board", "Entry", "Page", "Row", "Stored", "gather", "read_entry", "write_site"]
