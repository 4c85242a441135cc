"""One setting in several values: how it is read, which methods it gives, and why some values can't be tried."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks.meta_eval import SETTINGS, read_alphas, read_sweep, variants
from factscope.core import UsageError
from factscope.methods import Method, VerifierJudge, method_named
from tests.lab.many_cases import try_all

VERIFY, BUILTIN = method_named("verify"), method_named("builtin")


@try_all(
    ("text", "setting", "values"),
    [
        ("passages=1,3,5", "passages", ("1", "3", "5")),
        (" window = 0 , 2 ", "window", ("0", "2")),
        ("passages=3,1,3,1,", "passages", ("3", "1")),
        ("alpha=0.5", "alpha", ("0.5",)),
        ("ranker=bm25,dense:a/b=c", "ranker", ("bm25", "dense:a/b=c")),
    ],
)
def test_a_sweep_names_its_setting_and_each_value_once(text: str, setting: str, values: tuple[str, ...]) -> None:
    assert read_sweep(text) == (setting, values)


@try_all(
    ("text", "message"),
    [
        ("passages", "does not name a setting"),
        ("", "does not name a setting"),
        ("=1,2", "does not name a setting"),
        ("Passages=1,2", "does not name a setting"),
        ("colour=red,blue", "does not name a setting"),
        ("passages=", "fewer than two values"),
        ("passages=3", "fewer than two values"),
        ("passages=3,3", "fewer than two values"),
        ("alpha=,", "fewer than two values"),
    ],
)
def test_a_sweep_that_tries_nothing_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        read_sweep(text)
    assert "passages=1,3,5" in caught.value.hint


def test_an_unknown_setting_is_refused_with_a_list_of_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        read_sweep("colour=red,blue")
    assert all(name in caught.value.hint for name in (*SETTINGS, "alpha"))


@settings(max_examples=20)
@given(st.lists(st.text(st.sampled_from("ab1.: =/-"), min_size=1, max_size=6), min_size=2, max_size=5))
def test_values_of_a_sweep_keep_their_order(values: list[str]) -> None:
    plain = list(dict.fromkeys(value.strip() for value in values if value.strip()))
    if len(plain) > 1:
        assert read_sweep(f"judge={','.join(values)}") == ("judge", tuple(plain))


@try_all(("values", "alphas"), [(("0", "0.25", "1"), (0.0, 0.25, 1.0)), ((".5",), (0.5,)), (("1e-1",), (0.1,))])
def test_alphas_are_numbers_from_0_to_1(values: tuple[str, ...], alphas: tuple[float, ...]) -> None:
    assert read_alphas(values) == alphas


@try_all("values", [("-0.1",), ("1.01",), ("0", "much"), ("nan",), ("inf",), ("0,5",)])
def test_an_alpha_outside_0_to_1_is_refused(values: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="alpha must be between 0 and 1"):
        read_alphas(values)


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """Return every value of a method by its path."""
    if not isinstance(value, dict):
        return {path: value}
    return {name: cell for key, inner in value.items() for name, cell in flat(inner, f"{path}.{key}").items()}


def changed(method: Method, setting: str, value: str) -> dict[str, Any]:
    """Return everything in which a variant differs from its method."""
    (variant,) = variants(method, setting, (value,))
    assert variant.name == f"{method.name} {setting}={value}"
    before, after = flat(method.model_dump()), flat(variant.method.model_dump())
    assert before.keys() == after.keys()
    return {name: after[name] for name in after if after[name] != before[name]}


@try_all(
    ("setting", "value", "change"),
    [
        ("rounds", "3", {".evidence.queries.rounds": 3}),
        ("results", "7", {".evidence.results": 7}),
        ("window", "4", {".evidence.passages.window": 4}),
        ("ranker", "dense:org/model", {".evidence.passages.ranker": "dense", ".evidence.passages.model": "org/model"}),
        ("threshold", "0.45", {".roll_up.threshold": 0.45}),
        ("margin", "0.35", {".roll_up.margin": 0.35}),
    ],
)
def test_nothing_but_the_setting_changes(setting: str, value: str, change: dict[str, Any]) -> None:
    assert changed(VERIFY, setting, value) == change


def test_more_passages_also_reach_the_judge() -> None:
    most = VERIFY.evidence.most
    more = changed(VERIFY, "passages", str(most + 5))
    assert more[".evidence.passages.top_k"] == more[".evidence.most"] == most + 5
    assert ".evidence.most" not in changed(VERIFY, "passages", "1"), "fewer leave its room as it is"


def test_the_method_itself_is_not_modified() -> None:
    before = VERIFY.model_dump()
    names = [variant.name for variant in variants(VERIFY, "rounds", ("1", "2", "3"))]
    assert names == ["verify rounds=1", "verify rounds=2", "verify rounds=3"]
    assert VERIFY.model_dump() == before


def test_a_sweep_over_judges_varies_models_or_verifiers_depending_on_the_judge() -> None:
    by_model, by_verifier = (variants(method, "judge", ("a/one", "b/two")) for method in (VERIFY, BUILTIN))
    assert [list(variant.models.values()) for variant in by_model] == [["a/one"], ["b/two"]]
    assert all(variant.method == VERIFY for variant in by_model)
    judges = [variant.method.judge for variant in by_verifier]
    assert all(isinstance(judge, VerifierJudge) for judge in judges)
    assert [getattr(judge, "name", None) for judge in judges] == ["a/one", "b/two"]


def test_the_threshold_of_a_cascade_is_by_confidence_or_by_share() -> None:
    cascade = method_named("cascade")
    by_confidence, by_share = (variant.method.judge for variant in variants(cascade, "cascade", ("0.8", "share:0.3")))
    assert (getattr(by_confidence, "by", None), getattr(by_confidence, "at", None)) == ("confidence", 0.8)
    assert (getattr(by_share, "by", None), getattr(by_share, "at", None)) == ("share", 0.3)


@try_all(
    ("method", "setting", "value", "message"),
    [
        (VERIFY, "rounds", "0", "verify rounds=0"),
        (VERIFY, "rounds", "many", "verify rounds=many"),
        (VERIFY, "passages", "-1", "verify passages=-1"),
        (VERIFY, "threshold", "1.5", "verify threshold=1.5"),
        (VERIFY, "ranker", "alphabetical", "verify ranker=alphabetical"),
        (BUILTIN, "rounds", "2", "no rounds to sweep over"),
        (BUILTIN, "cascade", "0.5", "is not a cascade"),
        (method_named("cascade"), "cascade", "luck:0.5", "cascade cascade=luck:0.5"),
    ],
)
def test_a_value_that_a_method_cannot_have_is_named(method: Method, setting: str, value: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        variants(method, setting, (value,))
