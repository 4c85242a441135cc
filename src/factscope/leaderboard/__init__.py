"""Stored runs and result files → tables with intervals and ranks → a static site that opens from a file system."""

from .board import Board, Row
from .entries import Entry, read_entry
from .kept import Stored
from .site import Page, write_site
from .sources import gather

__all__ = ["Board", "Entry", "Page", "Row", "Stored", "gather", "read_entry", "write_site"]
