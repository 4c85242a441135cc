"""FELM's prompts as their authors give them, from a copy of their folder `eval/prompt`: `FOLDER/segment/wk/….txt`.

A file holds the task and one worked example and is sent as it is, followed by the question, the numbered segments or
claims, and the references where its example has any, under the headings of the example. As in the authors' code there
is one user message after a plain system message, without marks around outside text and without our notice: the response
is thus not marked off from the task, and our own prompts are safer against injected instructions. The authors' code
also removes characters before the first letter of a segment; here segments are shown whole.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from factscope.core.errors import UsageError
from factscope.core.user_files import user_text
from factscope.llm.prompts.prompt import FilledPrompt

SYSTEM = "You are a helpful assistant."
"""The system message of the authors' code."""
_UNITS = re.compile(r"^(Segments|Claims):", re.MULTILINE)
_REFERENCES = re.compile(r"^(Reference (?:links|docs?)):", re.MULTILINE | re.IGNORECASE)
_EXTRACTS = re.compile(r"^Segment 1:", re.MULTILINE)
_LONGEST = 200_000  # characters of a template
_HINT = "--prompts takes a copy of the folder eval/prompt of FELM's repository, hkust-nlp/felm."


@dataclass(frozen=True, slots=True)
class FelmFile:
    """A prompt file of FELM's authors; used like a `Prompt`."""

    name: str
    """Its path."""
    body: str
    """Its text, unchanged."""
    hash: str
    """First 12 hexadecimal digits of the SHA-256 of the text."""
    units: str
    """The heading of the units that are judged or cut into claims: `Segments` or `Claims`."""
    references: str | None
    """The heading of its references; `None` where it has none."""
    extracts: bool
    """Whether it asks for claims, instead of errors."""

    @property
    def placeholders(self) -> frozenset[str]:
        """Return the names of its variables."""
        variables = {"prompt", "segments" if self.extracts else "claims"}
        return frozenset(variables | ({"passages"} if self.references else set()))

    def fill(self, **values: str | Mapping[str, str]) -> FilledPrompt:
        """Return the file, and below it the question, the numbered units and the references."""
        units = _texts(values["segments" if self.extracts else "claims"])
        numbered = "".join(f"{number}. {text}\n" for number, text in enumerate(units, 1))
        question = f"{self.body}\n\nQuestion: {values['prompt']}\n{self.units}: {numbered}"
        if self.references:
            question += f"\n{self.references}: " + "".join(f"{text}\n" for text in _texts(values["passages"]))
        return FilledPrompt(SYSTEM, question)


def _texts(values: str | Mapping[str, str]) -> list[str]:
    return [values] if isinstance(values, str) else list(values.values())


def load_felm_file(name: str) -> FelmFile:
    """Return a file of the authors' folder. Raises UsageError when it can't be read, or has another format."""
    body = user_text(Path(name), f"The prompt {name}", _HINT)
    units, references = _UNITS.search(body), _REFERENCES.search(body)
    if units is None or len(body) > _LONGEST:
        problem = f"The prompt {name} is not one of FELM's: its example has no line `Segments:` or `Claims:`."
        raise UsageError(problem, _HINT)
    digest = hashlib.sha256(body.encode()).hexdigest()[:12]
    heading = references[1] if references else None
    return FelmFile(name, body, digest, units[1], heading, extracts=_EXTRACTS.search(body) is not None)
