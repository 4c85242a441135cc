"""Contradictory settings of a method, refused in words that say what to change."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from factscope.core import UsageError
from factscope.methods import (
    FLOORS,
    MEASURES,
    METHODS,
    Ask,
    Cascade,
    Correct,
    Eligible,
    Evidence,
    Extract,
    Judge,
    Measure,
    Method,
    Panel,
    Passages,
    Queries,
    Relevance,
    Rewrite,
    Rubric,
    VerifierJudge,
    cited,
    judges_of,
    method_named,
    n_judges,
    register_method,
    with_strictness,
)
from tests.lab.many_cases import each, try_all

LABELS = {"supported": "Yes", "contradicted": "No"}
JUDGE = {"prompt": "p.md", "form": "bracketed", "labels": LABELS}
OTHER = {**JUDGE, "role": "second"}


def model(**values: Any) -> Judge:
    return Judge.model_validate({**JUDGE, **values})


def method(**values: Any) -> Method:
    return Method.model_validate({"name": "mine", "title": "Mine", **values})


@try_all(
    ("values", "reason"),
    [
        ({"form": "brackted"}, "there is no form of reply 'brackted'. Did you mean bracketed"),
        ({"labels": {"supported": "Yes"}}, "two or more words, all different"),
        ({"labels": {"supported": "Yes", "contradicted": "yes"}}, "two or more words, all different"),
        ({"labels": {"supported": "Yes", "true": "No"}}, "Input should be 'supported'"),
        ({"samples": 3}, "samples above 1 need a temperature above 0"),
        ({"in_pieces": JUDGE}, "in_pieces needs a window"),
        ({"window": 1000}, "a window needs one sample and the form 'sentences'"),
        ({"double_check": {"prompt": "p.md", "role": "judge"}}, "double_check needs the form 'sentences'"),
        ({"claims_per_call": 2}, "claims_per_call above 1 needs the form 'json'"),
        ({"claims_per_call": 0}, "; 0 needs 'wrong_ids'"),
        ({"without": "p.md"}, "without is for the form 'wrong_ids'; with 'bracketed' it would not be sent"),
        ({"own_knowledge": "counted", "passages_per_call": "one"}, "own_knowledge is for the form 'bracketed'"),
        ({"form": "json", "own_knowledge": "marked"}, "own_knowledge is for the form 'bracketed'"),
        ({"temperature": 2.5}, "less than or equal to 2"),
        ({"colour": "red"}, "Extra inputs are not permitted"),
    ],
)
def test_an_impossible_judge_is_refused(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError) as raised:
        model(**values)
    assert reason in str(raised.value)


@try_all(
    "values",
    [
        {"samples": 3, "temperature": 0.7},
        {"own_knowledge": "counted"},
        {"form": "json", "claims_per_call": 8},
        {"temperature": None, "samples": 2},
    ],
)
def test_compatible_settings_are_accepted(values: dict[str, Any]) -> None:
    assert model(**values).model_dump(include=set(values)) == values


@try_all(
    ("part", "values", "reason"),
    [
        (Passages, {"ranker": "dense"}, "ranker 'dense' needs a model"),
        (Passages, {"ranker": "hybrid"}, "ranker 'hybrid' needs a model"),
        (Passages, {"in_context": True, "chunk_tokens": 200}, "leave chunk_tokens at 0"),
        (Queries, {"prompt": "p", "form": "fenced", "stop": "enough"}, "'never' and the form 'json' go together"),
        (Queries, {"prompt": "p", "form": "json"}, "'never' and the form 'json' go together"),
        (Queries, {"prompt": "p", "form": "fenced", "claims_per_call": 2}, "claims_per_call above 1 needs"),
        (Evidence, {"source": ""}, "at least 1 character"),
        (Panel, {"judges": [JUDGE]}, "at least 2 items"),
        (Panel, {"judges": [JUDGE, JUDGE]}, "each judge of a panel needs its own role"),
        (Panel, {"judges": [JUDGE, OTHER], "arbiter": OTHER}, "each judge of a panel needs its own role"),
        (Panel, {"judges": [{"name": "builtin"}, {"name": "builtin"}]}, "each judge of a panel needs its own role"),
        (Cascade, {"judge": {**JUDGE, "form": "wrong_ids", "claims_per_call": 0}}, "labels single claims"),
        (Eligible, {"judges": [{"prompt": "p"}, {"prompt": "q"}]}, "needs its own role"),
        (Extract, {"prompt": "p", "form": "claim_lines", "segments_per_call": -1}, "greater than or equal to 0"),
    ],
)
def test_an_impossible_part_is_refused(part: Any, values: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError) as raised:
        part.model_validate(values)
    assert reason in str(raised.value)


@try_all(
    ("values", "reason"),
    [
        ({"name": "My method"}, "String should match pattern"),
        ({"evidence": {"per": "response", "about_request": True}}, "has no queries and no about_request"),
        ({"judge": {**JUDGE, "form": "sentences"}}, "the form 'sentences' is for a whole response"),
        (
            {"judge": {**JUDGE, "window": 99, "in_pieces": {**OTHER, "form": "spans"}}},
            "a window is for a whole response",
        ),
        ({"judge": JUDGE, "evidence": {"source": "none"}}, "the prompt 'p.md' would not be sent"),
        ({"judge": {"judge": JUDGE}, "evidence": {"source": "none"}}, "the prompt 'p.md' would not be sent"),
        ({"judge": {"judges": [{"name": "a"}, JUDGE]}, "evidence": {"source": "none"}}, "'p.md' would not be sent"),
        ({"scores": ["hallucination(alpha)"]}, "is not a parameter like alpha=0.5"),
    ],
)
def test_a_method_whose_parts_do_not_fit_is_refused(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError) as raised:
        method(**values)
    assert reason in str(raised.value)


@try_all("role", ["The Judge", "judge-2", "judge=a", "2nd", "", "_judge", "juge é"])
def test_a_role_name_unusable_in_an_option_is_refused_in_every_step(role: str) -> None:
    steps: list[tuple[type[Ask], dict[str, Any]]] = [
        (Ask, {}), (Judge, JUDGE), (Rubric, {}), (Correct, {}), (Rewrite, {}), (Relevance, {}),
        (Extract, {"form": "claim_lines"}), (Queries, {"form": "fenced"}),
    ]  # fmt: skip
    for step, values in steps:
        assert step.model_validate({"prompt": "p", **values, "role": "judge_2"}).role == "judge_2"
        with pytest.raises(ValidationError, match="role\n"):
            step.model_validate({"prompt": "p", **values, "role": role})


@try_all(
    ("values", "kind", "numbered", "voting"),
    [
        ({"name": "builtin"}, VerifierJudge, 1, 1),
        ({}, VerifierJudge, 1, 1),
        (JUDGE, Judge, 1, 1),
        ({"judge": JUDGE}, Cascade, 2, 1),
        ({"judges": [JUDGE, OTHER]}, Panel, 2, 2),
        ({"judges": [JUDGE, {"name": "x"}], "arbiter": OTHER}, Panel, 3, 2),
    ],
)
def test_the_kind_of_a_judge_shows_in_its_fields(values: Any, kind: type, numbered: int, voting: int) -> None:
    judge = method(judge=values).judge
    assert type(judge) is kind
    assert len(judges_of(judge)) == numbered
    assert n_judges(judge) == voting
    assert method(judge=judge).judge == judge, "a judge that is made already is taken as it is"


@try_all(
    ("text", "printed"),
    [
        ("f1", "f1"),
        ("  f1( ) ", "f1"),
        ("f1(k=5)", "f1(k=5)"),
        ("f1(k=5.0)", "f1(k=5)"),
        ("f1( k = .5 ,a=1e2 )", "f1(a=100, k=0.5)"),
        ("f1(k=0.12345678)", "f1(k=0.123457)"),
        ("f1(k=-0.25,)", "f1(k=-0.25)"),
    ],
)
def test_a_measure_is_read_in_any_spelling_and_printed_in_one(text: str, printed: str) -> None:
    assert str(Measure.parse(text)) == printed


@try_all(
    "text",
    ["", "F1", "f1(", "f1)", "f1(k)", "f1(k=)", "f1(k=x)", "f1(=1)", "f1(k=1, k=2)", "a b"],
)
def test_an_invalid_measure_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a score|is not a parameter|is given twice"):
        Measure.parse(text)


def test_strictness_changes_only_the_confidence_needed_for_a_contradiction() -> None:
    own = method(roll_up={"contradiction_floor": 0.3, "margin": 0.2})
    floors = [with_strictness(own, level).roll_up.contradiction_floor for level in ("low", "normal", "high")]
    assert floors == sorted(FLOORS.values(), reverse=True)
    for level in FLOORS:
        changed = with_strictness(own, level)
        assert changed.roll_up.margin == 0.2
        assert changed.model_copy(update={"roll_up": own.roll_up}) == own


def test_a_method_is_registered_once_and_built_once_on_demand() -> None:
    made: list[Method] = []

    def make() -> Method:
        made.append(method(name="tried"))
        return made[-1]

    register_method("tried", make)
    try:
        assert "tried" in METHODS.names()
        assert not made
        assert method_named("tried") is method_named("tried")
        assert len(made) == 1
        with pytest.raises(ValueError, match="there is a method 'tried' already"):
            register_method("tried", make)
    finally:
        METHODS.remove("tried")
    with pytest.raises(UsageError, match="Unknown method 'tried'"):
        method_named("tried")


def test_every_shipped_method_has_its_registered_name_and_survives_serialization() -> None:
    def check(name: str) -> None:
        shipped = method_named(name)
        assert shipped.name == name
        assert Method.model_validate(shipped.model_dump(mode="json")) == shipped
        assert Method.model_validate_json(shipped.model_dump_json()) == shipped

    each("name", METHODS.names(), check)


def test_a_method_for_cited_sources_is_otherwise_unchanged() -> None:
    own = method(
        title="Sentences by a model", judge={"judges": [JUDGE, {"name": "x"}], "arbiter": OTHER}, scores=["f1(k=5)"]
    )
    changed = cited(own, repair=True)
    assert (changed.name, changed.evidence.source, changed.evidence.repair) == ("mine/cited", "cited", True)
    assert changed.title.endswith(": sentences by a model")
    assert isinstance(changed.judge, Panel)
    asked = [judge for judge in judges_of(changed.judge) if isinstance(judge, Judge)]
    assert [judge.passages_per_call for judge in asked] == ["one", "one"]
    assert changed.scores == (*map(Measure.parse, MEASURES), *own.scores)
    assert cited(changed) is changed
    assert not cited(own).evidence.repair
    assert Method.model_validate(changed.model_dump(mode="json")) == changed


def test_a_judge_of_pairs_and_the_judge_of_a_cascade_read_each_source_separately() -> None:
    pairs = method(judge={**JUDGE, "form": "json", "claims_per_call": 8})
    assert cited(pairs).judge == pairs.judge
    cascade = cited(method(judge={"judge": JUDGE})).judge
    assert isinstance(cascade, Cascade)
    assert cascade.judge.passages_per_call == "one"


@try_all(
    "values",
    [
        {"segment": "whole"},
        {"segment": "whole", "judge": {**JUDGE, "form": "sentences"}},
        {"judge": {**JUDGE, "form": "wrong_ids", "claims_per_call": 0}},
    ],
)
def test_a_method_that_judges_a_text_as_a_whole_cannot_check_cited_sources(values: dict[str, Any]) -> None:
    whole = method(**values)
    with pytest.raises(ValueError, match="method mine judges a text as a whole"):
        cited(whole)
