r"""Format of a checker's input and output, declared in a file or derived from its settings.

verifier.toml in the folder of a model, or any TOML file:

kind = "classes"                                        a class for each label, in the order of its outputs
labels = ["contradicted", "supported", "not_enough_evidence"]

kind = "score"                                          one number; its logistic is the chance of support

kind = "answers"                                        the next token: one of two
supported = 209
not_supported = 3
text = "predict: {passage}</s>{claim}"                  the input, where it is not a pair of passage and claim

kind = "chat"                                           a served language model that answers with one of two words
system = "Is the claim consistent with the document? Answer Yes or No."
user = "Document: {passage}\nClaim: {claim}"
supported = "Yes"
not_supported = "No"
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, field_validator, model_validator

from factscope.core import Documented, UsageError, model_settings, user_toml

FILE = "verifier.toml"
"""Where a folder declares the format of its model."""
OutputLabel = Literal["supported", "contradicted", "not_enough_evidence", "not_supported"]
"""Labels that a class may mean; `not_supported`: from a checker that does not distinguish contradicted from not enough
evidence."""
_NAMES: dict[OutputLabel, str] = {
    "supported": "entailment entailed entail supported supports support consistent aligned",
    "contradicted": "contradiction contradict contradicted refuted refutes",
    "not_enough_evidence": "neutral not_enough_info nei not_enough_evidence",
    "not_supported": "not_entailment not_supported unsupported inconsistent hallucinated",
}
_WORDS = {word: label for label, names in _NAMES.items() for word in names.split()}
"""Class names in settings files whose meaning is clear."""
_USUAL_WINDOW = 512  # tokens; of a model whose files state none
_LONGEST_WINDOW = 4_096  # tokens; larger numbers in such files mean "no limit"
EXAMPLE = (
    'kind = "classes" and labels = ["contradicted", "supported", "not_enough_evidence"] in the order of its outputs'
)
"""Example of a format, for messages."""
_HINT = f"Declare it in a file {FILE} beside its config.json, such as {EXAMPLE}."


class _SpecModel(Documented):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @property
    def digest(self) -> str:
        """Return six hexadecimal digits that are equal when all fields are."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:6]


class ClassifierSpec(_SpecModel):
    """The format of a model that runs on this machine."""

    kind: Literal["classes", "score", "answers"]
    labels: tuple[OutputLabel, ...] = ()
    """For `classes`: the meaning of each output, in order."""
    supported: int | str | None = None
    """For `answers`: the token that means support, as its number or its text."""
    not_supported: int | str | None = None
    """The token for the opposite."""
    text: str | None = None
    """Template that makes the input from passage and claim; None when they are a pair for the model's tokenizer,
    passage first."""
    head: str | None = None
    """Name of the weights of the last layer, where it is not the usual one."""
    window: int = Field(default=_USUAL_WINDOW, ge=32, le=_LONGEST_WINDOW)
    """Tokens that the model reads at once."""
    chunk: int = Field(default=400, ge=16, le=_LONGEST_WINDOW)
    """Tokens of a passage that are read at once; longer passages are read in parts."""
    sure: float = Field(default=0.6, ge=0.5, lt=1)
    """Probability that an outcome needs; below it the model abstains."""
    languages: tuple[str, ...] = ("en",)
    """Languages that it reads, as in ISO 639-1; none for any."""

    @field_validator("text")
    @classmethod
    def _with_places(cls, value: str | None) -> str | None:
        if value is not None and (value.count("{passage}") != 1 or value.count("{claim}") != 1):
            raise ValueError("it must hold {passage} and {claim}, each once")
        return value

    @model_validator(mode="after")
    def _possible(self) -> ClassifierSpec:
        if self.kind == "classes" and ("supported" not in self.labels or len(self.labels) < 2):
            raise ValueError('classes need labels, of which one is "supported"')
        if self.kind == "classes" and {"not_supported", "contradicted"} <= set(self.labels):
            raise ValueError("labels hold either not_supported or what it is made of, contradicted and the rest")
        if self.kind == "answers" and (self.supported is None or self.not_supported is None):
            raise ValueError("answers need the tokens supported and not_supported")
        return self

    @property
    def binary(self) -> bool:
        """Whether it does not distinguish contradiction from missing evidence."""
        return "contradicted" not in self.labels


class ChatSpec(_SpecModel):
    """The format of a language model that is served, here or elsewhere."""

    kind: Literal["chat"]
    system: str
    """The system message."""
    user: str
    """The message with passage and claim."""
    supported: str
    """Its word for support."""
    not_supported: str
    """Its word for the opposite."""


AnyForm = Annotated[ClassifierSpec | ChatSpec, Field(discriminator="kind")]
_ADAPTER: TypeAdapter[ClassifierSpec | ChatSpec] = TypeAdapter(AnyForm)


def form_of(values: Mapping[str, Any], name: str) -> ClassifierSpec | ChatSpec:
    """Return a format from the values of a file called `name`. Raises UsageError that names the error."""
    try:
        return _ADAPTER.validate_python(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        location = ".".join(str(step) for step in first["loc"][1:]) or "kind"
        raise UsageError(f"{name} is not a format of a checker: {location}: {first['msg']}.", _HINT) from None


def read_form(path: Path) -> ClassifierSpec | ChatSpec:
    """Return a format from a TOML file. Raises UsageError when it can't be read."""
    return form_of(user_toml(path, f"The format {path}", _HINT), str(path))


def form_in(folder: Path) -> ClassifierSpec | ChatSpec:
    """Return the format of the model in a folder: as declared there, otherwise from its own settings.

    Raises UsageError when neither states the meaning of its outputs: it is never guessed.
    """
    if (folder / FILE).exists():
        return read_form(folder / FILE)
    config = model_settings(folder / "config.json", {})
    names = config.get("id2label")
    output_names = {str(key): str(value) for key, value in names.items()} if isinstance(names, dict) else {}
    words = [
        output_names.get(str(index), "").lower().replace(" ", "_").replace("-", "_")
        for index in range(len(output_names))
    ]
    labels = [_WORDS[word] for word in words if word in _WORDS]
    if not output_names or len(labels) < len(output_names) or "supported" not in labels:
        outputs_text = f" (it calls its outputs {', '.join(output_names.values())[:100]})" if output_names else ""
        raise UsageError(f"What the outputs of the model in {folder} mean is not known{outputs_text}.", _HINT)
    limits = [_window(config), model_settings(folder / "tokenizer_config.json", {}).get("model_max_length")]
    windows_stated = [limit for limit in limits if isinstance(limit, int) and 32 <= limit <= _LONGEST_WINDOW]
    window = min(windows_stated, default=_USUAL_WINDOW)
    values = {"kind": "classes", "labels": labels, "window": window, "chunk": max(16, min(400, window * 3 // 4))}
    return form_of(values, str(folder))


def _window(config: Mapping[str, Any]) -> int | None:
    """Return the number of positions of the model; RoBERTa's begin after the padding's."""
    most = config.get("max_position_embeddings")
    if not isinstance(most, int):
        return None
    return most - 2 if "roberta" in str(config.get("model_type")) else most
