"""A verifier's name: the judge that a method gets for it, or the reason for having none."""

from __future__ import annotations

from pathlib import Path

import pytest

from factscope.core import UsageError
from factscope.engine import find_method
from factscope.judging.verifiers.published import ChatSpec
from factscope.judging.verifiers.registry import catalogue_entry, chat_of, judged_by, source
from factscope.methods import Cascade, Judge, VerifierJudge
from tests.lab.many_cases import try_all

SERVED = "bespoke-minicheck-7b"
OWN_CHAT = """kind = "chat"
system = "Answer Ja or Nein."
user = "Text: {passage} Satz: {claim}"
supported = "Ja"
not_supported = "Nein"
"""


@try_all(
    ("name", "message"),
    [
        (SERVED, r"is a language model that is served, and is not fetched here.*--model vllm/MODEL"),
        ("builtin", r"builtin is installed: there is nothing to fetch\. Use it: --verifier builtin$"),
        ("HHEM", r"Unknown verifier 'HHEM': no verifier or folder has that name\. Did you mean hhem-2\.1-open\?"),
        ("no such", r"Unknown verifier 'no such': no verifier or folder has that name\. By name there are: builtin, "),
        ("a/b/c", r"Unknown verifier 'a/b/c': no verifier or folder has that name"),
        ("org/", r"Unknown verifier 'org/': no verifier or folder has that name"),
        ("", r"Unknown verifier '': no verifier or folder has that name"),
        ("x" * 9_000, r"Unknown verifier 'x{200}': no verifier or folder has that name\."),
    ],
)
def test_a_name_that_cannot_be_fetched_is_refused_with_a_hint(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        catalogue_entry(name)


def test_a_hub_model_needs_no_catalogue_entry_and_has_its_revision() -> None:
    for name, revision in (("org/model", "main"), ("org/model@v1.2", "v1.2")):
        assert catalogue_entry(name) is None
        assert (source(name).repository, source(name).revision) == ("org/model", revision)
    entry = catalogue_entry("hhem-2.1-open")
    assert entry is not None
    assert entry.name == "hhem-2.1-open"


def test_a_served_checker_comes_from_the_catalogue_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN_CHAT, encoding="utf-8")
    found = chat_of(str(path))
    assert found is not None
    prompt, form = found
    assert (prompt, form.supported, form.not_supported) == (str(path), "Ja", "Nein")
    published = chat_of(SERVED)
    assert published is not None
    assert isinstance(published[1], ChatSpec)
    assert [chat_of(name) for name in ("builtin", "org/model", "hhem-2.1-open", "")] == [None] * 4


@try_all(
    ("content", "message"),
    [
        (None, r"own\.toml can't be read: no such file or directory"),
        ("kind = ", r"own\.toml is not TOML"),
        ('kind = "score"', r"own\.toml declares a model that runs here, but does not say which\. Name its folder"),
        ('kind = "guess"', r"own\.toml is not a format of a checker: kind:"),
        (OWN_CHAT.replace('supported = "Ja"\n', "", 1), r"own\.toml is not a format of a checker: supported: Field re"),
        (OWN_CHAT + "more = 1\n", r"own\.toml is not a format of a checker: more: Extra inputs"),
    ],
)
def test_an_invalid_served_checker_file_is_refused_with_the_reason(
    tmp_path: Path, content: str | None, message: str
) -> None:
    path = tmp_path / "own.toml"
    path.unlink(missing_ok=True)
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        chat_of(str(path))


def test_a_method_judged_by_a_hub_model_changes_only_its_judge_and_its_rules() -> None:
    method = find_method("builtin")
    changed = judged_by(method, "Org/My Model".replace(" ", "."), has_model=False)
    assert (changed.name, changed.title) == ("builtin/org-my-model", "As builtin, judged by Org/My.Model")
    # The threshold was measured for the built-in verifier; others have other confidences.
    assert method.roll_up.contradiction_floor > 0
    assert changed.roll_up == method.roll_up.model_copy(update={"contradiction_floor": 0.0})
    assert isinstance(method.judge, VerifierJudge)
    assert changed.judge == VerifierJudge(name="Org/My.Model", spans=method.judge.spans)
    same = changed.model_copy(
        update={"name": method.name, "title": method.title, "judge": method.judge, "roll_up": method.roll_up}
    )
    assert same == method


def test_a_threshold_is_used_only_with_the_verifier_it_was_measured_for() -> None:
    method = find_method("builtin")
    assert judged_by(method, "builtin", has_model=False).roll_up == method.roll_up
    assert judged_by(method, "builtin-features", has_model=False).roll_up.contradiction_floor == 0.0


def test_a_served_checker_judges_with_its_own_two_words(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN_CHAT, encoding="utf-8")
    judge = judged_by(find_method("standard"), str(path), has_model=True).judge
    assert isinstance(judge, Judge)
    assert judge.labels == {"supported": "Ja", "not_supported": "Nein"}
    assert (judge.prompt, judge.passages_per_call, judge.logprobs) == (str(path), "one", True)
    with pytest.raises(UsageError, match=r"own\.toml is a language model that is served, and no model is named"):
        judged_by(find_method("standard"), str(path), has_model=False)


def test_in_a_cascade_only_the_first_judge_is_replaced() -> None:
    method = find_method("cascade")
    assert isinstance(method.judge, Cascade)
    changed = judged_by(method, "org/model", has_model=True)
    expected = method.judge.model_copy(update={"verifier": VerifierJudge(name="org/model")})
    assert changed == method.model_copy(update={"judge": expected})
    with pytest.raises(UsageError, match="is a served model, and no first judge of a cascade"):
        judged_by(method, SERVED, has_model=True)


def test_a_panel_of_judges_is_not_replaced_whatever_the_name() -> None:
    method = find_method("facts-grounding")
    for name in ("builtin", "org/model", SERVED, "no such"):
        with pytest.raises(UsageError, match=f"facts-grounding has a panel of judges, and {name} can't take their pl"):
            judged_by(method, name, has_model=True)
