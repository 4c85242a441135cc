"""Examples in FELM's and FavaBench's prompts: they have the form that is read, and say what the paper asks for."""

from __future__ import annotations

import re

import pytest

from factscope.llm import claim_blocks, separated, wrong_ids
from factscope.llm.prompts import load
from tests.lab.many_cases import try_all
from tests.llm.prompts.listed import DETECTING


def example(name: str) -> str:
    """Return the text below `Example.` in a prompt."""
    return load(name).system.partition("Example. ")[2]


@try_all("name", DETECTING)
def test_the_detection_example_ends_with_ids_of_its_parts(name: str) -> None:
    shown, _, reply = example(name).partition("\n")
    parts = [int(number) for number in re.findall(r"(?<= )(\d): \"", shown)]
    assert parts == list(range(1, len(parts) + 1))
    assert wrong_ids(reply, len(parts))
    assert reply.startswith("Thought: ") == name.endswith("_cot")


@try_all("name", DETECTING)
def test_detection_asks_for_ids_only_or_all_correct(name: str) -> None:
    system = load(name).system
    assert "numbers only" in system
    assert "`Answer: ALL_CORRECT`" in system
    assert ("factual error" in system) == any(word in name for word in ("detect", "science"))


def test_all_steps_that_depend_on_a_wrong_reasoning_step_are_wrong() -> None:
    assert example("felm/reasoning").splitlines()[-1] == "Answer: 1,2,3"


@pytest.mark.parametrize("name", ["felm/claims", "felm/claims_science"])
def test_the_claims_example_can_be_read(name: str) -> None:
    _, _, reply = example(name).partition("\n")
    found = claim_blocks(reply, ["s1", "s2"])
    assert [key for key, _ in found.claims][-1] == "s2"
    assert found.dropped == ()


@pytest.mark.parametrize("name", ["felm/segment_math", "felm/segment_items"])
def test_the_segments_example_reproduces_its_text(name: str) -> None:
    shown, _, reply = example(name).partition("\n")
    whole = shown.partition(': "')[2].removesuffix('"')
    assert len(separated(reply, whole)) >= 2
