"""Record the examples that the page opens at once: Factscope checks them here, and the records are stored.

    .venv/bin/python scripts/samples.py          writes src/factscope/web/samples/*.json
    .venv/bin/python scripts/samples.py --check  exit code 1 when they would come out otherwise

Two are judged by the built-in verifier; the third asks a model, whose replies come from the recording in
examples/verify-examples (docs/verify-examples.md says how that was made). No network is used.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Literal, NamedTuple

from factscope.core.attempts import current_records
from factscope.core.records import Response
from factscope.engine import batches, provenance
from factscope.engine.settings import Settings
from factscope.web.forms import CheckRequest
from factscope.web.jobs import close_sources
from factscope.web.replay import PROVENANCE, report_of
from factscope.web.request_method import method_of
from factscope.web.samples import RecordedSample
from factscope.web.setup_forms import BundledSample
from factscope.web.tool_factory import Documents, ToolFactory, kept_request

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
PLACE = ROOT / "src" / "factscope" / "web" / "samples"


class Recipe(NamedTuple):
    """Recipe of one sample."""

    id: str
    title: str
    about: str
    kind: Literal["text", "document", "question"]
    text: str
    evidence: Path
    question: str | None = None
    method: str = "builtin"
    model: str | None = None
    replay: Path | None = None


def recipes() -> list[Recipe]:
    """Return the samples in the order in which they are shown."""
    answer = next(
        json.loads(line) for line in (EXAMPLES / "answers.jsonl").read_text().splitlines() if '"light-1"' in line
    )
    verify = EXAMPLES / "verify-examples"
    return [
        Recipe(
            "1-harbour-guide",
            "A travel guide with errors in it",
            "28 sentences about an invented harbour town, against nine documents about it; no model is called.",
            "document",
            (EXAMPLES / "harbour-guide.md").read_text(),
            EXAMPLES / "harbour",
        ),
        Recipe(
            "2-lighthouse",
            "A question and its answer",
            "Who built the lighthouse, and when? The answer is half right; no model is called.",
            "question",
            answer["response"],
            EXAMPLES / "harbour",
            question=answer["prompt"],
        ),
        Recipe(
            "3-verify-units",
            "Four statements that divide checkers",
            "The example units of VERIFY (FactBench), with five rounds of queries each; the model's replies were"
            " written by hand.",
            "text",
            (verify / "answer.txt").read_text(),
            verify / "evidence",
            method="verify",
            model="openai/by-hand",
            replay=verify / "recording.jsonl",
        ),
    ]


async def record(recipe: Recipe) -> str:
    """Return one sample, checked now, as the JSON that is kept; one line for each record."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(cache=Path(folder, "cache"), store=Path(folder, "runs.db"), replay=recipe.replay)
        tool_factory = ToolFactory(settings)
        documents: Documents = [
            (path.name, path.read_bytes()) for path in sorted(recipe.evidence.iterdir()) if path.is_file()
        ]
        request = CheckRequest(text=recipe.text, question=recipe.question, method=recipe.method, model=recipe.model)
        method = method_of(request, settings)
        tools = tool_factory.tools(request, documents, Path(folder))
        response = Response(text=request.text, prompt=request.question)
        how = provenance(method, tools)
        events = [event async for group in batches(response, method, tools) for event in group]
        await close_sources(tools)
        await tool_factory.close()
    sample = BundledSample(id=recipe.id, title=recipe.title, about=recipe.about, kind=recipe.kind)
    head = {
        "sample": sample.model_dump(mode="json"),
        "request": kept_request(request, documents).model_dump(mode="json"),
        "basis": PROVENANCE.dump_python(how, mode="json"),
        "documents": [{"name": name, "text": data.decode()} for name, data in documents],
    }
    lines = ",\n".join(
        one.model_copy(update={"seconds": None}).model_dump_json() if one.type == "usage" else one.model_dump_json()
        for one in events
    )
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "events": [\n{lines}\n]}}\n'


def main() -> None:
    """Record all samples, or check that they are up to date."""
    changed = []
    for recipe in recipes():
        file, made = PLACE / f"{recipe.id}.json", asyncio.run(record(recipe))
        if "--check" not in sys.argv:
            PLACE.mkdir(exist_ok=True)
            file.write_text(made)
        elif _records(file.read_text()) != _records(made):
            changed.append(recipe.id)
    if changed:
        sys.exit(f"Other than recorded: {', '.join(changed)}. Record them again: .venv/bin/python scripts/samples.py")


def _records(text: str) -> object:
    """Reduce a sample to the records that matter: a new field of a record does not make it another sample."""
    sample = RecordedSample.model_validate_json(text)
    report = report_of(current_records(sample.entries()), sample.basis)
    if report is None:
        return None
    verdicts = sorted((one.unit_id, one.level, one.outcome) for one in report.verdicts)
    judgements = sorted((one.id, one.label or "") for one in report.judgements)
    scores = [(one.name, one.value) for one in report.scores]
    return sample.sample, report.response, report.segments, verdicts, judgements, scores


if __name__ == "__main__":
    main()
