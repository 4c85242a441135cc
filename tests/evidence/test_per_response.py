"""Evidence per response: the best piece of each reference, one search for all claims, or nothing at all."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.core.records import Document, Failure, Passage, Response
from factscope.evidence import AT_HAND, best_pieces, gather_once
from factscope.llm import CheckContext
from factscope.methods import Evidence, Passages
from tests.conftest import DOCUMENTS
from tests.engine.conftest import tools_over

WORDS = st.lists(st.sampled_from(["bridge", "arches", "1931", "rain", "hall", "the", "of", "Ä", "橋"]), max_size=60)


@given(WORDS, WORDS, st.integers(1, 9))
def test_pieces_make_up_the_text_and_the_best_has_the_most_of_the_query(
    words: list[str], query: list[str], size: int
) -> None:
    text = " ".join(words)
    pieces = best_pieces(text, " ".join(query), size)
    assert sorted("".join(span.of(text).split()) for span, _ in pieces) == sorted(
        "".join(words[at : at + size]) for at in range(0, len(words), size)
    )
    scores = [score for _, score in pieces]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    if scores and scores[0] > 0:
        best = set(pieces[0][0].of(text).split())
        assert best & set(query)


def test_the_first_of_equal_pieces_is_taken_and_a_rare_word_counts_for_more() -> None:
    text = "rain rain rain hall rain rain bridge rain rain"
    assert best_pieces(text, "nothing of it", 3)[0][0].of(text) == "rain rain rain"
    assert best_pieces(text, "rain bridge", 3)[0][0].of(text) == "bridge rain rain"
    assert best_pieces(text, "rain", 0)[0][0].of(text) == text


def test_a_text_is_split_into_pieces_of_512_words() -> None:
    text = " ".join(["rain"] * 1200)
    assert sorted(len(span.of(text).split()) for span, _ in best_pieces(text, "rain", 512)) == [176, 512, 512]


def job(response: Response) -> tuple[CheckContext, list[object]]:
    made: list[object] = []
    return CheckContext(response, (), lambda *records: made.extend(records)), made


@pytest.mark.parametrize(("source", "count"), [("none", 0), ("links", 2), ("references", 1)])
def test_each_kind_of_evidence_at_hand_is_found(source: str, count: int) -> None:
    pages = (
        Document(id="d-1", text="One. Two.", url="https://a.example", sha256="0" * 64),
        Document(id="d-2", text=None, url="https://b.example", sha256="0" * 64),
    )
    asked, _ = job(Response(text="Two.", context=pages))
    part = Evidence(source=source, per="response", passages=Passages(chunk_tokens=512, per_document=1))
    found = asyncio.run(AT_HAND[source].find("Two", part, asked))
    assert len(found.passages) == count
    assert all(one.document.text is None for one in found.passages)
    assert AT_HAND[source].searched.id == source


def test_all_claims_share_one_search(tmp_path: Path) -> None:
    from factscope.claims import as_it_stands
    from factscope.claims.text import segment

    text = "The Marlow bridge was opened in 1931. It rains."
    asked, made = job(Response(text=text, prompt="And the town hall?"))
    claims = [as_it_stands(one) for one in segment(text, "sentences")]
    told: dict[str, object] = {}
    source = tools_over(DOCUMENTS, tmp_path).sources["local"]
    part = Evidence(per="response", passages=Passages(top_k=2), most=2)
    asyncio.run(gather_once(asked, part, source, claims, told.update))
    passages = [one for one in made if isinstance(one, Passage)]
    assert set(told) == {"s1.c1", "s2.c1"}
    assert [one.text for one in passages[:2]] == [one.text for one in passages[2:]]
    assert any("town hall" in one.text for one in passages)
    assert not any(isinstance(one, Failure) for one in made)
