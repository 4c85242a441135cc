"""The authors' own prompts, sent to the letter; without their limits, our own leave room to reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factscope.core import UsageError
from factscope.engine import find_method
from factscope.methods import Judge
from factscope.methods.library import felm, published
from tests import lab
from tests.engine.checking import checked
from tests.methods.test_felm import DEAD, PAGE, PARTS, known, response, segment_outcomes

EXAMPLE = "Look for errors.\n\nExample:\nQuestion: Q?\n{units}: \n1. One.\n{more}\nAnswer: 1\n\nMy inputs:\n"
LINKS, DOC = "Reference Links:\nhttps://a.example, https://b.example", "Reference doc:\nA text."


def authors_folder(place: Path) -> Path:
    """Make a folder laid out like the authors', with our own words."""
    texts = {}
    for family, long in (("wk", "wk"), ("sci", "science")):
        for mode, more in (("raw", ""), ("cot", "Thought: t."), ("ret_link", LINKS), ("ret_content", DOC)):
            texts[f"segment/{family}/prompt_{family}_{mode}.txt"] = EXAMPLE.format(units="Segments", more=more)
        texts[f"claim/{family}/claim_{long}.txt"] = EXAMPLE.format(units="Claims", more="")
        texts[f"claim/{family}/claim_{long}_cot.txt"] = EXAMPLE.format(units="Claims", more="Thought: t.")
        texts[f"claim/{family}/claim_{family}_link.txt"] = EXAMPLE.format(units="Claims", more=LINKS)
        texts[f"claim/{family}/claim_{family}_content.txt"] = EXAMPLE.format(units="Claims", more=DOC)
        texts[f"claim/{family}/claim_extract_{family}.txt"] = EXAMPLE.format(
            units="Segments", more="Answer:\nSegment 1:\nClaim 1. One."
        )
    for domain in ("math", "reasoning"):
        for mode in ("raw", "cot"):
            texts[f"segment/{domain}/{mode}.txt"] = EXAMPLE.format(units="Segments", more=domain)
    for name, text in texts.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return authors_folder(tmp_path)


def asked(server: lab.Server) -> list[list[dict[str, str]]]:
    return [json.loads(row["body"])["messages"] for row in server.log()]


def test_a_file_is_sent_as_it_is_with_the_inputs_below_it(folder: Path, server: lab.Server) -> None:
    server.script([{"do": {"text": "Answer: 2\nIt means segment 2 contains errors."}}])
    report = checked(response(), published("felm/published/segment-vanilla", folder), known(), server)
    (messages,) = asked(server)
    assert messages[0] == {"role": "system", "content": "You are a helpful assistant."}
    numbered = "".join(f"{number}. {part.strip()}\n" for number, part in enumerate(PARTS, 1))
    assert messages[1]["content"] == (
        EXAMPLE.format(units="Segments", more="") + f"\n\nQuestion: What is there in Marlow?\nSegments: {numbered}"
    )
    body = json.loads(server.log()[0]["body"])
    assert body.get("max_tokens", body.get("max_completion_tokens")) == 100
    assert segment_outcomes(report) == ["supported", "contradicted", "supported", "supported"]


@pytest.mark.parametrize(("mode", "heading"), [("link", "Reference Links"), ("doc", "Reference doc")])
def test_references_come_under_the_heading_of_the_example(
    mode: str, heading: str, folder: Path, server: lab.Server
) -> None:
    server.script([{"do": {"text": "Answer: ALL_CORRECT"}}])
    checked(response(), published(f"felm/segment-{mode}", folder), known(), server)
    shown = asked(server)[0][1]["content"].rpartition(f"\n{heading}: ")[2]
    assert shown == f"{PAGE.url}\n{DEAD.url}\n" if mode == "link" else shown.startswith("The Marlow bridge has four")


def test_claims_are_extracted_and_judged_with_the_published_files(folder: Path, server: lab.Server) -> None:
    claims = "Answer:\nSegment 1:\nClaim 1. The Marlow bridge was opened in 1931.\n\nSegment 2:\nClaim 1. Six arches."
    server.script(
        [{"when": {"calls": [0]}, "do": {"text": claims}}, {"when": {"calls": [1]}, "do": {"text": "Answer: 2"}}]
    )
    report = checked(response(), published("felm/published/claim-cot", folder), known("science"), server)
    first, second = (messages[1]["content"] for messages in asked(server))
    assert "\nSegments: 1. The Marlow bridge was opened in 1931.\n2. It has six" in first
    assert second.endswith("\nClaims: 1. The Marlow bridge was opened in 1931.\n2. Six arches.\n")
    assert segment_outcomes(report)[:2] == ["supported", "contradicted"]


@pytest.mark.parametrize("mode", felm.MODES)
def test_mathematics_has_its_own_files(mode: str, folder: Path, server: lab.Server) -> None:
    server.script([{"do": {"text": "I would say so."}}])
    report = checked(response(), published(f"felm/claim-{mode}", folder), known("math"), server)
    (messages,) = asked(server)
    assert "\nmath\n" in messages[1]["content"]
    assert set(segment_outcomes(report)) == {"supported"}  # as in the authors' code, no answer means that all is right


def test_a_method_without_published_prompts_is_an_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no prompts for the method 'standard'"):
        published("standard", folder)
    with pytest.raises(UsageError, match="no folder `segment`"):
        published("felm/segment-cot", tmp_path / "claim")
    with pytest.raises(UsageError, match="are not part of Factscope") as caught:
        find_method("felm/published/segment-cot")
    assert "--prompts FOLDER" in caught.value.hint


def test_an_invalid_published_prompt_file_is_an_error(folder: Path, server: lab.Server) -> None:
    (folder / "segment" / "wk" / "prompt_wk_raw.txt").write_text("Say something.", encoding="utf-8")
    with pytest.raises(UsageError, match="no line `Segments:`"):
        checked(response(), published("felm/segment-vanilla", folder), known(), server)


@pytest.mark.parametrize("unit", felm.UNITS)
@pytest.mark.parametrize("mode", felm.MODES)
def test_modern_cells_leave_room_to_reason(unit: felm.Unit, mode: felm.Mode) -> None:
    method = find_method(f"felm/modern/{unit}-{mode}")
    assert isinstance(method.judge, Judge)
    assert method.judge.max_tokens == 8_192
    assert (unit == "claim") == (method.extract is not None and method.extract.max_tokens == 16_384)


def test_prompts_refer_to_claims_and_segments_by_their_names(server: lab.Server) -> None:
    checked(response(), find_method("felm/claim-vanilla"), known(), server)
    checked(response(), find_method("felm/segment-vanilla"), known(), server)
    first, second = (messages[0]["content"] for messages in asked(server) if "Assess each" in messages[0]["content"])
    assert "the numbered claims of an answer to it. They were drawn from the answer." in first
    assert "the numbered segments of an answer to it. Together they are the whole answer." in second
    assert "parts of the answer" not in first + second
    assert "takes something false for granted" in first
