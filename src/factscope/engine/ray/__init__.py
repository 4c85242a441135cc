"""Work on other processes and machines: a Ray cluster on which the same engine checks responses.

    driver   takes responses, keeps their records in the store, and gives each response to a worker
    broker   one process beside the driver: all calls to models and search engines, with one cache, one rate, one budget
    workers  the engine; they cut, ask the broker, rank and judge, and send records back as they are made

The broker keeps replies when a worker dies, so nothing is paid for twice. The response goes to another worker, which
continues where the records in the store end.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
