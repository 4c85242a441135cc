"""Settings, methods by name, and the validation of records."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from factscope.core import UsageError, id_key
from factscope.core.records import Judgement, Report, Response, Segment, Span
from factscope.engine import find_method, load_settings, method_names
from factscope.methods import Measure, method_from_toml, method_from_values
from tests.lab.many_cases import try_all


def test_an_unknown_method_lists_similar_names() -> None:
    with pytest.raises(UsageError) as caught:
        find_method("bultin")
    assert "builtin" in caught.value.hint
    assert "builtin" in method_names()


def test_a_method_survives_conversion_to_values_and_back(tmp_path: Path) -> None:
    builtin = find_method("builtin")
    assert method_from_values(builtin.model_dump(mode="json"), "here") == builtin


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("name = 1", "name"),
        ('name = "x"\ntitle = "t"\n[judge]\nverifier = "y"', "judge.verifier"),
        ('name = "x"\ntitle = "t"\nscores = ["f1(k=)"]', "scores"),
        ('name = "x"\ntitle = "t"\n[evidence.passages]\ntop_k = 0', "top_k"),
        ('name = "x"\ntitle = "t"\njudge = 3', "judge"),
        ('based_on = "standard"\njudge = 3', "judge"),
        ('based_on = "standard"\n[judge]\njudges = 3', r"judge\.judges"),
        ('based_on = "standard"\n[judge]\njudges = [3]', r"judge\.judges"),
        ('based_on = "standard"\n[judge]\njudges = [{ role = "a" }, { role = "b" }]\narbiter = 3', r"judge\.arbiter"),
        ('based_on = "standard"\n[judge]\nat = 0.5\njudge = 3', r"judge\.judge"),
        ('based_on = "standrd"', r"mine\.toml: based_on: Unknown method 'standrd'"),
        ("= broken", "not TOML"),
        ("\xff", "not UTF-8"),
    ],
)
def test_a_bad_method_file_names_the_field(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(UsageError, match=said):
        method_from_toml(path)


def test_a_bad_setting_is_reported_with_its_name_and_source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTSCOPE_WORKERS", "many")
    with pytest.raises(UsageError, match="'workers' from the variable FACTSCOPE_WORKERS"):
        load_settings()
    monkeypatch.delenv("FACTSCOPE_WORKERS")
    Path("factscope.toml").write_text("colour = 'red'\n")
    with pytest.raises(UsageError, match=r"Unknown setting 'colour', which factscope\.toml names"):
        load_settings()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evidence = 3", "Setting 'evidence' from factscope.toml: a list is expected, in square brackets."),
        ("evidence = [3]", "Setting 'evidence' from factscope.toml: paths and addresses are texts in quotation marks."),
        ("method = ['a']", "Setting 'method' from factscope.toml: a text is expected, in quotation marks."),
        ("cited = 3", "Setting 'cited' from factscope.toml: true or false is expected."),
        ("workers = 2.5", "Setting 'workers' from factscope.toml: a whole number is expected."),
        ("max_cost = 'much'", "Setting 'max_cost' from factscope.toml: a number is expected."),
    ],
)
def test_a_setting_of_the_wrong_type_is_reported_in_plain_words(
    line: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "factscope.toml").write_text(line, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_settings()
    assert caught.value.message == said


def test_an_empty_variable_sets_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("factscope.toml").write_text('store = "mine.db"\n')
    for name in ("STORE", "VERIFIER", "MAX_COST", "METHOD", "PUBLISHED_AFTER"):
        monkeypatch.setenv(f"FACTSCOPE_{name}", "")
    settings, _ = load_settings()
    assert (settings.store, settings.verifier, settings.max_cost) == (Path("mine.db"), None, None)


def test_files_that_begin_with_a_byte_order_mark_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("factscope.toml").write_bytes(b'\xef\xbb\xbfmethod = "mine.toml"\r\n')
    Path("mine.toml").write_bytes(b'\xef\xbb\xbfbased_on = "builtin"\r\nname = "mine"\r\ntitle = "Mine"\r\n')
    assert find_method(load_settings()[0].method or "").name == "mine"


@given(
    name=st.from_regex(r"[a-z][a-z0-9_]{0,12}", fullmatch=True),
    parameters=st.dictionaries(
        st.from_regex(r"[a-z]{1,6}", fullmatch=True), st.sampled_from([0.0, 0.5, 1.0, 10.0, 0.25]), max_size=3
    ),
)
def test_a_measure_reads_what_it_prints(name: str, parameters: dict[str, float]) -> None:
    measure = Measure(name=name, parameters=tuple(sorted(parameters.items())))
    assert Measure.parse(str(measure)) == measure


@given(st.text(alphabet="abk_(=,) 0.5-e", max_size=20))
def test_any_text_is_a_measure_or_a_value_error(text: str) -> None:
    try:
        measure = Measure.parse(text)
    except ValueError:
        return
    assert Measure.parse(str(measure)).name == measure.name


def test_records_are_frozen_closed_and_consistent() -> None:
    span = Span(start=1, end=3)
    with pytest.raises(ValidationError):
        span.start = 2  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Span(start=3, end=1)
    with pytest.raises(ValidationError):
        Response.model_validate({"text": "a", "colour": "red"})
    for label, failure in ((None, None), ("supported", "down")):
        with pytest.raises(ValidationError, match="label or a failure"):
            Judgement.model_validate(
                {
                    "id": "s1.c1.j1",
                    "unit_id": "s1.c1",
                    "passage_ids": (),
                    "judge": "x",
                    "label": label,
                    "failure": failure,
                }
            )


def test_a_report_that_loses_a_unit_cannot_be_made() -> None:
    segment = Segment(id="s1", span=Span(start=0, end=1), text="a", kind="sentence")
    with pytest.raises(ValidationError, match="units without a verdict: s1"):
        Report(factscope="0", response=Response(text="a"), method={}, segments=(segment,))


def test_ids_sort_in_natural_numeric_order() -> None:
    ids = ["s10", "s2.c10", "s2", "s1.c1.p1.j1", "s2.c9", "s1"]
    assert sorted(ids, key=id_key) == ["s1", "s1.c1.p1.j1", "s2", "s2.c9", "s2.c10", "s10"]


def test_the_server_token_does_not_appear_in_the_settings_repr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTSCOPE_TOKEN", "a secret of sixteen characters")
    settings, _ = load_settings({})
    assert "sixteen" not in repr(settings)


@try_all(
    ("text", "places"),
    [
        ("docs:more docs:/x", ["docs", "more docs", "/x"]),
        ("http://localhost:8000/page", ["http://localhost:8000/page"]),
        (
            "docs:http://localhost:8000:https://a.example/x:y",
            ["docs", "http://localhost:8000", "https://a.example/x", "y"],
        ),
        ("HTTPS://[::1]:8443/x:docs", ["HTTPS://[::1]:8443/x", "docs"]),
        ("https://a.example:docs", ["https://a.example", "docs"]),
        ("docs:2024/reports::", ["docs", "2024/reports"]),
        ("", []),
    ],
)
def test_evidence_locations_are_read_from_the_environment(
    text: str, places: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTSCOPE_EVIDENCE", text)
    assert [str(place) for place in load_settings()[0].evidence] == places


def test_a_pattern_of_evidence_is_its_files_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.md", "a.md", ".hidden.md", "c.txt", "[x].md"):
        (tmp_path / name).write_text("text", encoding="utf-8")
    settings = load_settings({"evidence": [f"{tmp_path}/*.md", f"{tmp_path}/[x].md", f"{tmp_path}/*.pdf"]})[0]
    names = [place.name for place in settings.evidence if isinstance(place, Path)]
    assert names == ["[x].md", "a.md", "b.md", "[x].md", "*.pdf"]
