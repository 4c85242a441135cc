"""The method for small models: one claim, one passage and one word per call, and its selection."""

from __future__ import annotations

import json
import math
import socket
from pathlib import Path
from threading import Thread

import pytest

from factscope.engine import Settings, Tools, default_method, note_on_size
from factscope.judging import first_word_label
from factscope.llm import Cache, Reply, TokenLogprob, local_model
from tests import lab
from tests.engine.checking import adds_up, calls, checked, outcomes

TEXT = "The Marlow bridge was opened in 1931. The Marlow bridge has six arches. Penguins waddle across Antarctica."
WORDS = ["Yes", "No", "Unclear"]


def token(text: str, **top: float) -> TokenLogprob:
    return TokenLogprob(text, math.log(0.9), tuple((word, math.log(share)) for word, share in top.items()))


def test_the_most_likely_label_counts_even_if_the_reply_starts_with_another_word() -> None:
    reply = Reply("The iron bridge", "length", logprobs=(token("The", The=0.5, No=0.3, Yes=0.1),))
    assert first_word_label(reply, WORDS) == ("No", pytest.approx(0.75))
    spaced = Reply("\n yes", "stop", logprobs=(token("\n"), token(" yes", YES=0.2)))
    assert first_word_label(spaced, WORDS) == ("Yes", pytest.approx(1.0))
    begun = Reply("Unc", "length", logprobs=(token("Un", No=0.05),))
    assert first_word_label(begun, WORDS) == ("Unclear", pytest.approx(0.9 / 0.95))


@pytest.mark.parametrize(
    ("text", "label"), [("**No**, it", "No"), ("yes.", "Yes"), ("Unclear", "Unclear"), ("Nothing", None), ("", None)]
)
def test_without_probabilities_the_first_word_is_the_label(text: str, label: str | None) -> None:
    assert first_word_label(Reply(text, "stop"), WORDS) == (None if label is None else (label, None))


def test_each_claim_is_judged_against_each_passage_in_one_word(library: Tools, server: lab.Server) -> None:
    report = checked(TEXT, "small", library, server)
    assert [outcome for _, outcome in sorted(outcomes(report).items())] == ["no_evidence", "contradicted", "supported"]
    assert calls(report) == {"judge": len(report.passages)}
    bodies = [json.loads(each["body"]) for each in server.log()]
    assert {body["max_tokens"] for body in bodies} == {8}
    assert {body["top_logprobs"] for body in bodies} == {20}
    assert all(judgement.confidence_from == "logprobs" for judgement in report.judgements)
    assert adds_up(report)


def test_a_truncated_reply_counts_as_complete_and_is_cached(library: Tools, server: lab.Server, tmp_path: Path) -> None:
    server.script([{"do": {"finish_reason": "length", "text": "No, the passage says that the bridge"}}])
    with Cache(tmp_path / "replies.db") as cache:
        first = checked(TEXT, "small", library, server, cache=cache)
        asked = server.count()
        again = checked(TEXT, "small", library, server, cache=cache)
    assert server.count() == asked > 0
    assert outcomes(first) == outcomes(again)
    assert first.failures == ()


def test_words_that_are_not_a_label_are_a_failure_and_are_asked_for_once(library: Tools, server: lab.Server) -> None:
    server.script([{"do": {"text": "Perhaps", "whole": True}}])
    report = checked(TEXT, "small", library, server)
    assert report.counts["failed"] == 2
    assert "begins with none of the words Yes, No, Unclear" in report.failures[0].message
    assert server.count() == len(report.passages)
    assert adds_up(report)


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("ollama/smollm2:135m", 135e6), ("ollama/qwen2.5:0.5b-instruct", 0.5e9), ("ollama/llama3.2:3b", 3e9),
        ("vllm/Qwen/Qwen2.5-7B-Instruct-1M", 7e9), ("llama.cpp/mixtral-8x22", None), ("vllm/model-4bit", None),
    ],
)  # fmt: skip
def test_sizes_are_read_from_names(model: str, size: float | None) -> None:
    found = local_model(model, {}, ask_server=False)
    assert found is not None
    assert found.parameters == size


def test_the_size_of_a_remote_model_is_ignored() -> None:
    assert local_model("together/meta-llama/Llama-3.2-3B-Instruct-Turbo", {"TOGETHER_API_KEY": "k"}) is None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/models", {"data": [{"id": "tiny", "meta": {"n_params": 134_515_008}}]}),
        ("/api/show", {"model_info": {"general.parameter_count": 134_515_008}}),
    ],
)
def test_model_sizes_are_requested_from_the_server(
    server: lab.Server, monkeypatch: pytest.MonkeyPatch, path: str, said: dict[str, object]
) -> None:
    server.script([{"when": {"contains": path}, "do": {"json": said}}, {"do": {"status": 404}}])
    address = f"{server.url}/{path.strip('/')}x/v1"  # a new address per case, as sizes are requested once
    monkeypatch.setenv("LLAMA_CPP_BASE_URL", address)
    if path == "/models":
        settings = Settings(model={"*": "llama.cpp/tiny"})
        assert default_method(settings) == "small"
        assert note_on_size(settings).startswith("llama.cpp/tiny has 0.13 billion parameters, so the method is small")
        assert default_method(settings.model_copy(update={"method": "standard"})) == "standard"
    else:
        server.script(
            [{"when": {"contains": ["api/show", "tiny"]}, "do": {"json": said}}, {"do": {"json": {"data": []}}}]
        )
        found = local_model("llama.cpp/tiny", {"LLAMA_CPP_BASE_URL": address})
        assert found is not None
        assert found.small


@pytest.mark.parametrize("said", [b"-ERR unknown command 'GET'\r\n", b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 200_000])
def test_a_server_that_is_none_of_models_states_no_size(said: bytes) -> None:
    def answer() -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(1_000)
            connection.sendall(said)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=answer, daemon=True).start()
        found = local_model("ollama/mine", {"OLLAMA_HOST": f"127.0.0.1:{listening.getsockname()[1]}"})
    assert found is not None
    assert found.parameters is None


def test_the_small_method_is_suggested_for_models_of_unknown_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMA_CPP_BASE_URL", "http://127.0.0.1:9/v1")
    settings = Settings(model={"*": "llama.cpp/mine"})
    assert default_method(settings) == "standard"
    assert note_on_size(settings).endswith("For a model of up to 3 billion parameters: --method small.")
    assert default_method(Settings(model={"*": "llama.cpp/mine-1b", "judge": "ollama/qwen2.5:14b"})) == "standard"
