"""One check by a checker of others, in an environment of its own: the work of `perf/peers.py`.

    build/peers/deepeval/bin/python perf/peer_calls.py deepeval http://127.0.0.1:8123 "no attack"

The model, the search engine and the pages are at the given address. Names of other hosts are not looked up, but
recorded. Prints one line of JSON: what the checker shows, its error, and the hosts that it asked for.
"""

# ruff: noqa: BLE001 - what a checker raises is a result here

from __future__ import annotations

import asyncio
import atexit
import contextlib
import io
import json
import os
import re
import socket
import sys
import tempfile
import types
from collections.abc import Callable
from importlib import import_module
from typing import Any

TEXT = (
    "The Marlow bridge was opened in 1931. The Marlow bridge has four arches. The Marlow bridge is 212 metres long. "
    "The Marlow bridge was designed by Ada Stone."
)
EVIDENCE = (
    "The Marlow bridge was opened in 1931. The Marlow bridge has four arches and is 212 metres long. It was designed by"
    " Ida Kern."
)
CLAIMS = [f"{sentence.strip('. ')}." for sentence in TEXT.split(". ")]
MODEL = "gpt-4o-mini"
SERPER = "https://google.serper.dev"
asked_for: set[str] = set()


def deepeval(url: str, attack: str) -> object:
    """Return the faithfulness that DeepEval gives."""
    metrics, models = import_module("deepeval.metrics"), import_module("deepeval.models")
    metric = metrics.FaithfulnessMetric(model=models.GPTModel(model=MODEL), async_mode=False, include_reason=False)
    case = import_module("deepeval.test_case").LLMTestCase(
        input="Tell me of the bridge.", actual_output=TEXT, retrieval_context=[EVIDENCE]
    )
    metric.measure(case, _show_indicator=False)
    return metric.score


def ragas(url: str, attack: str) -> object:
    """Return the faithfulness that Ragas gives."""
    client = import_module("openai").AsyncOpenAI()
    model = import_module("ragas.llms").llm_factory(MODEL, client=client)
    metric = import_module("ragas.metrics.collections").Faithfulness(llm=model)
    result = asyncio.run(
        metric.ascore(user_input="Tell me of the bridge.", response=TEXT, retrieved_contexts=[EVIDENCE])
    )
    return result.value


def loki(url: str, attack: str) -> object:
    """Return the verdict of Loki on each claim, and on the text."""
    # Both would be fetched from the web at the first use.
    encoding = types.SimpleNamespace(encode=str.split)
    tiktoken: Any = types.ModuleType("tiktoken")
    tiktoken.get_encoding = lambda name: encoding
    sys.modules["tiktoken"] = tiktoken
    nltk: Any = import_module("nltk")
    nltk.sent_tokenize = lambda text: re.split(r"(?<=\.) ", text)
    requests: Any = import_module("requests")
    ask = requests.request
    requests.request = lambda verb, at, **more: ask(verb, at.replace(SERPER, url), **more)
    keys = {"OPENAI_API_KEY": os.environ["OPENAI_API_KEY"], "SERPER_API_KEY": "k"}
    checker = import_module("factcheck").FactCheck(default_model=MODEL, client="gpt", api_config=keys)
    result = checker.check_response(TEXT)
    claims = result.get("claims_details", [])
    return {"text": result["factuality"], "true": sum(bool(claim["factuality"]) for claim in claims), "of": len(claims)}


def factool(url: str, attack: str) -> object:
    """Return the shares of claims and of texts that FacTool takes for factual."""
    session = import_module("aiohttp").ClientSession
    post = session.post
    session.post = lambda self, at, **more: post(self, str(at).replace(SERPER, url), **more)
    parts: Any = import_module("factool.factool")
    parts.scientific_pipeline = lambda model: None  # it asks for an account as soon as it is made
    checker = parts.Factool(MODEL)
    result = checker.run([{"prompt": "Tell me of the bridge.", "response": TEXT, "category": "kbqa"}])
    return {
        "claims": result["average_claim_level_factuality"],
        "text": result["average_response_level_factuality"],
        "of": len(result["detailed_information"][0]["claim_level_factuality"]),
    }


def uqlm(url: str, attack: str) -> object:
    """Return the grade of UQLM's FActScore grader for each claim; it is given the claims."""
    model = import_module("langchain_openai").ChatOpenAI(model=MODEL)
    grader = import_module("uqlm.longform.benchmark").FactScoreGrader(llm=model)
    progress = import_module("rich.progress").Progress(disable=True)
    (grades,) = asyncio.run(grader.grade_claims([CLAIMS], [EVIDENCE], progress))
    return {"true": sum(grades), "of": len(grades)}


def factscope(url: str, attack: str) -> object:
    """Return the precision that Factscope gives, with its coverage and its warnings."""
    checker: Any = import_module("factscope")
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"FACTSCOPE_STORE": f"{folder}/runs.db", "FACTSCOPE_CACHE": folder}
        given = {"evidence": f"{url}/internal"} if attack == "private page" else {"contexts": [EVIDENCE]}
        report = checker.check(TEXT, **given, model=f"openai/{MODEL}")
    counts = {outcome: number for outcome, number in report.counts.items() if number}
    return {
        "score": report.score,
        "coverage": report.coverage,
        "counts": counts,
        "warnings": list(report.record.warnings),
    }


CHECKERS: dict[str, Callable[[str, str], object]] = {
    "deepeval": deepeval, "ragas": ragas, "loki": loki, "factool": factool, "uqlm": uqlm, "factscope": factscope,
}  # fmt: skip


def stay_here() -> None:
    """Block and record the lookup of any other host."""
    look_up = socket.getaddrinfo

    def guarded(host: Any, *arguments: Any, **named: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in ("127.0.0.1", "localhost", "::1", None):
            asked_for.add(name)
            raise socket.gaierror(f"{name}: only this machine is asked")
        return look_up(host, *arguments, **named)

    socket.getaddrinfo = guarded


def main() -> None:
    """Check once, and print the result."""
    name, url, attack = sys.argv[1:]
    os.environ |= {
        "OPENAI_API_KEY": "sk-of-this-trial", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_BASE": f"{url}/v1",
        "SERPER_API_KEY": "k", "SCRAPER_API_KEY": "k",
    }  # fmt: skip
    stay_here()
    outcome: dict[str, object] = {"shown": None, "error": ""}
    # Registered first, it runs last: after what the checker does as the process ends.
    atexit.register(
        lambda: print(json.dumps({**outcome, "asked_for": sorted(asked_for)}), file=sys.__stdout__, flush=True)
    )
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            outcome["shown"] = CHECKERS[name](url, attack)
        except BaseException as raised:
            outcome["error"] = f"{type(raised).__name__}: {' '.join(str(raised).split())}"[:160]


if __name__ == "__main__":
    main()
