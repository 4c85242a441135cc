"""Reasons why the network's support or contradiction does not count.

The network also reads support in passages about something else: all words are there, in another role.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from factscope.judging.verifiers.rules.accusations import has_no_other_sign, is_row
from factscope.judging.verifiers.rules.antecedents import is_about_other_subject
from factscope.judging.verifiers.rules.deciding_sentence import answers_no
from factscope.judging.verifiers.rules.denied_shares import denies_share, misses_bound, takes_fewer_for_most
from factscope.judging.verifiers.rules.derivable import SMALL, underivable
from factscope.judging.verifiers.rules.direction import turns_change, turns_comparison, turns_way
from factscope.judging.verifiers.rules.duties import changes_duty
from factscope.judging.verifiers.rules.labelled_lists import is_in_other_list
from factscope.judging.verifiers.rules.life_dates import takes_birth_for_death
from factscope.judging.verifiers.rules.number_ranges import keeps_range
from factscope.judging.verifiers.rules.only_some import leaves_only_out
from factscope.judging.verifiers.rules.opening_times import names_other_hours, names_other_months
from factscope.judging.verifiers.rules.other_events import tells_another_event
from factscope.judging.verifiers.rules.rows import is_about_other_row, is_row_about_another, may_contradict
from factscope.judging.verifiers.rules.significance import lacks_significance
from factscope.judging.verifiers.rules.signs import has_other_half, has_other_unit, is_converted
from factscope.judging.verifiers.rules.table_comparisons import needs_figures
from factscope.judging.verifiers.rules.totals import adds_up
from factscope.judging.verifiers.rules.weekdays import names_other_weekdays
from factscope.judging.verifiers.wording.bounds import has_opposite_bound, is_just_below, keeps_bound
from factscope.judging.verifiers.wording.conditions import lifts_condition
from factscope.judging.verifiers.wording.date_spans import is_other_span
from factscope.judging.verifiers.wording.name_forms import has_namesake
from factscope.judging.verifiers.wording.numbered import is_about_another, names_other_model
from factscope.judging.verifiers.wording.ranks import has_other_rank
from factscope.judging.verifiers.wording.roles import is_turned_round
from factscope.judging.verifiers.wording.sentence_pair import SentencePair

ABSENT = 0.6
"""Share of a claim that the words missing around the closest sentence may make up, numbers and names aside, for the
network's support to count. On fifteen texts of our own this and `derivable` drop 12 of 50 errors that passed, and 10 of
127 true sentences, for most of which a passage about something else had been quoted."""
_OF_ALL = ("all", "the", "these")
"""Words before a number of things that are compared: "of all six"."""
_TITLES = 20
"""Most words of the titles that search puts above a row."""
VETOES: tuple[Callable[[SentencePair], bool], ...] = (
    has_other_half, has_other_unit, has_other_rank, names_other_weekdays, has_namesake, is_about_other_subject,
    takes_birth_for_death, tells_another_event, is_turned_round, answers_no, turns_change, turns_way, names_other_model,
    is_in_other_list, lifts_condition, lacks_significance, leaves_only_out, changes_duty, denies_share, is_other_span,
    turns_comparison, names_other_months, names_other_hours, misses_bound, takes_fewer_for_most,
)  # fmt: skip
"""Ways in which a passage is about something else, of which one is enough for support not to count."""


def may_support(pair: SentencePair, inputs: Mapping[str, float], *, is_plain: bool) -> bool:
    """Tell whether the network's support counts; if it is `is_plain`, so certain that words may be missing."""
    is_opposite = inputs["opposite_slot"] and not inputs["negation_differs"]
    if not is_plain and (inputs["missing_word"] > ABSENT or is_opposite):
        return False
    if has_opposite_bound(pair.claimed, pair.passage.stretches) or any(veto(pair) for veto in VETOES):
        return False
    is_other_row = _is_about_rows(pair) and _needs_other_rows(pair)
    return not is_other_row and not underivable(pair.claimed, pair.passage)


def may_not_contradict(pair: SentencePair, inputs: Mapping[str, float]) -> bool:
    """Tell whether the network's contradiction does not count: another row, another thing, or a number that agrees."""
    is_other_row = is_row(pair.nearest_text) and not may_contradict(pair)
    return is_other_row or is_about_another(pair.text, pair.nearest_text) or _agrees(pair, inputs)


def _is_about_rows(pair: SentencePair) -> bool:
    """Tell whether a claim has to be settled by a row: the closest sentence is one, or only titles are above it."""
    titles, _, last = pair.passage.text.rstrip().rpartition("\n")
    is_below_titles = is_row(last) and "\n" not in titles and 0 < len(titles.split()) <= _TITLES
    return is_row(pair.nearest_text) or is_below_titles


def _needs_other_rows(pair: SentencePair) -> bool:
    """Tell whether a row can't support a claim: this compares rows, has another figure, or is about another row."""
    claim = pair.claimed
    numbers = claim.amounts
    has_figure = any(item.amount > SMALL or claim.lower[max(0, item.at - 1)] not in _OF_ALL for item in numbers)
    only_compares = needs_figures(claim) and not has_figure
    return only_compares or is_about_other_row(pair) or is_row_about_another(pair)


def _agrees(pair: SentencePair, inputs: Mapping[str, float]) -> bool:
    """Tell whether the only difference is a number that keeps a bound, is in a range, a sum or in another unit."""
    return has_no_other_sign(inputs) and (
        is_converted(pair)
        or keeps_bound(pair.claimed, pair.nearest)
        or is_just_below(pair.claimed, pair.nearest)
        or keeps_range(pair)
        or adds_up(pair)
    )
