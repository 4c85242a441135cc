"""Calls and input tokens of methods for one response, and how much of them a vendor's prompt cache can serve.

    .venv/bin/python perf/calls.py [--methods standard verify] [--save FILE] [--against FILE]

The reference response (20 sentences, 24 claims; of them 4 wrong by its documents and 4 that they say nothing about) is
checked with the laboratory's stand-in for a model. Tokens are characters of the whole request / 4, the schema of the
reply included, or of its messages alone. A request that begins as an earlier one did can be served from a prompt cache
as far as the two are equal; vendors cache beginnings of 1,024 tokens and more.

`--save` keeps the verdict on each claim of the reference response and of the examples, `--against` compares with those
that were kept, such as by an earlier version. The stand-in judges by rules, alike in both: what a real model makes of
other prompts can't be seen so.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests import lab
from tests.engine import reference
from tests.engine.checking import ASKING, checked
from tests.engine.conftest import tools_over

from factscope.core.records import Report, Response

TOKEN = 4
"""Characters of a token."""


class Row(NamedTuple):
    """Requests of one step, in tokens."""

    step: str
    calls: int
    sent: int
    messages: int
    begun: int
    """Tokens with which an earlier request of the step began as well."""


def measured(method: str, server: lab.Server, folder: Path) -> tuple[Report, list[Row]]:
    """Check the reference response, and count the requests by step."""
    server.script([])
    tools = tools_over(reference.DOCUMENTS, folder)
    asked = Response(text=reference.TEXT, prompt="What is there to know?" if method == "safe" else None)
    report = checked(asked, method, tools, server)
    return report, rows([json.loads(request["body"]) for request in server.log()])


def rows(requests: Sequence[dict[str, Any]]) -> list[Row]:
    """Count requests by step, in the order in which the steps begin."""
    by_step: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for request in requests:
        system = request["messages"][0]["content"]
        text = "\n".join(message["content"] for message in request["messages"])
        by_step[system[:60]].append((text, len(json.dumps(request, ensure_ascii=False))))
    counted = []
    for step, sent in by_step.items():
        texts = [text for text, _ in sent]
        begun = sum(
            max(_equal(text, earlier) for earlier in texts[:number]) for number, text in enumerate(texts) if number
        )
        size, words = sum(whole for _, whole in sent), sum(map(len, texts))
        counted.append(Row(step, len(sent), size // TOKEN, words // TOKEN, begun // TOKEN))
    return counted


def verdicts(method: str, server: lab.Server) -> dict[str, str]:
    """Return the outcome of each claim of the reference response and of the examples, by text and claim."""
    found: dict[str, str] = {}
    for name, (text, documents) in _texts().items():
        server.script([])
        with tempfile.TemporaryDirectory() as folder:
            report = checked(text, method, tools_over(documents, Path(folder)), server)
        words = {claim.id: claim.standalone for claim in report.claims}
        outcomes = {words[v.unit_id]: v.outcome for v in report.verdicts if v.level == "claim"}
        found.update({f"{name}: {claim}": outcome for claim, outcome in outcomes.items()})
    return found


def _texts() -> dict[str, tuple[str, dict[str, str]]]:
    examples = Path(__file__).parent.parent / "examples"
    harbour = {path.name: path.read_text(encoding="utf-8") for path in sorted((examples / "harbour").iterdir())}
    names = ("harbour-guide.md", "lighthouse.txt", "ferry-dialogue.txt")
    return {"reference": (reference.TEXT, reference.DOCUMENTS)} | {
        name: ((examples / name).read_text(encoding="utf-8"), harbour) for name in names
    }


def _equal(text: str, other: str) -> int:
    """Return the length of the common beginning."""
    pairs = zip(text, other, strict=False)
    return next((number for number, (one, two) in enumerate(pairs) if one != two), min(len(text), len(other)))


def main() -> int:
    """Print a table for each method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", nargs="+", choices=ASKING, default=["standard"])
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    options = parser.parse_args()
    with lab.model_server() as server:
        if options.save or options.against:
            found = verdicts(options.methods[0], server)
            if options.save:
                options.save.write_text(json.dumps(found), encoding="utf-8")
                return 0
            before = json.loads(options.against.read_text(encoding="utf-8"))
            differing = [claim for claim in before | found if before.get(claim) != found.get(claim)]
            print(f"{len(before | found) - len(differing)} of {len(before | found)} claims have the same verdict")
            for claim in differing:
                print(f"  {before.get(claim)} → {found.get(claim)}: {claim}")
            return 0
        for method in options.methods:
            with tempfile.TemporaryDirectory() as folder:
                report, steps = measured(method, server, Path(folder))
            total = Row("all", *(sum(column) for column in zip(*(row[1:] for row in steps), strict=True)))
            counts = {outcome: number for outcome, number in report.counts.items() if number}
            print(f"{method}: {counts}, {sum(bool(row.quote) for row in report.judgements)} quotes")
            print(f"{'calls':>6}{'sent':>9}{'messages':>10}{'begun before':>14}  step")
            for row in [*steps, total]:
                print(f"{row.calls:>6}{row.sent:>9,}{row.messages:>10,}{row.begun:>14,}  {row.step}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
