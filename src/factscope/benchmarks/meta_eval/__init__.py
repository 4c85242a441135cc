"""Evaluation of checkers: their verdicts against human labels.

samples → tasks (`tasks`) → reports (`run_methods`) → predictions for each part (`predictions`, `prediction_files`)
→ matched with the labels (`matching`) → figures (`evaluate`, `evaluation_result`) → tables and pages
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
