"""Other checkers under the attacks that Factscope is put to: what they lose, swallow, fetch or execute.

    .venv/bin/python perf/peers.py [--only deepeval] [--install] [--markdown]

With `--install` each checker gets an environment of its own under build/peers, from PyPI. Then each checks one text of
four sentences, three right and one wrong, against a model, a search engine and pages on the loopback interface. The
model answers each checker in the form that it asks for, and behaves badly in one way at a time. The network is that of
this machine alone: names of other hosts are not looked up, and noted. A check that has not ended after a minute is
ended.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from peer_calls import CLAIMS, EVIDENCE

ROOT = Path(__file__).parent.parent
HOME = ROOT / "build" / "peers"
LONGEST = 60.0
"""Seconds from the first call of a check."""
LONGEST_START = 300.0
PACKAGES: dict[str, list[str]] = {
    "deepeval": ["deepeval==4.3.1"],
    # What follows the first package is what a fresh environment lacks, or has too new, for an import.
    "ragas": ["ragas==0.4.3", "langchain-community<0.4.2"],
    "loki": ["openfactverification-kongzii==0.6.0", "pyyaml"],
    "factool": ["factool==0.1.3", "bibtexparser<2"],
    "uqlm": ["uqlm==0.6.7", "langchain-openai", "pyarrow<22"],
}
ATTACKS = {
    "no attack": "all replies are right: 3 of 4 claims are supported",
    "one verdict missing": "the reply about the wrong claim is left out, or says nothing",
    "another label": "the wrong claim is labelled “perhaps”",
    "verdicts cut": "each reply with verdicts ends in its middle",
    "no claims": "the model says that the text makes no claim",
    "wrong key": "401 to every call",
    "rate limit": "429 with Retry-After: 20 to every call",
    "outage": "500 to every call",
    "code in replies": "each reply holds an expression of Python that writes a file",
    "private page": "each search result is a page on 127.0.0.1; Factscope is given its address as evidence",
}
_REFUSALS = {"wrong key": 401, "rate limit": 429, "outage": 500}
_WRONG = CLAIMS[3]


class Trial(NamedTuple):
    """Result of one attack on one checker."""

    shown: Any
    error: str
    asked_for: list[str]
    calls: int
    early: int
    """Calls of the first five seconds."""
    fetched: int
    executed: bool
    seconds: float


class Site:
    """The model, the search engine and the pages, which behave as one attack says."""

    def __init__(self, attack: str, marker: Path) -> None:
        self.attack, self.marker = attack, marker
        self.calls: list[float] = []
        self.fetched = 0
        self.began = time.monotonic()

    def chat(self, question: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Answer a question to the model: status and body."""
        self.calls.append(time.monotonic() - self.began)
        if self.attack in _REFUSALS:
            return _REFUSALS[self.attack], {"error": {"message": "refused", "type": "error", "code": "refused"}}
        message = {"role": "assistant", "content": self.reply(question)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        return 200, {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }

    def reply(self, question: dict[str, Any]) -> str:
        """Answer as the checker asks to be answered, and as the attack says."""
        asked = "\n".join(_text(message["content"]) for message in question["messages"])
        form = question.get("response_format", {}).get("json_schema", {}).get("name", "")
        step, whole = _answer(question, asked, form, self.attack)
        if self.attack == "verdicts cut" and step == "verdict":
            return whole[: len(whole) // 2]
        if self.attack == "code in replies":
            code = f'__import__("pathlib").Path({str(self.marker)!r}).touch()'
            return f'{whole[:-1]}, "more": {code}}}' if whole.endswith("}") else f"{whole.rstrip(']')}, {code}]"
        return whole

    def search(self, queries: Any, url: str) -> Any:
        """Answer a search, or several at once."""
        link = f"{url}/internal" if self.attack == "private page" else "https://bridges.example/marlow"
        found = {"organic": [{"snippet": EVIDENCE, "link": link, "title": "The bridge"}]}
        if isinstance(queries, list):
            return [{"searchParameters": query, **found} for query in queries]
        return {"searchParameters": {"q": ""}, **found}


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or [])


def _verdicts(attack: str) -> list[tuple[str, bool | None]]:
    """Return each claim with its right label; None for the one that an attack makes unreadable."""
    labels: list[tuple[str, bool | None]] = [(claim, claim != _WRONG) for claim in CLAIMS]
    if attack == "one verdict missing":
        return labels[:-1]
    return [*labels[:-1], (_WRONG, None)] if attack == "another label" else labels


def _answer(question: dict[str, Any], asked: str, form: str, attack: str) -> tuple[str, str]:
    """Return the step that a checker is at, and a competent reply for it."""
    claims = [] if attack == "no claims" else CLAIMS
    verdicts = _verdicts(attack)
    word = {True: "yes", False: "no", None: "perhaps"}
    if form == "Truths":  # DeepEval
        return "truths", json.dumps({"truths": EVIDENCE.split(". ")})
    if form == "Claims":
        return "claims", json.dumps({"claims": claims})
    if form == "Verdicts":
        return "verdict", json.dumps(
            {"verdicts": [{"verdict": word[label], "reason": "Read."} for _, label in verdicts]}
        )
    if '"title": "StatementGeneratorOutput"' in asked:  # Ragas
        return "claims", json.dumps({"statements": claims})
    if '"title": "NLIStatementOutput"' in asked:
        rows = [
            {"statement": claim, "reason": "Read.", "verdict": "perhaps" if label is None else int(label)}
            for claim, label in verdicts
        ]
        return "verdict", json.dumps({"statements": rows})
    if "decompose the text into atomic claims" in asked:  # Loki
        return "claims", json.dumps({"claims": claims})
    if "evaluate each provided statement" in asked:
        return "filter", json.dumps(dict.fromkeys(CLAIMS, "Yes (It can be verified.)"))
    if '"Questions"' in asked or ("Questions" in asked and "claim" in asked.lower()):
        return "queries", json.dumps({"Questions": ["When was the bridge opened?"]})
    if "accurately identify and extract every claim" in asked:  # FacTool
        return "claims", json.dumps([{"claim": claim} for claim in claims])
    if "search engine queries" in asked:
        return "queries", json.dumps(["Marlow bridge", "Marlow bridge facts"])
    known = import_module("tests.lab.brain").answer(question["messages"])  # Factscope
    if known is not None:
        return _of_factscope(known, asked, attack)
    return "verdict", _single(asked, attack)


def _single(asked: str, attack: str) -> str:
    """Return a verdict on one claim: a word for UQLM, an object for Loki and FacTool."""
    right = _WRONG.rstrip(".") not in asked
    yes_or_no = "Answer only Yes or No" in asked
    if not right and attack == "one verdict missing":
        return "" if yes_or_no else "{}"
    if not right and attack == "another label":
        return (
            "perhaps"
            if yes_or_no
            else json.dumps({"reasoning": "", "error": "", "correction": "", "factuality": "perhaps"})
        )
    if yes_or_no:
        return "Yes" if right else "No"
    return json.dumps({"reasoning": "Read.", "error": "", "correction": "", "factuality": right})


def _of_factscope(known: str, asked: str, attack: str) -> tuple[str, str]:
    """Answer the steps of Factscope as the stand-in of its own tests does."""
    value = json.loads(known) if known.startswith("{") else None
    if isinstance(value, dict) and "judgements" in value:
        wrong = next((key for key in re.findall(r"DATA claims (\S+)", asked) if _follows(asked, key)), None)
        if attack == "one verdict missing":
            value["judgements"] = [row for row in value["judgements"] if row["claim"] != wrong]
        for row in value["judgements"]:
            if attack == "another label" and row["claim"] == wrong:
                row["label"] = "perhaps"
        return "verdict", json.dumps(value)
    if attack == "no claims" and '"segment":' in known:
        return "claims", json.dumps({"claims": []})
    return "claims", known


def _follows(asked: str, key: str) -> bool:
    return _WRONG.rstrip(".") in asked.partition(f"DATA claims {key} ")[2].partition("<<<END")[0]


@contextmanager
def served(site: Site) -> Iterator[str]:
    """Serve a site on the loopback interface; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.fetched += self.path == "/internal"
            self._send(200, b"<p>" + EVIDENCE.encode() + b"</p>", "text/html")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.path.startswith("/v1/"):
                status, value = site.chat(json.loads(body))
            else:
                status, value = 200, site.search(json.loads(body) if body else None, url)
            self._send(status, json.dumps(value).encode(), "application/json")

        def _send(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "20")
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield url
    finally:
        server.shutdown()
        server.server_close()


def attack_once(name: str, attack: str) -> Trial:
    """Let one checker check the text under one attack."""
    python = Path(sys.executable) if name == "factscope" else HOME / name / "bin" / "python"
    with tempfile.TemporaryDirectory() as folder:
        site = Site(attack, Path(folder, "executed"))
        with served(site) as url:
            command = [str(python), str(ROOT / "perf" / "peer_calls.py"), name, url, attack]
            site.began = time.monotonic()
            line = _line_of(command, folder, site)
            seconds = time.monotonic() - site.began - (site.calls[0] if site.calls else 0)
        early = sum(moment - site.calls[0] < 5 for moment in site.calls)
        return Trial(
            line.get("shown"), line.get("error", ""), line.get("asked_for", []), len(site.calls), early, site.fetched,
            site.marker.exists(), round(seconds, 1),
        )  # fmt: skip


def _line_of(command: list[str], folder: str, site: Site) -> dict[str, Any]:
    """Run a check to its end, or to a minute after its first call; what it printed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder) as process:
        while process.poll() is None:
            time.sleep(0.05)
            since = time.monotonic() - site.began
            if since > LONGEST_START or (site.calls and since - site.calls[0] > LONGEST):
                process.kill()
                return {"error": f"not ended after {LONGEST:.0f} s"}
        assert process.stdout
        printed = process.stdout.read().splitlines()
    line: dict[str, Any] = json.loads(printed[-1]) if printed else {"error": f"ended with {process.returncode}"}
    return line


def install(name: str) -> None:
    """Make a fresh environment with one checker."""
    uv = str(ROOT / ".venv" / "bin" / "uv")
    subprocess.run([uv, "venv", "--quiet", "--clear", "--python", "3.11", str(HOME / name)], check=True)
    subprocess.run([uv, "pip", "install", "--quiet", "--python", str(HOME / name), *PACKAGES[name]], check=True)


def main() -> None:
    """Attack each checker in each way, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[*PACKAGES, "factscope"], default=[*PACKAGES, "factscope"])
    parser.add_argument("--attack", nargs="+", choices=list(ATTACKS), default=list(ATTACKS))
    parser.add_argument("--install", action="store_true")
    asked = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    for name in asked.only:
        if asked.install and name in PACKAGES:
            install(name)
        for attack in asked.attack:
            trial = attack_once(name, attack)
            print(json.dumps({"checker": name, "attack": attack, **trial._asdict()}), flush=True)


if __name__ == "__main__":
    main()
