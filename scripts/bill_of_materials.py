"""Contents of a plain installation: a bill of materials (CycloneDX 1.6) and the licences, from the packages themselves.

    .venv/bin/python scripts/bill_of_materials.py build/sbom [--extra NAME …]

Only packages that Factscope needs, directly or not, with the extras that are named; what development needs is left out.
The page's packages are those that its lock file holds and that are not for development.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Write `bom.json` and `licences.md`; return 1 when a package states no licence."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--extra", nargs="*", default=[])
    asked = parser.parse_args()
    parts = [*python_parts(asked.extra), *page_parts()]
    asked.folder.mkdir(parents=True, exist_ok=True)
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "factscope", "version": version("factscope")}},
        "components": parts,
    }
    (asked.folder / "bom.json").write_text(json.dumps(bom, indent=2) + "\n", encoding="utf-8")
    rows = [f"| {part['name']} | {part['version']} | {part['licenses'][0]['license']['name']} |" for part in parts]
    head = "# Licences of what ships with Factscope\n\n| package | version | licence |\n|---|---|---|\n"
    (asked.folder / "licences.md").write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    silent = [part["name"] for part in parts if part["licenses"][0]["license"]["name"] == "not stated"]
    print(f"{len(parts)} packages; {len(silent)} without a stated licence{': ' + ', '.join(silent) if silent else ''}")
    return int(bool(silent))


def python_parts(extras: Iterable[str]) -> list[dict[str, Any]]:
    """Return the installed packages that Factscope needs, in order of name."""
    found: dict[str, Distribution] = {}
    waiting = [("factscope", frozenset(["", *extras]))]
    seen = set()
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        try:
            package = distribution(name)
        except PackageNotFoundError:  # for another system
            continue
        if name != "factscope":
            found[re.sub(r"[-_.]+", "-", name).lower()] = package
        for line in package.requires or ():
            need = Requirement(line)
            if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in wanted):
                waiting.append((need.name, frozenset(["", *need.extras])))
    return [component(name, one.version, licence(one), "pypi") for name, one in sorted(found.items())]


def licence(package: Distribution) -> str:
    """Return the licence that a package states."""
    about = package.metadata
    classifiers = [
        value.rpartition(" :: ")[2] for value in about.get_all("Classifier") or () if value.startswith("License")
    ]
    if "License-Expression" in about:
        return str(about["License-Expression"])
    text = "; ".join(classifiers) or (str(about["License"]).split("\n")[0] if "License" in about else "")
    return text.strip()[:120] or "not stated"


def page_parts() -> list[dict[str, Any]]:
    """Return the packages that are built into the page."""
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_text(encoding="utf-8"))
    made = []
    for place, one in sorted(lock["packages"].items()):
        if place and not one.get("dev") and not one.get("optional"):
            name = place.rpartition("node_modules/")[2]
            made.append(component(name, one["version"], one.get("license", "not stated"), "npm"))
    return made


def component(name: str, number: str, licence_name: str, registry: str) -> dict[str, Any]:
    """Return one component of a bill of materials."""
    return {
        "type": "library",
        "name": name,
        "version": number,
        "purl": f"pkg:{registry}/{name}@{number}",
        "licenses": [{"license": {"name": licence_name}}],
    }


if __name__ == "__main__":
    sys.exit(main())
