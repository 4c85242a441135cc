"""Method files: complete ones, changes to a known method, its judge replaced by several, and variants by domain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factscope.core import UsageError
from factscope.methods import (
    Cascade,
    Judge,
    Method,
    Panel,
    VerifierJudge,
    for_domain,
    method_from_toml,
    method_from_values,
    method_named,
    variants,
)
from tests.lab.many_cases import each, try_all

LABELS = {"supported": "Yes", "contradicted": "No"}
JUDGE = {"prompt": "p.md", "form": "bracketed", "labels": LABELS}


def from_text(folder: Path, content: str | bytes) -> Method:
    path = folder / "mine.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return method_from_toml(path)


def method(**values: Any) -> Method:
    return method_from_values({"name": "mine", "title": "Mine", **values}, "here")


def test_a_file_without_changes_is_the_method_that_it_is_based_on(tmp_path: Path) -> None:
    def check(name: str) -> None:
        assert from_text(tmp_path, f'based_on = "{name}"') == method_named(name)

    each("name", ("standard", "builtin", "cascade", "verify", "safe"), check)


def test_a_complete_file_needs_nothing_else(tmp_path: Path) -> None:
    assert from_text(tmp_path, 'name = "mine"\ntitle = "Mine"\nleast_coverage = 0.9') == method(least_coverage=0.9)


def test_changes_reach_into_tables_and_leave_the_rest(tmp_path: Path) -> None:
    base = method_named("standard")
    changed = from_text(tmp_path, 'based_on = "standard"\nname = "mine"\n[evidence.passages]\ntop_k = 9\n')
    assert changed.evidence.passages.top_k == 9
    passages = changed.evidence.passages.model_copy(update={"top_k": base.evidence.passages.top_k})
    evidence = changed.evidence.model_copy(update={"passages": passages})
    assert changed.model_copy(update={"name": base.name, "evidence": evidence}) == base


def test_labels_are_replaced_whole(tmp_path: Path) -> None:
    judge = from_text(
        tmp_path, 'based_on = "verify"\n[judge.labels]\nsupported = "Right"\ncontradicted = "Wrong"\n'
    ).judge
    assert isinstance(judge, Judge)
    assert judge.labels == {"supported": "Right", "contradicted": "Wrong"}
    assert judge.prompt == getattr(method_named("verify").judge, "prompt", None)


def test_a_verifier_can_replace_a_model_and_vice_versa(tmp_path: Path) -> None:
    assert from_text(tmp_path, 'based_on = "verify"\n[judge]\nname = "builtin"').judge == VerifierJudge()
    own = '[judge]\nprompt = "p.md"\nform = "bracketed"\nlabels = { supported = "Yes", contradicted = "No" }'
    assert from_text(tmp_path, f'based_on = "builtin"\n{own}').judge == Judge.model_validate(JUDGE)


def test_a_panel_changes_the_judge_for_each_of_its_members(tmp_path: Path) -> None:
    base = method_named("verify").judge
    assert isinstance(base, Judge)
    judge = from_text(
        tmp_path,
        'based_on = "verify"\n[judge]\njudges = [{}, { role = "second", max_tokens = 99 }, { name = "builtin" }]\n'
        'arbiter = { role = "arbiter" }\n',
    ).judge
    second = base.model_copy(update={"role": "second", "max_tokens": 99})
    arbiter = base.model_copy(update={"role": "arbiter"})
    assert judge == Panel(judges=(base, second, VerifierJudge()), arbiter=arbiter)


def test_a_cascade_keeps_the_judge_behind_the_verifier(tmp_path: Path) -> None:
    base = method_named("verify").judge
    judge = from_text(tmp_path, 'based_on = "verify"\n[judge]\nat = 0.7\n[judge.judge]\nmax_tokens = 99\n').judge
    assert isinstance(judge, Cascade)
    assert judge.at == 0.7
    assert judge.judge == base.model_copy(update={"max_tokens": 99})


@try_all(
    ("content", "message"),
    [
        (b"name = ", "is not TOML"),
        (b'name = "\xff"', "is not UTF-8 text (byte 8)"),
        (b"a = " + b"[" * 5_000 + b"]" * 5_000, "nested too deeply"),
        (b"based_on = 3", "based_on must name a method"),
        (b'based_on = "other.toml"', "based_on must name a method"),
        (b'based_on = "standrd"', "based_on: Unknown method 'standrd'"),
        (b"", "name: Field required"),
        (b'name = "x"', "title: Field required"),
        (b'based_on = "verify"\n[judge]\njudges = [{}, { role = "b", samples = 0 }]', "judge.judges.1.samples: "),
        (b'based_on = "verify"\n[judge]\njudges = [{}, { role = "b", form = "x" }]', "judge.judges.1.form: "),
        (b'based_on = "verify"\n[judge]\nsamples = 0', "judge.samples: "),
        (b'based_on = "verify"\n[judge]\nat = 2', "judge.at: "),
        (b'based_on = "builtin"\n[judge]\nspans = 3', "judge.spans: "),
        (b'based_on = "verify"\n[domains.math.cut]\nrole = "cut"', "domains.math.cut.prompt: "),
    ],
)
def test_an_invalid_file_is_reported_with_its_name_and_the_field_as_written(
    tmp_path: Path, content: bytes, message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        from_text(tmp_path, content)
    assert "mine.toml" in raised.value.message
    assert message in raised.value.message


@pytest.mark.parametrize("name", ["none.toml", "."])
def test_an_unreadable_file_is_named_with_the_reason(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"Method file .* can't be read: (no such file|is a directory)"):
        method_from_toml(tmp_path / name)


def test_wrong_values_name_their_place_and_list_the_fields() -> None:
    with pytest.raises(UsageError, match=r"^the page: evidence\.most: ") as raised:
        method_from_values({"name": "x", "title": "X", "evidence": {"most": 0}}, "the page")
    assert set(Method.model_fields) <= set(raised.value.hint.rstrip(".").replace(":", ",").split(", "))
    judges = [{"prompt": "p", "role": "a", "fom": "json"}, {}]
    for values, fields in (
        ({"roll_up": {"margn": 2}}, "Fields of roll_up: unit, threshold, tie, margin,"),
        ({"evidence": {"passages": {"model": ""}}}, "Fields of evidence.passages: ranker, model,"),
        ({"evidence": {"queries": {"prmpt": "p"}}}, "Fields of evidence.queries: prompt, role,"),
        ({"judge": {"judges": judges}}, "Fields of judge.judges.0: prompt, role,"),
        ({"judge": {"judges": [1, 2]}}, "Fields of judge.judges.0: name, spans, together."),
        ({"judge": "builtin"}, "Fields of judge: name, spans, together."),
        ({"domains": {"math": {"plane": True}}}, "Fields of domains.math: prompts, plain, cut."),
        ({"colour": "red"}, "Fields of a method: name, title,"),
    ):
        with pytest.raises(UsageError) as raised:
            method_from_values({"name": "x", "title": "X", **values}, "the page")
        assert raised.value.hint.startswith(fields), raised.value.hint


DOMAINS = {
    "math": {"prompts": {"p.md": "math.md", "two.md": "one.md"}, "plain": False},
    "writing": {"cut": {"prompt": "cut.md", "role": "cut"}},
    "recommendation": {"plain": True},
}


def test_a_domain_without_changes_has_the_method_itself() -> None:
    own = method(judge=JUDGE, domains=DOMAINS)
    for domain in (None, "", "history", "Math"):
        assert for_domain(own, domain) is own


def test_a_domain_replaces_prompts_wherever_they_are_asked() -> None:
    second = {**JUDGE, "role": "second", "prompt": "two.md"}
    own = method(
        judge={"judges": [JUDGE, second], "arbiter": {**JUDGE, "role": "third"}},
        correct={"prompt": "p.md"},
        cites="p.md",
        domains=DOMAINS,
    )
    changed = for_domain(own, "math")
    assert isinstance(changed.judge, Panel)
    assert [judge.prompt for judge in changed.judge.judges if isinstance(judge, Judge)] == ["math.md", "one.md"]
    assert isinstance(changed.judge.arbiter, Judge)
    assert changed.judge.arbiter.prompt == "math.md"
    assert changed.correct
    assert changed.correct.prompt == "math.md"
    assert changed.cites == "p.md", "only the names of prompts are replaced"
    assert changed.domains == {}


def test_a_domain_may_be_split_by_another_model() -> None:
    own = method(judge=JUDGE, domains=DOMAINS)
    assert own.cut is None
    changed = for_domain(own, "writing")
    assert changed.cut
    assert changed.cut.prompt == "cut.md"
    assert changed.model_copy(update={"cut": None, "domains": own.domains}) == own


def test_a_plain_domain_is_judged_segment_by_segment_without_evidence() -> None:
    wrong_ids = {
        "form": "wrong_ids",
        "claims_per_call": 0,
        "prompt": "with.md",
        "without": "without.md",
        "labels": LABELS,
    }
    own = method(
        judge={"judges": [wrong_ids, {**wrong_ids, "role": "second", "without": None}]},
        extract={"prompt": "e.md", "form": "segment_blocks"},
        domains=DOMAINS,
    )
    changed = for_domain(own, "recommendation")
    assert (changed.extract, changed.units, changed.evidence.source) == (None, "all", "none")
    assert isinstance(changed.judge, Panel)
    prompts = [(judge.prompt, judge.without) for judge in changed.judge.judges if isinstance(judge, Judge)]
    assert prompts == [("without.md", None), ("with.md", None)]


def test_all_variants_of_a_method_are_listed_with_itself_first() -> None:
    own = method(judge={**JUDGE, "form": "wrong_ids", "without": "q.md"}, domains=DOMAINS)
    assert variants(own) == [own, *(for_domain(own, name) for name in DOMAINS)]
    assert variants(for_domain(own, "math")) == [for_domain(own, "math")]
