"""The text of a page with the meaning of its markup: cells in columns, quotations in marks, whole words."""

from __future__ import annotations

import json
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.claims.text import cells
from factscope.evidence.page import markup, read_page
from tests.conftest import at_least
from tests.evidence.page.page_corpus import samples
from tests.lab.many_cases import try_all

PROSE = "The old bridge over the river was closed for two years because of the works on its four arches. " * 3


def read(body: str) -> list[str]:
    """Return the lines of a page after its first paragraph."""
    source = f"<html><head><title>Bridge</title></head><body><h1>Bridge</h1><p>{PROSE}</p>{body}</body></html>"
    text = read_page(source.encode(), "text/html", None, "https://a.example/x").text
    return text.partition(PROSE.strip())[2].strip().splitlines()


@pytest.fixture(params=["as an article", "line by line"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read pages both the usual way and the way used for the largest."""
    if request.param == "line by line":
        monkeypatch.setattr(markup, "MAX_TAGS", 1)


WORD = st.text("abc1,-%é橋<&", min_size=1, max_size=4).filter(lambda word: any(map(str.isalnum, word)))
TABLES = st.integers(3, 4).flatmap(
    lambda width: st.lists(st.lists(st.just("") | WORD, min_size=width, max_size=width), min_size=1, max_size=4)
)


def table(rows: list[list[str]]) -> str:
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


@given(TABLES)
@settings(max_examples=at_least(8, in_all=200))
def test_the_cells_of_a_table_are_read_back_in_their_columns(rows: list[list[str]]) -> None:
    # A row with a single filled cell is a heading in the table, or prose.
    full_rows = [["A", "B", *row[2:]] if sum(map(bool, row)) < 2 else row for row in rows]
    lines = [line for line in read(table(full_rows)) if line]
    assert [cells(line) for line in lines] == full_rows


@try_all(
    ("body", "lines"),
    [
        ("<p>He said <q>It is <b>old</b> now</q>, and left.</p>", ["He said “It is old now”, and left."]),
        ("<p><q>It is <q>very</q> old</q>, she said.</p>", ["“It is ‘very’ old”, she said."]),
        ("<p>An empty one<q></q> stays.</p>", ["An empty one“” stays."]),
        ("<ul><li>The mayor: <q>No.</q></li><li>Two</li></ul>", ["- The mayor: “No.”", "- Two"]),
        ("<table><tr><td>a</td><td><q>b</q></td></tr></table>", ["a | “b”"]),
    ],
)
def test_an_inline_quotation_stays_in_its_sentence_with_the_marks_browsers_show(body: str, lines: list[str]) -> None:
    assert read(body) == lines


def test_a_hidden_quotation_is_not_shown_by_its_marks() -> None:
    assert read("<p>He left<q style='display:none'>secret</q>.</p>") == ["He left."]


def test_a_quotation_reads_the_same_on_a_large_page(either_way: None) -> None:
    assert read("<p>He said <q>It is old</q>, and left.</p>")[-1] == "He said “It is old”, and left."


@try_all(
    ("body", "lines"),
    [
        ("<p>It opened on <time datetime=1931-05-04>4 May 1931</time>.</p>", ["It opened on 4 May 1931."]),
        ("<p>It opened in <b><time>1931</time></b>, in the rain.</p>", ["It opened in 1931, in the rain."]),
        ("<div>In <time>1931</time> it opened.</div>", ["In 1931 it opened."]),
        ("<ul><li>Opened: <time>1931</time></li></ul>", ["- Opened: 1931"]),
        ("<table><tr><td>Opened</td><td><time>1931</time></td></tr></table>", ["Opened | 1931"]),
        ("<dl><dt>Opened<dd><time>1931</time></dl>", ["Opened", "1931"]),
        # A date on its own belongs to this page or another one.
        ("<p><time>4 May 1931</time></p>", []),
    ],
)
def test_a_date_in_a_sentence_or_an_entry_is_part_of_it(body: str, lines: list[str]) -> None:
    assert read(body) == lines


def test_a_date_still_tells_when_the_page_was_published() -> None:
    source = f"<h1>Bridge</h1><p>By Ida on <time datetime=2020-05-04>Monday</time></p><p>{PROSE}</p>"
    assert read_page(source.encode(), "text/html", None, "").published == "2020-05-04"


INLINE = "a abbr acronym b bdi big cite code data dfn em font i kbd mark nobr q-x s-x samp small span strong time tt u"


@try_all("tag", INLINE.split())
def test_an_inline_element_does_not_break_a_word(tag: str) -> None:
    assert read(f"<p>The ar<{tag}>chit</{tag}>ect drew it.</p>") == ["The architect drew it."]


@pytest.mark.usefixtures("either_way")
@try_all(
    ("body", "words"),
    [
        ("<p>One.</p><p>Two.</p>", "One. Two."),
        ("<div>one</div>two<div>three</div>", "one two three"),
        ("<p>a<br>b<br/>c</p>", "a b c"),
        ("<p>Line one\n   goes&nbsp; on.</p>", "Line one goes on."),
        ("<p>1 &lt; 2 &amp; 3 &gt; 2, &#8364;5</p>", "1 < 2 & 3 > 2, €5"),
        ("<p>Super<wbr>cali&shy;fragil</p>", "Supercalifragil"),
        ("<dl><dt>Built</dt><dd>1931</dd></dl>", "Built 1931"),
        ("<p>It opened on <time datetime=1931>4 May</time>.</p>", "It opened on 4 May."),
        ("<!-- never --><p>after</p><script>never()</script><style>p{}</style>", "after"),
        ("<template><p>never</p></template><p>after</p>", "after"),
        ("<p>x<p>y", "x y"),
    ],
)
def test_words_are_neither_joined_nor_lost_nor_added(body: str, words: str) -> None:
    assert " ".join(read(body)).split() == words.split()


def test_the_words_around_an_inner_list_stay_apart() -> None:
    assert read("<ul><li>One<ul><li>In</li></ul>after</li><li>Two</li></ul>") == ["- One after", "- In", "- Two"]
    assert read("<ol><li>One<ol><li>In</li></ol></li><li>Two</li></ol>") == ["1. One", "1. In", "2. Two"]


@try_all(
    ("body", "lines"),
    [
        ("<ol start=5><li>Five<li>Six</ol>", ["5. Five", "6. Six"]),
        ("<ol><li>One<li value=7>Seven<li>Eight</ol>", ["1. One", "7. Seven", "8. Eight"]),
        ("<ol start=0><li>None<ol start=3><li>In</ol><li>One</ol>", ["0. None", "3. In", "1. One"]),
        ("<ol start=-1><li>Less<li><li>One</ol>", ["-1. Less", "1. One"]),
        ("<ol start=x><li value=''>One</ol>", ["1. One"]),
        ("<ol start=99999999999><div><li rend=numberx>One</div></ol>", ["1. One"]),
    ],
)
def test_list_items_have_the_numbers_stated_by_the_page(body: str, lines: list[str]) -> None:
    assert read(body) == lines


@try_all(
    ("equation", "text"),
    [
        ("<mn>93.5</mn><mo>%</mo>", "93.5%"),
        (
            "<semantics><mrow><mi>E</mi></mrow><annotation>\\E</annotation><annotation-xml>E</annotation-xml></semantics>",
            "E",
        ),
        ("<msup><mn>10</mn><mrow><mo>−</mo><mn>6</mn></mrow></msup>", "10⁻⁶"),
        ("<mi>m</mi><msubsup><mi>c</mi><mn>0</mn><mn>2</mn></msubsup>", "mc₀²"),
        ("<mfrac><mn>1</mn><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", "1/(x+1)"),
        ("<msqrt><mn>2</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot>", "√2³√x"),
        ("<mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd></mtr></mtable>", "1 2; 3"),
        ("<mn>4</mn><mphantom><mn>9</mn></mphantom>", "4"),
        ("<mrow>" * 400 + "<mn>4</mn>", "4"),
    ],
)
def test_an_equation_is_read_on_one_line(equation: str, text: str) -> None:
    assert read(f"<p>It is <math>{equation}</math> then.</p>") == [f"It is {text} then."]


CAPTION = "<figcaption class=caption>The arches in <a href=/x>1931</a>.</figcaption>"
ARCHES = f"<figure class=image><img src=a.jpg>{CAPTION}</figure>"


@try_all(
    ("body", "lines"),
    [
        (f"<p>Before.</p>{ARCHES}<p>After.</p>", ["Before.", "", "The arches in 1931.", "", "After."]),
        (f"<p>Before {ARCHES} it.</p><p>After.</p>", ["Before it.", "", "The arches in 1931.", "", "After."]),
        (f"<ul><li>One {ARCHES}<li>Two</ul>", ["- One", "- The arches in 1931.", "- Two"]),
        (f"<ul><li>{ARCHES}<li>{ARCHES}</ul>", ["- The arches in 1931."] * 2),
        (f"<table><tr><td>One {ARCHES}<td>Two</table>", ["One The arches in 1931. | Two"]),
        ("<figure><figcaption><p>In 1931</p>by <b>Kern</b></figcaption></figure>", ["In 1931", "", "by Kern"]),
        (f"<figure>{ARCHES}<figcaption>All</figcaption></figure>", ["The arches in 1931.", "", "All"]),
        (
            "<figure><blockquote><p>It is old.</blockquote><figcaption>Ida Kern</figcaption></figure>",
            ["It is old.", "", "Ida Kern"],
        ),
        ("<figure><table><tr><td>a<td>b</table><figcaption>Letters</figcaption></figure>", ["a | b", "", "Letters"]),
        ("<p>After \ufdd0\ufdd1\ufdd0 it.</p><figure><figcaption hidden>Never</figcaption></figure>", ["After  it."]),
    ],
)
def test_a_figure_caption_is_a_separate_passage_in_its_place(body: str, lines: list[str]) -> None:
    assert read(body) == lines


def test_a_caption_that_only_links_to_another_page_is_not_part_of_this_one() -> None:
    linked = "<figcaption><a href=/other>The arches of another bridge.</a></figcaption>"
    assert read(f"<figure><img src=a.jpg>{linked}</figure><p>After.</p>") == ["After."]
    assert read(f"<a href=/other>{ARCHES.replace('<a href=/x>1931</a>', '1931')}</a><p>After.</p>") == ["After."]


@try_all(
    ("body", "lines"),
    [
        (
            f"<main><h1>Fees</h1><div>One: 5<br>Two: 8</div><h2>Groups</h2><div>All: 40</div>{ARCHES}",
            ["Fees", "One: 5", "Two: 8", "Groups", "All: 40", "The arches in 1931."],
        ),
        (
            f"<nav><a href=a>river</a><br><a href=b>bridge</a><br><a href=c>works</a></nav><main><p>{PROSE}",
            [PROSE.strip()],
        ),
        ("<h1>Ida Kern</h1><section><div>Born: 1950</div><div>Died: 2001", ["Ida Kern", "Born: 1950", "Died: 2001"]),
    ],
)
def test_the_lines_of_a_short_page_do_not_run_together(body: str, lines: list[str]) -> None:
    text = read_page(f"<body><nav><a href=/>Home</a></nav>{body}".encode(), "text/html", None, "").text
    assert [line for line in text.splitlines() if line not in ("", "Home")] == lines


def test_captions_do_not_change_the_rest_of_the_text() -> None:
    """Found on a job advert and in a forum: a caption read as a paragraph changed which element was the main text."""
    for sample in (sample for sample in samples() if sample.name in {"job-ad-pt", "forum-discourse"}):
        plain = read_page(sample.content, "text/html", None, "").text
        at = sample.content.index(b"</p>", sample.content.index(b"<h1")) + len(b"</p>")
        content = sample.content[:at] + ARCHES.encode() + sample.content[at:]
        text = read_page(content, "text/html", None, "").text
        assert text.replace("The arches in 1931.\n\n", "") == plain, sample.name


def test_entities_in_structured_data_are_decoded() -> None:
    names = {"headline": "Marlow&#8217;s bridge &amp; tower", "author": "Zo&euml; Kern"}
    stated = json.dumps({"@type": "NewsArticle", **names, "publisher": {"name": "Press &amp; Post"}})
    source = f'<script type="application/ld+json">{stated}</script><p>{PROSE}</p>'
    page = read_page(source.encode(), "text/html", None, "https://a.example/x")
    assert (page.title, page.author, page.publisher) == ("Marlow’s bridge & tower", "Zoë Kern", "Press & Post")
