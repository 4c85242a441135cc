"""Office files, books and archives as evidence: what is read of them, what is left out, and what is offered."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from factscope.core.errors import InputError
from factscope.evidence import file_list, file_reader
from factscope.evidence.collection import Collection, open_collection
from factscope.methods import Passages

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


def book(path: Path) -> None:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/a.opf"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        '<dc:title>Bridges</dc:title></metadata><manifest><item id="c" href="one%20.xhtml"/></manifest>'
        '<spine><itemref idref="c"/></spine></package>'
    )
    page = f"<html><body><h1>One</h1><p>{FACT} It has four arches, and it is 212 metres long.</p></body></html>"
    with zipfile.ZipFile(path, "w") as epub:
        epub.writestr("META-INF/container.xml", container)
        epub.writestr("OEBPS/a.opf", package)
        epub.writestr("OEBPS/one .xhtml", page)


@pytest.mark.parametrize(("ending", "make"), [("docx", word), ("pptx", slides), ("xlsx", sheets), ("epub", book)])
def test_office_files_and_books_are_evidence(tmp_path: Path, ending: str, make: Callable[[Path], None]) -> None:
    make(tmp_path / f"bridge.{ending}")
    collection = open_collection([tmp_path], tmp_path / "cache")
    found = " ".join(texts(collection))
    assert "Marlow bridge" in found
    assert "1931" in found
    assert "never" not in found
    assert collection.problems == ()


def test_what_reads_an_office_file_is_offered_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    word(tmp_path / "bridge.docx")
    monkeypatch.setattr(file_reader, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"is a Word document, .*pip install 'factscope\[office\]'"):
        open_collection([tmp_path], tmp_path / "cache")
    monkeypatch.undo()
    assert texts(open_collection([tmp_path], tmp_path / "cache"))  # nothing of the failure is kept


@pytest.mark.parametrize("ending", ["docx", "pptx", "xlsx", "epub"])
def test_a_broken_office_file_is_a_problem_and_no_crash(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"a.{ending}").write_bytes(b"PK\x03\x04 and then nothing that anybody could read")
    (tmp_path / f"b.{ending}").write_text("plain text", encoding="utf-8")
    (tmp_path / "c.txt").write_text(FACT, encoding="utf-8")
    problems = [str(one) for one in open_collection([tmp_path], tmp_path / "cache").problems]
    assert [one.rpartition("/")[2].partition(":")[0] for one in problems] == [f"a.{ending}", f"b.{ending}"]
    assert "though its name says so" in problems[1]


def zipped(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as bundle:
        bundle.writestr("docs/bridge.txt", FACT)
        bundle.writestr("../outside.txt", "The Marlow bridge opened outside.")
        bundle.writestr("docs/.hidden.txt", "The Marlow bridge opened in secret.")
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
def test_archives_are_folders(tmp_path: Path, name: str, make: Callable[[Path], None]) -> None:
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
    """Info-ZIP and macOS write UTF-8 without the flag for it; older programs write code page 437."""
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


def test_a_broken_archive_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "b.tar.gz").write_bytes(b"\x1f\x8b broken")
    with pytest.raises(InputError, match=r"a\.zip: is broken or of a kind that is not read.*b\.tar\.gz: "):
        open_collection([tmp_path], tmp_path / "cache")
