"""Languages, placeholders, and equal and almost equal prompts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks.curate import FAILED, StageResult, duplicates, languages, placeholders
from tests import lab
from tests.benchmarks.curate.shops import done, lab_tools, prompts, reasons, shop

ENGLISH = "What is the capital of France, and since when?"
GERMAN = "Was ist die Hauptstadt von Frankreich, und seit wann?"
LONG = "please explain to me in some detail why the sky is blue by day and red in the evening when the sun sets low"


def kept(found: StageResult) -> list[str]:
    return found.table["id"].to_list()


def test_only_the_wanted_languages_stay() -> None:
    table = prompts(ENGLISH, GERMAN, "你好，请介绍一下北京的历史和文化", language_given=[None, None, None])
    table = table.cast({"language_given": pl.String})
    found = done(languages.STAGE, table, shop())
    assert kept(found) == ["a"]
    assert found.table["language"].to_list() == ["en"]
    assert found.dropped.rows()[0][:2] == ("b", "other language")
    assert found.dropped["detail"][0].startswith("de, score ")
    assert kept(done(languages.STAGE, table, shop({"language": {"keep": ["DE", "Chinese"]}}))) == ["b", "c"]
    assert kept(done(languages.STAGE, table, shop({"language": {"keep": []}}))) == ["a", "b", "c"]


def test_the_language_in_the_log_decides_where_the_detector_is_unsure() -> None:
    table = prompts("asdf", "asdf", "asdf", ENGLISH, language_given=["English", "German", None, "German"])
    found = done(languages.STAGE, table, shop({"language": {"keep": ["en"]}}))
    assert kept(found) == ["a", "c", "d"]
    assert found.facts["stated"] == 2


def test_a_log_may_state_a_region_or_that_it_knows_no_language() -> None:
    table = prompts("asdf", "asdf", "asdf", "asdf", language_given=["de-AT", "de_CH", "unknown", "Nolang"])
    found = done(languages.STAGE, table, shop({"language": {"keep": [], "sure": 1}}))
    assert found.table["language"].to_list() == ["de", "de", "en", "en"]
    assert found.facts["stated"] == 2


def test_equal_prompts_are_merged_and_counted() -> None:
    table = prompts("Why?", "  WHY?\n", "Why not?", "why?", "Ｗｈｙ？", "Why\tnot?")
    found = done(duplicates.EXACT, table, shop())
    assert dict(found.table["id", "times"].iter_rows()) == {"a": 4, "c": 2}
    assert dict(found.dropped["id", "detail"].iter_rows()) == {"b": "of a", "d": "of a", "e": "of a", "f": "of c"}


def test_only_one_of_several_near_duplicate_prompts_remains() -> None:
    """Of 22 words: one extra word leaves 22/23 in common, three leave 22/25 = 0.88."""
    table = prompts(LONG, f"{LONG} thanks", f"{LONG} many kind thanks", LONG.upper()[::1] + "!", "???", "!!!")
    found = done(duplicates.NEAR_DUPLICATES, table, shop())
    assert kept(found) == ["a", "c", "e", "f"]
    n = len(set(LONG.split()))
    assert found.dropped.rows() == [
        ("b", "near-duplicate", f"of a, Jaccard {n / (n + 1):.3f}"),
        ("d", "near-duplicate", "of a, Jaccard 1.000"),
    ]
    assert kept(done(duplicates.NEAR_DUPLICATES, table, shop({"near": {"jaccard": 0.97}}))) == ["a", "b", "c", "e", "f"]
    assert kept(done(duplicates.NEAR_DUPLICATES, table, shop({"near": {"jaccard": 0.8}}))) == ["a", "e", "f"]


@pytest.mark.parametrize(("threshold", "permutations"), [(0.6, 128), (0.3, 128), (0.8, 16)])
def test_near_duplicates_are_found_at_any_threshold(threshold: float, permutations: int) -> None:
    """Of each pair, 9 of 11 words are common: 0.82."""
    pairs = [(f"w{n} " + " ".join(f"x{n}y{i}" for i in range(9)), f"v{n} ") for n in range(40)]
    texts = [text for first, own in pairs for text in (first, own + first.partition(" ")[2])]
    table = pl.DataFrame({"id": [str(n) for n in range(80)], "prompt": texts})
    rule = {"near": {"jaccard": threshold, "permutations": permutations}}
    assert done(duplicates.NEAR_DUPLICATES, table, shop(rule)).dropped.height == 40


def test_prompts_exactly_at_the_threshold_both_stay() -> None:
    words = [f"w{n}" for n in range(19)]
    table = prompts(" ".join(words[:18]), " ".join(words[1:]), " ".join(words))
    assert kept(done(duplicates.NEAR_DUPLICATES, table, shop({"near": {"jaccard": 17 / 19}}))) == ["a", "b"]


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.integers(0, 11), min_size=8, max_size=12), min_size=1, max_size=12),
    st.sampled_from([0.7, 0.9]),
)
def test_near_duplicates_match_an_exact_jaccard_count(sets: list[list[int]], threshold: float) -> None:
    texts = [" ".join(f"w{word}" for word in one) for one in sets]
    table = pl.DataFrame({"id": [f"p{n}" for n in range(len(texts))], "prompt": texts})
    stay: list[set[int]] = []
    names = []
    for place, one in enumerate(map(set, sets)):
        if all(len(one & other) / len(one | other) <= threshold for other in stay):
            stay.append(one)
            names.append(f"p{place}")
    found = done(duplicates.NEAR_DUPLICATES, table, shop({"near": {"jaccard": threshold, "permutations": 1024}}))
    assert kept(found) == names


NAMED = "Did NAME_1 and NAME_2 find out how DNA is built?"
HIDDEN = "Who is <PRESIDIO_ANONYMIZED_PERSON>?"


def answers(*texts: str | None) -> pl.DataFrame:
    return pl.DataFrame(
        {"id": ["a", "b", "c"][: len(texts)], "response": list(texts)}, {"id": pl.String, "response": pl.String}
    )


def test_prompts_with_placeholders_are_dropped(tmp_path: Path) -> None:
    table = prompts(NAMED, HIDDEN, "What is my_NAME_1x?")
    for parameters in ({}, {"placeholders": {"do": "deanonymise"}}):
        found = done(placeholders.STAGE, table, shop(parameters))
        assert kept(found) == ["c"]
        assert reasons(found.dropped) == {"a": "placeholder", "b": "placeholder"}
        assert found.table["deanonymised"].to_list() == [False]


@pytest.fixture(scope="module")
def server() -> Iterator[lab.Server]:
    with lab.model_server() as made:
        yield made


def says(**names: str) -> dict[str, object]:
    return {"text": json.dumps({"names": [{"placeholder": place, "name": name} for place, name in names.items()]})}


def test_names_found_by_a_model_replace_placeholders_in_prompt_and_answer(server: lab.Server, tmp_path: Path) -> None:
    server.script([{"do": says(NAME_1="James Watson", NAME_2="Francis Crick", NAME_3="Rosalind Franklin")}])
    table = prompts(NAMED, "Why?")
    sides = {"responses": answers("Yes, NAME_1 did, with NAME_3.", "Ask NAME_1.")}
    found = done(
        placeholders.STAGE, table, shop({"placeholders": {"do": "deanonymise"}}, lab_tools(server), tmp_path, **sides)
    )
    assert found.table["prompt"].to_list() == ["Did James Watson and Francis Crick find out how DNA is built?", "Why?"]
    assert found.table["deanonymised"].to_list() == [True, False]
    asked = json.loads(server.log()[0]["body"])["messages"][1]["content"]
    assert re.findall("> (NAME_.)", asked) == ["NAME_1", "NAME_2", "NAME_3"]

    import asyncio

    tools = lab_tools(server)
    where = shop({}, tools, tmp_path, placeholder_names=found.tables["placeholder_names"].lazy().collect(), **sides)  # type: ignore[arg-type]
    server.script([{"do": says(NAME_1="your doctor")}])

    async def mend() -> dict[str, str]:
        async with tools:
            return await placeholders.mended(found.table["id", "prompt"].join(sides["responses"], on="id"), where)

    assert asyncio.run(mend()) == {"a": "Yes, James Watson did, with Rosalind Franklin.", "b": "Ask your doctor."}
    assert server.count() == 1


def test_a_placeholder_without_a_name_is_asked_for_again(server: lab.Server, tmp_path: Path) -> None:
    """As does one whose name is a placeholder."""
    replies = (says(NAME_1="Ada"), says(NAME_1="Ada", NAME_2="NAME_2"), says(NAME_1="Ada", NAME_2="Bo"))
    server.script([{"when": {"first": n}, "do": reply} for n, reply in enumerate(replies, 1)])
    where = shop({"placeholders": {"do": "deanonymise"}}, lab_tools(server), tmp_path, responses=answers(None))
    found = done(placeholders.STAGE, prompts(NAMED), where)
    assert found.table["prompt"].to_list() == ["Did Ada and Bo find out how DNA is built?"]
    for asked in server.log()[1:]:
        assert "no name for NAME_2" in json.loads(asked["body"])["messages"][-1]["content"]
    assert server.count() == 3


def test_a_refusal_is_final_and_a_failure_is_not(server: lab.Server, tmp_path: Path) -> None:
    server.script(
        [
            {"when": {"contains": "find out how"}, "do": {"text": "", "finish_reason": "content_filter"}},
            {"do": {"text": "I would rather not."}},
        ]
    )
    where = shop({"placeholders": {"do": "deanonymise"}}, lab_tools(server), tmp_path, responses=answers(None, None))
    found = done(placeholders.STAGE, prompts(NAMED, HIDDEN), where)
    assert reasons(found.dropped) == {"a": "placeholder", "b": FAILED}
