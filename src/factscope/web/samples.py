"""Bundled examples with recorded results, made by `scripts/samples.py`, which open at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files

from pydantic import JsonValue

from factscope.core import LogEntry, current_records
from factscope.engine import Provenance
from factscope.web.check_tables import NewCheck
from factscope.web.forms import DroppedDocument, Form, StoredRequest
from factscope.web.replay import PROVENANCE, ProgressCount, report_of, results_as_json
from factscope.web.setup_forms import BundledSample


class RecordedSample(Form):
    """One example, as stored in the package."""

    sample: BundledSample
    request: StoredRequest
    """The request."""
    basis: Provenance
    documents: tuple[DroppedDocument, ...]
    """With their texts, so that an edited text can be checked too."""
    events: tuple[dict[str, JsonValue], ...]
    """The records in the order in which they were made."""

    def entries(self) -> list[LogEntry]:
        """Return the records as entries of a log."""
        return [LogEntry.of_json(str(event["type"]), json.dumps(event, ensure_ascii=False)) for event in self.events]

    def check(self, check: str, owner: str) -> NewCheck:
        """Return a finished check of this owner with the recorded records."""
        entries = self.entries()
        records = current_records(entries)
        counts, scores = results_as_json(report_of(records, self.basis))
        return NewCheck(
            id=check,
            owner=owner,
            title=self.sample.title,
            request=self.request,
            documents=[(document.name, (document.text or "").encode()) for document in self.documents],
            basis=PROVENANCE.dump_json(self.basis).decode(),
            events=entries,
            state="done",
            progress=ProgressCount(records).progress,
            counts=counts,
            scores=scores,
            key=f"sample {self.sample.id}",
            hash=self.sample.id,
        )


Samples = Mapping[str, RecordedSample]


def bundled() -> Samples:
    """Return the samples of the package, in the order in which they are shown."""
    folder = files("factscope.web").joinpath("samples")
    samples = {}
    if folder.is_dir():
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            if file.name.endswith(".json"):
                sample = RecordedSample.model_validate_json(file.read_bytes())
                samples[sample.sample.id] = sample
    return samples
