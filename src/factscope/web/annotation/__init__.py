"""People label texts segment by segment, as for FELM (Chen et al. 2023, section 3).

One annotator works alone, or several independently, with an adjudicator where they differ and a reviewer of all
decisions.

    file → tasks ─ kept in the server's store ─ answers of each person → agreement, export
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
