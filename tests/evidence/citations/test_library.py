"""Origins of cited sources: local files, recorded fetches and the guarded web, each with its own failures."""

from __future__ import annotations

import asyncio
import json
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from factscope.claims.citations import Listed, Reference, read_entry
from factscope.core.records import CitedSource, Document, Response
from factscope.evidence import KINDS
from factscope.evidence.citations import AtHand, Library, Recorded, Resolved, open_at_hand, write_recording
from factscope.evidence.page import PageReader
from tests.evidence.fetch.door import door
from tests.lab.many_cases import each, try_all
from tests.lab.pages import Answer, Asked, Page, moved

TEXT = "The Marlow bridge was opened in 1931. It has four arches."
HTML = f"<!doctype html><title>The bridge</title><main><p>{TEXT}</p></main>".encode()
RESPONSE = Response(text="# A history of Marlow\n\nThe bridge was opened in 1931.", url="https://own.example/report")


def listed(reference: Reference, *, explained: bool = True) -> Listed:
    return Listed("b1", reference, cited=True, explained=explained)


def at_hand(reference: Reference, held: AtHand) -> Resolved:
    async def work() -> Resolved:
        async with PageReader() as reader:
            return await Library(held, None, reader).resolve(listed(reference), RESPONSE)

    return asyncio.run(work())


def on_the_web(reference: Reference, answer: Answer) -> Resolved:
    async def work() -> Resolved:
        async with door(answer) as way, PageReader() as reader:
            way.net.hosts["gone.example"] = ()
            return await Library(AtHand(), way.fetcher, reader).resolve(listed(reference), RESPONSE)

    return asyncio.run(work())


def pages(made: dict[str, Page]) -> Callable[[Asked], Page]:
    return lambda asked: made.get(f"{asked.host}{asked.path}", Page(b"no", 404))


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("kern2004.txt", Reference("kern2004")),
        ("1.txt", Reference("1", url="https://press.example/kern")),
        ("Kern 2004.txt", Reference(None, authors=("Kern",), year="2004")),
        ("10.1234_kern.5.txt", Reference("x", doi="10.1234/kern.5")),
        ("the-bridges-of-marlow.txt", Reference("x", title="The bridges of Marlow")),
        ("paper.txt", Reference("x", url="files/paper.txt")),
        ("scan.txt", Reference("x", file="library/scan.txt")),
    ],
)
def test_a_file_is_found_by_its_name(tmp_path: Path, name: str, reference: Reference) -> None:
    (tmp_path / name).write_text(TEXT)
    (tmp_path / "other.txt").write_text("Penguins waddle.")
    found = at_hand(reference, open_at_hand([tmp_path]))
    assert (found.source.state, found.source.via) == ("read", "evidence")
    assert found.held is not None
    assert found.held.text == TEXT


@try_all(
    ("name", "entry"),
    [
        *((f"island{ending}", f"island{ending}") for ending in KINDS if KINDS[ending] in ("txt", "md", "html")),
        ("island.md", "Island.MD"),
        ("island.md", "`island.md`, p. 3"),
        ("island.md", "[The island](notes/island.md)"),
        ("island.md", "Kern, I. (2004). The island. See island.md."),
        ("island_2004.md", "island_2004.md"),
        ("The island, 2004.md", "The island, 2004.md"),
        ("the island.md", "“The island.md” (notes)"),
        ("1-island.md", "C:\\notes\\1-island.md"),
    ],
)
def test_a_file_is_found_by_an_entry_that_names_it(tmp_path: Path, name: str, entry: str) -> None:
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    (folder / name).write_text(TEXT)
    (folder / "1.txt").write_text("Penguins waddle.")
    (folder / "d.md").write_text("Penguins waddle.")
    resolved = at_hand(read_entry(entry, "1"), open_at_hand([folder]))
    assert resolved.held is not None
    assert resolved.held.text == TEXT


def test_an_entry_that_names_a_file_finds_only_the_text_with_this_id() -> None:
    held = open_at_hand([], [Document(id="island.md", text=TEXT, sha256="0" * 64)])
    assert at_hand(read_entry("island.md, p. 3", "1"), held).source.state == "read"
    assert at_hand(read_entry("highland.md", "1"), held).source.state == "no_address"
    assert at_hand(read_entry("https://a.example/island.md", "1"), held).source.state == "not_fetched"


def test_a_row_is_found_by_its_address(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").write_text(json.dumps({"url": "http://www.press.example/kern/", "text": TEXT}))
    assert at_hand(Reference("1", url="https://press.example/kern"), open_at_hand([tmp_path])).source.state == "read"


def test_an_entry_that_names_a_table_finds_all_of_its_rows(tmp_path: Path) -> None:
    (tmp_path / "limits.csv").write_text("city,hotel\nBerlin,140\nOslo,210\n")
    resolved = at_hand(read_entry("data/limits.csv", "1"), open_at_hand([tmp_path]))
    assert resolved.held is not None
    assert [line for line in resolved.held.text.splitlines() if ";" in line] == [
        "city: Berlin; hotel: 140",
        "city: Oslo; hotel: 210",
    ]


def test_a_recorded_fetch_has_a_state_for_each_source(tmp_path: Path) -> None:
    place = tmp_path / "fetched.jsonl"
    fetches = [
        Recorded(url="https://press.example/kern", state="read", text=TEXT, fetched_at="2026-01-02T00:00:00+00:00"),
        Recorded(doi="10.1234/gone", state="no_answer", reason="its resolver does not know it"),
    ]
    write_recording(place, fetches)
    held = open_at_hand([place])
    assert held.recorded == fetches
    assert at_hand(read_entry("Kern (2004). X. https://press.example/kern"), held).source.via == "recording"
    gone = at_hand(Reference("2", doi="10.1234/GONE"), held).source
    assert (gone.state, gone.reason) == ("no_answer", "its resolver does not know it")


def test_a_bad_line_of_a_recording_is_named(tmp_path: Path) -> None:
    place = tmp_path / "fetched.jsonl"
    place.write_text('{"url": "https://a.example", "state": "read", "text": "x"}\n{"state": "lost"}\n')
    held = open_at_hand([place])
    assert [problem.line for problem in held.problems] == [2]
    assert len(held.recorded) == 1


def test_reference_files_are_read_and_bad_entries_named_by_line(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text(
        "@article{kern2004, author={Kern, Ida and Low, Paul}, title={The {B}ridge}, year=2004, doi={10.1234/abc},\n"
        " urldate={2024-05-01}}\n\n@book{broken, title={oops\n@misc{ok2, title={Fine}, url={https://x.example/a}}\n"
    )
    (tmp_path / "b.ris").write_text(
        "TY  - JOUR\nAU  - Hale, Jo\nTI  - Quays\nPY  - 2012\nID  - hale\nER  - \n\nTY  - BOOK\n"
    )
    (tmp_path / "c.json").write_text(
        '[\n  {"id": "birch", "title": "Mills", "author": [{"family": "Birch"}],'
        ' "issued": {"date-parts": [[2001]]}},\n  7\n]'
    )
    held = open_at_hand([tmp_path])
    assert {one.key: (one.authors, one.year, one.title) for one in held.references} == {
        "kern2004": (("Kern", "Low"), "2004", "The Bridge"),
        "ok2": ((), None, "Fine"),
        "hale": (("Hale",), "2012", "Quays"),
        "birch": (("Birch",), "2001", "Mills"),
    }
    assert held.references[0].accessed == "2024-05-01"
    assert [(Path(one.path).name, one.line) for one in held.problems if one.line] == [("a.bib", 4), ("b.ris", 8)]
    assert any("item 2" in one.message for one in held.problems)


UNREADABLE = {
    "binary.json": (b"\x00\x01\x02\xff" * 99, "is binary, not text; export the references again"),
    "binary.bib": (b"\x00\x01\x02\xff" * 99, "is binary, not text; export the references again"),
    "number.json": (b"5", "is not CSL-JSON, a list of entries; export the references again"),
    "items.json": (b'{"items": 5}', "is not CSL-JSON, a list of entries; export the references again"),
    "deep.json": (b"[" * 100_000, "is nested too deeply; export the references again"),
    "end.ris": (b"ER  - \n", "it lacks its first line, TY"),
}


def test_an_unreadable_reference_file_is_named_and_the_others_are_used(tmp_path: Path) -> None:
    (tmp_path / "good.bib").write_text("@misc{kern2004, title={The bridge of Marlow}}")
    (tmp_path / "kern2004.txt").write_text(TEXT)

    def check(name: str) -> None:
        content, message = UNREADABLE[name]
        place = tmp_path / name
        place.write_bytes(content)
        for paths in ([tmp_path], [place, tmp_path / "good.bib", tmp_path / "kern2004.txt"]):
            held = open_at_hand(paths)
            (problem,) = held.problems
            assert Path(problem.path).name == name
            assert message in problem.message
            assert [one.key for one in held.references] == ["kern2004"]
            assert at_hand(held.references[0], held).source.state == "read"
        place.unlink()

    each("name", UNREADABLE, check)


def test_an_odd_field_of_an_entry_does_not_cost_the_entry(tmp_path: Path) -> None:
    def check(fields: str, authors: tuple[str, ...], problem: str | None) -> None:
        (tmp_path / "a.json").write_text(f'{{"id": "kern", "title": "The bridge", {fields}}}', encoding="utf-8")
        held = open_at_hand([tmp_path / "a.json"])
        assert [(one.key, one.title, one.authors, one.year) for one in held.references] == [
            ("kern", "The bridge", authors, None)
        ]
        assert [one.message for one in held.problems] == ([problem] if problem else [])

    wrong = "the authors of item 1 are not a list of people; correct them"
    cases = [
        ('"author": 5', (), wrong),
        ('"author": {"family": "Kern"}', (), wrong),
        ('"author": [{"family": "Kern"}, 5]', ("Kern",), None),
        ('"author": [{"family": "Ke\\ud800rn"}]', ("Ke\ufffdrn",), None),
        ('"issued": {"date-parts": [["²"]]}', (), None),
        ('"issued": {"date-parts": [[-50, 3]]}', (), None),
        (f'"issued": {{"date-parts": [["{"9" * 5_000}"]]}}', (), None),
        ('"URL": [5]', (), None),
    ]
    each(("fields", "authors", "problem"), cases, check)


def test_a_broken_symlink_does_not_affect_other_files(tmp_path: Path) -> None:
    (tmp_path / "good.bib").write_text("@misc{kern2004, title={The bridge}}")
    (tmp_path / "lost.bib").symlink_to(tmp_path / "nowhere.bib")
    held = open_at_hand([tmp_path])
    assert [one.key for one in held.references] == ["kern2004"]
    (problem,) = held.problems
    assert (Path(problem.path).name, problem.message) == ("lost.bib", "can't be read: No such file or directory")


def test_reference_files_are_found_in_folders_and_archives_but_not_in_skipped_places(tmp_path: Path) -> None:
    entry = "@misc{{{}, title={{The bridge}}}}"
    (tmp_path / "REFS.BIB").write_text(entry.format("upper"))
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "hidden.bib").write_text(entry.format("hidden"))
    with zipfile.ZipFile(tmp_path / "library.zip", "w") as library:
        library.writestr("refs.bib", entry.format("packed"))
        library.writestr("bad.json", "5")
    held = open_at_hand([tmp_path])
    assert {one.key for one in held.references} == {"upper", "packed"}
    assert [one.path for one in held.problems] == [f"{tmp_path.as_posix()}/library.zip/bad.json"]
    assert {one.key for one in open_at_hand([tmp_path / "library.zip"]).references} == {"packed"}


def test_of_two_entries_with_one_key_the_one_of_the_file_named_first_counts(tmp_path: Path) -> None:
    for name in ("a.json", "z.json"):
        (tmp_path / name).write_text(json.dumps({"id": "kern", "title": name}))
    held = open_at_hand([tmp_path / "z.json", tmp_path / "a.json"])
    assert [one.title for one in held.references] == ["z.json", "a.json"]


@pytest.mark.parametrize(
    ("reference", "made", "state"),
    [
        (Reference("1", url="http://a.example/x"), {}, "dead"),
        (Reference("1", url="http://a.example/x"), {"a.example/x": Page(b"pay", 402)}, "paywalled"),
        (Reference("1", url="http://a.example/x"), {"a.example/x": Page(b"no", 403)}, "refused"),
        (Reference("1", url="http://a.example/x"), {"a.example/x": Page(b"\x00\x01", type="image/png")}, "unreadable"),
        (Reference("1", url="http://a.example/x"), {"a.example/x": Page(b"<p></p>")}, "unreadable"),
        (Reference("1", url="http://127.0.0.1/x"), {}, "dead"),
        (Reference("1", url="http://gone.example/x"), {}, "dead"),
        (Reference("1", url="http://a.example/x"), {"a.example/robots.txt": Page(b"", 503)}, "dead"),
        (
            Reference("1", url="http://a.example/x"),
            {"a.example/robots.txt": Page(b"User-agent: *\nDisallow: /", type="text/plain")},
            "refused",
        ),
        (Reference("1", title="Only a title"), {}, "no_address"),
    ],
)
def test_each_reason_for_a_missing_source_has_its_own_state(
    reference: Reference, made: dict[str, Page], state: str
) -> None:
    found = on_the_web(reference, pages(made))
    assert (found.source.state, found.held) == (state, None)
    assert found.source.reason


def test_nothing_is_fetched_when_offline() -> None:
    assert at_hand(Reference("1", url="https://a.example"), AtHand()).source.state == "not_fetched"


def test_a_key_without_an_entry_is_not_looked_for() -> None:
    async def work() -> CitedSource:
        async with PageReader() as reader:
            one = listed(Reference("7"), explained=False)
            return (await Library(AtHand(), None, reader).resolve(one, RESPONSE)).source

    assert asyncio.run(work()).state == "no_entry"


def test_a_page_is_read_and_can_be_recorded() -> None:
    found = on_the_web(Reference("1", url="http://a.example/x"), pages({"a.example/x": Page(HTML)}))
    assert (found.source.state, found.source.via, found.source.title) == ("read", "web", "The bridge")
    assert found.recorded is not None
    assert TEXT in (found.recorded.text or "")


def test_a_page_changed_after_its_access_date_is_marked() -> None:
    page = Page(HTML, headers={"Last-Modified": "Wed, 01 Jan 2025 10:00:00 GMT"})
    entry = read_entry("Kern (2004). The bridge. http://a.example/x (accessed 3 May 2024).")
    assert on_the_web(entry, pages({"a.example/x": page})).source.changed == "2025-01-01"
    later = entry._replace(accessed="2025-02-01")
    assert on_the_web(later, pages({"a.example/x": page})).source.changed is None


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("http://own.example/report", TEXT),
        ("http://a.example/x", f"{TEXT} From the report “A history of Marlow”."),
        ("http://a.example/x", f"{TEXT} Taken from https://own.example/report last year."),
    ],
)
def test_a_source_that_rests_on_the_text_is_circular(url: str, text: str) -> None:
    host = url.removeprefix("http://")
    found = on_the_web(Reference("1", url=url), pages({host: Page(f"<main><p>{text}</p></main>".encode())}))
    assert found.source.circular


def test_dois_and_ids_go_through_their_resolvers() -> None:
    """Both use https, which the fake web does not speak, so http addresses stand in for them."""
    made = {
        "doi.example/10.1234/abc": moved("http://a.example/x"),
        "arxiv.example/abs/2305.14627": Page(HTML),
        "a.example/x": Page(HTML),
    }

    async def work() -> list[Resolved]:
        async with door(pages(made)) as way, PageReader() as reader:
            twins = ("http://arxiv.example/pdf/", "http://arxiv.example/abs/")
            library = Library(AtHand(), way.fetcher, reader, "http://doi.example/", twins)
            wanted = [Reference(doi="10.1234/abc"), Reference(doi="10.1234/none"), Reference(arxiv="2305.14627")]
            return [await library.resolve(listed(one), RESPONSE) for one in wanted]

    found, unknown, paper = asyncio.run(work())
    assert found.held is not None
    assert found.held.document.url == "http://a.example/x"
    assert (unknown.source.state, paper.source.state) == ("no_answer", "read")
