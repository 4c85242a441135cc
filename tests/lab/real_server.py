"""The client against a real server program: llama.cpp's, with a tiny model of random weights made here.

Outside the ordinary tests, because the server is a large download. It comes from the package xllamacpp, which holds
llama.cpp's own server prebuilt:

    make real-server

Seen with xllamacpp 2026.10.11549 (llama.cpp's server) on 2026-11-21: 80 of 80 replies fit their schema.
Nothing that such a model says makes sense, so this tests form: our own reader must read every reply with a schema,
because the server lets only matching tokens through; and requests that it rejects must fail clearly.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from factscope.engine import Settings, find_method, open_tools
from factscope.engine import check as run_check
from factscope.llm import (
    ALL,
    Cache,
    Call,
    CallLimits,
    HttpSender,
    Message,
    ModelClient,
    ModelError,
    Models,
    ask,
    json_reader,
    schema_of,
)

LAYERS, WIDTH, HEADS, INNER, CONTEXT = 2, 64, 4, 128, 16384
LETTERS = "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;!?'\"()[]{}-_/\\"
CALLS = 40


class Opinion(BaseModel):
    """One judgement, with every kind of field that our forms have."""

    model_config = ConfigDict(extra="forbid")

    label: Literal["supported", "contradicted", "not_enough_evidence"]
    sure: bool
    score: int = Field(ge=0, le=100)
    quote: str | None = Field(max_length=20)


class Opinions(BaseModel):
    """Several judgements, as one call gives them."""

    model_config = ConfigDict(extra="forbid")

    opinions: tuple[Opinion, ...] = Field(min_length=1, max_length=3)


def write_model(path: Path) -> None:
    """Write a Llama-like model with random weights, whose tokens are single letters and bytes."""
    import gguf

    # ASCII bytes only: with all bytes a random model writes broken characters, which the server lets through.
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(128)), *LETTERS]
    kinds = [2, 3, 3, *[6] * 128, *[1] * len(LETTERS)]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([token.encode() for token in tokens])
    writer.add_token_scores([-float(number) for number in range(len(tokens))])
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template("{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}")
    chance = np.random.default_rng(7)

    def add(name: str, *shape: int) -> None:
        writer.add_tensor(name, chance.normal(0, 0.3, shape).astype(np.float32))

    add("token_embd.weight", len(tokens), WIDTH)
    add("output.weight", len(tokens), WIDTH)
    add("output_norm.weight", WIDTH)
    for layer in range(LAYERS):
        for name in ("attn_norm", "ffn_norm"):
            add(f"blk.{layer}.{name}.weight", WIDTH)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{layer}.{name}.weight", WIDTH, WIDTH)
        add(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def start(model: Path) -> Any:
    """Start the server on a free port of this machine; it ends with its object."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.n_ctx, settings.n_parallel = 2 * CONTEXT, 2
    settings.warmup = False
    return xllamacpp.Server(settings)


def question(number: int, **more: Any) -> Call:
    return Call("judge", "llama.cpp/random", (Message("user", f"Does passage {number} support the claim?"),), **more)


async def check(address: str, folder: Path) -> list[str]:
    """Ask for judgements in every way, and describe the results. Raises ModelError when a reply can't be read."""
    seen = []
    environment = {"LLAMA_CPP_BASE_URL": f"{address}/v1"}
    with Cache(folder / "replies.db") as cache:
        async with ModelClient(HttpSender(environment, CallLimits(in_flight=2)), cache) as client:
            for form in (Opinion, Opinions):
                read, schema = json_reader(form), schema_of(form)
                calls = [question(n, schema=schema, temperature=1.0, seed=n) for n in range(CALLS)]
                answers = await asyncio.gather(*(ask(client, call, read, again=0) for call in calls))
                different = len({answer.reply.text for answer in answers})
                seen.append(
                    f"{form.__name__}: {CALLS} of {CALLS} replies fit the schema, {different} of them different"
                )
            greedy = [question(n, schema=schema_of(Opinion), logprobs=2, sample=s) for n in range(5) for s in (1, 2)]
            replies = await asyncio.gather(*(client.complete(call) for call in greedy))
            pairs = list(zip(replies[::2], replies[1::2], strict=True))
            same = sum(first.text == second.text for first, second in pairs)
            with_logprobs = sum(bool(reply.logprobs) for reply in replies)
            if same < len(pairs) or with_logprobs < len(replies):
                raise RuntimeError(f"{same} of {len(pairs)} pairs equal, {with_logprobs} with log-probabilities")
            seen.append(f"temperature 0: {same} of {len(pairs)} pairs equal, all with log-probabilities")
            too_long = Call("judge", "llama.cpp/random", (Message("user", "word " * 3 * CONTEXT),), max_tokens=8)
            for call, kind in (
                (question(0, max_tokens=3), "length"),
                (question(1, schema={"type": "nonsense"}), "bad_request"),
                (too_long, "bad_request"),
            ):
                seen.append(await failed(client, call, kind))
    return seen


async def whole_checks(address: str, folder: Path) -> str:
    """Check a text with `standard`: nonsense from the model must come out as failures, and the counts must add up.

    Raises RuntimeError when a unit has no verdict, or one without a basis.
    """
    evidence = folder / "evidence.txt"
    evidence.write_text("The Marlow bridge was opened in 1931. It has four arches.", encoding="utf-8")
    tools = open_tools(evidence, settings=Settings(cache=folder / "cache"))
    method = find_method("standard")
    if method.extract is None:
        raise RuntimeError("standard cuts no claims")
    short = method.model_copy(update={"extract": method.extract.model_copy(update={"max_tokens": 400})})
    environment = {"LLAMA_CPP_BASE_URL": f"{address}/v1"}
    models = Models(lambda: ModelClient(HttpSender(environment, CallLimits(in_flight=2))), {ALL: "llama.cpp/random"})
    ended: Counter[str] = Counter()
    async with replace(tools, models=models) as using:
        for text in ("The bridge opened in 1931.", "It has six arches. Is it old?"):
            report = await run_check(text, short, using)
            if sum(report.counts.values()) != len(report.unit_ids()) or report.counts["supported"]:
                raise RuntimeError(f"{report.counts} of {report.unit_ids()}")
            ended.update(failure.boundary for failure in report.failures)
    return f"standard: every unit has its verdict; failures by boundary: {dict(ended)}"


async def failed(client: ModelClient, call: Call, kind: str) -> str:
    """Return how the server's refusal of a call is classified. Raises RuntimeError unless it is of this kind."""
    try:
        reply = await client.complete(call)
    except ModelError as failure:
        if failure.kind == kind:
            return f"{failure.kind}: {failure.message[:120]}"
        raise
    raise RuntimeError(f"{kind} was expected, and {reply} came")


def main() -> None:
    """Make the model, start the server, check, and print the results."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "random.gguf")
        write_model(model)
        server = start(model)
        print(f"xllamacpp {version('xllamacpp')} at {server.listening_address}", flush=True)
        for line in asyncio.run(check(server.listening_address, Path(folder))):
            print(line, flush=True)
        print(asyncio.run(whole_checks(server.listening_address, Path(folder))), flush=True)
        sys.stdout.flush()
        del server


if __name__ == "__main__":
    main()
