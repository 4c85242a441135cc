import re
import unicodedata
from itertools import combinations

import pytest

from factscope.core import OUTCOMES
from factscope.core.records import Verdict
from factscope.report import DARK, LIGHT, MARKS, confidence_band, segment_state
from tests.lab.many_cases import try_all

THEMES = {"light": LIGHT, "dark": DARK}


def luminance(colour):
    """Return the relative luminance of `#rrggbb` (WCAG 2.2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_wcag_does():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("name", THEMES)
def test_text_has_contrast_of_4_5_and_marks_of_3(name):
    theme = THEMES[name]
    for back in (theme.page, theme.card, theme.quote):
        assert contrast(theme.text, back) >= 4.5
    for back in (theme.page, theme.card):
        assert contrast(theme.muted, back) >= 4.5
        assert contrast(theme.link, back) >= 4.5
    for state, mark in MARKS.items():
        look = getattr(mark, name)
        assert contrast(theme.text, look.tint) >= 4.5, state
        assert contrast(look.ink, look.tint) >= 4.5, state  # the word on a chip is text
        for back in (theme.page, theme.card):
            assert contrast(look.ink, back) >= 3, state


def test_no_two_states_share_a_word_a_glyph_a_line_or_a_colour():
    for one, other in combinations(MARKS.values(), 2):
        for field in ("word", "glyph", "meaning", "line", "style"):
            assert getattr(one, field) != getattr(other, field)
        assert one.light.ink != other.light.ink or "not checkable" in (one.word, other.word)
        assert one.light.tint != other.light.tint
        assert one.dark.tint != other.dark.tint


def test_every_outcome_has_a_mark_and_every_colour_is_written_out():
    assert set(OUTCOMES) < set(MARKS)
    for mark in MARKS.values():
        assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in (*mark.light, *mark.dark))


def test_glyphs_are_one_column_wide_in_every_terminal():
    for mark in MARKS.values():
        assert len(mark.glyph) == 1
        assert unicodedata.east_asian_width(mark.glyph) in ("N", "Na")
        assert not unicodedata.category(mark.glyph).startswith(("C", "M"))


def verdict(outcome):
    return Verdict(unit_id="s1", level="segment", outcome=outcome, rule="worst")


@try_all(
    ("worst", "claims", "state"),
    [
        ("not_checkable", [], "not_checkable"),
        ("failed", [], "failed"),
        ("supported", ["supported", "supported"], "supported"),
        ("contradicted", ["supported", "contradicted"], "mixed"),
        ("contradicted", ["supported", "supported", "contradicted", "failed"], "mixed"),
        ("contradicted", ["contradicted", "undecided"], "contradicted"),
        ("undecided", ["supported", "supported", "undecided"], "mostly"),
        ("no_evidence", ["supported", "supported", "no_evidence"], "mostly"),
        ("undecided", ["supported", "undecided"], "undecided"),  # half is not most
        ("failed", ["supported", "supported", "failed"], "failed"),  # a failure is never hidden
        ("supported", ["supported", "not_checkable", "excluded"], "supported"),
        ("undecided", ["supported", "supported", "undecided", "excluded", "not_checkable"], "mostly"),
        ("excluded", ["excluded", "not_checkable"], "excluded"),
    ],
)
def test_state_of_a_segment(worst, claims, state):
    assert segment_state(verdict(worst), claims) == state
    assert segment_state(verdict(worst), claims[::-1]) == state
    if claims:  # without a verdict, the worst claim decides, with the same result
        assert segment_state(None, claims) == state


def test_confidence_is_described_in_three_levels():
    assert [confidence_band(x) for x in (0, 0.59, 0.6, 0.84, 0.85, 1)] == ["low"] * 2 + ["medium"] * 2 + ["high"] * 2
