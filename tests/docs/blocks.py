"""All code blocks of the documentation, and how each is checked against the code.

    python -m tests.docs.blocks

Prints for each page how many of its blocks run in a test, how many hold commands that can't run here (they need a key
or a cluster) and are only parsed, how many are data or output, and how many need Docker or make.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
RUN = ("python", "console", "sh")
RUN_BY = {
    "README": "tests/docs/test_readme.py", "annotate": "tests/docs/test_blocks.py",
    "calibration": "tests/docs/test_docs_verdicts.py", "cascade": "tests/docs/test_docs_verdicts.py",
    "cited": "tests/docs/test_docs_cited.py", "concepts": "tests/docs/test_site.py",
    "curate": "tests/benchmarks/curate/test_curate_docs.py", "extending": "tests/docs/test_extending.py",
    "factbench": "tests/docs/test_docs_factbench.py", "facts-grounding": "tests/docs/test_docs_grounding.py",
    "facts-and-evidence": "tests/docs/test_blocks.py",
    "felm": "tests/methods/test_felm_docs.py", "index": "tests/docs/test_site.py",
    "integrations": "tests/integrations/test_docs_integrations.py",
    "leaderboard": "tests/benchmarks/leaderboard/test_leaderboard_docs.py",
    "meta": "tests/benchmarks/meta_eval/test_meta_docs.py", "models": "tests/docs/test_docs.py",
    "python": "tests/docs/test_python_docs.py", "rag": "tests/docs/test_docs_rag.py",
    "report": "tests/docs/test_site.py", "server": "tests/web/test_server_docs.py",
    "trust": "tests/docs/test_site.py", "verifiers": "tests/cli/test_verifiers.py",
    "verifier-figures": "tests/cli/test_verifiers.py",
    "verify-examples": "tests/docs/test_verify_examples.py", "web": "tests/docs/test_blocks.py",
}  # fmt: skip
"""The test that runs each page's blocks."""


class Block(NamedTuple):
    """One block of code."""

    page: str
    language: str
    code: str

    @property
    def kind(self) -> str:
        """`run`, `read` (parsed by the command line), `elsewhere` or `data`."""
        if self.language in RUN and not self._elsewhere:
            return "run"
        return "read" if any(self.commands()) else "elsewhere" if self._elsewhere else "data"

    @property
    def _elsewhere(self) -> bool:
        """Whether the block needs make, Docker, npx or a public address."""
        return self.page == "CONTRIBUTING" or bool(
            re.search(r"^(\$ )?(docker|npx|make) |--host 0\.0\.0\.0", self.code, re.MULTILINE)
        )

    def commands(self) -> Iterator[list[str]]:
        """Yield the words of each Factscope command."""
        for line in re.sub(r"\\\n\s*", " ", self.code).splitlines():
            words = line.removeprefix("$ ")
            if re.match(r"(\w+=\S+(\([^)]*\))?\S* )*factscope ", words) and not line.startswith("factscope "):
                words = words[words.index("factscope ") :]
            if words.startswith("factscope ") and self.language not in ("python", "toml", "json", "yaml"):
                yield [word for word in shlex.split(words, comments=True)[1:] if word != "…"]


def blocks() -> list[Block]:
    """Return all blocks of all pages."""
    return [
        Block(page.stem, language, code)
        for page in PAGES
        for language, code in re.findall(
            r"^```(\w*)[^\n]*\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        )
    ]


def main() -> None:
    """Print the table."""
    counted: dict[str, Counter[str]] = {}
    for block in blocks():
        counted.setdefault(block.page, Counter())[block.kind] += 1
    kinds = ("run", "read", "data", "elsewhere")
    print(f"{'page':<18}" + "".join(f"{kind:>11}" for kind in kinds))
    for page, counts in counted.items():
        print(f"{page:<18}" + "".join(f"{counts[kind]:>11}" for kind in kinds) + f"  {RUN_BY.get(page, '')}")
    print(f"{'all':<18}" + "".join(f"{sum(counts[kind] for counts in counted.values()):>11}" for kind in kinds))


if __name__ == "__main__":
    main()
