"""Promises, and the result for each in one run of the laboratory."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from factscope.core import StoreError, UsageError, __version__

RECORD = "SELFTEST_RECORD"
"""Environment variable with the file that the recorder writes."""
MODE = "SELFTEST_CASES"
"""Environment variable for the number of cases that the tests try: `quick` or `all`."""
_INI = Path(__file__).with_name("pytest.ini")
Result = Literal["held", "broken", "fewer cases", "not tried"]


class Promise(BaseModel):
    """One promise."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    """R: honest scores; D: surviving failure; S: hostile input."""
    promise: str
    """The promise, in one sentence."""
    trial: str
    """Description of the trial."""
    asked: int = Field(ge=1)
    """Least number of cases in a whole trial."""
    tests: tuple[str, ...] = ()
    """Files or tests of the laboratory, as pytest names them; empty where no test tries it yet."""
    quick: tuple[str, ...] = ()
    """Tests of a quick trial."""
    open: str = ""
    """Limits of these tests."""


@cache
def read_promises() -> tuple[Promise, ...]:
    """Read the promises in the package, in their order."""
    text = files(__package__).joinpath("promises.toml").read_text(encoding="utf-8")
    return tuple(Promise.model_validate(values) for values in tomllib.loads(text)["promises"])


class TrialRow(BaseModel):
    """Result of one promise."""

    model_config = ConfigDict(frozen=True)

    id: str
    promise: str
    trial: str
    cases: int
    """Cases that were tried."""
    asked: int
    """Least number of cases in a whole trial."""
    failures: tuple[str, ...]
    """Tests that failed, with the end of their message."""
    skipped: int
    """Tests that could not run here."""
    result: Result
    seconds: float
    open: str
    """Limits of the trial."""


class TrialCard(BaseModel):
    """The outcome of a selftest."""

    model_config = ConfigDict(frozen=True)

    factscope: str
    date: str
    system: str
    python: str
    mode: Literal["quick", "all"]
    seconds: float
    rows: tuple[TrialRow, ...]

    @property
    def broken(self) -> tuple[TrialRow, ...]:
        """The promises that did not hold."""
        return tuple(row for row in self.rows if row.result == "broken")


def try_promises(
    promises: Sequence[Promise], *, quick: bool, on_line: Callable[[str], None] = lambda line: None
) -> TrialCard:
    """Run the tests of these promises, each once. Raises UsageError where the laboratory is not installed, StoreError.

    `on_line` is called with every test as it ends.
    """
    root = laboratory()
    requested = {promise.id: promise.quick if quick else promise.tests for promise in promises}
    began = time.monotonic()
    done = _run(root, sorted({test for tests in requested.values() for test in tests}), quick, on_line)
    rows = tuple(_row(promise, requested[promise.id], done, quick=quick) for promise in promises)
    return TrialCard(
        factscope=__version__,
        date=datetime.now(UTC).date().isoformat(),
        system=f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        python=platform.python_version(),
        mode="quick" if quick else "all",
        seconds=round(time.monotonic() - began, 1),
        rows=rows,
    )


def laboratory() -> Path:
    """Return the folder that holds the package `tests`. Raises UsageError where it or pytest is missing."""
    missing = [name for name in ("pytest", "hypothesis", "pytest_timeout") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"The selftest needs {', '.join(missing)}, which is not installed.", "pip install 'factscope[selftest]'"
        )
    package = Path(__file__).parents[2]
    for root in (package / "_laboratory", package.parent.parent):
        if (root / "tests" / "lab" / "__init__.py").is_file():
            return root
    raise UsageError("The laboratory is not part of this installation.", "Install Factscope from a wheel of PyPI.")


def _run(root: Path, tests: Sequence[str], quick: bool, on_line: Callable[[str], None]) -> dict[str, dict[str, Any]]:
    """Run tests in one pytest process; return its records by test name."""
    if not tests:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "tests.jsonl")
        command = [sys.executable, "-m", "pytest", "-c", str(_INI), "--rootdir", str(root), "-v", "--no-header"]
        command += ["-p", "no:cacheprovider", "-p", "factscope.cli.selftest.recorder", "--basetemp", f"{folder}/work"]
        path = os.pathsep.join([str(root), *(entry for entry in sys.path if entry)])
        # The user's own pytest settings must not apply to these tests.
        own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment = {**own, RECORD: str(record), MODE: "quick" if quick else "all", "PYTHONPATH": path}
        with subprocess.Popen(  # noqa: S603 - ourselves
            [*command, *tests], cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            assert process.stdout is not None
            labels = []
            for line in process.stdout:
                labels.append(line)
                on_line(line.rstrip())
        if not record.exists():
            raise StoreError(f"The laboratory did not start: {''.join(labels)[-1000:]}")
        lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
        return {line["test"]: line for line in lines}


def _row(promise: Promise, tests: Sequence[str], done: Mapping[str, Mapping[str, Any]], *, quick: bool) -> TrialRow:
    selected = [entry for name, entry in done.items() if any(_is_of(name, test) for test in tests)]
    failed = tuple(f"{entry['test']}: {entry['why']}" for entry in selected if entry["outcome"] == "failed")
    tried = [entry for entry in selected if entry["outcome"] != "skipped"]
    cases = sum(entry["cases"] for entry in tried)
    enough = quick or cases >= promise.asked
    result: Result = "broken" if failed else "not tried" if not tried else "held" if enough else "fewer cases"
    return TrialRow(
        **promise.model_dump(include={"id", "promise", "trial", "asked", "open"}),
        cases=cases,
        failures=failed,
        skipped=len(selected) - len(tried),
        result=result,
        seconds=round(sum(entry["seconds"] for entry in tried), 1),
    )


def _is_of(name: str, test: str) -> bool:
    return name == test or name.startswith((f"{test}::", f"{test}[", f"{test.rstrip('/')}/"))
