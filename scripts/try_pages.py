"""Follow the page on integrations from fresh environments: its install lines, its examples, a right and a wrong answer.

    .venv/bin/python scripts/try_pages.py [NAME …]

Each section of docs/integrations.md has an environment of its own, in which nothing but its install line was run (with
the package as built from here in the place of `factscope`). Its example then runs as it stands, once with an answer
that the contexts support, and once with another year: the first must pass, the second must fail and show the evidence.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
UV = f"{Path(sys.executable).parent}/uv"
QUOTE = "In 1858 a Fresnel lens was fitted."
_OFFLINE = "import inspect_ai.model._model as model\nmodel.count_text_tokens = len  # else from a table on the web\n"
_CLIENT = """
import asyncio, os
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

async def main():
    server = StdioServerParameters(command="factscope", args=ARGUMENTS, env=dict(os.environ))
    async with Client(stdio_client(server)) as client:
        answer = await client.call_tool("check_text", {"text": "The Fresnel lens was fitted in YEAR."})
        print(answer.structured_content)

asyncio.run(main())
"""
"""An assistant, in the place of one that reads the settings on the page."""


class Example(NamedTuple):
    """An example of the page, and what is added to see what came out."""

    shown: str = ""
    """Prints the outcome."""
    passed: str = ""
    """Output for a right answer; without it, a successful exit is enough."""
    failed: str = QUOTE
    """Output for a wrong answer."""
    before: str = ""
    runner: tuple[str, ...] = ("example.py",)


EXAMPLES = {
    "pytest": Example(runner=("-m", "pytest", "-q", "test_answers.py")),
    "notebook": Example("print(run.score, run.reports[0])", "1.0"),
    "assistants (mcp)": Example(_CLIENT, "'score': 1.0"),
    "inspect": Example("print(*logs[0].samples[0].scores.values())", "value=1.0", before=_OFFLINE),
    "deepeval": Example(),
    "ragas": Example("print(result, judged)", "1.0"),
    "llamaindex": Example("print(result.passing, result.feedback)", "True"),
    "openevals and langsmith": Example("print(result)", "'score': 1.0"),
    "pydantic-evals": Example(
        "case = report.cases[0]\nprint(case.assertions['factual'].value, case.assertions['factual'].reason)", "True"
    ),
    "opentelemetry": Example("print(report.score, report)", "1.0"),
    "pull requests": Example(passed="No file below 0.80", runner=()),
}


def main() -> int:
    """Try each section and print a line for it. Returns 1 when one did otherwise than it should."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"Only these: {', '.join(EXAMPLES)}.")
    names = parser.parse_args().names or list(EXAMPLES)
    built = ROOT / "build" / "pages"
    subprocess.run([UV, "build", "--quiet", "--wheel", "--out-dir", str(built)], cwd=ROOT, check=True)
    wheel = max(built.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    with TemporaryDirectory() as place:  # outside the repository, whose settings pytest would take for its own
        results = {name: tried(name, EXAMPLES[name], Path(place) / name.replace(" ", "-"), wheel) for name in names}
    for name, why in results.items():
        print(f"{'✗' if why else '✓'} {name}: {why or 'passes on a right answer, fails usefully on a wrong one'}")
    return 1 if any(results.values()) else 0


def tried(name: str, example: Example, folder: Path, wheel: Path) -> str:
    """Follow one section; why it went wrong, or nothing."""
    title, text = next(
        (title, text)
        for title, text in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
        if title.lower() == name
    )
    row = next(line for line in PAGE.splitlines() if line.startswith("|") and f"](#{_slug(title)})" in line)
    (line,) = re.findall(r"`pip install ([^`]*)`", row)
    requirements = re.sub(r"factscope(\[\w+\])?", rf"factscope\1 @ {wheel.as_uri()}", line, count=1)
    words = re.findall(r"'([^']*)'|(factscope @ \S+)|(\S+)", requirements)
    subprocess.run([UV, "venv", "--quiet", "--clear", str(folder)], check=True)
    python = folder / "bin" / "python"
    packages = ["".join(word) for word in words]
    installed = [UV, "pip", "install", "--quiet", "--python", str(python), *packages]
    if example.runner[:2] == ("-m", "pytest"):
        installed.append("pytest")
    subprocess.run(installed, check=True)
    (block,) = re.findall(r"```(?:python|console|json)\n(.*?)```", text, re.DOTALL)[:1]
    for year, expected, good in (("1858", example.passed, True), ("1901", example.failed, False)):
        code, output = run(example, block, year, folder, python)
        if (not example.passed or not example.shown) and (code == 0) != good:
            return f"with {year} it ended with {code}: {output[-1_500:]}"
        if expected not in output:
            return f"with {year} it does not show {expected!r}: {output[-1_500:]}"
    return ""


def run(example: Example, block: str, year: str, folder: Path, python: Path) -> tuple[int, str]:
    """Run an example with an answer of this year; the exit code, and all that was printed."""
    work = folder / f"work-{year}"
    for name in ("docs", "sources"):
        (work / name).mkdir(parents=True, exist_ok=True)
    (work / "sources" / "lens.txt").write_text(QUOTE, encoding="utf-8")
    (work / "docs" / "lens.md").write_text(f"The Fresnel lens was fitted in {year}.", encoding="utf-8")
    if block.startswith("{"):  # settings of an assistant: what they start, with the evidence that is here
        words = json.loads(block)["mcpServers"]["factscope"]["args"]
        words = ["sources" if word.startswith("/") else word for word in words[words.index("mcp") :]]
        code = example.shown.replace("ARGUMENTS", repr(words)).replace("YEAR", year)
        (work / example.runner[-1]).write_text(code, encoding="utf-8")
        command = [str(python), *example.runner]
    elif example.runner:
        code = re.sub(r"(lens (?:was fitted|came) in) \d{4}", rf"\1 {year}", block)
        code = re.sub(r"^assert .*\n", "", code, flags=re.MULTILINE)  # what the page says of its own answer
        (work / example.runner[-1]).write_text(f"{example.before}{code}\n{example.shown}\n", encoding="utf-8")
        command = [str(python), *example.runner]
    else:
        command = ["bash", "-c", block.replace("$ ", "", 1).replace(" --base origin/main", "")]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FACTSCOPE_", "PYTEST_"))}
    places = {"FACTSCOPE_CACHE": str(work / "cache"), "FACTSCOPE_STORE": str(work / "runs.db")}
    quiet = {"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "RAGAS_DO_NOT_TRACK": "true", "COLUMNS": "200"}
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=work, env={**kept, **places, **quiet, "PATH": path}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def _slug(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


if __name__ == "__main__":
    sys.exit(main())
