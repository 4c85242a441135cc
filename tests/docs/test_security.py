"""Existence of the files that the security page names."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_promises_name_existing_source_files() -> None:
    names = re.findall(r"`([a-z_/]+/(?:\w+\.py)?)`", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    assert len(names) > 5
    assert [name for name in names if not (ROOT / "src/factscope" / name).exists()] == []
