"""The text of Word documents: changes, hidden text, fields, text boxes, equations, notes, and spanning cells."""

from __future__ import annotations

import io

import pytest

from factscope.evidence import BadPart, TextRow
from tests.evidence.example_files import Read
from tests.evidence.test_office_and_archives import rewritten
from tests.lab.many_cases import try_all


def word_file(body: str, **notes: str) -> bytes:
    """Return a Word document with this markup as its body and these `footnotes` and `endnotes`."""
    docx = pytest.importorskip("docx")
    spaces = "".join(
        f' xmlns:{name}="http://schemas.{address}"'
        for name, address in (
            ("w", "openxmlformats.org/wordprocessingml/2006/main"),
            ("m", "openxmlformats.org/officeDocument/2006/math"),
            ("mc", "openxmlformats.org/markup-compatibility/2006"),
            ("v", "microsoft.com/vml"),
        )
    )
    document = docx.Document()
    document.element.body[:] = list(docx.oxml.parse_xml(f"<w:body{spaces}>{body}</w:body>"))
    for name, markup in notes.items():
        content = docx.oxml.parse_xml(f"<w:{name}{spaces}>{markup}</w:{name}>")
        kind = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{name}+xml"
        package = document.part.package
        part = docx.opc.part.XmlPart(docx.opc.packuri.PackURI(f"/word/{name}.xml"), kind, content, package)
        document.part.relate_to(part, f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{name}")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def run(text: str, looks: str = "") -> str:
    """Return a run of a Word document."""
    return f'<w:r><w:rPr>{looks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def symbol(font: str, place: str) -> str:
    """Return a run with a character at a place of a font."""
    return f'<w:r><w:sym w:font="{font}" w:char="{place}"/></w:r>'


def cells(*rows: tuple[str, ...]) -> str:
    """Return a table of a Word document whose cells hold this markup."""
    lines = ("".join(f"<w:tc>{cell}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl><w:tblPr/><w:tblGrid/>" + "".join(f"<w:tr>{line}</w:tr>" for line in lines) + "</w:tbl>"


def control(content: str, kind: str = "") -> str:
    """Return a content control of a Word document."""
    return f"<w:sdt><w:sdtPr>{kind}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def box(text: str) -> str:
    """Return a text box of a Word document as Word writes it, with a copy for older programs."""
    content = f"<v:textbox><w:txbxContent><w:p>{run(text)}</w:p></w:txbxContent></v:textbox>"
    return (
        f"<w:r><mc:AlternateContent><mc:Choice><w:drawing>{content}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict>{content}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )


CONTENTS = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'
RAISED, LOWERED = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
NOT_STRUCK = '<w:strike w:val="0"/>'
CUT_BREAK = "<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>"
RUBY = f"<w:r><w:ruby><w:rt>{run('かすみ')}</w:rt><w:rubyBase>{run('霞')}</w:rubyBase></w:ruby></w:r>"
SPAN = cells((f"<w:p>{run('Part')}</w:p>", f"<w:p>{run('Metres')}</w:p>"), (f"<w:p>{run('Span')}</w:p>", "{}"))

WORD_TEXTS = [
    (f"<w:p>{run('It opened in ')}<w:ins>{run('1931')}</w:ins>.</w:p>", "It opened in 1931"),
    (f"<w:p>{run('It has ')}<w:del>{run('nine ')}</w:del>{run('four arches.')}</w:p>", "It has four arches."),
    (f"<w:moveTo><w:p>{run('One.')}</w:p></w:moveTo><w:moveFrom><w:p>{run('One.')}</w:p></w:moveFrom>", "One."),
    (
        f"<w:p>{run('By ')}{control(run('Ida Kern'))}</w:p>" + control(f"<w:p>{run('Two.')}</w:p>"),
        "By Ida Kern\n\nTwo.",
    ),
    (control(f"<w:p>{run('1 History 3')}</w:p>", CONTENTS) + f"<w:p>{run('Text.')}</w:p>", "Text."),
    (f"<w:p>{run('Page ')}<w:fldSimple>{run('7')}</w:fldSimple></w:p>", "Page 7"),
    (f"<w:p>{run('Before.')}{box('Boxed.')}</w:p><w:p>{run('After.')}</w:p>", "Before.\n\nBoxed.\n\nAfter."),
    (f"<w:p>{run('At ')}{run('eight ', '<w:strike/>')}{run('nine', NOT_STRUCK)}</w:p>", "At nine"),
    (f"<w:p>{run('In ')}{run('1930 ', '<w:dstrike/>')}{run('1931')}</w:p>", "In 1931"),
    (SPAN.format(f"<w:p>{run('9 ', '<w:vanish/>')}{run('212')}</w:p>"), "Part: Span; Metres: 212"),
    (SPAN.format(control(f"<w:p>{run('212')}</w:p>")), "Part: Span; Metres: 212"),
    (SPAN.format(SPAN.format(f"<w:p>{run('212')}</w:p>") + "<w:p/>"), "Part: Span; Metres: Part: Span; Metres: 212"),
    (SPAN.format(f"<w:p>{box('212')}</w:p>"), "Part: Span; Metres: 212"),
    (SPAN.replace("<w:tc>{}</w:tc>", control(f"<w:tc><w:p>{run('212')}</w:p></w:tc>")), "Part: Span; Metres: 212"),
    (f"<w:p>{run('10')}{run('−', RAISED)}{run('6', RAISED)}{run(' m')}</w:p>", "10⁻⁶ m"),
    (f"<w:p>{run('In 1931')}{run('2', RAISED)}{run(' CO')}{run('2', LOWERED)}</w:p>", "In 1931 CO2"),
    (SPAN.format(f"<w:p>{run('2 × 10')}{run('3', RAISED)}</w:p>"), "Part: Span; Metres: 2 × 10³"),
    (f"<w:p>{run('By ')}{control(run('Click here.'), '<w:showingPlcHdr/>')}{run('us')}</w:p>", "By us"),
    (f"<w:p>{CUT_BREAK}{run('It has four ')}</w:p><w:p>{run('arches.')}</w:p>", "It has four arches."),
    (f"<w:p>{CUT_BREAK}<w:del>{run('Nine.')}</w:del></w:p><w:p><w:pPr/>{run('Four.')}</w:p>", "Four."),
    (f"<w:p>{RUBY}{run('が関')}</w:p>", "霞が関"),
    (
        f"<w:p>{run('It holds ')}{symbol('Symbol', 'F0B3')}{run(' 5 t ')}{symbol('Symbol', '0062')}</w:p>",
        "It holds ≥ 5 t β",
    ),
    (f"<w:p>{symbol('Wingdings', 'F0FE')}{run(' Open ')}{symbol('Arial', '2192')}</w:p>", "☑ Open →"),
    (f"<w:p>{symbol('Webdings', 'F0FE')}{run('Open')}</w:p>", "Open"),
    (f"<w:p>{symbol('Arial', 'D800')}{symbol('Symbol', '')}{symbol('Symbol', 'F001')}{run('Open')}</w:p>", "Open"),
    (f"<w:p>{run('Four ', '<w:sz w:val=`3`/>')}{run('five', '<w:sz w:val=`4`/>')}</w:p>".replace("`", '"'), "five"),
]


@try_all(("body", "expected"), WORD_TEXTS)
def test_a_word_document_is_read_with_its_tracked_changes_accepted(read: Read, body: str, expected: str) -> None:
    [row] = read("a.docx", word_file(body))
    assert isinstance(row, TextRow)
    assert row.text == expected
    assert row.flags == (("hidden_text_removed",) if "vanish" in body or "w:sz" in body else ())


PLUS_ONE = "<m:d><m:dPr/><m:e>{x+1}</m:e></m:d>"
EQUATIONS = [
    ("{E=m}<m:sSup><m:e>{c}</m:e><m:sup>{2}</m:sup></m:sSup>", "E=mc²"),
    ("<m:sSup><m:e>{10}</m:e><m:sup>{−6}</m:sup></m:sSup>{+2}", "10⁻⁶+2"),
    ("<m:sSup><m:e>{2}</m:e><m:sup>{n−1}</m:sup></m:sSup>", "2^(n−1)"),
    ("<m:sSubSup><m:e>{v}</m:e><m:sub>{0}</m:sub><m:sup>{2}</m:sup></m:sSubSup>", "v₀²"),
    ("<m:sSub><m:e>{v}</m:e><m:sub>{max}</m:sub></m:sSub>", "v_max"),
    (f"<m:f><m:num>{{1}}</m:num><m:den>{PLUS_ONE}</m:den></m:f>", "1/(x+1)"),
    ("<m:f><m:num>{a+b}</m:num><m:den>{2x}</m:den></m:f>", "(a+b)/(2x)"),
    ("<m:rad><m:radPr/><m:deg/><m:e>{2}</m:e></m:rad><m:rad><m:deg>{3}</m:deg><m:e>{2x}</m:e></m:rad>", "√2³√(2x)"),
    (f"<m:sSup><m:e>{PLUS_ONE}</m:e><m:sup>{{2}}</m:sup></m:sSup>", "(x+1)²"),
    ("<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{i=1}</m:sub><m:sup>{4}</m:sup><m:e>{i}</m:e></m:nary>",
     "∑_(i=1)⁴i"),
    ("<m:m><m:mr><m:e>{1}</m:e><m:e>{2}</m:e></m:mr><m:mr><m:e>{3}</m:e><m:e>{4}</m:e></m:mr></m:m>", "1 2; 3 4"),
    ("<m:func><m:fName>{sin}</m:fName><m:e>{x}</m:e></m:func><w:del>{=2}</w:del><w:ins>{=3}</w:ins>", "sin x=3"),
    ("{4}<m:r><w:rPr><w:vanish/></w:rPr><m:t>9</m:t></m:r>", "4"),
]  # fmt: skip


@try_all(("equation", "expected"), EQUATIONS)
def test_equations_of_a_word_document_are_read_on_one_line(read: Read, equation: str, expected: str) -> None:
    content = equation.replace("{", "<m:r><m:t>").replace("}", "</m:t></m:r>")
    for markup in (f"<m:oMath>{content}</m:oMath>", f"<m:oMathPara><m:oMath>{content}</m:oMath></m:oMathPara>"):
        [item] = read("a.docx", word_file(f"<w:p>{run('It is ')}{markup}{run(' here.')}</w:p>"))
        assert isinstance(item, TextRow)
        assert item.text == f"It is {expected} here."
        assert item.flags == (("hidden_text_removed",) if "vanish" in equation else ())


def test_equations_on_lines_of_their_own_do_not_run_together(read: Read) -> None:
    first, second, third = (f"<m:r><m:t>{text}</m:t></m:r>" for text in ("x=1", "2y=3", "+4"))
    block = f"<m:oMath>{first}<m:r><w:br/></m:r></m:oMath><m:oMath>{second}<m:r><w:br/><m:t>+4</m:t></m:r></m:oMath>"
    [item] = read("a.docx", word_file(f"<w:p><m:oMathPara>{block}<m:oMath>{third}</m:oMath></m:oMathPara></w:p>"))
    assert isinstance(item, TextRow)
    assert item.text == "x=1; 2y=3 +4; +4"


def test_the_referenced_notes_of_a_word_document_are_read_at_its_end(read: Read) -> None:
    def note(number: int, name: str, text: str) -> str:
        return f'<w:{name} w:id="{number}"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:{name}>'

    def reference(number: int, name: str) -> str:
        return f'<w:r><w:{name}Reference w:id="{number}"/></w:r>'

    body = f"<w:p>{run('It opened')}{reference(1, 'endnote')}{run(' in 1931.')}{reference(3, 'footnote')}"
    body += f"{reference(2, 'footnote')}<w:del>{reference(4, 'footnote')}</w:del></w:p>"
    texts = ("-----", "It has four arches.", "It is {}212 m long.", "It was deleted.")
    footnotes = "".join(note(number, "footnote", text) for number, text in enumerate(texts, 1))
    footnotes = footnotes.replace("{}", f"</w:t></w:r><w:del>{run('9')}</w:del><w:r><w:t>")
    endnotes = note(1, "endnote", "By Ida Kern.") + note(2, "endnote", "Unused.")
    [item] = read("a.docx", word_file(body, footnotes=footnotes, endnotes=endnotes))
    assert isinstance(item, TextRow)
    assert item.text == "It opened in 1931.\n\nIt is 212 m long.\n\nIt has four arches.\n\nBy Ida Kern."
    assert item.flags == ()


def test_a_word_document_is_read_without_its_broken_notes(read: Read) -> None:
    whole = word_file(f"<w:p>{run('It opened in 1931.')}</w:p>", footnotes="")
    broken = rewritten(whole, "word/footnotes.xml", b"<w:footnotes", b"<<w:footnotes")
    bad, item = sorted(read("a.docx", broken), key=lambda part: isinstance(part, TextRow))
    assert isinstance(item, TextRow)
    assert item.text == "It opened in 1931."
    assert isinstance(bad, BadPart)
    assert "footnotes or endnotes" in bad.message


def row(*cells_in_it: tuple[str, str], marks: str = "") -> str:
    """Return a table row of a Word document, of cells with these texts and properties."""
    lines = "".join(f"<w:tc><w:tcPr>{looks}</w:tcPr><w:p>{run(text)}</w:p></w:tc>" for text, looks in cells_in_it)
    return f"<w:tr><w:trPr>{marks}</w:trPr>{lines}</w:tr>"


BEGINS, GOES_ON = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
CELL = "<w:tc><w:p>{}</w:p></w:tc>"
NAMED = row(("Part", ""), ("Metres", ""))
WORD_TABLES = [
    (
        NAMED + row(("Span", BEGINS), ("9", "")) + row(("", GOES_ON), ("212", "")),
        "Part: Span; Metres: 9\nPart: Span; Metres: 212",
    ),
    (NAMED + row(("Span", BEGINS), ("9", ""), marks="<w:del/>") + row(("", GOES_ON), ("212", "")), "Metres: 212"),
    (
        row(("Old", BEGINS), ("Was", ""), marks="<w:del/>")
        + row(("", GOES_ON), ("Metres", ""))
        + row(("A", ""), ("5", "")),
        "A; Metres: 5",
    ),
    (NAMED + row(("212", ""), marks='<w:gridBefore w:val="1"/>'), "Metres: 212"),
    (
        NAMED + f"<w:tr>{control(CELL.format(run('Name it')), '<w:showingPlcHdr/>')}{CELL.format(run('212'))}</w:tr>",
        "Metres: 212",
    ),
    (NAMED + row(("none", '<w:gridSpan w:val="2"/>')), "Part: none; Metres: none"),
]


@try_all(("rows", "expected"), WORD_TABLES)
def test_cells_of_a_word_table_stay_in_their_columns(read: Read, rows: str, expected: str) -> None:
    [item] = read("a.docx", word_file(f"<w:tbl><w:tblPr/><w:tblGrid/>{rows}</w:tbl>"))
    assert isinstance(item, TextRow)
    assert item.text == expected


def test_a_cell_of_a_word_table_can_span_a_thousand_rows(read: Read) -> None:
    rows = NAMED + row(("Span", BEGINS), ("0", "")) + row(("", GOES_ON), ("212", "")) * 1000
    [item] = read("a.docx", word_file(f"<w:tbl><w:tblPr/><w:tblGrid/>{rows}</w:tbl>"))
    assert isinstance(item, TextRow)
    assert item.text.count("Part: Span; Metres: 212") == 1000


def test_text_hidden_by_a_style_is_hidden_text(read: Read) -> None:
    style = '<w:style w:type="{}" w:styleId="{}">{}</w:style>'
    vanish, base = "<w:rPr><w:vanish/></w:rPr>", '<w:basedOn w:val="Gone"/>'
    chosen = '<w:rStyle w:val="{}"/>'
    styles = style.format("character", "Gone", vanish) + style.format("paragraph", "GoneToo", base)
    styles += style.format("character", "Shown", base + "<w:rPr><w:vanish w:val='0'/></w:rPr>")
    body = f"<w:p>{run('It has ')}{run('nine ', chosen.format('Gone'))}"
    body += f"{run('four ', chosen.format('Shown'))}{run('arches.')}</w:p>"
    body += f"<w:p><w:pPr><w:pStyle w:val='GoneToo'/></w:pPr>{run('It is 9 m long.')}</w:p>"
    file = rewritten(word_file(body), "word/styles.xml", b"</w:styles>", f"{styles}</w:styles>".encode())
    [item] = read("a.docx", file)
    assert isinstance(item, TextRow)
    assert item.text == "It has four arches."
    assert item.flags == ("hidden_text_removed",)
