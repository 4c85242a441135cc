"""Install what `make build` left in dist/ as a newcomer would, where Node is not to be found, and look at the demo.

    .venv/bin/python scripts/try_built_files.py         the wheel by pip, the source archive by pip, the wheel by uvx
    .venv/bin/python scripts/try_built_files.py wheel   one of these ways: wheel, sdist, uvx

Each way has an environment of its own below build/fresh. Exit code 1 as soon as one fails, with what was printed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
import venv
from collections.abc import Callable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FRESH = ROOT / "build" / "fresh"
UV = Path(sys.executable).with_name("uv")
_OF_NODE = {"node", "nodejs", "npm", "npx", "corepack"}


def try_wheel(dist: Path) -> None:
    """Install the wheel by plain pip."""
    _try_pip(FRESH / "wheel", _newest(dist, "factscope-*.whl"))


def try_sdist(dist: Path) -> None:
    """Install the source archive by plain pip, which builds a wheel of it."""
    _try_pip(FRESH / "sdist", _newest(dist, "factscope-*.tar.gz"))


def try_uvx(dist: Path) -> None:
    """Run the demo by uvx, without an installation."""
    folder = FRESH / "uvx"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    interpreter = str(Path(sys.base_prefix) / "bin" / "python3")
    wheel = _newest(dist, "factscope-*.whl")
    _demo([str(UV), "tool", "run", "--python", interpreter, "--from", str(wheel), "factscope"], folder)


WAYS: dict[str, Callable[[Path], None]] = {"wheel": try_wheel, "sdist": try_sdist, "uvx": try_uvx}


def _try_pip(folder: Path, file: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    _run([str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", str(file)], folder)
    program = [str(folder / "bin" / "factscope")]
    print(_run([*program, "doctor"], folder))
    _demo(program, folder)


def _demo(program: list[str], folder: Path) -> None:
    """Run the demo, look at the page that it serves, and end that server."""
    printed = _run([*program, "demo"], folder)
    print(printed)
    address = re.search(r"interactive page: (http://[^#\s]+)", printed)
    server = re.search(r"by: kill (\d+)", printed)
    if not address:
        sys.exit("The demo names no page.")
    try:
        page = urllib.request.urlopen(address[1], timeout=30).read().decode()
        for script in re.findall(r'src="([^"]+)"', page) or sys.exit("The page holds no script."):
            urllib.request.urlopen(urllib.request.Request(f"{address[1]}{script.lstrip('./')}"), timeout=30).read()
        print(f"The page answers at {address[1]}: {len(page):,} characters and its scripts.")
    finally:
        if server:
            os.kill(int(server[1]), signal.SIGTERM)


def _run(command: list[str], folder: Path) -> str:
    """Return what a command printed, on both streams, run where no Node is to be found."""
    places = {"PATH": str(_programs_without_node()), "HOME": str(folder), "UV_CACHE_DIR": str(FRESH / "uv-cache")}
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_", "LANG"))}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, env=kept | places, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


@cache
def _programs_without_node() -> Path:
    """Return a folder with links to the programs of this machine but those of Node."""
    folder = FRESH / "programs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            link = folder / program.name
            if program.name not in _OF_NODE and not link.is_symlink():
                link.symlink_to(program)
    return folder


def _newest(dist: Path, pattern: str) -> Path:
    found = sorted(dist.glob(pattern), key=lambda path: path.stat().st_mtime)
    return found[-1] if found else sys.exit(f"{dist} holds no {pattern}: make build")


def main() -> None:
    """Try the named ways, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ways", nargs="*", metavar="WAY", help=f"of {', '.join(WAYS)}; all without any")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where the built files are")
    asked = parser.parse_args()
    for name in asked.ways or WAYS:
        print(f"== {name}: {WAYS[name].__doc__}")
        WAYS[name](asked.dist)


if __name__ == "__main__":
    main()
