"""Check whether the build in dist/ may be published; print a line for each obstacle.

    .venv/bin/python scripts/release.py               conditions for any build
    .venv/bin/python scripts/release.py --tag v0.1.0  also those for the release of this tag

Exit code 1 when anything does.
"""

from __future__ import annotations

import argparse
import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from factscope.core.version import __version__

ROOT = Path(__file__).parent.parent
LARGEST_WHEEL = 60_000_000
"""Bytes; PyPI takes 100 MB."""
PAGE = "factscope/web/static/index.html"
_BELONGS_ELSEWHERE = re.compile(r"(^|/)(node_modules|\.venv|\.tools|__pycache__|\.git)/")


def obstacles(dist: Path, tag: str | None) -> Iterator[str]:
    """List the obstacles to publishing, one line each."""
    yield from _files(dist)
    if tag is not None:
        yield from _release(tag)


def _files(dist: Path) -> Iterator[str]:
    for pattern, name in ((f"factscope-{__version__}-*.whl", "wheel"), (f"factscope-{__version__}.tar.gz", "sdist")):
        found = list(dist.glob(pattern))
        if len(found) != 1:
            yield f"{dist} holds {len(found)} files {pattern}; build again: rm -r {dist}; make build"
            continue
        names = _names(found[0])
        if not any(one.endswith(PAGE) for one in names):
            yield f"the {name} lacks the built page ({PAGE}): make page, then make build"
        strays = [one for one in names if _BELONGS_ELSEWHERE.search(one)]
        if strays:
            yield f"the {name} holds what belongs elsewhere, such as {strays[0]}"
        if name == "wheel" and found[0].stat().st_size > LARGEST_WHEEL:
            yield f"the wheel has {found[0].stat().st_size:,} bytes, more than {LARGEST_WHEEL:,}"
    others = [path.name for path in dist.glob("*") if __version__ not in path.name and not path.name.startswith(".")]
    if others:
        yield f"{dist} holds other versions: {', '.join(sorted(others))}"


def _names(path: Path) -> list[str]:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.namelist()
    with tarfile.open(path) as bundle:
        return bundle.getnames()


def _release(tag: str) -> Iterator[str]:
    if tag != f"v{__version__}":
        yield f"the tag is {tag}, and the version v{__version__} (src/factscope/core/version.py)"
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(__version__)}\b", changes, re.MULTILINE):
        yield f"CHANGELOG.md has no heading ## {__version__}"
    if f"\nversion: {__version__}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
        yield f"CITATION.cff does not say version: {__version__}"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    unfilled = [name for name, url in project["urls"].items() if "example.org" in url]
    if unfilled:
        yield f"pyproject.toml has no address yet for {', '.join(unfilled)} ([project.urls])"


def main() -> None:
    """Print the obstacles to publishing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag", help="the tag of the release")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where the built files are")
    asked = parser.parse_args()
    found = list(obstacles(asked.dist, asked.tag))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
