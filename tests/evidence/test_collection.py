"""Opening a collection: the files found and stored, even when the disk, files or other processes interfere."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from factscope.core import InputError, UsageError
from factscope.evidence import BadPart, EvidenceProblem, FileReader, TextRow, open_collection
from factscope.methods import Passages
from tests.evidence.example_files import FACTS, make_pdf, messages, urls, zeros
from tests.lab import warm


@pytest.mark.medium
def test_documents_of_all_kinds_are_read(docs: Path, cache: Path) -> None:
    steps: list[tuple[int, int]] = []
    collection = open_collection([docs], cache, lambda done, total: steps.append((done, total)))
    assert len(collection) == 4
    assert collection.n_passages == 4
    assert collection.problems == ()
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]
    [found] = collection.search("ferry 1950", Passages())
    assert found.document.url == (docs / "ferry.pdf").as_posix()
    assert found.document.id == f"d-{found.document.sha256[:16]}"
    assert found.document.category == "other"


def test_paths_stay_as_they_were_given(docs: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (docs / "sub").mkdir()
    (docs / "sub" / "rows.jsonl").write_text('{"text": "The weir was built in 1840."}\n')
    monkeypatch.chdir(docs.parent)
    collection = open_collection([Path("docs")], cache)
    assert urls(collection, "weir 1840") == ["docs/sub/rows.jsonl#L1"]
    assert urls(open_collection([Path("docs/bridge.txt")], cache), "bridge") == ["docs/bridge.txt"]


@pytest.mark.medium
def test_the_same_files_have_the_same_id_in_any_order(docs: Path, cache: Path, tmp_path: Path) -> None:
    names = sorted(path.name for path in docs.iterdir())
    ids = {
        open_collection([docs], cache).id,
        open_collection([docs / name for name in names], cache).id,
        open_collection([docs / name for name in reversed(names)], tmp_path / "cache2").id,
    }
    assert len(ids) == 1


@pytest.mark.medium
def test_the_same_texts_from_elsewhere_are_a_different_collection(docs: Path, cache: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    shutil.copytree(docs, other)
    assert open_collection([docs], cache).id != open_collection([other], cache).id


def test_a_different_row_address_makes_a_different_collection(tmp_path: Path, cache: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    ids = set()
    for host in ("one", "two", "one"):
        rows.write_text(json.dumps({"text": "The weir was built in 1840.", "url": f"https://{host}.example/weir"}))
        collection = open_collection([rows], cache)
        assert urls(collection, "weir") == [f"https://{host}.example/weir"]
        ids.add(collection.id)
    assert len(ids) == 2


@pytest.mark.medium
def test_a_file_name_that_is_not_utf8_is_shown_with_its_bytes(docs: Path, cache: Path) -> None:
    # macOS rejects these names, so the files there have the names that are shown elsewhere.
    names = (b"caf\xe9.txt", b"x.\xff") if sys.platform == "linux" else (b"caf\\xe9.txt", b"x.\\xff")
    for name in names:
        (docs / os.fsdecode(name)).write_text("The weir was built in 1840.")
    (docs / os.fsdecode(b"empty-" + names[0])).write_text("")
    collection = open_collection([docs], cache)
    [found] = collection.search("weir 1840", Passages())
    assert found.document.url == f"{docs.as_posix()}/caf\\xe9.txt"
    assert found.document.title == "caf\\xe9.txt"
    assert found.document.model_dump_json()
    assert messages(collection).encode().count(b"\\x") == 2


def test_a_missing_file_with_a_name_that_is_not_utf8_is_reported(docs: Path, cache: Path) -> None:
    with pytest.raises(UsageError) as error:
        open_collection([docs / os.fsdecode(b"\xe9.txt")], cache)
    assert b"\\xe9.txt" in str(error.value).encode()


def test_parser_messages_are_cleaned_of_unprintable_characters(
    docs: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileReader, "parse", lambda *_: [TextRow("It opened."), BadPart("is broken: \udce9 \x1b[31m")])
    collection = open_collection([docs / "bridge.txt"], cache)
    assert [problem.message for problem in collection.problems] == ["is broken: \ufffd [31m"]


@pytest.mark.medium
def test_equal_texts_count_once(docs: Path, cache: Path) -> None:
    (docs / "copy.txt").write_text(FACTS["bridge.txt"])
    collection = open_collection([docs, docs / "bridge.txt"], cache)
    assert len(collection) == 4
    assert urls(collection, "bridge arches") == [(docs / "bridge.txt").as_posix()]


def test_a_missing_path_is_refused(docs: Path, cache: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        open_collection([docs, docs / "nowhere"], cache)
    with pytest.raises(UsageError):
        open_collection([], cache)


@pytest.mark.medium
def test_bad_files_are_named_and_the_rest_is_used(docs: Path, cache: Path) -> None:
    (docs / "bomb.pdf").write_bytes(make_pdf(zeros(500)))
    (docs / "office.html").write_bytes(b"PK\x03\x04" + bytes(100))
    (docs / "empty.txt").write_bytes(b"")
    (docs / "rows.jsonl").write_text('{"text": "The weir was built in 1840."}\nnot a row\n')
    collection = open_collection([docs], cache)
    assert len(collection) == 5
    assert [(Path(problem.path).name, problem.line) for problem in collection.problems] == [
        ("bomb.pdf", None),
        ("empty.txt", None),
        ("office.html", None),
        ("rows.jsonl", 2),
    ]
    assert open_collection([docs], cache).problems == collection.problems
    assert str(EvidenceProblem("a.jsonl", 2, "is not JSON")) == "a.jsonl, line 2: is not JSON"


def test_evidence_without_any_usable_file_is_an_error(tmp_path: Path, cache: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="no readable file"):
        open_collection([empty], cache)
    for number in range(5):
        (tmp_path / f"{number}.txt").write_bytes(bytes(1000))
    with pytest.raises(InputError, match=r"0\.txt.*1\.txt.*2\.txt.*and 2 more"):
        open_collection(sorted(tmp_path.glob("*.txt")), cache)
    (tmp_path / "0.txt").write_text("!!! …")
    with pytest.raises(InputError):
        open_collection([tmp_path / "0.txt"], cache)


def test_hidden_linked_and_special_files_in_a_folder_are_skipped(docs: Path, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("The secret is 42.")
    (docs / ".hidden.txt").write_text("The hidden truth.")
    (docs / ".git").mkdir()
    (docs / ".git" / "a.txt").write_text("The hidden commit.")
    (docs / "out.txt").symlink_to(tmp_path / "secret.txt")
    (docs / "up").symlink_to(tmp_path)
    (docs / "loop").symlink_to(docs)
    (docs / "self.txt").symlink_to(docs / "self.txt")
    (docs / "inside.txt").symlink_to(docs / "bridge.txt")
    (docs / "table.docx").write_bytes(b"x")
    (docs / "folder.txt").mkdir()
    os.mkfifo(docs / "pipe.txt")
    collection = open_collection([docs], cache)
    assert len(collection) == 4
    assert collection.search("secret hidden truth commit", Passages()) == ()
    said = messages(collection)
    assert "is not a Word document" in said
    assert "1 link out of the folder" in said
    assert "not read, unless you name them: 1 hidden, " in said
    assert "pipe.txt: is not a regular file" in said
    assert "self.txt" in said


def test_a_file_named_along_with_its_folder_is_not_reported_as_unread(docs: Path, cache: Path) -> None:
    (docs / "backup.log").write_text("2025-02-03 The full backup covered 1,284 GB.")
    unread = "files in it that are not read, unless you name them: 1 .log"
    assert unread in messages(open_collection([docs], cache))
    collection = open_collection([docs, docs / "backup.log"], cache)
    assert "not read" not in messages(collection)
    assert collection.search("full backup", Passages())


def test_a_file_that_is_named_is_always_tried(docs: Path, cache: Path, tmp_path: Path) -> None:
    (tmp_path / ".notes").write_text("The weir was built in 1840.")
    (tmp_path / "link.txt").symlink_to(tmp_path / ".notes")
    assert len(open_collection([tmp_path / ".notes"], cache)) == 1
    assert len(open_collection([tmp_path / "link.txt"], cache)) == 1


@contextmanager
def without_root() -> Iterator[Path]:
    """Provide a folder open to everyone, and only an ordinary user's rights, since root may read everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)


def test_an_unreadable_file_is_named() -> None:
    with without_root() as folder:
        (folder / "a.txt").write_text("The weir was built in 1840.")
        (folder / "b.txt").write_text("Closed.")
        (folder / "b.txt").chmod(0)
        (folder / "sub").mkdir()
        (folder / "sub").chmod(0)
        collection = open_collection([folder], folder / ".cache")
        (folder / "sub").chmod(0o700)
    assert len(collection) == 1
    assert messages(collection).count("can't be read: permission denied") == 2


def test_a_read_only_cache_is_reported_and_the_collection_works() -> None:
    with without_root() as folder:
        (folder / "a.txt").write_text("The weir was built in 1840.")
        (folder / "locked").mkdir(mode=0o500)
        for cache in (folder / "locked", folder / "locked" / "cache"):
            collection = open_collection([folder / "a.txt"], cache)
            assert urls(collection, "weir") == [(folder / "a.txt").as_posix()]
            [problem] = collection.problems
            assert "can't be used as cache" in problem.message


@pytest.mark.medium
def test_a_cache_path_below_a_file_is_reported_and_the_collection_works(docs: Path) -> None:
    collection = open_collection([docs], docs / "bridge.txt" / "cache")
    assert len(collection) == 4
    assert len(collection.problems) == 1


@pytest.mark.medium
@pytest.mark.parametrize("room", [4_096, 200_000], ids=["when files are read", "when the index is written"])
def test_a_full_disk_is_reported_and_the_collection_works(tmp_path: Path, room: int) -> None:
    (tmp_path / "a.txt").write_text("The weir was built in 1840. " + "Water flows by. " * 10_000)
    code = f"""
        import resource, sys
        from pathlib import Path
        from factscope.evidence.collection import open_collection
        from factscope.methods import Passages
        sys.dont_write_bytecode = True  # a module's would be cut off, for every test after
        resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
        base = Path({str(tmp_path)!r})
        collection = open_collection([base / "a.txt"], base / "cache")
        print(len(collection.search("weir", Passages())), len(collection.problems))
    """
    ended = subprocess.run([warm.python(), "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert ended.stdout == "1 1\n", ended.stderr
    assert not list(tmp_path.glob("cache/*.draft"))


def test_web_documents_have_the_category_of_their_host(tmp_path: Path) -> None:
    rows = [("https://www.nytimes.com/a", "news"), ("https://marlow.gov.uk/b", "government"), (None, "other")]
    lines = [
        {"text": f"The weir of house {n} is old.", **({"url": url} if url else {})} for n, (url, _) in enumerate(rows)
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = open_collection([tmp_path / "rows.jsonl"], tmp_path / "cache").search("weir house old", Passages(top_k=3))
    by_address = {one.document.url: (one.document.category, one.document.category_by) for one in found}
    assert by_address["https://www.nytimes.com/a"] == ("news", "table")
    assert by_address["https://marlow.gov.uk/b"] == ("government", "suffix")
    assert by_address[next(url for url in by_address if "rows.jsonl" in str(url))] == ("other", None)


def test_the_rows_of_one_file_are_one_document_to_a_reader(tmp_path: Path, cache: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "note.txt").write_text("The ferry sails at noon.")
    (folder / "rivers.csv").write_text("river,length\nAlda,412\nBrenn,287\nCorvo,655\n")
    (folder / "lakes.csv").write_text("lake,depth\nSorn,31\nMire,8\n")
    (folder / "lines.jsonl").write_text('{"text": "The mill is old."}\n{"text": "The barn is new."}\n')
    collection = open_collection([folder], cache)
    assert len(collection) == 8
    assert collection.searched.n_documents == 5  # each line of a JSONL file is a document
