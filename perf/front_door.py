"""Cost of the first minutes: size of the install, help, import, a first check and a second one.

    .venv/bin/python perf/front_door.py                      with the packages of this environment
    .venv/bin/python perf/front_door.py --python build/fresh/wheel/bin/python   of a fresh install (make check-install)

Processor seconds of user and system together, of the process and its children: the least of several runs, since other
work on the machine can only add to it. Python keeps what it compiled, as in an install, whatever the environment says
(`PYTHONDONTWRITEBYTECODE`); a run that compiles does not count. A check is of 300 words against 50 documents, by the
built-in verifier.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
WORDS, DOCUMENTS = 300, 50
_COUNT = """
import importlib.metadata, json, sys
from pathlib import Path
found = list(importlib.metadata.distributions())
others = {"pip", "setuptools", "wheel"}
files = {Path(one.locate_file(file)) for one in found if one.name not in others for file in one.files or ()}
size = sum(path.stat().st_size for path in files if path.is_file() and path.suffix != ".pyc")
print(json.dumps([len({one.name for one in found} - others), size]))
"""

_WARM = """
import sys, time
from pathlib import Path
import factscope as fs
with fs.Checker(evidence=sys.argv[2]) as checker:
    for _ in range(2):
        began = time.process_time()
        checker.check(Path(sys.argv[1]).read_text(encoding="utf-8"))
print(time.process_time() - began)
"""


def processor_seconds(command: list[str], times: int, folder: Path) -> float:
    """Return the least that a command takes in several runs; its output is dropped. Raises CalledProcessError."""
    least = float("inf")
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def laid_out(folder: Path) -> tuple[Path, Path]:
    """Return a text of 300 words and a folder of 50 documents, from the bundled ones."""
    texts = sorted(path for path in (ROOT / "examples").glob("*.md") if path.name != "README.md")
    lines = [line for path in texts for line in path.read_text(encoding="utf-8").splitlines()]
    words = " ".join(line for line in lines if line[:1].isalpha()).split()  # running text, without headings and lists
    text = folder / "text.txt"
    text.write_text(" ".join(words[:WORDS]), encoding="utf-8")
    documents = folder / "documents"
    documents.mkdir()
    sources = sorted(path for path in (ROOT / "examples" / "harbour").iterdir() if path.is_file())
    for number in range(DOCUMENTS):
        source = sources[number % len(sources)]
        extra = b"" if number < len(sources) else f"\n\nCopy {number}.\n".encode()
        (documents / f"{number:02}{source.suffix}").write_bytes(source.read_bytes() + extra)
    return text, documents


def checks(python: str, times: int) -> tuple[float, float, float]:
    """Return processor seconds of a check with empty caches, with a cached index, and again in the same process."""
    first = second = warm = float("inf")
    for _ in range(times):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            text, documents = laid_out(folder)
            command = [python, "-m", "factscope", "check", str(text), "--evidence", str(documents), "--fresh", "-q"]
            own = ["env", f"FACTSCOPE_CACHE={folder / 'cache'}", f"FACTSCOPE_STORE={folder / 'runs.db'}", *command]
            first = min(first, processor_seconds(own, 1, folder))
            second = min(second, processor_seconds(own, 1, folder))
            again = subprocess.run(
                [*own[:3], python, "-c", _WARM, str(text), str(documents)],
                check=True, capture_output=True, text=True, cwd=folder,
            )  # fmt: skip
            warm = min(warm, float(again.stdout))
    return first, second, warm


def main() -> None:
    """Print the figures as lines of a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the Python of the environment to measure")
    parser.add_argument("--times", type=int, default=5, help="runs of each; the least counts")
    asked = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    python = str(Path(asked.python).absolute())
    counted = subprocess.run([python, "-c", _COUNT], check=True, capture_output=True, text=True).stdout
    packages, size = json.loads(counted)
    own = Path(tempfile.gettempdir())
    help_of = {
        "python -c pass": ["-c", "pass"],
        "import factscope": ["-c", "import factscope"],
        "factscope --help": ["-m", "factscope", "--help"],
        "factscope check --help": ["-m", "factscope", "check", "--help"],
    }
    print(f"packages: {packages}; installed: {size / 1e6:.0f} MB")
    for name, words in help_of.items():
        print(f"{name}: {processor_seconds([python, *words], asked.times, own):.2f} s")
    first, second, warm = checks(python, asked.times)
    print(f"first check, {WORDS} words, {DOCUMENTS} documents: {first:.2f} s; second: {second:.2f} s")
    print(f"the same check again in one process: {warm:.2f} s")


if __name__ == "__main__":
    main()
