"""Passages by meaning: a real model whose network is made here, with a known vector for each word."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factscope.core import UsageError
from factscope.core.records import Document
from factscope.evidence import Collection, Encoders, FoundPassage, in_memory, open_collection
from factscope.evidence import collection as collections
from factscope.evidence.ranking import fuse
from factscope.methods import Passages
from tests.conftest import at_least
from tests.evidence.ranking.onnx_models import MEANS, Counted, word_model
from tests.lab import warm

TEXTS = {
    "harbour.txt": "The boat leaves at nine. It sails to the island. Nobody else works here. Every loaf costs a crown.",
    "town.txt": "A ferry has a bell. The mayor sleeps. The baker bakes bread at night, and sells it at dawn.",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return word_model(tmp_path / "model", MEANS)


@pytest.fixture
def encoders(tmp_path: Path) -> Iterator[Encoders]:
    opened = Encoders(Path, tmp_path / "vectors.db")
    yield opened
    opened.close()


@pytest.fixture
def collection(tmp_path: Path, encoders: Encoders) -> Collection:
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    return open_collection([tmp_path / "docs"], tmp_path / "cache", encoders=encoders)


def asked(folder: Path, **more: object) -> Passages:
    return Passages.model_validate({"ranker": "dense", "model": str(folder), "window": 0, **more})


def texts(found: Sequence[FoundPassage]) -> list[str]:
    return [one.text for one in found]


def test_ranking_by_meaning_finds_passages_that_words_do_not(collection: Collection, folder: Path) -> None:
    query = "When does the ship sail?"
    assert collection.search("ship", Passages()) == ()
    found = collection.search(query, asked(folder, top_k=3))
    assert texts(found) == ["A ferry has a bell.", "It sails to the island.", "The boat leaves at nine."]
    assert [round(one.score, 2) for one in found] == [0.99, 0.98, 0.96]
    assert found[0].document.title == "town.txt"
    assert found == collection.search(query, asked(folder, top_k=3))


def test_an_opposite_vector_scores_zero(collection: Collection, folder: Path) -> None:
    assert {one.score for one in collection.search("not", asked(folder, top_k=20, per_document=20))} == {0.0}


@pytest.mark.parametrize("query", ["", "!? …"])
@pytest.mark.parametrize("ranker", ["dense", "hybrid"])
def test_a_query_without_words_finds_nothing(collection: Collection, folder: Path, query: str, ranker: str) -> None:
    assert collection.search(query, asked(folder, ranker=ranker)) == ()


def test_hybrid_ranking_puts_passages_found_by_both_rankers_first(collection: Collection, folder: Path) -> None:
    query = "bread leaves nine"
    wide = {"top_k": 4, "per_document": 4}
    by_words = collection.search(query, asked(folder, ranker="bm25", **wide))
    by_meaning = collection.search(query, asked(folder, **wide))
    both = collection.search(query, asked(folder, ranker="hybrid", **wide))
    assert texts(by_words)[:2] == ["The boat leaves at nine.", "The baker bakes bread at night, and sells it at dawn."]
    assert texts(by_meaning)[:2] == [
        "The baker bakes bread at night, and sells it at dawn.",
        "Every loaf costs a crown.",
    ]
    assert texts(both)[0] == "The baker bakes bread at night, and sells it at dawn."
    assert set(texts(both)[:3]) == {*texts(by_words), *texts(by_meaning)[:2]}
    assert both[0].score == round((1 / 61 + 1 / 62) / (2 / 61), 6)


def test_rankings_are_fused_by_reciprocal_rank() -> None:
    one = [(-0.9, 0, 1), (-0.5, 0, 2), (-0.5, 1, 0), (-0.1, 2, 2)]
    other = [(-7.0, 1, 0), (-3.0, 0, 1)]
    most = 2 / 61
    assert fuse([one, other]) == [
        (-round((1 / 61 + 1 / 62) / most, 6), 0, 1),
        (-round((1 / 62 + 1 / 61) / most, 6), 1, 0),
        (-round(1 / 62 / most, 6), 0, 2),
        (-round(1 / 64 / most, 6), 2, 2),
    ]
    assert fuse([one]) == one
    assert fuse([[], []]) == []


def test_the_best_sentence_comes_with_its_window(collection: Collection, folder: Path) -> None:
    [found] = collection.search("Who sleeps?", asked(folder, window=1, top_k=1))
    assert found.text == TEXTS["town.txt"]
    assert collection.search("Who sleeps?", asked(folder, window=1, top_k=9, per_document=9))[0] == found


def test_in_large_collections_only_sentences_near_matching_words_are_ranked(
    collection: Collection, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collections, "FEW", 3)
    assert texts(collection.search("Is the ferry a ship?", asked(folder, top_k=1))) == ["A ferry has a bell."]
    assert texts(collection.search("Which boat is a ship?", asked(folder, top_k=1))) == ["It sails to the island."]
    assert collection.search("ship", asked(folder)) == ()
    assert texts(collection.search("boat", asked(folder, chunk_tokens=5, top_k=1))) == ["The boat leaves at nine."]


@given(
    query=st.lists(st.sampled_from([*MEANS, *" ".join(TEXTS.values()).split()]), min_size=1, max_size=8),
    ranker=st.sampled_from(["bm25", "dense", "hybrid"]),
    around=st.integers(0, 2),
    size=st.sampled_from([0, 0, 1, 3, 7, 512]),
    top_k=st.integers(1, 8),
    per_document=st.integers(1, 4),
)
@settings(max_examples=at_least(20, in_all=80), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_passages_are_verbatim_disjoint_and_ordered(
    collection: Collection,
    folder: Path,
    query: list[str],
    ranker: str,
    around: int,
    size: int,
    top_k: int,
    per_document: int,
) -> None:
    wanted = asked(folder, ranker=ranker, window=around, chunk_tokens=size, top_k=top_k, per_document=per_document)
    found = collection.search(" ".join(query), wanted)
    assert found == collection.search(" ".join(query), wanted)
    assert len(found) <= top_k
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(0 <= one.score <= 1 for one in found)
    for number, one in enumerate(found):
        assert one.span.of(TEXTS[one.document.title or ""]) == one.text == one.text.strip()
        assert not any(one.document.id == two.document.id and one.span.overlaps(two.span) for two in found[:number])
        assert sum(one.document.id == two.document.id for two in found) <= per_document


def test_web_pages_are_ranked_the_same_way(encoders: Encoders, folder: Path) -> None:
    pages = [(Document(id=f"d-{name}", text=None, sha256=name, title=name), text) for name, text in TEXTS.items()]
    made = in_memory(pages, encoders)
    assert made
    assert texts(made.search("the ship", asked(folder, top_k=1))) == ["A ferry has a bell."]


@pytest.mark.parametrize("ranker", ["bm25", "dense", "hybrid"])
def test_a_document_is_split_into_pieces_of_a_given_number_of_words(
    collection: Collection, folder: Path, ranker: str
) -> None:
    found = collection.search("bakes", asked(folder, ranker=ranker, chunk_tokens=9, top_k=1))
    assert texts(found) == ["baker bakes bread at night, and sells it at"]
    [whole] = collection.search("bakes", asked(folder, ranker=ranker, chunk_tokens=512, top_k=1))
    assert whole.text == TEXTS["town.txt"]


def test_punctuation_stays_with_the_word_it_touches(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "a.txt").write_text('He said: "Never (ever) touch-type!" Then he left… 橋は一九三二年に開通した。')
    made = open_collection([tmp_path / "a.txt"], tmp_path / "cache")
    pieces = {
        found.span.start: found.text
        for word in ("said", "touch", "橋", "開")
        for found in made.search(word, Passages(chunk_tokens=2, per_document=9))
    }
    assert [pieces[start] for start in sorted(pieces)] == ["He said:", 'touch-type!"', "left… 橋", "に開"]


def test_the_best_piece_has_the_highest_density_of_rare_words(tmp_path: Path) -> None:
    filler = " ".join(f"word{number}" for number in range(40))
    (tmp_path / "a.txt").write_text(f"The weir. {filler} The weir of Ida Kern, the weir. {filler}")
    made = open_collection([tmp_path / "a.txt"], tmp_path / "cache")
    found = made.search("Ida Kern weir", Passages(chunk_tokens=25, per_document=9))
    assert ["Ida Kern" in one.text for one in found] == [True, False]
    assert 1 > found[0].score > found[1].score > 0


def test_prefixes_come_from_the_settings_or_the_files(tmp_path: Path, encoders: Encoders) -> None:
    prompts = {"prompts": {"query": "ferry ", "document": ""}}
    folder = word_model(tmp_path / "model", MEANS, {"config_sentence_transformers.json": prompts})
    made = in_memory([(Document(id="d-1", text=None, sha256="1"), "A loaf. A boat.")], encoders)
    assert made
    assert texts(made.search("so", asked(folder, top_k=1))) == ["A boat."]
    assert texts(made.search("so", asked(folder, top_k=1, query_prefix="bread "))) == ["A loaf."]
    assert texts(made.search("loaf", asked(folder, top_k=1, query_prefix=""))) == ["A loaf."]
    shifted = made.search("so", asked(folder, top_k=1, passage_prefix="sleeps sleeps sleeps "))
    assert shifted[0].score < 0.5


def test_a_text_goes_through_the_model_once(
    collection: Collection, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    first = collection.search("the ship", asked(folder))
    assert counted.texts == 8  # seven sentences and the query
    assert collection.search("the ship", asked(folder)) == first
    assert collection.search("a ship", asked(folder)) != ()
    assert counted.texts == 9
    later = Encoders(Path, tmp_path / "vectors.db")
    again = open_collection([tmp_path / "docs"], tmp_path / "cache", encoders=later)
    assert again.search("the ship", asked(folder)) == first
    assert counted.texts == 9
    word_model(folder, {**MEANS, "more": (0, 0, 0)})
    later.close()
    assert open_collection([tmp_path / "docs"], tmp_path / "cache", encoders=later).search("the ship", asked(folder))
    assert counted.texts == 17
    later.close()


def test_a_method_that_ranks_by_meaning_names_a_model() -> None:
    for ranker in ("dense", "hybrid"):
        with pytest.raises(ValueError, match=f"ranker '{ranker}' needs a model"):
            Passages.model_validate({"ranker": ranker})


def test_ranking_by_meaning_in_a_collection_without_models_is_a_clear_error(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "a.txt").write_text("A ferry.")
    with pytest.raises(UsageError, match="without models"):
        open_collection([tmp_path / "a.txt"], tmp_path / "cache").search("ferry", asked(folder))


def test_ranking_by_words_needs_no_model_libraries(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['onnxruntime'] = sys.modules['tokenizers'] = None\n"
        "from pathlib import Path; from factscope.evidence.collection import open_collection\n"
        "from factscope.methods import Passages\n"
        f"c = open_collection([Path({str(tmp_path / 'a.txt')!r})], Path({str(tmp_path / 'cache')!r}))\n"
        "print(len(c.search('ferry', Passages())), len(c.search('ferry', Passages(chunk_tokens=512))))\n"
    )
    (tmp_path / "a.txt").write_text("A ferry.")
    done = subprocess.run([warm.python(), "-c", program], capture_output=True, text=True, env=os.environ)
    assert (done.stdout.split(), done.stderr) == (["1", "1"], "")
