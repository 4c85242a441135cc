"""Find or install a browser for the tests of the page, and print its path.

    .venv/bin/python scripts/browser.py

The system's Chromium or Chrome is taken, first Debian's headless build, which uses less processor time; otherwise
Playwright's own is downloaded, if possible; otherwise Debian's package is installed, on Debian or a derivative and with
the necessary rights.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = (
    "The tests of the page need a browser, and none could be had: install Debian's package (apt-get install chromium),"
    " Chrome, or Playwright's own (.venv/bin/playwright install chromium)."
)


def find() -> str | None:
    """Return the path of an installed browser."""
    system = next((path for name in NAMES if (path := shutil.which(name))), None)
    return system or _own()


def main() -> int:
    """Find a browser, or install one."""
    found = find() or _by_playwright() or _by_debian()
    print(f"Browser: {found}" if found else MISSING, file=sys.stdout if found else sys.stderr)
    return 0 if found else 1


def _own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        path = driver.chromium.executable_path
    return path if Path(path).exists() else None


def _by_playwright() -> str | None:
    print("There is no browser here. Trying Playwright's own …")
    done = _run(sys.executable, "-m", "playwright", "install", "chromium")
    return _own() if done else None


def _by_debian() -> str | None:
    before = () if os.geteuid() == 0 else ("sudo", "-n")
    if not shutil.which("apt-get") or (before and not shutil.which("sudo")):
        return None
    print("Installing Debian's package chromium …")
    _run(*before, "apt-get", "update", "-qq")
    for package in ("chromium-headless-shell", "chromium"):  # the first is not in every Debian
        if _run(*before, "apt-get", "install", "-y", "-qq", "--no-install-recommends", package):
            break
    return find()


def _run(*command: str) -> bool:
    """Run a command, and return whether it succeeded; its output is printed only if it failed."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)
    if done.returncode:
        print("\n".join((done.stdout + done.stderr).splitlines()[-3:]), file=sys.stderr)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
