"""Follow the page on integrations from fresh environments: its install lines, its examples, a right and a wrong answer.

    .venv/bin/python scripts/try_pages.py [NAME …]

Each section of docs/integrations.md has an environment of its own, in which nothing but its install line was run (with
the package as built from here in the place of `factscope`). Its example then runs as it stands, once with an answer
that the contexts support, and once with another year: the first must pass, the second must fail and show the evidence.
`page_examples.py` says how each is followed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from page_examples import EXAMPLES, ROOT, UV, Example, Place

PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")


def main() -> int:
    """Try each section and print a line for it. Returns 1 when one did otherwise than it should."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"Only these: {', '.join(EXAMPLES)}.")
    results = followed(parser.parse_args().names or list(EXAMPLES))
    for name, why in results.items():
        print(f"{'✗' if why else '✓'} {name}: {why or 'passes on a right answer, fails usefully on a wrong one'}")
    return 1 if any(results.values()) else 0


def followed(names: list[str]) -> dict[str, str]:
    """Follow sections; return the failures by name, an empty text for success."""
    built = ROOT / "build" / "pages"
    subprocess.run([UV, "build", "--quiet", "--wheel", "--out-dir", str(built)], cwd=ROOT, check=True)
    wheel = max(built.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    with TemporaryDirectory() as place:  # outside the repository, whose settings pytest would take for its own
        return {name: _tried(EXAMPLES[name], Path(place) / name, wheel) for name in names}


def _tried(example: Example, folder: Path, wheel: Path) -> str:
    """Follow one section; return the reason for a failure, or an empty text."""
    title, text = next(
        (title, text)
        for title, text in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
        if title.lower() == example.section
    )
    slug = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
    row = next(line for line in PAGE.splitlines() if line.startswith("|") and f"](#{slug})" in line)
    python = _environment(folder, re.findall(r"`pip install ([^`]*)`", row)[0], wheel, example.extra)
    block = re.findall(r"```(?:python|console|json|yaml)\n(.*?)```", text, re.DOTALL)[0]
    for year, expected, good in (("1858", example.passed, True), ("1901", example.failed, False)):
        place = Place(python, folder / f"work-{year}", year, wheel)
        place.work.mkdir()
        try:
            code, output = example.follow(block, place)
        except (OSError, LookupError, RuntimeError, subprocess.CalledProcessError) as error:
            return f"with {year}: {error}"
        if code != 0 and (good or not example.exits):
            return f"with {year} it ended with {code}: {output[-1_500:]}"
        if code == 0 and example.exits and not good:
            return f"with {year} it ended as if all were well: {output[-1_500:]}"
        if expected not in output:
            return f"with {year} it does not show {expected!r}: {output[-1_500:]}"
    return ""


def _environment(folder: Path, line: str, wheel: Path, extra: str | None) -> Path:
    """Make an environment with the packages after `pip install`; return its Python."""
    subprocess.run([UV, "venv", "--quiet", "--clear", str(folder)], check=True)
    python = folder / "bin" / "python"
    requirements = re.sub(r"factscope(\[\w+\])?", rf"factscope\1 @ {wheel.as_uri()}", line, count=1)
    words = re.findall(r"'([^']*)'|(factscope @ \S+)|(\S+)", requirements)
    packages = ["".join(word) for word in words] + ([extra] if extra else [])
    subprocess.run([UV, "pip", "install", "--quiet", "--python", str(python), *packages], check=True)
    return python


if __name__ == "__main__":
    sys.exit(main())
