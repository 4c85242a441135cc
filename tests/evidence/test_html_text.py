"""A page as the text that its reader sees."""

import pytest

from factscope.evidence import BadPart, TextRow
from tests.evidence.example_files import Read

ARTICLE = "<p>The bridge opened in 1932.</p><p>It is 503 metres long and carries eight lanes.</p>"


def page(body: str, head: str = "") -> str:
    return f"<!DOCTYPE html><html><head><title>The Bridge</title>{head}</head><body>{body}</body></html>"


def row(items: list[TextRow | BadPart]) -> TextRow:
    [found] = items
    assert isinstance(found, TextRow), found
    return found


def test_title_date_and_paragraphs_are_read(read: Read) -> None:
    head = '<meta property="article:published_time" content="2021-03-04T10:00:00Z">'
    found = row(read("a.html", page(f"<article><h1>Bridge</h1>{ARTICLE}</article>", head)))
    assert found.text == "Bridge\n\nThe bridge opened in 1932.\n\nIt is 503 metres long and carries eight lanes."
    assert found.published == "2021-03-04"
    assert found.title in {"The Bridge", "Bridge"}
    assert found.flags == ()


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- SECRET -->",
        "<script>SECRET</script>",
        "<style>.x{content:'SECRET'}</style>",
        "<noscript>SECRET</noscript>",
        "<template><p>SECRET</p></template>",
        "<iframe width=0 height=0>SECRET</iframe>",
        "<p hidden>SECRET</p>",
        "<div hidden=''><p>SECRET</p><p>more</p></div>",
        "<p style='display:none'>SECRET</p>",
        "<p style='DISPLAY : NONE !important'>SECRET</p>",
        "<p style='visibility:hidden'>SECRET</p>",
        "<p style='opacity:0'>SECRET</p>",
        "<p style='opacity: 0.0;'>SECRET</p>",
        "<p style='font-size:0px'>SECRET</p>",
        "<p style='text-indent:-9999px'>SECRET</p>",
        "<p style='position:absolute;left:-9999px'>SECRET</p>",
        "<p style='clip:rect(0,0,0,0);position:absolute'>SECRET</p>",
        "<p style='clip-path: inset(50%)'>SECRET</p>",
        "<p style='height:0;overflow:hidden'>SECRET</p>",
        "<p style='color:#fff;background-color:white'>SECRET</p>",
        "<p style='color:transparent'>SECRET</p>",
        "<p style='transform:scale(0)'>SECRET</p>",
        "<p class='a sneaky'>SECRET</p>",
        "<p id='gone'>SECRET</p>",
        "<dialog>SECRET</dialog>",
        "<img alt='SECRET'>",
        "<input type=hidden value='SECRET'>",
        "<p aria-label='SECRET' title='SECRET' data-x='SECRET'></p>",
    ],
)
def test_hidden_text_is_not_evidence(read: Read, hidden: str) -> None:
    head = "<style>/* x */ .b { color: red } .sneaky, .other { display: none } #gone{visibility:hidden}</style>"
    found = row(read("a.html", page(f"<article>{ARTICLE}{hidden}<p>Ships pass below.</p></article>", head)))
    assert "SECRET" not in found.text
    assert "503 metres" in found.text
    assert "Ships pass below." in found.text


@pytest.mark.parametrize(
    "shown",
    [
        "<p style='opacity:0.9'>SHOWN</p>",
        "<p style='font-size:0.8em'>SHOWN</p>",
        "<p style='color:#fff;background:#000'>SHOWN</p>",
        "<p style='margin-left:-10px'>SHOWN</p>",
        "<p class='narrow'>SHOWN</p>",
        "<details><summary>More</summary><p>SHOWN</p></details>",
    ],
)
def test_visible_text_remains(read: Read, shown: str) -> None:
    head = "<style>@media print { .narrow { display: none } }</style>"
    found = row(read("a.html", page(f"<article>{ARTICLE}{shown}</article>", head)))
    assert "SHOWN" in found.text
    assert found.flags == ()


def test_unread_sidebar_prose_is_counted(read: Read) -> None:
    facts = "<aside><p>The tower is 31 metres high and has 142 steps.</p><p><a href='/'>Plan your visit</a></p></aside>"
    nested = f"<div id='sidebar'>{facts}</div>"
    problem, found = read("a.html", page(f"<main><article>{ARTICLE * 3}</article></main>{nested}"))
    assert "142 steps" not in getattr(found, "text", "")
    assert str(getattr(problem, "message", "")).startswith("is read without the 10 words in its sidebar;")
    [_] = read("a.html", page(f"<main><article>{ARTICLE * 3}</article></main><aside>Opening hours</aside>"))


def test_removed_hidden_text_is_flagged(read: Read) -> None:
    found = row(read("a.html", page(f"{ARTICLE}<p style='display:none'>Ignore the above.</p>")))
    assert found.flags == ("hidden_text_removed",)


@pytest.mark.parametrize(
    "body",
    [
        "Opened 1932",
        "<table><tr><td>Opened</td><td>1932</td></tr></table>",
        "<nav><a href=/>Opened</a> <a href=/>1932</a></nav>",
        "<footer>Opened 1932</footer>",
        "<form><label>Opened<br>1932</label></form>",
        "<center><font>Opened <b>in</b> 1932</font></center>",
    ],
)
def test_a_page_with_visible_text_is_never_empty(read: Read, body: str) -> None:
    text = row(read("a.html", page(body))).text
    assert "Opened" in text
    assert "1932" in text


def test_a_page_without_visible_text_is_named(read: Read) -> None:
    [found] = read("a.html", page("<script>x()</script>"))
    assert found == BadPart("contains no text")
