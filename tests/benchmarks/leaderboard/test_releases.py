"""Releases of benchmarks in the site: linked from the tables, and never blocking a board."""

from __future__ import annotations

import re
from pathlib import Path

from factscope.benchmarks.leaderboard import LinkedPage, gather, write_site
from tests.benchmarks.leaderboard.example_results import result, written


def test_pages_of_releases_are_linked_and_removed_when_left_out(tmp_path: Path) -> None:
    path = written(tmp_path / "r.json", result(good=20, bad=2))
    boards, _ = gather([path], [], public=["open"], totals_only=(), find=lambda run: None)
    pages = [LinkedPage("Release <2026>", "<p>this year"), LinkedPage("Release 2026", "<p>the same name")]
    write_site(boards, tmp_path / "site", None, pages)
    index = (tmp_path / "site" / "index.html").read_text()
    places = re.findall(r'href="(releases/[^"]+)"', index)
    assert [(tmp_path / "site" / place).read_text() for place in places] == ["<p>this year", "<p>the same name"]
    assert "Release &lt;2026&gt;" in index
    write_site(boards, tmp_path / "site")
    assert "releases/" not in (tmp_path / "site" / "index.html").read_text()
    assert not (tmp_path / "site" / "releases").exists()
