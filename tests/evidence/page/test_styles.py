"""Style sheets, selectors and values: read as browsers read them, never raising an error."""

import pytest
import tinycss2
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from factscope.evidence.page import (
    Colour,
    StyleCascade,
    StyleRule,
    colour,
    contrast,
    declarations,
    font_size,
    holds,
    length,
    over,
    read_sheet,
    read_styles,
    split,
    stylesheet,
)
from tests.lab.growth import growth
from tests.lab.many_cases import try_all

TREE = html.document_fromstring(
    "<body><div id=top class='a b'><p id=one class=x>1</p><p id=two data-k='v w'>2</p><span id=three>3</span></div>"
    "<section id=next><p id=four lang=de-AT>4</p></section></body>"
)


@try_all(
    ("selector", "ids"),
    [
        ("p", "one two four"),
        ("*", "top one two three next four"),
        ("#one", "one"),
        (".a.b", "top"),
        ("div p", "one two"),
        ("body > p", ""),
        ("div > p", "one two"),
        ("p + p", "two"),
        ("p ~ span", "three"),
        ("div p ~ *", "two three"),
        ("[data-k]", "two"),
        ("[data-k='v w']", "two"),
        ("[data-k~=w]", "two"),
        ("[lang|=de]", "four"),
        ("[id^=t]", "top two three"),
        ("[id$=e]", "one three"),
        ("[id*=o]", "top one two four"),
        ("[data-k='V W' i]", "two"),
        ("p:first-child", "one four"),
        ("p:last-child", "four"),
        ("p:only-child", "four"),
        ("div :nth-child(2)", "two"),
        ("div :nth-child(odd)", "one three"),
        ("div :nth-last-child(1)", "three"),
        ("p:last-of-type", "two four"),
        ("p:not(.x)", "two four"),
        ("p:not(.x, #two)", "four"),
        (":is(span, .x)", "one three"),
        ("p:hover", ""),
        ("p::after", ""),
        ("p:unknown(x)", ""),
        ("p >", ""),
        ("", ""),
        ("p{", ""),
    ],
)
def test_selectors_match_the_right_elements(selector: str, ids: str) -> None:
    cascade = StyleCascade(TREE, [StyleRule(selector, declarations("display:none"))])
    matching = [element.get("id") for element in TREE.iter() if element.get("id") and cascade.of(element)]
    assert matching == ids.split()


_SELECTORS = (
    "p",
    ".x",
    "#two",
    ".absent",
    ".x:hover",
    "p::before",
    "div > .x",
    "+ p",
    "..x",
    ".a\\:b",
    "[data-k='v w']",
    "p:not(.x)",
    "p/**/#two",
    "<!-- p",
    "&.x",
)
_PIECES = (
    "display:none", "display:block", "border-color:red", "x:[;display:block;y:]", "x:url(a;display:block;b)", 'x:"a;b"',
    "--c:red", "color:var(--c)", "/* ; */", "DISPLAY : none !important", "-webkit-mask:none", "& .x{top:0}",
    'content:"\\f09a"', "color: rgba( 1,2,3, .5 ) ! important", "width:1.5.5px", "left:1e3px", "margin:0 a.b,-1em",
)  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(_SELECTORS), min_size=1, max_size=3).map(",".join),
            st.lists(st.sampled_from(_PIECES), max_size=5).map(";".join),
        ),
        max_size=4,
    ),
    st.sampled_from(("%s", "@media all{%s}", "@media (min-width:1px){%s stray}p{top:0}", "@layer a{%s}", "@;%s")),
)
def test_rules_left_out_of_a_stylesheet_change_no_style(blocks: list[tuple[str, str]], around: str) -> None:
    source = around % "\n".join(f"{selectors} {{{body}}}" for selectors, body in blocks)
    names = frozenset(name for value in TREE.xpath("//@class | //@id") for name in value.split())
    nodes = tinycss2.parse_stylesheet(source, skip_comments=True, skip_whitespace=True)
    whole = stylesheet.StyleSheet([], {}, complete=True, layers=[])
    stylesheet._add_rules(nodes, (), whole, layer="", depth=0)
    expected, found = StyleCascade(TREE, whole.rules), StyleCascade(TREE, read_sheet(source, names).rules)
    for element in TREE.iter():
        assert found.of(element) == expected.of(element), source


@pytest.mark.parametrize("left_out", [".x:hover{color:red}", ".absent{color:red}", "@media print{.x{top:0}}"])
@pytest.mark.parametrize("stray", [";", "}", ";\n", "}\n"])
def test_stray_characters_before_an_omitted_rule_do_not_spoil_the_next(stray: str, left_out: str) -> None:
    sheet = read_sheet(f"p{{top:0}}{stray}{left_out}.x{{display:none}}", frozenset(("x",)))
    assert [rule.selectors for rule in sheet.rules] == ["p", ".x"]


@try_all(
    ("value", "pixels"),
    [
        ("12px", 12),
        ("-.5em", -8),
        ("2rem", 32),
        ("1in", 96),
        ("50%", 640),
        ("10vw", 128),
        ("calc(1px + 2 * (3px - 1px))", 5),
        ("calc(100% - 1280px)", 0),
        ("min(3px, 1em)", 3),
        ("clamp(1px, 5px, 3px)", 3),
        ("0", 0),
        ("auto", None),
        ("1px 2px", None),
        ("calc(1px / 0)", None),
        ("calc(", None),
        ("1e999px", None),
        ("12parsecs", None),
        (f"min({'[' * 490}", None),
    ],
)
def test_lengths_are_converted_to_pixels(value: str, pixels: float | None) -> None:
    assert length(value) == (None if pixels is None else pytest.approx(pixels))


@try_all(
    ("value", "wanted"),
    [
        ("#fff", Colour(255, 255, 255)),
        ("#FF000080", Colour(255, 0, 0, 128 / 255)),
        ("rebeccapurple", Colour(102, 51, 153)),
        ("rgb(1, 2, 3)", Colour(1, 2, 3)),
        ("rgb(1 2 3 / 50%)", Colour(1, 2, 3, 0.5)),
        ("hsl(120deg 100% 50%)", Colour(0, 255, 0)),
        ("color(srgb 1 0 0)", Colour(255, 0, 0)),
        ("oklch(1 0 0)", Colour(255, 255, 255)),
        ("transparent", Colour(0, 0, 0, 0)),
        ("#ff", None),
        ("rgb(1)", None),
        ("color-mix(in srgb, red, blue)", None),
        ("inherit", None),
    ],
)
def test_colours_are_parsed(value: str, wanted: Colour | None) -> None:
    assert colour(value) == (None if wanted is None else pytest.approx(wanted, abs=0.01))


def test_contrast_is_computed_as_in_the_guidelines() -> None:
    black, white, grey = Colour(0, 0, 0), Colour(255, 255, 255), Colour(118, 118, 118)
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(white, grey) == pytest.approx(4.54, abs=0.01)
    assert over(Colour(0, 0, 0, 0.5), white) == pytest.approx((127.5, 127.5, 127.5, 1.0))


@try_all(
    ("query", "does"),
    [
        ("", True), ("all", True), ("screen", True), ("print", False), ("not print", True), ("only screen", True),
        ("screen and (min-width: 600px)", True), ("(max-width: 600px)", False), ("print, screen", True),
        ("(400px <= width <= 2000px)", True), ("(width < 400px)", False), ("(hover: none)", False),
        ("(x-unknown)", False),
        ("(orientation: landscape) and (color)", True), ("(max-width:1px) or (hover)", True),
        ("all and", False), ("screen and(min-width:1px)", False), ("screen (hover)", False), ("only (hover)", False),
        ("screen, all and", True), ("not all and", False), ("(hover) and", False), ("and", False),
        ("(hover) and (color) or (grid)", False), ("not (hover)", False), ("not (x-unknown)", False),
        ("(x-unknown) or (hover)", True), ("(color) and (not (hover))", False), ("not not all", False),
        ("((hover) or (grid)) and (color)", True),
        ("not all and (monochrome)", True), ("not print and (hover)", True), ("(prefers-reduced-motion)", False),
        ("(prefers-color-scheme)", True), ("(min-aspect-ratio: 1/1)", True), ("(aspect-ratio > 2/1)", False),
        ("(-webkit-min-device-pixel-ratio: 0)", True), ("(min-resolution: 2dppx)", False),
        ("(resolution: 96dpi)", True),
        ("(width: 5px)", False), ("(900px > height >= 1px)", True), ("(min-width)", False), ("(min-width: 1q1)", False),
    ],
)  # fmt: skip
def test_media_queries_are_evaluated(query: str, does: bool) -> None:
    assert holds(query) == does


def test_stylesheets_are_reduced_to_relevant_rules() -> None:
    sheet = read_sheet(
        "@import url(a.css); .a, .b > p { color: red; display: none !important; margin: 0 } "
        "@media print { .c { display: none } } @media screen { .d { opacity: 0; & e { left: 0 } } } "
        "@keyframes k { from { opacity: 1 } to { opacity: 0 } } .f { -webkit-transform: scale(0); border: 1px }"
    )
    assert [rule.selectors for rule in sheet.rules] == [".a, .b > p", ".d", ":is(.d) e", ".f"]
    assert [(one.name, one.value, one.important) for one in sheet.rules[0].declarations] == [
        ("color", "red", False),
        ("display", "none", True),
        ("margin", "0", False),
    ]
    assert sheet.rules[-1].declarations[0].name == "transform"
    assert [one.value for one in sheet.ends["k"]] == ["0"]
    assert sheet.complete


def test_at_rules_without_a_block_are_read_in_linear_time() -> None:
    assert growth(lambda size: read_sheet("@media " * (size // 7)), 100_000) < 1.5


def test_a_stylesheet_is_reduced_to_rules_that_can_hide_something_on_the_page() -> None:
    source = ".here { left: 0 } .there { display: none } .here { cursor: pointer } @media print { .here { top: 0 } }"
    sheet = read_sheet(source, frozenset({"here"}))
    assert [(rule.selectors, rule.declarations[0].name) for rule in sheet.rules] == [(".here", "left")]


STRANGE = st.text(st.sampled_from("{}()[];:,.#>+~*@&!'\"\\/ \n-%0129aemnptxcalvr"), max_size=120)


@given(STRANGE)
def test_any_stylesheet_is_read_without_an_error(source: str) -> None:
    StyleCascade(TREE, read_sheet(source).rules).of(TREE)


@given(STRANGE)
def test_any_style_attribute_is_read_without_an_error(source: str) -> None:
    list(declarations(source))
    length(source)
    font_size(source, 16)
    colour(source)
    holds(source)
    assert all(split(source))


@given(STRANGE)
def test_a_page_is_read_whatever_its_styles_contain(source: str) -> None:
    from factscope.evidence.page import read_page

    escaped = source.replace("&", "&amp;").replace('"', "&quot;")
    page = read_page(f'<p style="{escaped}">The bridge.</p><p>It is old.</p>'.encode(), "text/html", None, "")
    assert "It is old." in page.text


def test_too_deeply_nested_brackets_of_variables_leave_the_page_readable() -> None:
    from factscope.evidence.page import read_page

    nested = "".join(f"--v{at}:{'(' * 250}var(--v{at + 1}){')' * 250};" for at in range(5))
    styles = [f"{nested}{name}:var(--v0)" for name in ("margin", "inset", "translate", "scale", "font", "background")]
    paragraphs = "".join(f'<p style="{style}">It was opened in {year}.</p>' for year, style in enumerate(styles, 1932))
    link = f"<link rel=stylesheet href='data:text/css,p{{}}' media='{'(' * 5_000}'>"
    page = read_page(f"{link}{paragraphs}<p>It is old.</p>".encode(), "text/html", None, "")
    assert "1932" in page.text
    assert "It is old." in page.text


def test_the_stylesheets_of_a_page_are_read_up_to_a_common_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read one by one, nine megabytes exceeded a page's time limit, so the page was lost as evidence."""
    tree = html.document_fromstring("".join(f"<style>p {{ top: {at}px }}</style>" for at in range(3)) + "<p>It is old.")
    assert read_styles(tree).complete
    monkeypatch.setattr(stylesheet, "MAX_CHARACTERS", 32)
    styles = read_styles(tree)
    assert not styles.complete
    assert [rule.declarations[0].value for rule in styles.rules] == ["0px", "1px"]
