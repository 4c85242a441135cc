r"""Prompts in the wording of others: published judge templates, and questions that models were trained on.

Their places are filled as they are, without marks around outside text and without our notice, so that the model reads
what the authors' judges read, or what it was trained on. So a document is not marked off from the question, and our own
prompts are safer against injected instructions.

`FILE.csv#json` is a template of FACTS Grounding, from the columns `evaluation_method` and `evaluation_prompt` of its
public file; it is one message, the literal `\n` and doubled braces of the file included. The format `chat` of a checker
is TOML:

    kind = "chat"
    system = "…"
    user = "Document: {passage}\nClaim: {claim}"
    supported = "Yes"
    not_supported = "No"

A prompt of FELM's authors is a file of a copy of their folder `eval/prompt`: `FOLDER/segment/wk/….txt`. It holds the
task and one worked example and is sent as it is, followed by the question, the numbered segments or claims, and the
references where its example has any, under the headings of the example. As in the authors' code there is one user
message after a plain system message. The authors' code also removes characters before the first letter of a segment;
here segments are shown whole.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factscope.core import UsageError, system_reason, user_text, user_toml
from factscope.llm.prompts.prompt import FilledPrompt

_CHAT_PLACE = re.compile(r"\{(passage|claim)\}")
_CHAT_VALUES = {"passage": "evidence", "claim": "claim"}
_PLACE = re.compile(r"\{\{ ?([A-Za-z_][A-Za-z0-9_]*) ?\}\}")
_VALUES = {
    "user_request": "prompt", "full_prompt": "request", "context_document": "results", "response": "response",
    "response_a": "response", "response_b": "baseline", "span": "span", "sentence": "span", "span_number": "number",
    "excerpt": "excerpt",
}  # fmt: skip
"""Our values, by the placeholders of the published templates."""
_METHOD, _TEXT = "evaluation_method", "evaluation_prompt"
_LONGEST = 2_000_000  # bytes of a file with published templates
_FELM_SYSTEM = "You are a helpful assistant."
"""The system message of the code of FELM's authors."""
_UNITS = re.compile(r"^(Segments|Claims):", re.MULTILINE)
_REFERENCES = re.compile(r"^(Reference (?:links|docs?)):", re.MULTILINE | re.IGNORECASE)
_EXTRACTS = re.compile(r"^Segment 1:", re.MULTILINE)
_LONGEST_FELM = 200_000  # characters of a prompt
_FELM_HINT = "--prompts takes a copy of the folder eval/prompt of FELM's repository, hkust-nlp/felm."


@dataclass(frozen=True, slots=True)
class PublishedPrompt:
    """A question in the wording of others, with places of their own; used like a `Prompt`."""

    name: str
    system: str
    """Empty for a single message."""
    user: str
    hash: str
    """First 12 hexadecimal digits of a SHA-256 of its text."""
    variable: re.Pattern[str]
    """A place, with its name as the first group."""
    ours: Mapping[str, str]
    """Our values, by the names of the places."""

    @property
    def body(self) -> str:
        """All of its text."""
        return f"{self.system}\n{self.user}" if self.system else self.user

    @property
    def placeholders(self) -> frozenset[str]:
        """Return the names of its variables."""
        return frozenset(self.ours[name] for name in self.variable.findall(self.user))

    def fill(self, **values: str | Mapping[str, str]) -> FilledPrompt:
        """Fill in all values in one pass, so that a placeholder inside a value is never filled.

        Raises KeyError for a placeholder without a value.
        """
        texts = {name: value if isinstance(value, str) else "\n".join(value.values()) for name, value in values.items()}
        return FilledPrompt(self.system, self.variable.sub(lambda match: texts[self.ours[match[1]]], self.user))


def plain_values(name: str) -> dict[str, Any]:
    """Read the values of a file: a shipped one such as `minicheck/bespoke.toml`, or one of the user's.

    Raises UsageError.
    """
    shipped = Path(__file__).parent / name
    return user_toml(shipped if shipped.is_file() else Path(name), f"The prompt {name!r}")


def load_plain(name: str) -> PublishedPrompt:
    """Return the question in a file. Raises UsageError when it can't be read, or lacks a placeholder."""
    values = plain_values(name)
    system, user = values.get("system"), values.get("user")
    if not isinstance(system, str) or not isinstance(user, str) or set(_CHAT_PLACE.findall(user)) != set(_CHAT_VALUES):
        raise UsageError(
            f"The prompt {name!r} is not laid out as one.",
            "It has `system` and `user`, and `user` holds {passage} and {claim}.",
        )
    digest = hashlib.sha256(f"{system}\0{user}".encode()).hexdigest()[:12]
    return PublishedPrompt(name, system, user, digest, _CHAT_PLACE, _CHAT_VALUES)


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
    if unknown := sorted({variable for variable in _PLACE.findall(body) if variable not in _VALUES}):
        available = ", ".join("{{" + variable + "}}" for variable in _VALUES)
        raise UsageError(
            f"The template {method!r} of {path} has the place {{{{{unknown[0]}}}}}, which nothing goes into.",
            f"Rename it in a copy of the file. Places that are known: {available}.",
        )
    if not _PLACE.search(body):
        raise UsageError(f"The template {method!r} of {path} has no place: its judge would see no response.")
    return PublishedPrompt(name, "", body, hashlib.sha256(body.encode()).hexdigest()[:12], _PLACE, _VALUES)


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
        return FilledPrompt(_FELM_SYSTEM, question)


def _texts(values: str | Mapping[str, str]) -> list[str]:
    return [values] if isinstance(values, str) else list(values.values())


def load_felm_file(name: str) -> FelmFile:
    """Return a file of the authors' folder. Raises UsageError when it can't be read, or has another format."""
    body = user_text(Path(name), f"The prompt {name}", _FELM_HINT)
    units, references = _UNITS.search(body), _REFERENCES.search(body)
    if units is None or len(body) > _LONGEST_FELM:
        problem = f"The prompt {name} is not one of FELM's: its example has no line `Segments:` or `Claims:`."
        raise UsageError(problem, _FELM_HINT)
    digest = hashlib.sha256(body.encode()).hexdigest()[:12]
    heading = references[1] if references else None
    return FelmFile(name, body, digest, units[1], heading, extracts=_EXTRACTS.search(body) is not None)
