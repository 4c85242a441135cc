"""Office files, books and archives as evidence: the parts read, the parts left out, and the packages suggested."""

from __future__ import annotations

import bz2
import io
import random
import stat
import tarfile
import time
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from copy import deepcopy
from pathlib import Path
from urllib.parse import quote

import pytest

from factscope.core import InputError
from factscope.evidence import BadPart, Collection, TextRow, file_list, file_reader, office_text, open_collection, parse
from factscope.methods import Passages
from tests.evidence.example_files import Read
from tests.lab.many_cases import try_all

FACT = "The Marlow bridge was opened in 1931."


def texts(collection: Collection, query: str = "Marlow bridge opened") -> list[str]:
    return [found.text for found in collection.search(query, Passages(top_k=5))]


def sources(collection: Collection) -> set[str | None]:
    return {found.document.url for found in collection.search("Marlow bridge opened", Passages(top_k=5))}


def word(path: Path) -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.core_properties.title = "The bridge"
    document.add_heading("History", 1)
    document.add_paragraph(FACT)
    document.add_paragraph().add_run("The bridge never opened at all.").font.hidden = True
    table = document.add_table(2, 2)
    for cell, value in zip(
        (*table.rows[0].cells, *table.rows[1].cells), ("Part", "Metres", "Span", "212"), strict=True
    ):
        cell.text = value
    document.save(path)


def slides(path: Path) -> None:
    pptx = pytest.importorskip("pptx")
    presentation = pptx.Presentation()
    for text, shown in ((FACT, True), ("The bridge never opened at all.", False)):
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = text
        if not shown:
            slide._element.set("show", "0")
    presentation.save(path)


def sheets(path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Bridges"
    for row in (("name", "opened"), ("Marlow bridge", 1931)):
        book.active.append(row)
    secret = book.create_sheet("Secret")
    secret.append(("name", "opened"))
    secret.append(("Marlow bridge never", 1950))
    secret.sheet_state = "hidden"
    book.save(path)


def epub(chapters: dict[str, bytes], listed: str = "") -> bytes:
    """Return a book of these chapters; the markup `listed` extends its order."""
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/a.opf"/></rootfiles></container>'
    )
    items = "".join(f'<item id="c{number}" href="{quote(name)}"/>' for number, name in enumerate(chapters))
    order = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:title>Bridges</dc:title></metadata><manifest>{items}<item id="gone" href="gone.xhtml"/>'
        '<item id="cover" href="cover.jpg" media-type="image/jpeg"/></manifest>'
        f"<spine>{order}{listed}</spine></package>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("META-INF/container.xml", container)
        packed.writestr("OEBPS/a.opf", package)
        packed.writestr("OEBPS/cover.jpg", b"\xff\xd8\xff\xe0\x00")
        for name, content in chapters.items():
            packed.writestr(f"OEBPS/{name}", content)
    return file.getvalue()


CHAPTER = f"<html><body><h1>One</h1><p>{FACT} It has four arches, and it is 212 metres long.</p></body></html>".encode()


def book(path: Path) -> None:
    path.write_bytes(epub({"one .xhtml": CHAPTER}))


@pytest.mark.medium
@pytest.mark.parametrize(("ending", "make"), [("docx", word), ("pptx", slides), ("xlsx", sheets), ("epub", book)])
def test_office_files_and_books_are_evidence(tmp_path: Path, ending: str, make: Callable[[Path], None]) -> None:
    make(tmp_path / f"bridge.{ending}")
    collection = open_collection([tmp_path], tmp_path / "cache")
    found = " ".join(texts(collection))
    assert "Marlow bridge" in found
    assert "1931" in found
    assert "never" not in found
    assert collection.problems == ()


def test_the_package_needed_to_read_an_office_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    word(tmp_path / "bridge.docx")
    monkeypatch.setattr(file_reader, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"is a Word document, .*pip install 'factscope\[office\]'"):
        open_collection([tmp_path], tmp_path / "cache")
    monkeypatch.undo()
    assert texts(open_collection([tmp_path], tmp_path / "cache"))  # the failure is not cached


@pytest.mark.parametrize("ending", ["docx", "pptx", "xlsx", "epub"])
def test_a_broken_office_file_is_a_problem_and_not_a_crash(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"a.{ending}").write_bytes(b"PK\x03\x04 and then nothing that anybody could read")
    (tmp_path / f"b.{ending}").write_text("plain text", encoding="utf-8")
    (tmp_path / "c.txt").write_text(FACT, encoding="utf-8")
    problems = [str(one) for one in open_collection([tmp_path], tmp_path / "cache").problems]
    assert [one.rpartition("/")[2].partition(":")[0] for one in problems] == [f"a.{ending}", f"b.{ending}"]
    assert "though its name says so" in problems[1]


def test_hidden_shapes_of_a_slide_are_left_out_and_those_for_newer_programs_are_read(read: Read) -> None:
    pptx = pytest.importorskip("pptx")
    presentation, file = pptx.Presentation(), io.BytesIO()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    for text in (FACT, "It has four arches.", "The bridge never opened at all."):
        slide.shapes.add_textbox(0, 0, 9, 9).text_frame.text = text
    _, newer, hidden = slide.shapes
    hidden._element.nvSpPr.cNvPr.set("hidden", "1")
    both = pptx.oxml.parse_xml(
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        "<mc:Choice/><mc:Fallback/></mc:AlternateContent>"
    )
    newer._element.addprevious(both)
    both[1].append(deepcopy(newer._element))
    both[0].append(newer._element)
    presentation.save(file)
    [item] = read("a.pptx", file.getvalue())
    assert isinstance(item, TextRow)
    assert item.text == f"{FACT}\n\nIt has four arches."
    assert item.flags == ("hidden_text_removed",)


@try_all(
    ("runs", "expected"),
    [
        ("<a:r><a:t>It has</a:t></a:r><a:br><a:rPr/></a:br><a:r><a:t>four arches.</a:t></a:r>", "It has\nfour arches."),
        ("<a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline='30000'/><a:t>6</a:t></a:r><a:r><a:t> m</a:t></a:r>", "10⁶ m"),
        ("<a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline='-25%'/><a:t>2</a:t></a:r>", "10₂"),
        ("<a:r><a:rPr strike='sngStrike'/><a:t>45</a:t></a:r><a:r><a:rPr baseline='0'/><a:t>40 m</a:t></a:r>", "40 m"),
        (
            "<a:r><a:rPr strike='noStrike'/><a:t>45 m on </a:t></a:r><a:fld id='1'><a:t>Monday</a:t></a:fld>",
            "45 m on Monday",
        ),
    ],
)
def test_the_text_of_a_slide_is_read_as_it_looks(runs: str, expected: str) -> None:
    pptx = pytest.importorskip("pptx")
    presentation, file = pptx.Presentation(), io.BytesIO()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    box, number, notes = (*(slide.shapes.add_textbox(0, 0, 9, 9) for _ in range(2)), slide.notes_slide)
    for frame in (box.text_frame, notes.notes_text_frame, number.text_frame):
        main = "http://schemas.openxmlformats.org/drawingml/2006/main"
        frame.paragraphs[0]._p.addprevious(pptx.oxml.parse_xml(f'<a:p xmlns:a="{main}">{runs}</a:p>'))
    number._element.nvSpPr.nvPr._add_ph().set("type", "sldNum")
    presentation.save(file)
    [item] = parse(file.getvalue(), "pptx", 1, 1_000)
    assert isinstance(item, TextRow)
    assert item.text == f"{expected}\n\n{expected}"


def test_the_text_of_diagrams_on_slides_is_read(read: Read) -> None:
    pptx = pytest.importorskip("pptx")
    spaces = "".join(
        f' xmlns:{name}="http://schemas.openxmlformats.org/{address}"'
        for name, address in (
            ("a", "drawingml/2006/main"),
            ("dgm", "drawingml/2006/diagram"),
            ("p", "presentationml/2006/main"),
            ("r", "officeDocument/2006/relationships"),
        )
    )
    boxes = (
        f"<a:r><a:t>{FACT}</a:t></a:r>",
        "",
        "<a:r><a:t>It has</a:t></a:r><a:br/><a:r><a:t>four arches.</a:t></a:r>",
    )
    points = "".join(f"<dgm:pt><dgm:t><a:bodyPr/><a:p>{text}</a:p></dgm:t></dgm:pt>" for text in boxes)
    data = f"<dgm:dataModel{spaces}><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>"
    presentation, file = pptx.Presentation(), io.BytesIO()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    name, kind = pptx.opc.packuri.PackURI("/ppt/diagrams/data1.xml"), "application/vnd.openxmlformats+xml"
    part = pptx.opc.package.Part(name, kind, slide.part.package, data.encode())
    number = slide.part.relate_to(
        part, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
    )
    slide.shapes._spTree.append(
        pptx.oxml.parse_xml(
            f"<p:graphicFrame{spaces}><p:nvGraphicFramePr><p:cNvPr id='4' name='Diagram'/></p:nvGraphicFramePr>"
            f"<a:graphic><a:graphicData uri='diagram'><dgm:relIds r:dm='{number}'/></a:graphicData></a:graphic>"
            "</p:graphicFrame>"
        )
    )
    presentation.save(file)
    [item] = read("a.pptx", file.getvalue())
    assert isinstance(item, TextRow)
    assert item.text == f"{FACT}\nIt has four arches."


def rewritten(archive: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """Make one replacement in a member of an archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as before, zipfile.ZipFile(file, "w") as after:
        for member in before.namelist():
            content = before.read(member)
            assert member != name or old in content
            after.writestr(member, content.replace(old, new) if member == name else content)
    return file.getvalue()


def workbook(*rows: tuple[object, ...]) -> bytes:
    """Return a workbook with one sheet of these rows."""
    openpyxl = pytest.importorskip("openpyxl")
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.active.title = "Bridges"
    for row in rows:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


SHEET = "xl/worksheets/sheet1.xml"


def test_rows_and_columns_outside_the_dimension_of_a_sheet_are_read(read: Read) -> None:
    data = workbook((), ("name",), ("Marlow", 1931), (), ("Kiel", 1908, "rebuilt"))
    for dimension in (b"A1", b"A1:A3"):
        items = read("a.xlsx", rewritten(data, SHEET, b'<dimension ref="A2:C5"', b'<dimension ref="%b"' % dimension))
        assert [item.text.partition("\n")[0] for item in items if isinstance(item, TextRow)] == [
            "name: Marlow; 1931",
            "name: Kiel; 1908; rebuilt",
        ]
        assert len(items) == 2


def test_cells_with_a_formula_but_no_value_are_named(read: Read) -> None:
    data = workbook(("name", "metres"), ("Marlow", "=2*106"), ("Kiel", "=3*50"), ("Both", '=""'))
    saved = rewritten(data, SHEET, b"<f>3*50</f>", b"<f>3*50</f><v>150</v>")
    saved = rewritten(saved, SHEET, b'<c r="B4">', b'<c r="B4" t="str">')  # its value is an empty string
    items = read("a.xlsx", saved)
    assert [item.text.partition("\n")[0] for item in items if isinstance(item, TextRow)] == [
        "name: Marlow",
        "name: Kiel; metres: 150",
        "name: Both",
    ]
    [problem] = [item for item in items if isinstance(item, BadPart)]
    assert problem.message == (
        "is read in part: its sheet Bridges has formulas without a saved value (B2); "
        "open it in a spreadsheet program and save it again"
    )


def test_a_workbook_with_all_its_values_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data = workbook(("name", "metres"), ("Marlow", "=2*106"), ("Kiel", "=3*50"))
    for value in (b"<v>9</v>", b'<v xml:space="preserve">9</v>', b"\n<v>9</v>"):
        saved = rewritten(data, SHEET, b"</f>", b"</f>" + value)
        with monkeypatch.context() as patched:
            patched.setattr("lxml.etree.iterparse", None)
            items = list(parse(saved, "xlsx", 1, 1_000))
        assert [item.text.partition("\n")[0] for item in items if isinstance(item, TextRow)] == [
            "name: Marlow; metres: 9",
            "name: Kiel; metres: 9",
        ]
        assert len(items) == 2


@try_all(
    ("parts", "expected"),
    [
        ("<r><t>10</t></r><r><rPr><vertAlign val='superscript'/></rPr><t>6</t></r><r><t> t</t></r>", "10⁶ t"),
        ("<r><t>Revenue</t></r><r><rPr><vertAlign val='superscript'/></rPr><t>1</t></r>", "Revenue"),
        ("<r><t>10</t></r><r><rPr><vertAlign val='subscript'/></rPr><t>2</t></r>", "10₂"),
        ("<r><rPr><strike/></rPr><t>Nine </t></r><r><rPr><b/></rPr><t>four</t></r>", "four"),
    ],
)
def test_a_text_with_several_formats_in_a_cell_is_read_as_it_looks(parts: str, expected: str) -> None:
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    part = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%b"/></Types>' % kind
    data = rewritten(workbook(("name", "note"), ("Kiel", 7)), "[Content_Types].xml", b"</Types>", part)
    data = rewritten(data, SHEET, b't="n"><v>7</v>', b't="s"><v>0</v>')
    with zipfile.ZipFile(file := io.BytesIO(data), "a") as archive:
        main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{main}"><si>{parts}</si></sst>')
    [item] = parse(file.getvalue(), "xlsx", 1, 1_000)
    assert isinstance(item, TextRow)
    assert item.text == f"name: Kiel; note: {expected}"


def test_unreadable_book_chapters_are_named_but_pictures_are_not(read: Read) -> None:
    chapters = {"1.xhtml": CHAPTER, "2.xhtml": bytes(200), "3.xhtml": b"<p>It sank.</p>", "4.xhtml": CHAPTER + b" "}
    data = epub(chapters, '<itemref idref="cover"/><itemref idref="gone"/><itemref idref="c9"/>')
    items = read("a.epub", data.replace(b"<p>It sank.</p>", b"<p>It swam.</p>"))  # its checksum is wrong by now
    assert [item.place for item in items if isinstance(item, TextRow)] == ["#chapter-1", "#chapter-4"]
    [problem] = [item for item in items if isinstance(item, BadPart)]
    assert problem.message == (
        "is read in part: without the chapters that can't be read (4: 2.xhtml, 3.xhtml, gone.xhtml, …); "
        "save them as plain text"
    )


def test_a_chapter_that_is_cut_off_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office_text, "LARGEST_CHAPTER", len(CHAPTER))
    row, problem = parse(epub({"1.xhtml": CHAPTER + b"<p>More.</p>"}), "epub", 1, 1_000)
    assert isinstance(row, TextRow)
    assert "More" not in row.text
    assert isinstance(problem, BadPart)
    assert problem.message == (
        "is read in part: without the end of the longest chapters (1.xhtml); save them as plain text"
    )


def zipped(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as bundle:
        bundle.writestr("docs/bridge.txt", FACT)
        for name in ("../outside.txt", f"/{path.parent.parent}/outside.txt", "docs/.hidden.txt"):
            bundle.writestr(name, "The Marlow bridge opened elsewhere.")
        link = zipfile.ZipInfo("docs/link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        bundle.writestr(link, "/etc/passwd")


def bundled(path: Path) -> None:
    with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as bundle:
        for name in ("docs/bridge.txt", "/outside.txt", "docs/.hidden.txt"):
            content = FACT if "bridge" in name else "The Marlow bridge opened elsewhere."
            member = tarfile.TarInfo(name)
            member.size = len(content)
            bundle.addfile(member, io.BytesIO(content.encode()))
        link = tarfile.TarInfo("docs/link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        bundle.addfile(link)


@pytest.mark.parametrize(("name", "make"), [("a.zip", zipped), ("a.tar", bundled), ("a.tar.gz", bundled)])
def test_archives_are_read_like_folders(tmp_path: Path, name: str, make: Callable[[Path], None]) -> None:
    folder = tmp_path / "evidence"
    folder.mkdir()
    make(folder / name)
    for paths in ([folder], [folder / name]):
        collection = open_collection(paths, tmp_path / "cache")
        assert texts(collection) == [FACT]
        assert sources(collection) == {f"{(folder / name).as_posix()}/docs/bridge.txt"}
        assert collection.problems == ()
    assert not list(tmp_path.glob("**/outside.txt"))


@pytest.mark.parametrize(("written", "name"), [("ä".encode(), "bä.txt"), (b"\x84h", "bäh.txt")])
def test_names_in_a_zip_are_read_as_utf8_where_they_are(tmp_path: Path, written: bytes, name: str) -> None:
    """Info-ZIP and macOS write UTF-8 without its flag; older programs write code page 437."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as bundle:
        bundle.writestr("b" + "x" * len(written) + ".txt", FACT)
    raw = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(raw.replace(b"x" * len(written), written))
    assert sources(open_collection([tmp_path / "a.zip"], tmp_path / "cache")) == {f"{tmp_path.as_posix()}/a.zip/{name}"}


def test_an_archive_that_unpacks_to_too_much_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_list, "MOST_BYTES", 1_000_000)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("a.txt", FACT)
        bundle.writestr("b.txt", "0" * 50_000_000)
    collection = open_collection([tmp_path / "a.zip"], tmp_path / "cache")
    assert texts(collection) == [FACT]
    assert "unpacks to more than 1 MB" in str(collection.problems[0])


def test_unreadable_files_in_a_zip_are_named_and_do_not_affect_others(tmp_path: Path) -> None:
    names = ("a.txt", "b.txt", "c.txt", f"{'d' * 300}.txt", "e.txt")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as bundle:
        for name in names:
            bundle.writestr(name, f"{FACT} {name[0]}")
    raw = bytearray((tmp_path / "a.zip").read_bytes().replace(b"1931. b", b"1950. b"))  # its checksum is wrong by now
    third = [at for at in range(len(raw)) if raw.startswith(b"PK\x01\x02", at)][2]
    raw[third + 8] |= 1  # marks it as encrypted
    (tmp_path / "a.zip").write_bytes(raw)
    collection = open_collection([tmp_path / "a.zip"], tmp_path / "cache")
    assert sorted(texts(collection)) == [f"{FACT} a", f"{FACT} e"]
    [problem] = collection.problems
    broken, protected = "b.txt (broken or of a kind that is not read)", "c.txt (protected by a password)"
    assert problem.message.startswith(f"files in it that can't be read (3: {broken}, {protected}, ddd")
    assert problem.message.endswith("; unpack it yourself, and name the folder")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_second_of_two_zip_entries_with_one_name_is_reported(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as bundle:
        for name, text in (("docs/a.txt", FACT), ("docs/a.txt", "It sank."), ("docs\\a.txt", "It swam.")):
            bundle.writestr(name, text)
    collection = open_collection([tmp_path / "a.zip"], tmp_path / "cache")
    assert texts(collection) == [FACT]
    [problem] = collection.problems
    assert problem.message.startswith(
        "files in it that can't be read (2: docs/a.txt (another file in it has the same name), "
        "docs\\a.txt (another file in it has the same name))"
    )


@pytest.mark.parametrize(("kind", "n_read"), [(tarfile.XHDTYPE, 0), (tarfile.REGTYPE, 1)])
def test_a_header_or_hidden_file_of_any_size_costs_little(tmp_path: Path, kind: bytes, n_read: int) -> None:
    """A kilobyte unpacks to a gigabyte; 64 MB show it."""
    size = 64 << 20
    large, small = tarfile.TarInfo("../x"), tarfile.TarInfo("a.txt")
    large.type, large.size, small.size = kind, size, 5
    content = large.tobuf(tarfile.USTAR_FORMAT) + bytes(size) + small.tobuf() + b"Text.".ljust(1536, b"\0")
    (tmp_path / "a.tar.bz2").write_bytes(bz2.compress(content))
    began = time.process_time()
    with ExitStack() as archives:
        files, problems = file_list.find_files([tmp_path / "a.tar.bz2"], archives)
    assert (len(files), len(problems)) == (n_read, 1 - n_read)
    assert time.process_time() - began < 5


def test_a_file_that_was_appended_to_a_tar_replaces_an_earlier_form(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as bundle:
        for text in ("It sank.", FACT):
            member = tarfile.TarInfo("a.txt")
            member.size = len(text)
            bundle.addfile(member, io.BytesIO(text.encode()))
    collection = open_collection([tmp_path / "a.tar"], tmp_path / "cache")
    assert texts(collection) == [FACT]
    assert collection.problems == ()


def test_a_truncated_file_in_a_broken_archive_is_not_read(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as bundle:
        for name, content in (("a.txt", FACT), ("b.txt", f"{FACT} It sank." + " " * 1_500_000)):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            bundle.addfile(member, io.BytesIO(content.encode()))
    raw = (tmp_path / "a.tar").read_bytes()
    (tmp_path / "a.tar").write_bytes(raw[: raw.index(b"sank") + 1_200_000])
    collection = open_collection([tmp_path / "a.tar"], tmp_path / "cache")
    assert texts(collection) == [FACT]
    problems = "\n".join(map(str, collection.problems))
    assert "files in it that can't be read (b.txt (broken or of a kind that is not read));" in problems


def test_the_files_of_an_archive_that_is_cut_off_are_read(tmp_path: Path) -> None:
    packed = [f"{FACT} Its number is {random.Random(seed).randbytes(150).hex()}." for seed in range(4)]
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as bundle:
        for number, text in enumerate(packed):
            member = tarfile.TarInfo(f"{number}.txt")
            member.size = len(text)
            bundle.addfile(member, io.BytesIO(text.encode()))
    (tmp_path / "a.tar.gz").write_bytes((tmp_path / "a.tar.gz").read_bytes()[:-100])
    collection = open_collection([tmp_path / "a.tar.gz"], tmp_path / "cache")
    assert sorted(texts(collection)) == sorted(packed[:3]), collection.problems


def test_a_tar_whose_first_file_has_a_name_like_compressed_bytes_is_read(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as bundle:
        member = tarfile.TarInfo("BZhang.txt")
        member.size = len(FACT)
        bundle.addfile(member, io.BytesIO(FACT.encode()))
    assert texts(open_collection([tmp_path / "a.tar"], tmp_path / "cache")) == [FACT]


def test_a_broken_archive_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "b.tar.gz").write_bytes(b"\x1f\x8b broken")
    with pytest.raises(InputError, match=r"a\.zip: is broken or of a kind that is not read.*b\.tar\.gz: "):
        open_collection([tmp_path], tmp_path / "cache")
