r"""Published judge templates as their authors give them, from a CSV file of the user's: `FILE.csv#json`.

The public file of FACTS Grounding has the columns `evaluation_method` and `evaluation_prompt`. A template is one
message. Its places are filled as they are, without marks around outside text and without our notice, so that the model
reads what the authors' judges read, the literal `\n` and doubled braces of the file included. So a document is not
marked off from the template, and our own templates are safer against injected instructions.
"""

from __future__ import annotations

import csv
import hashlib
import re
from pathlib import Path

from factscope.core.errors import UsageError, system_reason
from factscope.llm.prompts.prompt import PublishedPrompt

_VARIABLE = re.compile(r"\{\{ ?([A-Za-z_][A-Za-z0-9_]*) ?\}\}")
_OURS = {
    "user_request": "prompt",
    "full_prompt": "request",
    "context_document": "results",
    "response": "response",
    "response_a": "response",
    "response_b": "baseline",
    "span": "span",
    "sentence": "span",
    "span_number": "number",
    "excerpt": "excerpt",
}
"""Our values, by the placeholders of the published templates."""
_METHOD, _TEXT = "evaluation_method", "evaluation_prompt"
_LONGEST = 2_000_000  # bytes of a file with published templates


def load_official(name: str) -> PublishedPrompt:
    """Return the template that `FILE.csv#method` names.

    Raises UsageError when the file can't be read, lacks its columns or that method, or when the template has an unknown
    placeholder.
    """
    path, _, method = name.rpartition("#")
    by_method = templates(Path(path))
    if method not in by_method:
        raise UsageError(f"{path} has no template {method!r}.", f"It has: {', '.join(sorted(by_method)) or 'none'}.")
    body = by_method[method]
    if unknown := sorted({variable for variable in _VARIABLE.findall(body) if variable not in _OURS}):
        available = ", ".join("{{" + variable + "}}" for variable in _OURS)
        raise UsageError(
            f"The template {method!r} of {path} has the place {{{{{unknown[0]}}}}}, which nothing goes into.",
            f"Rename it in a copy of the file. Places that are known: {available}.",
        )
    if not _VARIABLE.search(body):
        raise UsageError(f"The template {method!r} of {path} has no place: its judge would see no response.")
    return PublishedPrompt(name, "", body, hashlib.sha256(body.encode()).hexdigest()[:12], _VARIABLE, _OURS)


def templates(path: Path) -> dict[str, str]:
    """Return all templates of a file by method. Raises UsageError."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read(_LONGEST + 1)
    except (OSError, ValueError) as error:
        reason = system_reason(error) if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"The templates {path} can't be read: {reason}.") from None
    if len(text) > _LONGEST:
        raise UsageError(f"The file of templates {path} is longer than {_LONGEST:,} characters.")
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST))
    rows = csv.DictReader(text.splitlines(keepends=True))
    missing = [column for column in (_METHOD, _TEXT) if column not in (rows.fieldnames or ())]
    if missing:
        raise UsageError(
            f"The file of templates {path} has no column {missing[0]!r}.",
            f"Its columns are: {', '.join(rows.fieldnames or ()) or 'none'}.",
        )
    return {row[_METHOD].strip(): row[_TEXT] for row in rows if row[_METHOD] and row[_TEXT]}
