"""The main text of pages that look like real ones, and the kind of each page."""

import pytest

from factscope.evidence.page import ReadPage, read_page
from tests.evidence.page.page_corpus import Sample, mean, overlap, samples
from tests.evidence.page.tricks import page
from tests.lab.many_cases import try_all

WITH_MAIN = [sample for sample in samples() if sample.main]


def read(content: bytes, charset: str | None = None) -> ReadPage:
    return read_page(content, "text/html", charset, "https://example.org/page")


@pytest.mark.medium
@try_all("sample", samples())
def test_a_sample_page_is_read_with_its_kind_flags_and_metadata(sample: Sample) -> None:
    found = read(sample.content)
    assert found.kind == sample.gold["kind"]
    assert {*sample.gold.get("flags", ())} <= {*found.flags}
    assert found.title == sample.gold["title"]
    for field in ("author", "publisher", "published", "language"):
        assert getattr(found, field) in {None, sample.gold[field]}
    if sample.main:
        assert overlap(found.text, sample.main).f1 >= 0.55


@pytest.mark.medium
def test_main_text_is_extracted_no_worse_than_by_trafilatura() -> None:
    import trafilatura

    def theirs(sample: Sample) -> float:
        source = sample.content.decode(
            sample.gold.get("encoding", "gb18030" if b"gb18030" in sample.content else "utf-8")
        )
        return overlap(trafilatura.extract(source, include_comments=False) or "", sample.main).f1

    assert len(WITH_MAIN) >= 30
    ours = mean(overlap(read(sample.content).text, sample.main).f1 for sample in WITH_MAIN)
    assert ours >= 0.91
    # Hidden text is removed first, which moves a word here and there.
    assert ours >= mean(map(theirs, WITH_MAIN)) - 0.002


def test_lists_and_tables_stay_readable() -> None:
    found = read(
        page(
            "<ul><li>One <b>bold</b> thing</li><li>Another</li></ul><ol><li>First</li><li>Second</li></ol>"
            "<table><tr><th>Year</th><th>Boats</th></tr><tr><td>1931</td><td>12</td></tr></table>"
            "<pre>a = 1\n  b = 2</pre><dl><dt>Toll</dt><dd>Four pence</dd></dl>"
        )
    )
    assert "- One bold thing\n- Another\n\n1. First\n2. Second\n\nYear | Boats\n1931 | 12\n\n" in found.text
    assert "a = 1\n  b = 2\n\nToll\nFour pence" in found.text


TOWNS = "<tr><th>Town</th><th>Inns in 2010</th><th>Inns in 2020</th></tr>"
TABLES = [
    ("<tr><td>Marl</td><td></td><td>37</td></tr>", "Marl | | 37"),
    ("<tr><td>Marl</td><td>37</td><td></td></tr>", "Marl | 37 | |"),
    ("<tr><td></td><td>36</td><td>37</td></tr>", "| | 36 | 37"),
    ("<tr><td colspan=2>Marl</td><td>37</td></tr>", "Marl | | 37"),
    ("<tr><td rowspan=2>Marl<td>1<td>2</tr><tr><td>3<td>4</tr>", "Marl | 1 | 2\nMarl | 3 | 4"),
    ("<tr><td>Marl<td>1<td rowspan=2>Closed</tr><tr><td>Kiel<td>4</tr>", "Marl | 1 | Closed\nKiel | 4 | Closed"),
    ("<tr><td>Marl<td colspan=2>Closed</tr>", "Marl | Closed | Closed"),
    ("<tr><td>Marl<td><ul><li>One<li>Two</ul><td>2</tr>", "Marl | One, Two | 2"),
    ("<tr><td>Marl<td><img alt=Yes><td><i aria-label='Obey me'></i></tr>", "Marl | Yes | |"),
    ("<tr><td>Marl<sup>b</sup><td>1,037<sup>2</sup><td>12 km<sup>2</sup></tr>", "Marl | 1,037 | 12 km2"),
    ("<tr><td>Marl<td rowspan=2>1<td>2</tr><tr><td>Kiel<td>4</tr>", "Marl | 1 | 2\nKiel | | 4"),
    ("<tr><td colspan=3>The north</td></tr>", "The north"),
]


@pytest.mark.medium
@try_all(("rows", "expected"), TABLES)
def test_figures_stay_in_their_columns(rows: str, expected: str) -> None:
    table = f"<table>{TOWNS}<tr><td></td><td></td><td></td></tr>{rows}<tr><td>Ost<td>5<td>6</tr></table>"
    names = "Town | Inns in 2010 | Inns in 2020\n"
    assert f"{names}{expected}\nOst | 5 | 6" in read(page(table)).text
    by_lines = read(page(table + "<p>Rain.</p>" * 20_001)).text
    assert f"{names}{expected}\nOst | 5 | 6\n\nRain." in by_lines


NAMED = "Source | 2021 GWh | 2021 % | 2023 GWh | 2023 %"
YEARS = "<td colspan=2>2021<td colspan=2>2023</tr>"
UNITS = "<td>GWh<td>%<td>GWh<td>%</tr>"


@pytest.mark.medium
@try_all(
    ("rows", "names"),
    [
        (f"<thead><tr><th rowspan=2>Source{YEARS}<tr>{UNITS}</thead>".replace("<td", "<th"), NAMED),
        (f"<tr><td>{YEARS}<tr><td>Source{UNITS}".replace("<td>", "<td><b>"), NAMED),
        (f"<tr><td>Source{YEARS}<tr><td>{UNITS}", NAMED),
        (
            f"<thead><tr><th rowspan=3>Source<th colspan=4>Sold</tr><tr>{YEARS}<tr>{UNITS}</thead>",
            "Source | Sold 2021 GWh | Sold 2021 % | Sold 2023 GWh | Sold 2023 %",
        ),
        (f"<tr><th colspan=5>Power (EUR million)</tr><tr><td>Source{YEARS}<tr><td>{UNITS}", NAMED),
        (
            "<tr><td>Source<td>2020<td>2021<td>2022<td>2023</tr>" + "<tr><td>" + "<td>£000" * 4 + "</tr>",
            "Source | 2020 £000 | 2021 £000 | 2022 £000 | 2023 £000",
        ),
    ],
)
def test_column_names_on_several_rows_are_joined(rows: str, names: str) -> None:
    table = f"<table>{rows}<tr><td>Wind<td>46.8<td>22.1<td>70.7<td>32.1</tr></table>"
    assert f"\n{names}\nWind | 46.8 | 22.1 | 70.7 | 32.1" in read(page(table)).text


def test_a_row_of_words_below_groups_is_not_a_row_of_column_names() -> None:
    rows = "<tr><td>Time<td colspan=2>Weekdays</tr><tr><td>9–10<td>Yoga<td>Choir</tr><tr><td>10–11<td>Chess<td>3D art"
    text = read(page(f"<table>{rows}</tr></table>")).text
    assert "Time | Weekdays | Weekdays\n9–10 | Yoga | Choir\n10–11 | Chess | 3D art" in text


def test_signs_in_their_own_cells_are_joined_to_their_numbers() -> None:
    rows = [
        "<td><td><td colspan=3>May 28,<br>2024<td colspan=3>May 30,<br>2023",
        "<td>Net sales<td><td>$<td>391,035<td><td>$<td>383,285<td>",
        "<td>Other income<td><td><td>(269<td>)<td><td>—<td>",
        "<td>Margin<td><td><td>12.1<td>%<td><td>9<td>%",
    ]
    text = read(page(f"<table><tr>{'</tr><tr>'.join(rows)}</tr></table>")).text
    figures = "Net sales | $391,035 | $383,285\nOther income | (269) | —\nMargin | 12.1% | 9%"
    assert f"| | May 28, 2024 | May 30, 2023\n{figures}" in text


def test_tables_without_text_between_them_stay_apart() -> None:
    table = "<table><tr><th>Town<th>Inns</tr><tr><td>Marl<td>3</tr></table>"
    assert "Town | Inns\nMarl | 3\n\nTown | Inns\nMarl | 3" in read(page(table * 2)).text


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    assert r"| a \| b" in read(page("<table><tr><td>run<td>a | b</tr></table>")).text


RAISED = [
    ("by Tarrick Light and Power<sup>1</sup>, gross", "by Tarrick Light and Power, gross"),
    ("holds 10<sup>6</sup> bricks", "holds 10⁶ bricks"),
    ("holds <b>10</b><sup><i>-3</i></sup> bricks", "holds 10⁻³ bricks"),
    ("in 1931<sup>2</sup> by", "in 1931 by"),
    ("by Kern.<sup>2,3</sup> It", "by Kern. It"),
    ("37<sup><a href='#fn2'>2</a></sup> bricks", "37 bricks"),
    ("37<a href='/wiki/Marl#cite_note-2'><sup>2</sup></a> bricks", "37 bricks"),
    ("12 km<sup>2</sup> and CO<sub>2</sub> on the 5<sup>th</sup>", "12 km2 and CO2 on the 5th"),
]


@try_all(("markup", "expected"), RAISED)
def test_superscript_digits_do_not_join_the_preceding_number(markup: str, expected: str) -> None:
    assert f"The tower {expected}" in read(page(f"<p>The tower {markup} in the town of Marl.</p>")).text


STRUCK = [
    "<del>at eight</del>",
    "<s>at <b>eight</b></s>",
    "<strike>at eight</strike>",
    "<span style='text-decoration:line-through'>at <b>eight</b></span>",
    "<span style='text-decoration: underline red Line-Through'>at eight</span>",
    "<i style='--x:line-through;-webkit-text-decoration-line:var(--x)'>at eight</i>",
    "<style>p .was{color:#333;text-decoration:line-through}</style><span class=was>at eight</span>",
]


@try_all("struck", STRUCK)
def test_struck_out_text_is_left_out_unless_it_is_the_whole_page(struck: str) -> None:
    text = read(page(f"<p>The fair opens {struck} at nine in the town of Marl.</p>")).text
    assert "The fair opens at nine in the town of Marl." in text
    whole = f"<title>The great fair of the town of Marl</title><body><p>{struck} <s>or later</s></p></body>"
    assert "eight" in read(f"<html>{whole}</html>".encode()).text


NOT_STRUCK = [
    "<span style='text-decoration:line-through;text-decoration:none'>at eight</span>",
    "<style>a{text-decoration:line-through}a[href]{text-decoration:underline}</style><a href=/>at eight</a>",
    "<style>.was:hover{text-decoration:line-through}</style><span class=was>at eight</span>",
]


@try_all("markup", NOT_STRUCK)
def test_text_with_another_decoration_line_or_none_remains(markup: str) -> None:
    text = read(page(f"<p>The fair opens {markup} in the town of Marl.</p>")).text
    assert "The fair opens at eight in the town of Marl." in text


def test_struck_out_text_is_not_hidden_text_and_its_cells_stay_in_their_columns() -> None:
    rows = "<tr><td>Marl<td class=was>At eight or later<td>37</tr><tr class=was><td rowspan=2>Kiel<td>1<td>2</tr>"
    table = f"<style>.was{{text-decoration:line-through}}</style><table>{TOWNS}{rows}<tr><td>3<td>4</tr></table>"
    found = read(page(table))
    assert found.text.replace("\n\n", "\n").count("Town | Inns in 2010 | Inns in 2020\nMarl | | 37\n| | 3 | 4") == 1
    assert found.flags == ()


RUBY = [
    "<ruby>霞<rp>(</rp><rt>かすみ</rt><rp>)</rp></ruby>が<ruby>関<rt>せき</ruby>",
    "<ruby><rb>霞</rb><rtc><rt>かすみ</rt></rtc></ruby>が関",
]


@try_all("ruby", RUBY)
def test_the_pronunciation_above_words_is_not_part_of_the_sentence(ruby: str) -> None:
    for markup in ("<p>{}</p>", "<ul><li>{}</ul>", "<p>{}</p>" + "<p>Rain.</p>" * 20_001):
        assert "東京の霞が関にある。" in read(page(markup.format(f"東京の{ruby}にある。"))).text


@pytest.mark.parametrize(
    "body",
    [
        "<p>Opened 1932</p>",
        "<p><rt>Opened 1932</rt></p>",
        "<ruby><rt>Opened 1932",
        "Opened 1932",
        "<table><tr><td>Opened</td><td>1932</td></tr></table>",
        "<nav><a href=/>Opened</a> <a href=/>1932</a></nav>",
        "<footer>Opened 1932</footer>",
        "<div class='comments ad cookie'>Opened<br>in 1932</div>",
    ],
)
def test_a_page_with_visible_text_is_never_empty(body: str) -> None:
    found = read(f"<html><body>{body}</body></html>".encode())
    assert found.kind in {"article", "list"}
    assert "Opened" in found.text
    assert "1932" in found.text


@pytest.mark.parametrize("body", ["", "<script>x()</script>", "<p> \u200b</p>", "<p hidden>Opened 1932</p>"])
def test_a_page_without_visible_text_is_empty(body: str) -> None:
    found = read(f"<html><body>{body}</body></html>".encode())
    assert (found.kind, found.text) == ("empty", "")


def test_class_names_that_only_sound_like_boilerplate_lose_no_text() -> None:
    article = page("<p>Swifts nest under its arches every year, about forty pairs of them in all.</p>")
    for name in ("has-sidebar", "no-comments related-content", "site-content footer-fixed", "popular-posts", "ad"):
        found = read(article.replace(b"<article>", f"<div class='{name}'>".encode()).replace(b"</article>", b"</div>"))
        assert "Ida Kern" in found.text
        assert "forty pairs" in found.text


@pytest.mark.parametrize(
    ("charset", "stated", "used"),
    [
        (None, "<meta charset=iso-8859-2>", "iso-8859-2"),
        ("iso-8859-2", "", "iso-8859-2"),
        ("iso-8859-2", "<meta charset=utf-8>", "iso-8859-2"),
        ("windows-1252", "", "utf-8"),
        ("x" * 5_000, "", "utf-8"),
        ("utf-7", "", "utf-8"),
        ("utf-16-le", "", "utf-16-le"),
        (None, "", "utf-16"),
    ],
)
def test_stated_charsets_are_decoded(charset: str | None, stated: str, used: str) -> None:
    said = "Źródło: łódzka gazeta, 3 maja."
    found = read(f"<html><head>{stated}</head><body><p>{said}</p></body></html>".encode(used), charset)
    assert said in found.text


def test_east_asian_charsets_are_decoded() -> None:
    said = "橋は一九三二年に開通した。長さは千二百メートルである。"
    markup = f"<html><body><p>{said}</p></body></html>"
    for charset in ("iso-2022-jp", "shift_jis", "x-sjis", "euc-jp"):
        content = markup.encode("shift_jis" if charset == "x-sjis" else charset)
        assert said in read(content, charset).text, charset
    assert "㐀橋" in read("<p>㐀橋</p>".encode("gb18030"), "gb2312").text


@pytest.mark.medium
def test_large_pages_are_read_line_by_line() -> None:
    rows = "".join(f"<p>In <b>{year}</b> the bridge was painted again.</p>" for year in range(1000, 12_000))
    found = read(page(rows))
    assert "Ida Kern" in found.text
    assert "In 9000 the bridge" in found.text
