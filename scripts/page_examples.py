"""The sections of docs/integrations.md, and how each is followed: its example as it stands, in a fresh environment.

What the page takes for granted comes from here: files to check, an assistant, a repository, and what receives scores
and data sets. Phoenix is Phoenix itself; Langfuse and the Hub are small servers that keep what they get.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from threading import Thread
from typing import NamedTuple
from urllib.request import Request, urlopen

import yaml  # type: ignore[import-untyped]
from npm_packages import PROMPTFOO, program

ROOT = Path(__file__).resolve().parent.parent
UV = f"{Path(sys.executable).parent}/uv"
QUOTE = "In 1858 a Fresnel lens was fitted."
PHOENIX = "arize-phoenix==20.26.1"
DATASETS = "datasets==5.2.0"
_DEADLINE = 180
"""Seconds in which a server must have started."""


class Place(NamedTuple):
    """A fresh environment, a folder to work in, and the year that the answer names: 1858 is right."""

    python: Path
    work: Path
    year: str
    wheel: Path
    """The package as built from here."""

    def run(self, *words: str, **variables: str) -> tuple[int, str]:
        """Run a command there, with nothing of this machine's settings; the exit code, and all that was printed."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("FACTSCOPE_", "PYTEST_"))}
        quiet = {"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "RAGAS_DO_NOT_TRACK": "true", "COLUMNS": "200"}
        quiet |= {"FACTSCOPE_CACHE": str(self.work / "cache"), "FACTSCOPE_STORE": str(self.work / "runs.db")}
        path = f"{self.python.parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            words, cwd=self.work, env={**kept, **quiet, "PATH": path, **variables},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def shell(self, block: str, **variables: str) -> tuple[int, str]:
        """Run the lines of a console example."""
        return self.run("bash", "-ec", re.sub(r"^\$ ", "", block, flags=re.MULTILINE), **variables)

    def write(self, name: str, text: str) -> None:
        """Write a file there."""
        (self.work / name).parent.mkdir(parents=True, exist_ok=True)
        (self.work / name).write_text(text, encoding="utf-8")

    @property
    def answer(self) -> str:
        """The answer that is checked."""
        return f"The Fresnel lens was fitted in {self.year}."


Follow = Callable[[str, Place], tuple[int, str]]


class Example(NamedTuple):
    """A section, how its example is followed, and what is seen then."""

    section: str
    follow: Follow
    passed: str
    """Output for a right answer."""
    failed: str = QUOTE
    """Output for a wrong one."""
    exits: bool = False
    """Whether a wrong answer ends with an exit code."""
    extra: str | None = None
    """A further package that the reader is taken to have."""


def python_file(
    name: str = "example.py", *runner: str, before: str = "", after: str = ""
) -> Callable[..., tuple[int, str]]:
    """Follow a Python example, with the year put into the answer, and lines around it that show the outcome."""

    def follow(block: str, place: Place) -> tuple[int, str]:
        code = re.sub(r"(lens was fitted in) \d{4}", rf"\1 {place.year}", block)
        code = re.sub(r"^assert .*\n", "", code, flags=re.MULTILINE)  # what the page says of its own answer
        place.write(name, f"{before}{code}\n{after}\n")
        return place.run(str(place.python), *runner, name)

    return follow


_CLIENT = """
import asyncio, os
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

async def main():
    server = StdioServerParameters(command="factscope", args=ARGUMENTS, env=dict(os.environ))
    async with Client(stdio_client(server)) as client:
        answer = await client.call_tool("check_text", {"text": ANSWER})
        print(answer.structured_content)

asyncio.run(main())
"""


def assistant(block: str, place: Place) -> tuple[int, str]:
    """Start the server that the settings name, with evidence that is here, and call it as an assistant does."""
    words = json.loads(block)["mcpServers"]["factscope"]["args"]
    words = ["sources" if word.startswith("/") else word for word in words[words.index("mcp") :]]
    place.write("sources/lens.txt", QUOTE)
    place.write("assistant.py", _CLIENT.replace("ARGUMENTS", repr(words)).replace("ANSWER", repr(place.answer)))
    return place.run(str(place.python), "assistant.py")


def promptfoo(block: str, place: Place) -> tuple[int, str]:
    """Evaluate with promptfoo itself, whose provider `echo` answers with the prompt."""
    (line,) = re.findall(r"# holds: (.*)", block)
    place.write("grounded.py", f"{line}\n")
    variables = {"answer": place.answer, "question": "When?", "context": [QUOTE]}
    test = {"vars": variables, **yaml.safe_load(block)}
    config = {"prompts": ["{{answer}}"], "providers": ["echo"], "tests": [test]}
    place.write("promptfooconfig.yaml", yaml.safe_dump(config))
    quiet = {f"PROMPTFOO_{name}": "1" for name in ("DISABLE_TELEMETRY", "DISABLE_UPDATE", "DISABLE_REMOTE_GENERATION")}
    code, output = place.run(
        *program(PROMPTFOO), "eval", "-o", "out.json", "--no-cache", "--no-progress-bar",
        PROMPTFOO_CONFIG_DIR=str(place.work / "promptfoo"), **quiet,
    )  # fmt: skip
    return code, output + (place.work / "out.json").read_text(encoding="utf-8")


class _Kept(ThreadingHTTPServer):
    """A server in the place of Langfuse that keeps the scores that it gets."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Posted)
        self.bodies: list[str] = []


class _Posted(BaseHTTPRequestHandler):
    server: _Kept

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


_TRACE = """
import sys
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(sys.argv[1] + "/v1/traces")))
with provider.get_tracer("app").start_as_current_span("answer") as span:
    print(format(span.get_span_context().trace_id, "032x"))
"""


def traces(block: str, place: Place) -> tuple[int, str]:
    """Export to a server in the place of Langfuse, then to Phoenix itself, and read what is on the trace there."""
    with _Kept() as langfuse, _phoenix(place.work / "phoenix") as (phoenix, address):
        Thread(target=langfuse.serve_forever, daemon=True).start()
        done = subprocess.run([str(phoenix), "-c", _TRACE, address], capture_output=True, text=True, check=True)
        trace = done.stdout.strip()
        place.write("traces.jsonl", json.dumps({"trace_id": trace, "answer": place.answer, "contexts": [QUOTE]}))
        keys = {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk", "PHOENIX_COLLECTOR_ENDPOINT": address}
        where = {"LANGFUSE_BASE_URL": f"http://127.0.0.1:{langfuse.server_port}"}
        code, output = place.shell(block, **keys, **where)
        langfuse.shutdown()
        for _ in range(2):  # sent again, a score is there once
            again, more = place.shell("factscope export last --to phoenix", **keys)
            code, output = code or again, output + more
        listed = f"{address}/v1/projects/default/trace_annotations?trace_ids={trace}"
        found = json.loads(_when_ready(listed))["data"]
        scores = {one["name"]: one["result"]["score"] for one in found}
        if len(found) != 2 or f'"value": {scores["factscope"]}' not in "".join(langfuse.bodies):
            return 1, f"{output}{langfuse.bodies}{found}"
        return code, output + json.dumps([scores, [one["result"] for one in found]], ensure_ascii=False)


@contextmanager
def _phoenix(folder: Path) -> Iterator[tuple[Path, str]]:
    """Start Phoenix in an environment of its own; the Python there, and the address."""
    home = ROOT / "build" / "phoenix"
    if not (home / ".ready").exists():
        subprocess.run([UV, "venv", "--quiet", "--clear", str(home)], check=True)
        subprocess.run([UV, "pip", "install", "--quiet", "--python", str(home), PHOENIX], check=True)
        (home / ".ready").touch()
    ports = []
    for _ in range(2):
        with socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(str(free.getsockname()[1]))
    settings = {"PHOENIX_PORT": ports[0], "PHOENIX_GRPC_PORT": ports[1], "PHOENIX_HOST": "127.0.0.1"}
    settings |= {"PHOENIX_WORKING_DIR": str(folder), "PHOENIX_TELEMETRY_ENABLED": "false"}
    folder.mkdir()
    with (folder / "log").open("w", encoding="utf-8") as log:
        command = [str(home / "bin" / "phoenix"), "serve"]
        process = subprocess.Popen(command, env={**os.environ, **settings}, stdout=log, stderr=log, cwd=folder)
        try:
            _when_ready(f"http://127.0.0.1:{ports[0]}/healthz")
            yield home / "bin" / "python", f"http://127.0.0.1:{ports[0]}"
        finally:
            process.terminate()
            process.wait()


def _when_ready(address: str) -> bytes:
    """Ask until there is an answer, for a server that is starting. Raises TimeoutError."""
    for _ in range(_DEADLINE):
        try:
            with urlopen(address, timeout=10) as reply:
                return bytes(reply.read())
        except OSError:
            time.sleep(1)
    raise TimeoutError(f"{address} did not answer in {_DEADLINE} s.")


def pull_request(block: str, place: Place) -> tuple[int, str]:
    """Review a change in a repository by the page's line, by the steps of the action, and by the hook of pre-commit."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    place.write("sources/lens.txt", QUOTE)
    place.write("docs/lens.md", "Nothing is known yet.")
    for words in (["init", "-q", "-b", "main"], ["add", "docs", "sources"], ["commit", "-q", "-m", "Before"]):
        place.run(*git, *words)
    place.run(*git, "update-ref", "refs/remotes/origin/main", "HEAD")
    place.write("docs/lens.md", place.answer)
    code, output = place.shell(block)
    marked = json.loads((place.work / "found.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    output += f"\n{[one['locations'][0]['physicalLocation']['region'] for one in marked]}"
    codes = {"page": code, **_action(place), "hook": _hook(place, git)}
    if len(set(map(bool, codes.values()))) != 1:
        return 1, f"{output}\nNot all alike: {codes}"
    return code, output


def _action(place: Place) -> dict[str, int]:
    """Run the steps of action.yml one by one, in an environment with pip alone; the exit code of each."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    values = {name: given.get("default", "") for name, given in action["inputs"].items()}
    values |= {"files": "docs/*.md", "evidence": "sources", "base": "origin/main", "version": str(place.wheel)}
    runner = place.work / "runner"
    subprocess.run([UV, "venv", "--quiet", "--seed", str(runner)], check=True)
    codes = {}
    for step in action["runs"]["steps"]:
        filled = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], value)
            for name, value in step["env"].items()
        }
        codes[step["name"]], said = place.run(
            "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"], **filled,
            PATH=f"{runner / 'bin'}{os.pathsep}{os.environ['PATH']}", GITHUB_STEP_SUMMARY=str(place.work / "step.md"),
        )  # fmt: skip
        if step["name"] == "Install" and codes.pop("Install"):
            raise RuntimeError(said[-2_000:])
    return codes


def _hook(place: Place, git: list[str]) -> int:
    """Commit through pre-commit with the page's hook, from this repository as it is committed; its exit code."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    hook = {"id": "factscope", "args": ["--evidence", "sources/"]}
    config = {"repos": [{"repo": str(ROOT), "rev": head.stdout.strip(), "hooks": [hook]}]}
    place.write(".pre-commit-config.yaml", yaml.safe_dump(config))
    place.run(*git, "add", "docs", ".pre-commit-config.yaml")
    words = [sys.executable, "-m", "pre_commit", "run", "--files", "docs/lens.md"]
    code, said = place.run(*words, PRE_COMMIT_HOME=str(ROOT / "build" / "pre-commit"))
    if code and QUOTE not in said:
        raise RuntimeError(said[-2_000:])
    return code


def hugging_face(block: str, place: Place) -> tuple[int, str]:
    """Take a data set from a small hub, push the folder there by the Hub's own program, and open it by `datasets`."""
    place.write("docs/lens.txt", QUOTE)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.lab.hub"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            if process.stdout is None:
                raise RuntimeError("no output to read the port from")
            address = f"http://127.0.0.1:{process.stdout.readline().strip()}"
            row = json.dumps({"answer": place.answer}) + "\n"
            urlopen(Request(f"{address}/_put/org/data/main/data.jsonl", row.encode(), method="PUT")).close()
            quiet = {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HOME": str(place.work / "hub")}
            code, output = place.shell(block, HF_ENDPOINT=address, HF_TOKEN="good", **quiet)
        finally:
            process.terminate()
    if "Uploaded" not in output and "commit" not in output:
        return 1, output
    opened = (
        "import datasets\nfor name in 'responses', 'claims': print(*datasets.load_dataset('my-run', name)['train'])"
    )
    words = [UV, "run", "--no-project", "--quiet", "--with", DATASETS, "python", "-c", opened]
    failed, rows = place.run(*words, HF_HUB_OFFLINE="1", HF_HOME=str(place.work / "hub"))
    return code or failed, output + rows


_OFFLINE = "import inspect_ai.model._model as model\nmodel.count_text_tokens = len  # else from a table on the web\n"
_ASSERTED = "case = report.cases[0]\nprint(case.assertions['factual'].value, case.assertions['factual'].reason)"
_TEST = python_file("test_answers.py", "-m", "pytest", "-q")
EXAMPLES = {
    "pytest": Example("pytest", _TEST, "1 passed", exits=True, extra="pytest"),
    "notebook": Example("notebook", python_file(after="print(run.score, run.reports[0])"), "1.0"),
    "mcp": Example("assistants (mcp)", assistant, "'score': 1.0"),
    "inspect": Example(
        "inspect", python_file(before=_OFFLINE, after="print(*logs[0].samples[0].scores.values())"), "value=1.0"
    ),
    "deepeval": Example("deepeval", python_file(), "", exits=True),
    "ragas": Example("ragas", python_file(after="print(result, judged)"), "1.0"),
    "llama_index": Example("llamaindex", python_file(after="print(result.passing, result.feedback)"), "True"),
    "openevals": Example("openevals and langsmith", python_file(after="print(result)"), "'score': 1.0"),
    "pydantic_evals": Example("pydantic-evals", python_file(after=_ASSERTED), "True"),
    "promptfoo": Example("promptfoo", promptfoo, '"success": true', exits=True),
    "opentelemetry": Example("opentelemetry", python_file(after="print(report.score, report)"), "1.0"),
    "traces": Example("langfuse and phoenix", traces, '"factscope": 1.0'),
    "pull_request": Example("pull requests", pull_request, "No file below 0.80", exits=True),
    "hugging_face": Example("hugging face", hugging_face, "'score': 1.0"),
}
"""By the names of `try_integrations.py`."""
