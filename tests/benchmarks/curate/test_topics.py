"""Vectors, topics and their names: planted topics are found, stray prompts are dropped, and choices are reported."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.curate import (
    FACTBENCH_SIZE,
    FAILED,
    ClusterSizes,
    StageContext,
    StageResult,
    Topics,
    assign_topics,
    cluster,
    count,
    describe,
    fitted,
    sizes_for,
    topic_names,
    topics,
)
from factscope.benchmarks.curate import prompt_vectors as vectors
from factscope.core import InputError, UsageError
from factscope.evidence import Encoders
from factscope.judging.verifiers.builtin import text_vectors
from factscope.llm import CallLimits, ModelError
from tests import lab
from tests.benchmarks.curate.shops import done, lab_tools, prompts, reasons, shop
from tests.evidence.ranking.onnx_models import word_model

SUBJECTS = (
    "espresso grinder crema barista roast beans filter portafilter",
    "volcano lava magma crater eruption ash basalt caldera",
    "chess bishop knight checkmate pawn gambit castling endgame",
    "violin cello symphony orchestra conductor concerto quartet overture",
    "reactor uranium fission plutonium isotope radiation turbine coolant",
)
FRAMES = ("Tell me about {} and {}.", "How did {} come to {}?", "What has {} to do with {}?", "Compare {} and {}!")
SET: dict[str, dict[str, Any]] = {
    "vectors": {"dimensions": 20},
    "topics": {"min_cluster_size": 10, "min_samples": 4, "grid": [4, 10], "words": 4, "representatives": 7},
}


class Made(NamedTuple):
    """Results of the two stages on planted prompts."""

    planted: dict[str, int]
    vectors: StageResult
    topics: StageResult
    shop: StageContext


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, few_points: None) -> Made:
    chance = random.Random(1)
    folder = tmp_path_factory.mktemp("tables")
    number, rows = 0, []
    for subject, words in enumerate(SUBJECTS):
        for _ in range(40 - 4 * subject):
            asked = " ".join(frame.format(*chance.sample(words.split(), 2)) for frame in chance.sample(FRAMES, 2))
            rows.append((f"r{number}", asked, subject))
            number += 1
    chance.shuffle(rows)
    rows.append(("odd", "Qwrtz zxcv!", -1))
    table = pl.DataFrame(rows, schema=["id", "prompt", "planted"], orient="row")
    found = done(vectors.STAGE, table, shop(SET))
    where = replace(shop(SET, None, folder, **sides(found)), scratch=folder)
    grouped = done(topics.STAGE, found.table, where)
    after = shop(SET, None, folder, **sides(found), **sides(grouped))
    return Made(dict(table["id", "planted"].iter_rows()), found, grouped, after)


def sides(found: StageResult) -> dict[str, pl.DataFrame]:
    return {name: table.lazy().collect() for name, table in found.tables.items()}


def test_every_prompt_has_a_vector_of_length_1(made: Made) -> None:
    table = made.shop.side("vectors")
    assert table["id"].to_list() == made.vectors.table["id"].to_list()
    assert np.linalg.norm(table["vector"].to_numpy(), axis=1) == pytest.approx(1, abs=1e-5)
    assert reasons(made.vectors.dropped) == {}
    assert made.vectors.facts["unknown"] == 1  # "odd", which stays: no prompt is dropped for rare words
    assert made.vectors.facts["by"] == "baseline: TF-IDF and truncated SVD"


def test_other_prompts_get_vectors_in_the_same_space(made: Made) -> None:
    kept = made.vectors.table
    again = vectors.embed(kept["prompt"].to_list(), made.shop)
    known = again.any(axis=1)
    assert again[known] == pytest.approx(made.shop.side("vectors")["vector"].to_numpy()[known], abs=1e-6)
    assert not vectors.embed(["Qwrtz zxcv!"], made.shop).any()
    assert vectors.embed([], made.shop).shape == (0, 20)


def test_the_encoder_that_comes_with_factscope_makes_vectors() -> None:
    asked = ["How do bees make honey?", "How is honey produced in a hive?", "Which openings does a chess player learn?"]
    stage = vectors.work(prompts(*asked), shop({"vectors": {"model": "shipped"}}))
    made = stage.tables["vectors"]["vector"].to_numpy()
    assert made.shape == (3, 384)
    assert np.linalg.norm(made, axis=1) == pytest.approx(1, abs=1e-5)
    assert made[0] @ made[1] > made[0] @ made[2]
    assert stage.facts["by"] == "the encoder that comes with Factscope"


def test_the_encoder_reports_its_progress_every_few_seconds() -> None:
    reports: list[tuple[int, int]] = []
    text_vectors(["A lens."] * 65, lambda done, total: reports.append((done, total)))
    assert reports == [(64, 65), (65, 65)]


def test_other_prompts_get_vectors_of_the_shipped_encoder_in_the_same_space(tmp_path: Path) -> None:
    wanted = {"vectors": {"model": "shipped"}}
    stage = vectors.work(prompts("Who built the mill?", "How deep is the lake?"), shop(wanted))
    context = shop(wanted, folder=tmp_path, center=pl.DataFrame(stage.tables["center"]))
    again = vectors.embed(["Who built the mill?"], context)
    assert again[0] == pytest.approx(stage.tables["vectors"]["vector"].to_numpy()[0], abs=1e-5)
    assert len(vectors.embed([], context)) == 0


def test_the_planted_topics_are_found(made: Made) -> None:
    from sklearn.metrics import adjusted_mutual_info_score  # takes a second, even if this file is only collected

    kept = made.topics.table
    planted = [made.planted[name] for name in kept["id"]]
    assert adjusted_mutual_info_score(planted, kept["topic"]) > 0.9
    assert kept.height + made.topics.dropped.height == made.vectors.table.height
    assert set(reasons(made.topics.dropped).values()) <= {"no topic"}
    assert kept["topic"].min() == 0
    assert made.topics.facts["topics"] == kept["topic"].n_unique()
    assert {"min_cluster_size": 10, "min_samples": 4, "seed": 42}.items() <= made.topics.facts.items()
    for axis in ("x", "y", "topic_strength"):
        assert kept[axis].is_between(0, 1).all()


def test_topics_are_numbered_by_size_and_described_by_their_words_and_prompts(made: Made) -> None:
    table = made.shop.side("topics")
    by_topic = dict(made.topics.table["id", "topic"].iter_rows())
    assert table["size"].to_list() == sorted(table["size"], reverse=True)
    assert table["topic"].to_list() == list(range(table.height))
    for row in table.iter_rows(named=True):
        assert len(row["words"]) == 4
        assert any(set(row["words"]) <= set(words.split()) for words in SUBJECTS)
        assert len(row["representatives"]) == 7
        assert {by_topic[name] for name in row["representatives"]} == {row["topic"]}


def test_code_compiled_for_the_layout_is_cached_for_the_next_process(made: Made) -> None:
    from umap.umap_ import smooth_knn_dist

    kept = smooth_knn_dist.stats
    assert kept.cache_path
    assert kept.cache_hits or kept.cache_misses


def test_the_grid_compares_other_cluster_sizes(made: Made) -> None:
    grid = made.shop.side("grid")
    assert set(grid["min_cluster_size", "min_samples"].iter_rows()) == {(4, 4), (4, 10), (10, 4), (10, 10)}
    chosen = grid.row(by_predicate=(pl.col("min_cluster_size") == 10) & (pl.col("min_samples") == 4), named=True)
    assert chosen["agreement"] == pytest.approx(1)
    assert chosen["topics"] == made.topics.facts["topics"]
    assert chosen["outliers"] == made.topics.dropped.height
    assert len(chosen["words_of_largest"]) == chosen["topics"]


def test_prompts_are_placed_among_topics_that_were_found(made: Made) -> None:
    known = fitted(made.shop.side("vectors"), made.topics.table)
    assert len(known.topics) == made.vectors.table.height
    asked = [f"Compare {' and '.join(words.split()[:3])}!" for words in SUBJECTS]
    found = assign_topics(vectors.embed([*asked, "Qwrtz zxcv!"], made.shop), known)
    about = {row["topic"]: row["words"][0] for row in made.shop.side("topics").iter_rows(named=True)}
    assert [about[topic] in words for topic, words in zip(found[:-1], SUBJECTS, strict=True)] == [True] * 5
    assert found[-1] == -1  # close to no topic
    none = fitted(made.shop.side("vectors").head(0), made.topics.table)
    assert assign_topics(np.zeros((2, 20), np.float32), none).tolist() == [-1, -1]


def test_repeating_the_stage_gives_the_same_topics(made: Made) -> None:
    plain = shop({"topics": {**SET["topics"], "grid": []}})
    again = done(topics.STAGE, made.vectors.table, replace(plain, tables=made.shop.tables))
    assert again.table.equals(made.topics.table)


def test_topics_are_named_by_their_words_without_a_model(made: Made) -> None:
    found = done(topic_names.STAGE, made.topics.table, made.shop)
    table = sides(found)["topic_names"]
    words = made.shop.side("topics")["words"].to_list()
    assert table["name"].to_list() == [", ".join(each[:3]) for each in words]
    assert set(table["named_by"]) == {"baseline: words"}
    assert found.table.equals(made.topics.table)


@pytest.fixture
def server() -> Iterator[lab.Server]:
    with lab.model_server() as running:
        yield running


def test_topics_are_named_by_a_model_or_by_words_where_it_fails(made: Made, server: lab.Server) -> None:
    number = made.topics.facts["topics"]
    found = done(topic_names.STAGE, made.topics.table, replace(made.shop, tools=lab_tools(server)))
    table = sides(found)["topic_names"]
    assert [name[:3] for name in table["name"]] == ["On "] * number
    assert set(table["named_by"]) == {"openai/lab"}
    assert "volcano" in str(server.log())
    server.script([{"when": {"contains": "volcano"}, "do": {"body": "no JSON"}}])
    found = done(topic_names.STAGE, made.topics.table, replace(made.shop, tools=lab_tools(server)))
    table = sides(found)["topic_names"]
    assert found.facts["failed"] == (table["named_by"] == "baseline: words").sum() == 1
    assert found.unanswered == {FAILED: 1}
    server.script([{"do": {"status": 401}}])
    with pytest.raises(ModelError):
        done(topic_names.STAGE, made.topics.table, replace(made.shop, tools=lab_tools(server)))


def test_a_sentence_model_replaces_the_baseline(tmp_path: Path) -> None:
    folder = word_model(tmp_path / "model", {"ferry": [3, 0, 4], "boat": [3, 0, 4], "tax": [0, 1, 0]})
    table = prompts("ferry", "boat", "tax")
    opened = Encoders(Path)
    where = replace(shop({"vectors": {"model": str(folder)}}), encoders=opened)
    found = done(vectors.STAGE, table, where)
    made = sides(found)["vectors"]["vector"].to_numpy()
    assert (made @ made.T).round(2).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert found.facts == {"by": str(folder), "dimensions": 3}
    assert vectors.embed(["boat"], where) == pytest.approx(made[1:2])
    with pytest.raises(UsageError, match="sentence-embedding model"):
        done(vectors.STAGE, table, replace(where, encoders=None))
    opened.close()


def test_class_based_tf_idf_by_hand() -> None:
    counts = count(["tea tea cup", "tea pot", "cup cup", "moon"], 100)
    first, second = describe(counts, np.array([0, 0, 1, -1]), 2, 9)
    # Words in both topics: tea 3, cup 3, pot 1, so A = 7 / 2. W(tea, 0) = 3/5 ln(1 + 3.5/3), W(pot, 0) = 1/5 ln 4.5.
    assert first.words == ["tea", "pot"]
    assert second.words == ["cup"]
    assert first.representatives == [0, 1]
    assert second.representatives == [2]


@given(st.integers(1, 400_000), st.integers(2, 300), st.integers(1, 300))
def test_sizes_shrink_and_never_grow(number: int, size: int, samples: int) -> None:
    plain = Topics(min_cluster_size=size, min_samples=samples, shrink=False)
    assert sizes_for(number, plain) == (size, samples)
    smaller = sizes_for(number, plain.model_copy(update={"shrink": True}))
    assert min(5, size) <= smaller.min_cluster_size <= size
    assert min(3, samples) <= smaller.min_samples <= samples
    assert number < FACTBENCH_SIZE or smaller == (size, samples)


@pytest.mark.parametrize(
    ("changes", "sizes"),
    [
        ({}, (5, 3)),
        ({"shrink": False}, (100, 25)),
        ({"min_cluster_size": 40}, (40, 25)),
        ({"min_cluster_size": 40, "shrink": True}, (5, 3)),
    ],
)
def test_default_sizes_shrink_for_few_prompts_and_chosen_ones_do_not(
    changes: dict[str, Any], sizes: tuple[int, int]
) -> None:
    assert sizes_for(500, Topics(**changes)) == sizes


def test_no_prompt_is_dropped_for_a_rare_name() -> None:
    where = shop({"vectors": {"dimensions": 4}, "topics": {"dimensions": 2, "neighbours": 2}})
    asked = prompts(*(f"Who is {name}?" for name in ("Salk", "Salkin", "Crick", "Noether", "Hopper", "Turing")))
    found = done(vectors.STAGE, asked, where)
    assert found.dropped.is_empty()  # each asks about a name in no other prompt


def test_too_few_points_are_outliers() -> None:
    assert cluster(np.zeros((3, 2), np.float32), ClusterSizes(5, 3)).topics.tolist() == [-1, -1, -1]


def test_prompts_that_cannot_be_grouped_are_an_error(made: Made) -> None:
    with pytest.raises(InputError, match="no words in common"):
        done(vectors.STAGE, prompts("alpha beta", "gamma delta"), shop())
    with pytest.raises(InputError, match="no words in common by which they could be compared"):
        done(vectors.STAGE, prompts("7 1", "7 2", "7 3"), shop())
    few = made.vectors.table.head(9)
    with pytest.raises(InputError, match="Topics need at least 16 prompts; 9 left"):
        done(topics.STAGE, few, made.shop)
    with pytest.raises(InputError, match="has no vector, such as a"):
        done(topics.STAGE, prompts("never seen"), made.shop)
    big = shop({"topics": {"min_cluster_size": 150, "min_samples": 150}})
    with pytest.raises(InputError, match="None of the 161 prompts falls into a topic") as caught:
        done(topics.STAGE, made.vectors.table, replace(big, tables=made.shop.tables))
    assert "shrink" in caught.value.hint


def test_vectors_of_a_model_behind_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, list[str]]] = []

    class Embeds(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.path, body["input"]))
            if len(asked) == 1:
                self.send_response(503)
                self.send_header("Retry-After", formatdate(usegmt=True))  # a date, not a delay counted from 1970
                self.end_headers()
                return
            rows = [{"index": i, "embedding": [3.0, float(len(text))]} for i, text in enumerate(body["input"])]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"data": rows[::-1]}).encode())

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Embeds)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setattr(vectors, "_LIMITS", CallLimits(first_wait=0.01))
    where = shop({"vectors": {"model": "api:openai/embed"}})
    found = done(vectors.STAGE, prompts("1234", "123"), where)
    server.shutdown()
    server.server_close()
    assert [path for path, _ in asked] == ["/v1/embeddings"] * 2
    assert asked[1][1] == ["1234", "123"]
    made = found.tables["vectors"].lazy().collect()["vector"].to_list()
    assert made[0] == pytest.approx([0.6, 0.8])
    assert found.facts["by"] == "api:openai/embed"


def test_nothing_waits_after_the_last_attempt_at_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")  # no server listens there
    monkeypatch.setattr(vectors, "_LIMITS", CallLimits(tries=3, first_wait=20.0))
    waits: list[float] = []
    sleep = asyncio.sleep

    async def note_wait(seconds: float) -> None:
        if seconds > 5:
            waits.append(seconds)
        else:  # from a server of other tests
            await sleep(seconds)

    monkeypatch.setattr(asyncio, "sleep", note_wait)
    with pytest.raises(ModelError, match="returned no embeddings"):
        done(vectors.STAGE, prompts("1234", "123"), shop({"vectors": {"model": "api:openai/embed"}}))
    assert len(waits) == 2


def test_words_of_a_request_are_not_topic_words() -> None:
    counts = count(["What can you tell me about tea?", "Please explain and describe tea in detail"], 100)
    assert counts.words.tolist() == ["tea"]
