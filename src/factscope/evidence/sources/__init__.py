"""What kind of source a web page is, from its host name: tables and rules first, a model for the rest."""

from .asked import ASK, Sources
from .assign import UNKNOWN, Assigned, categorise, of_address
from .table import own_table

__all__ = ["ASK", "UNKNOWN", "Assigned", "Sources", "categorise", "of_address", "own_table"]
