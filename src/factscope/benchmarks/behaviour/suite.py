"""A suite in a folder: labelled pairs, and texts with their documents and a key.

    pairs.jsonl                {"id": …, "category": …, "claim": …, "evidence": …, "label": "supported"}
    texts/NAME/text.md         what is checked
    texts/NAME/docs/           what it is checked against
    texts/NAME/key.jsonl       {"sentence": …, "label": …, "doc": "history.md", "quote": …}, one row a sentence

Labels are supported, contradicted, not_enough, and in keys not_checkable. Either half may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from factscope.core import InputError, UsageError, first_problem, user_text

PairLabel = Literal["supported", "contradicted", "not_enough"]
KeyLabel = Literal["supported", "contradicted", "not_enough", "not_checkable"]
BUNDLED = Path(__file__).with_name("suite")
_KEY = ".key.jsonl"
_DIGITS = 12
"""Hexadecimal digits of a suite's hash that are shown."""


class _SuiteRow(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


R = TypeVar("R", bound=_SuiteRow)


class PairCase(_SuiteRow):
    """A claim, the passage that decides it, and the label."""

    id: str
    category: str
    """Kind of case, such as `changed-number`."""
    claim: str
    evidence: str
    label: PairLabel
    note: str = ""
    """Reason why the label is right."""


class KeySentence(_SuiteRow):
    """A sentence of a text and its label according to the documents."""

    sentence: str
    """Its characters in the text, except for white space."""
    label: KeyLabel
    doc: str | None = None
    """File name or web address of the deciding document."""
    quote: str | None = None
    """The deciding words of it; a table row as in the file."""


class TextCase(NamedTuple):
    """A text to be checked as a whole."""

    name: str
    text: str
    documents: Path
    """Folder of the evidence."""
    sentences: tuple[KeySentence, ...]


class Suite(NamedTuple):
    """Cases that belong together."""

    name: str
    digest: str
    """First digits of the SHA-256 of all its files, which identify results on the same cases."""
    pairs: tuple[PairCase, ...]
    texts: tuple[TextCase, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to measure: no pair, and no sentence of a text."""
        return not self.pairs and not any(text.sentences for text in self.texts)


def read_suite(folder: Path, name: str | None = None) -> Suite:
    """Read a suite. Raises UsageError where there is none, InputError for a row that can't be read."""
    pairs = folder / "pairs.jsonl"
    texts = sorted(path.parent for path in folder.glob("texts/*/key.jsonl"))
    if not pairs.is_file() and not texts:
        raise UsageError(f"{folder} is not a suite.", "It has a file pairs.jsonl, or folders texts/NAME, or both.")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return Suite(
        name or folder.resolve().name,
        _digest(folder, files),
        tuple(_rows(pairs, PairCase)) if pairs.is_file() else (),
        tuple(_text(text.name, text / "text.md", text / "docs", text / "key.jsonl") for text in texts),
    )


def examples_suite(folder: Path, documents: Path) -> Suite:
    """Return the bundled examples that have a key beside them: `guide.md` and `guide.key.jsonl`.

    Raises as `read_suite`.
    """
    texts, files = [], sorted(path for path in documents.rglob("*") if path.is_file())
    for key in sorted(folder.glob(f"*{_KEY}")):
        name = key.name.removesuffix(_KEY)
        text = next(path for path in sorted(folder.glob(f"{name}.*")) if path.suffix in (".md", ".txt"))
        texts.append(_text(name, text, documents, key))
        files += [text, key]
    return Suite("examples", _digest(folder, files), (), tuple(texts))


def _text(name: str, text: Path, documents: Path, key: Path) -> TextCase:
    """Raise InputError."""
    if not text.is_file() or not documents.is_dir():
        raise InputError(f"The text {name} of the suite needs {text} and the folder {documents}.")
    return TextCase(name, user_text(text, broken=InputError), documents, tuple(_rows(key, KeySentence)))


def _rows(path: Path, kind: type[R]) -> Iterator[R]:
    """Raise InputError."""
    for number, line in enumerate(
        user_text(path, broken=InputError).split("\n"), 1
    ):  # JSON allows other ends of lines inside a text
        if not line.strip():
            continue
        try:
            yield kind.model_validate_json(line)
        except ValidationError as error:
            where, problem = first_problem(error, "the row")
            raise InputError(f"{path}, line {number}: {where}: {problem}.") from None


def _digest(folder: Path, files: list[Path]) -> str:
    total = sha256()
    for path in files:
        total.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        total.update(sha256(path.read_bytes()).digest())
    return total.hexdigest()[:_DIGITS]
