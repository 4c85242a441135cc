"""Segments without markup."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.claims.text import plain, segment
from tests.claims.text.test_segments import ANY, NASTY
from tests.conftest import at_least
from tests.lab.many_cases import try_all

CASES = [
    ("Plain words stay.", "Plain words stay."),
    ("# Title ##", "Title"),
    ("C# is a language", "C# is a language"),
    ("**Bold.** and *it*, __so__ ~~not~~", "Bold. and it, so not"),
    ("snake_case_name and 2*3*4", "snake_case_name and 2*3*4"),
    ("**A is b.", "A is b."),
    ("C is d.**", "C is d."),
    ("use `a*b*c [1]` now", "use a*b*c [1] now"),
    ("[Paris](http://a.b 'T') is ![a tower](x.png) big", "Paris is a tower big"),
    ("<https://a.b/c>", "https://a.b/c"),
    ("- item", "item"),
    ("• item", "item"),
    ("12) item", "item"),
    ("- [x] done", "done"),
    ("1998. A good year", "1998. A good year"),
    ("3.5 million", "3.5 million"),
    ("| a | b. | |", "a, b."),
    ("> quoted\n> text", "quoted text"),
    ("broken\\\nline", "broken line"),
    ("A fact.[1] Another[2, 3] one[^n].", "A fact. Another one."),
    ("the range [0, 1] is", "the range [0, 1] is"),
    ("[^1]: The note", "The note"),
    ("<b>x</b> &amp; y<br/>z &lt;tag&gt;", "x & y z <tag>"),
    ("Dear <your name>, 5 < 6 and 7 > 3", "Dear <your name>, 5 < 6 and 7 > 3"),
    ("seen<!-- not seen -->", "seen"),
    ("```py\nx = 1\ny\n```", "x = 1 y"),
    ("  much \t white\n\nspace ", "much white space"),
    ("他说**你好**。", "他说你好。"),
    ("12. Mai 1990 wurde sie geboren.", "12. Mai 1990 wurde sie geboren."),
    ("50. Anniversary celebrations were held.", "50. Anniversary celebrations were held."),
    ("It lies in [5] to [10] percent.", "It lies in [5] to [10] percent."),
    ("Scores were **[12]** points.", "Scores were [12] points."),
    ("a[0] holds 7, x[1] holds 8", "a[0] holds 7, x[1] holds 8"),
    ("A **fact**[1][2] in 1931[3]. One more [4].", "A fact in 1931. One more."),
    ("[1] Kern, Ida", "Kern, Ida"),
    ("x <b and c> y", "x <b and c> y"),
    ('<b class="x">bold</b> <details open>seen</details>', "bold seen"),
    ("10<sup>6</sup> or 10<sup>-3</sup> bricks", "10⁶ or 10⁻³ bricks"),
    ("10<sup>1.5</sup> and 101<sub>2</sub>", "10^1.5 and 101₂"),
    ("12 km<sup>2</sup>, CO<sub>2</sub>, the 5<sup>th</sup>", "12 km2, CO2, the 5th"),
    ("In 1931<sup>2</sup> it opened.<sup>3,4</sup> So.", "In 1931 it opened. So."),
    ('The 37<sup><a href="#fn1">2</a></sup> bricks', "The 37 bricks"),
    ("`10<sup>6</sup>`", "10<sup>6</sup>"),
    ("It was built in 1858 [1, 2].", "It was built in 1858."),
    ("It was built in 1858 [1-3]. So.", "It was built in 1858. So."),
    ("It was built in 1858 [1] [2].", "It was built in 1858."),
    ("It was built in 1858. [1, 2]", "It was built in 1858."),
    ("It was built in 1858 [^1].", "It was built in 1858."),
    ("It was built in 1858 ([1](https://a.b/c)).", "It was built in 1858."),
    ("Built in 1858 ([1](https://a.b/c_(d)), [2](https://a.b/e)) and red.", "Built in 1858 and red."),
    ("Built in 1858[1](https://a.b/c) and red [2](https://a.b/c).", "Built in 1858 and red."),
    ("Built in 1858 [[1]](https://a.b/c).", "Built in 1858."),
    ("Built in 1858 【1†source】, red【4:0†a.pdf】 and 【2】 new.", "Built in 1858, red and new."),
    ("Built in 1858 <sup>1</sup>. <sup>2</sup>", "Built in 1858."),
    ("Built in 1858 by Kern<sup>1</sup>.", "Built in 1858 by Kern."),
    ("Built in 1858 (Smith, 2020).", "Built in 1858."),
    ("Built in 1858 (Smith et al., 2020), it is red (O’Neil 2020a).", "Built in 1858, it is red (O’Neil 2020a)."),
    ("It has [50](https://a.b/c) lamps, and x lies in [0, 1].", "It has 50 lamps, and x lies in [0, 1]."),
    ("The rooms are [50](https://a.b/c).", "The rooms are 50."),
    ("It ended (May, 1931), the reign (1837, 1901).", "It ended (May, 1931), the reign (1837, 1901)."),
    ("The Treaty (Versailles, 1919) was long.", "The Treaty (Versailles, 1919) was long."),
    ("It is 12 km <sup>2</sup>. An acre is 4000 m<sup>2</sup>.", "It is 12 km 2. An acre is 4000 m2."),
    ("", ""),
]


@try_all(("text", "expected"), CASES)
def test_markup_is_removed_from_plain_text(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_a_title_loses_its_number() -> None:
    assert plain("2. The bridges of Marl", numbered=True) == "The bridges of Marl"


@settings(deadline=None, max_examples=at_least(75, in_all=300))
@given(NASTY | ANY)
def test_no_segment_becomes_empty(text: str) -> None:
    for s in segment(text, "sentences"):
        found = plain(s.text)
        assert found == " ".join(found.split()) != ""
        if any(char.isalnum() for char in s.text):
            assert any(char.isalnum() for char in found)


@settings(deadline=None, max_examples=at_least(25, in_all=100))
@given(st.lists(st.sampled_from(["cat", "Zürich", "1990", "中", "it’s", "a-b"]), min_size=1, max_size=8))
def test_text_without_markup_is_left_alone(words: list[str]) -> None:
    text = " ".join(words)
    assert plain(text) == text


def test_a_very_long_text_read_in_pieces_keeps_all_its_words() -> None:
    words = [f"w{n}" for n in range(5000)]
    assert plain(" ".join(words)).split() == words
