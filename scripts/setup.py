"""Make `.venv` with everything this checkout needs, on a machine that has only Python >= 3.11.

uv does the work, from the versions and hashes in `uv.lock`. It is taken from PATH if it is there; otherwise pip brings
it into `.tools`; and where Python came without pip (as Debian ships it), its wheel is fetched from the address in
`uv.lock` and checked against the hash there.

    python3 scripts/setup.py [--group NAME …] [--no-dev]
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import stat
import subprocess
import sys
import tomllib
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".tools"
WHEEL_TAGS = {
    ("Linux", "x86_64"): "manylinux_2_17_x86_64",
    ("Linux", "aarch64"): "manylinux_2_17_aarch64",
    ("Darwin", "arm64"): "macosx_11_0_arm64",
    ("Darwin", "x86_64"): "macosx_10_12_x86_64",
}


def main() -> int:
    """Find or bring uv, then let it make the environment. Returns the exit code."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this runs before anything has checked
        print(f"Factscope needs Python 3.11 or newer; this is {platform.python_version()}.", file=sys.stderr)
        return 1
    uv = find_uv() or uv_by_pip() or uv_by_lock()
    environment = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(ROOT / ".venv"), "UV_PYTHON_DOWNLOADS": "never"}
    environment.pop("VIRTUAL_ENV", None)
    command = [str(uv), "sync", "--frozen", "--quiet", "--python", sys.executable, *sys.argv[1:]]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def locked_uv() -> dict[str, Any]:
    """Return uv's own entry in the lock file: version, and wheels with address and hash."""
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    return next(package for package in packages if package["name"] == "uv")


def find_uv() -> Path | None:
    """Return uv from an earlier set-up, or from PATH."""
    found = shutil.which("uv", path=str(TOOLS / "bin")) or shutil.which("uv")
    return Path(found) if found else None


def uv_by_pip() -> Path | None:
    """Return uv by pip, which knows the user's own index and certificates. None where Python came without pip."""
    requirement = f"uv=={locked_uv()['version']}"
    make = subprocess.run([sys.executable, "-m", "venv", str(TOOLS)], capture_output=True, check=False)
    if make.returncode != 0:
        shutil.rmtree(TOOLS, ignore_errors=True)
        return None
    subprocess.run([str(TOOLS / "bin" / "pip"), "install", "--quiet", requirement], check=False)
    return find_uv()


def uv_by_lock() -> Path:
    """Return uv's wheel from the address in the lock file, if its hash is right.

    Exits with a message if it can't be had.
    """
    tag = WHEEL_TAGS.get((platform.system(), platform.machine()))
    wheels = [wheel for wheel in locked_uv()["wheels"] if tag and tag in wheel["url"]]
    if not wheels:
        sys.exit("uv can't be set up here by itself: install uv or python3-venv, then run this again.")
    print("Fetching uv …", file=sys.stderr)
    with urllib.request.urlopen(wheels[0]["url"], timeout=120) as reply:
        content = reply.read()
    if hashlib.sha256(content).hexdigest() != wheels[0]["hash"].removeprefix("sha256:"):
        sys.exit("The fetched uv does not match its hash in uv.lock; nothing was installed.")
    target = TOOLS / "bin" / "uv"
    target.parent.mkdir(parents=True, exist_ok=True)
    archive = TOOLS / "uv.whl"
    archive.write_bytes(content)
    with zipfile.ZipFile(archive) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".data/scripts/uv"))
        target.write_bytes(wheel.read(name))
    archive.unlink()
    target.chmod(target.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return target


if __name__ == "__main__":
    sys.exit(main())
