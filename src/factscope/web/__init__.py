"""The server: the HTTP API, the page, and the checks that run behind them.

    guard → route → shelf (checks and their events on disk) ← jobs (the checks under way)

Every step of a check is an endpoint of its own; a whole check runs in the background, and is watched by its events.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
