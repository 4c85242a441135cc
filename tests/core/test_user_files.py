"""User-supplied files: a byte order mark, which some editors write, changes nothing, whichever option takes the file.

A file that can't be read is named, with the reason.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path

import pytest

import factscope as fs
from factscope.benchmarks.behaviour.suite import read_suite
from factscope.benchmarks.curate import read_parameters
from factscope.cli import load_report
from factscope.core import InputError, UsageError, sha256_of, user_json, user_text, user_toml
from factscope.engine import load_settings
from factscope.evidence.citations import open_at_hand
from factscope.evidence.sources import own_table
from factscope.judging.verifiers.published import read_form
from factscope.llm import Cache, Prices, ReplaySender
from factscope.llm.prompts import load, load_felm_file, load_official, load_plain
from factscope.methods import method_from_toml
from tests.lab.many_cases import each, try_all
from tests.report.samples import rich

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def calls(path: Path) -> int:
    with Cache(path.with_suffix(".db")) as cache:
        return ReplaySender(path, cache).calls


def settings(_: Path) -> str:
    return load_settings(dot_env=True)[0].method


def test_a_byte_order_mark_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = '{"id": "1", "category": "c", "claim": "A.", "evidence": "A.", "label": "supported"}'
    form = 'kind = "chat"\nsystem = "s"\nuser = "{passage}{claim}"\nsupported = "Yes"\nnot_supported = "No"'
    report = rich().model_dump_json()
    cases: list[tuple[str, str, Callable[[Path], object]]] = [
        ("method.toml", 'based_on = "standard"\nname = "x"', method_from_toml),
        ("prices.json", '{"models": {"a/b": [1, 2]}}', lambda path: Prices({}).with_file(path).of("a/b")),
        ("prompt.md", "version: 1\n# System\nS\n# User\n{{claim}}\n", lambda path: load(str(path))),
        ("felm.txt", "Segments:\n1. A.", lambda path: load_felm_file(str(path))),
        ("plain.toml", 'system = "S"\nuser = "{passage}{claim}"', lambda path: load_plain(str(path))),
        (
            "official.csv",
            "evaluation_method,evaluation_prompt\njson,{{response}}\n",
            lambda path: load_official(f"{path}#json"),
        ),
        ("hosts.toml", 'news = ["a.org"]', own_table),
        ("hosts.json", '{"news": ["a.org"]}', own_table),
        ("form.toml", form, read_form),
        ("parameters.toml", "[selection]\nsize = 9", read_parameters),
        ("parameters.json", '{"selection": {"size": 9}}', read_parameters),
        ("pairs.jsonl", pair, lambda path: read_suite(path.parent).pairs),
        ("recording.jsonl", (EXAMPLES / "verify-examples" / "recording.jsonl").read_text("utf-8"), calls),
        ("fetches.jsonl", '{"url": "https://a.org", "state": "dead"}', lambda path: open_at_hand([path]).recorded),
        ("report.json", report, fs.Report.load),
        ("saved.json", report, lambda path: load_report(str(path), None)),
        ("factscope.toml", 'method = "verify"', settings),
        (".env", "FACTSCOPE_METHOD=verify", settings),
    ]

    def try_file(name: str, content: str, read: Callable[[Path], object]) -> None:
        folder = tmp_path / name.removeprefix(".")
        folder.mkdir()
        monkeypatch.chdir(folder)
        path = folder / name
        path.write_text(content, encoding="utf-8")
        plain = read(path)
        path.write_bytes(BOM_UTF8 + path.read_bytes())
        assert plain
        assert read(path) == plain

    each(("name", "content", "read"), cases, try_file)


@try_all(
    ("content", "read", "message"),
    [
        (None, user_text, r"a\.txt can't be read: no such file"),
        (b"caf\xe9", user_text, r"a\.txt is not UTF-8 text \(byte 3\)\. Save it as UTF-8"),
        (b"a = ", user_toml, r"a\.txt is not TOML: "),
        (b"a = " + b"[" * 5_000, user_toml, r"a\.txt is not TOML: it is nested too deeply"),
        (b"{", user_json, r"a\.txt is not JSON: "),
        (b"[]", user_json, r"a\.txt is not a JSON object"),
    ],
)
def test_an_unusable_file_is_named(
    tmp_path: Path, content: bytes | None, read: Callable[..., object], message: str
) -> None:
    path = tmp_path / "a.txt"
    path.unlink(missing_ok=True)
    if content is not None:
        path.write_bytes(content)
    expected = UsageError if content is None else InputError
    with pytest.raises(expected, match=message):
        read(path, broken=InputError)
    with pytest.raises(UsageError, match=message.replace(r"a\.txt", "My file")):
        read(path, "My file")


def test_all_common_line_endings_are_recognised(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\r\nb\rc\n")
    assert user_text(path) == "a\nb\nc\n"


def test_a_file_that_cannot_be_hashed_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt can't be read: no such file"):
        sha256_of(tmp_path / "none.txt")
