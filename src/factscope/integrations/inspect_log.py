"""Inspect: the answers of a log as rows for `factscope run`.

from factscope.integrations.inspect_log import write_responses

write_responses("logs/2026-11-22.eval", "answers.jsonl")
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from factscope.core import InputError
from factscope.integrations.assessment import needs
from factscope.integrations.python.report import save_pieces

with needs("inspect-ai"):
    from inspect_ai.log import read_eval_log_samples


def write_responses(log: str | Path, output: str | Path, context: str = "context") -> int:
    """Write the answers of an Inspect log as rows for `factscope run`, and return their number.

    `context` is the key of the contexts in the metadata of samples. Raises InputError when the log holds no answer.
    """
    rows: list[dict[str, Any]] = []
    for sample in read_eval_log_samples(str(log), all_samples_required=False):
        if sample.output.completion.strip():
            question = sample.input if isinstance(sample.input, str) else sample.input[-1].text
            texts = sample.metadata.get(context)
            contexts = [texts] if isinstance(texts, str) else list(texts or [])
            name = f"{sample.id}" if sample.epoch == 1 else f"{sample.id}/{sample.epoch}"
            row = {"id": name, "question": question, "answer": sample.output.completion, "contexts": contexts}
            rows.append({**row, "model": sample.output.model})
    if not rows:
        raise InputError(f"{log} contains no answer.", "Name a log with samples that were completed.")
    save_pieces(output, (json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return len(rows)
