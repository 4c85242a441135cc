"""The behaviour suite: clear cases that any checker should get right, as pairs by kind and as texts with documents.

    folder → suite → a checker's rows (running) → figures (measures) → result → terminal, Markdown, page

The suite in this package is ours (Apache-2.0), with invented names throughout, so that no model can know the answers.
"""

from .behaviour_figures import PairRow, SentenceRow, TextFigures, pair_figures, text_figures
from .behaviour_page import to_html
from .behaviour_result import Behaviour, BehaviourRow
from .behaviour_tables import document
from .run_suite import check_pair, check_text, judge_pairs
from .suite import BUNDLED, PairCase, Suite, TextCase, examples_suite, read_suite

__all__ = [
    "BUNDLED",
    "Behaviour",
    "BehaviourRow",
    "PairCase",
    "PairRow",
    "SentenceRow",
    "Suite",
    "TextCase",
    "TextFigures",
    "check_pair",
    "check_text",
    "document",
    "examples_suite",
    "judge_pairs",
    "pair_figures",
    "read_suite",
    "text_figures",
    "to_html",
]
