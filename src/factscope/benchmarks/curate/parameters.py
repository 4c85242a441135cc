"""Every threshold, seed and limit for making and updating a release, each with its origin.

A TOML file given by `--parameters` holds only what differs from these:

    [topics]
    min_cluster_size = 5
    [selection]
    size = 100

The whole set is written into the manifest of a release, so that two releases can be compared. Such a manifest, a file
whose name ends in `.json`, can be given to `--parameters` too.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from factscope.core import Record, UsageError, did_you_mean, first_problem, user_json, user_toml
from factscope.methods import Method, method_from_toml, method_named

Tier = Literal["hard", "moderate", "easy"]
TIERS: tuple[Tier, ...] = get_args(Tier)
LANGUAGES: Mapping[str, str] = tomllib.loads(files(__package__).joinpath("languages.toml").read_text("utf-8"))
"""Codes of languages by their names in logs; any other name is kept."""
STORED = "stored"
"""Context in which the parameters of a release are validated: names unknown to this version are allowed."""
Seed = Annotated[int, Field(ge=0, lt=2**32)]
"""Seed of a random step; NumPy accepts no larger one."""


class ReadRule(Record):
    """Rule for the rows of a log that are read."""

    longest_prompt: int = Field(default=32_000, ge=1)
    """Characters; a longer prompt is dropped. Ours: about the 8,191 tokens that FactBench's embedding model takes."""
    longest_response: int = Field(default=100_000, ge=1)
    """Characters; a longer logged answer is dropped, and its prompt is kept. Ours."""


class Language(Record):
    """Languages that are allowed (FactBench: English)."""

    keep: tuple[str, ...] = ("en",)
    """Codes of two letters, as in ISO 639-1; an empty list keeps all languages."""
    sure: float = Field(default=0.5, ge=0, le=1)
    """Below this confidence of the detector, the language that the log states decides, if it states one. Ours:
    FactBench asks a language model."""

    @field_validator("keep")
    @classmethod
    def _known(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        for name in () if info.context == STORED else value:
            if name.lower() not in LANGUAGES and not re.fullmatch("[A-Za-z]{2,3}", name):
                raise ValueError(f"{name!r} is not the code of a language, such as `en`")
        return value


class Placeholders(Record):
    """Treatment of prompts in which names were replaced, as by `NAME_1` in LMSYS-Chat-1M."""

    pattern: str = r"\bNAME_\d+\b|<PRESIDIO_ANONYMIZED_\w+>"
    """Pattern of such a placeholder, as a regular expression (of Rust): those of LMSYS-Chat-1M and WildChat."""
    do: Literal["drop", "deanonymise"] = "drop"
    """`drop` such prompts (FactBench), or have a model give plausible names for the placeholders (FactBench's published
    code)."""

    @field_validator("pattern")
    @classmethod
    def _readable(cls, value: str) -> str:
        import polars as pl

        try:
            re.compile(value)
            pl.Series([""]).str.contains(value)
        except (re.error, pl.exceptions.ComputeError) as error:
            raise ValueError(f"is not a regular expression: {' '.join(str(error).split())[:200]}") from None
        if re.search(value, "") and re.search(value, "\0"):  # `^$` fits only the first
            raise ValueError("fits every prompt; to keep all prompts, give one that fits none")
        return value


class NearDuplicateRule(Record):
    """Prompts that are almost the same."""

    jaccard: float = Field(default=0.9, gt=0, lt=1)
    """Two prompts are near-duplicates when their sets of words overlap by more than this (FactBench)."""
    permutations: int = Field(default=128, ge=16, le=4096)
    """Hash functions of the sketch that finds candidates; the overlap itself is counted exactly. Below 0.9 there are
    more candidates, and fewer again with more functions: take 512 for 0.7. Ours."""
    seed: Seed = 1
    """Seed of these hash functions."""


class VectorSettings(Record):
    """Vectors of the prompts (FactBench: OpenAI's text-embedding-3-small)."""

    model: str = ""
    """A sentence-embedding model in ONNX form, by its name on a hub or its folder; a model behind an OpenAI-compatible
    endpoint, such as `api:openai/text-embedding-3-small`; `shipped`, the encoder that comes with Factscope; or empty
    for the built-in baseline, TF-IDF and truncated SVD, which knows words and not meaning."""
    characters: int = Field(default=8_000, ge=1)
    """Characters of a prompt that are embedded. Ours."""
    dimensions: int = Field(default=300, ge=2)
    """Dimensions of the baseline. Landauer and Dumais (1997) find about 300 best."""
    vocabulary: int = Field(default=50_000, ge=2)
    """Words of the baseline, the most frequent ones. Ours."""
    seed: Seed = 42
    """Seed of the baseline. Ours."""


class Topics(Record):
    """Clusters of prompts: UMAP, then HDBSCAN (FactBench, with BERTopic)."""

    dimensions: int = Field(default=10, ge=2)
    """Dimensions after UMAP (FactBench)."""
    neighbours: int = Field(default=15, ge=2)
    """Neighbours of each prompt in UMAP (FactBench)."""
    min_cluster_size: int = Field(default=100, ge=2)
    """Least size of a cluster in HDBSCAN (FactBench)."""
    min_samples: int = Field(default=25, ge=1)
    """Neighbourhood size (`min_samples`) in HDBSCAN (FactBench)."""
    shrink: bool | None = None
    """Whether to take smaller clusters for fewer prompts than the 294,333 that FactBench clustered: both sizes of
    HDBSCAN are multiplied by the square root of the ratio, but are at least 5 and 3. If no prompt falls into a topic
    then, all form one. By default this is done if both sizes are FactBench's. Ours; the manifest records the sizes."""
    grid: tuple[Annotated[int, Field(ge=2)], ...] = ()
    """Other sizes of cluster and of sample to try, in all combinations; the table `grid` has the results, so that a
    person can choose. FactBench looked at 10, 25, 50, 100 and 200."""
    words: int = Field(default=10, ge=1)
    """Words that describe a topic, by class-based TF-IDF (BERTopic)."""
    representatives: int = Field(default=100, ge=1)
    """Prompts that represent a topic, by class-based TF-IDF (FactBench)."""
    seed: Seed = 42
    """Seed of UMAP. Ours."""


class Names(Record):
    """Names of topics."""

    shown: int = Field(default=20, ge=1)
    """Prompts of a topic that are shown to the model that names it, the most representative first. Ours."""
    characters: int = Field(default=300, ge=1)
    """Characters of each of these prompts that are shown. Ours."""


class Verifiable(Record):
    """Selection of prompts that need facts of the world to be answered."""

    characters: int = Field(default=8_000, ge=1)
    """Characters of a prompt that are shown to a model, here and for usefulness. Ours."""


class Tiers(Record):
    """Tier of a prompt by the model that answered it when it was logged, which is not a measure of difficulty."""

    version: str = "factbench-2024"
    """Name of the table of models, so that releases can be compared; give your own table another name."""
    models: Mapping[str, Tier] = Field(
        default={
            **dict.fromkeys(("gpt-4", "claude-2", "palm-2", "gpt-3.5-turbo", "claude-1", "claude-instant-1"), "hard"),
            **dict.fromkeys(("llama-2-13b-chat", "vicuna-33b"), "moderate"),
            **dict.fromkeys(("guanaco-33b", "mpt-30b-chat"), "easy"),
        },
        validate_default=True,
    )
    """Tier of each model; prompts logged with another are dropped. A dated version, such as `gpt-4-0613`, is in the
    tier of its model. The models and their order are those of FactBench's published code. Its division into tiers is
    not published: its notes count the prompts of the first six together at the threshold for hard ones; the division of
    the other four is ours."""

    default: Tier = "moderate"
    """Tier of the prompts of a log without models, such as a list of prompts; this is reported before the first stage.
    Ours."""


class Usefulness(Record):
    """Least usefulness S(P), 0 to 5, for each tier (FactBench)."""

    hard: float = Field(default=4.0, ge=0, le=5)
    """For prompts that a strong model answered."""
    moderate: float = Field(default=4.5, ge=0, le=5)
    """For those of a model in the middle."""
    easy: float = Field(default=5.0, ge=0, le=5)
    """For those of a weak model: all scores must be 5."""


class Sampling(Record):
    """Sampling: the number of prompts of a topic that go on to the costly stages."""

    per_topic: int = Field(default=100, ge=1)
    """Maximum number of prompts per topic: most representative (FactBench: 100, by class-based TF-IDF), then random."""
    seed: Seed = 1
    """Seed of the random choice. Ours."""


class Answering(Record):
    """Models whose answers are evaluated."""

    fresh: Mapping[Tier, str] = {}
    """A model, as `provider/model`, that answers the prompts of a tier afresh; for the other tiers the logged answers
    are taken, as in FactBench."""


def _method(value: Any) -> Any:
    """Return the method of a name or a file; a method itself is returned unchanged. Raises ValueError."""
    if not isinstance(value, str):
        return value
    try:
        return method_from_toml(Path(value)) if value.endswith(".toml") else method_named(value)
    except UsageError as error:
        raise ValueError(str(error)) from None


class EvaluationSettings(Record):
    """Evaluator of the answers."""

    method: Annotated[Method | None, BeforeValidator(_method)] = None
    """The method: the name of one that is installed, the path of its TOML file, or all its settings. By default
    `verify` (FactBench), and without models `builtin`."""


class Shares(Record):
    """Shares of the tiers in a release; together 1."""

    hard: float = Field(default=0.53, ge=0, le=1)
    """FactBench: 53 %."""
    moderate: float = Field(default=0.34, ge=0, le=1)
    """FactBench: 34 %."""
    easy: float = Field(default=0.13, ge=0, le=1)
    """FactBench: 13 %."""

    @model_validator(mode="after")
    def _adds_up(self) -> Shares:
        total = self.hard + self.moderate + self.easy
        if abs(total - 1) > 1e-6:
            raise ValueError(f"they add up to {total:g}; they must add up to 1")
        return self


class Selection(Record):
    """The prompts with the highest hallucination score, with the shares of the tiers kept."""

    size: int = Field(default=1000, ge=1)
    """Prompts of a release (FactBench: 985, later 1,000)."""
    shares: Shares = Shares()
    """Of the tiers."""
    alpha: float = Field(default=0.5, ge=0, le=1)
    """Weight of an undecided unit in the hallucination score (FactBench, Eq. 1)."""
    stable: float = Field(default=0.95, gt=0, le=1)
    """Another alpha makes the same selection when this share of the prompts is in both. Ours."""


class Update(Record):
    """When an old prompt is too like the new ones. FactBench gives no figures; both are ours."""

    same_cosine: float = Field(default=0.9, ge=-1, le=1)
    """An old prompt is dropped if its cosine to a new prompt in a topic is at least this."""
    same_topic_cosine: float = Field(default=0.85, ge=-1, le=1)
    """It is also dropped if it falls into a new topic and its cosine to a prompt of that topic is at least this."""
    neighbours: int = Field(default=15, ge=1)
    """Number of most similar new prompts whose majority determines its topic, which may be none."""
    outside: float = Field(default=0.01, ge=0, lt=1)
    """It also has no topic if its cosine to the most similar new prompt in a topic is below this quantile of the same
    cosines among these new prompts: nothing like it is asked now. 0 turns this off."""
    alike: bool = True
    """Whether the models that answer the old prompts again also answer the new ones. FactBench keeps the logged answers
    of new prompts, so that old and new ones are measured on answers by different models. Without models, nothing is
    answered."""
    resamples: int = Field(default=2000, ge=100)
    """Bootstrap resamples for the distance between the topics of old and new."""
    seed: Seed = 0
    """Seed of these resamples."""


class Difficulty(Record):
    """Difficulty of a prompt, of five factors that FactBench's reviews ask for. All weights are ours."""

    complexity: float = Field(default=1.0, ge=0)
    """Weight of the number of things asked for and of conditions."""
    domain: float = Field(default=1.0, ge=0)
    """Weight of the rarity of the words of its topic."""
    task: float = Field(default=1.0, ge=0)
    """Weight of the kind of task."""
    scarcity: float = Field(default=1.0, ge=0)
    """Weight of the share of units for which no evidence was found."""
    panel: float = Field(default=2.0, ge=0)
    """Weight of the mean hallucination score of several models."""
    tasks: Mapping[str, float] = Field(
        default={
            "look-up": 0.2,
            "explain": 0.4,
            "instruct": 0.4,
            "other": 0.5,
            "describe": 0.6,
            "recommend": 0.6,
            "compare": 0.7,
            "write": 0.7,
            "list": 0.9,
        }
    )
    """Difficulty of each kind of task, 0 to 1: it rises with the number of unrelated facts that an answer needs."""
    steps: int = Field(default=5, ge=2)
    """Number of equal parts, from the easiest prompts to the hardest, in which scores are compared."""
    seed: Seed = 0
    """Seed of intervals and tests."""

    @field_validator("tasks")
    @classmethod
    def _complete(cls, value: Mapping[str, float], info: ValidationInfo) -> Mapping[str, float]:
        if "other" not in value:
            raise ValueError("must say how hard `other` is")
        task_names = cls.model_fields["tasks"].default
        for name, difficulty in ({} if info.context == STORED else value).items():
            if name not in task_names:
                raise ValueError(f"{name!r} is not a kind of task; these are {', '.join(task_names)}")
            if not 0 <= difficulty <= 1:
                raise ValueError(f"{name!r} must be from 0 to 1")
        return value


class CurationParameters(Record):
    """All parameters, by stage."""

    version: Literal[1] = 1
    """Version of these parameters; a release keeps the version that it was made with."""
    read: ReadRule = ReadRule()
    language: Language = Language()
    placeholders: Placeholders = Placeholders()
    near: NearDuplicateRule = NearDuplicateRule()
    vectors: VectorSettings = VectorSettings()
    topics: Topics = Topics()
    names: Names = Names()
    verifiable: Verifiable = Verifiable()
    tiers: Tiers = Tiers()
    usefulness: Usefulness = Usefulness()
    sampling: Sampling = Sampling()
    answering: Answering = Answering()
    evaluation: EvaluationSettings = EvaluationSettings()
    selection: Selection = Selection()
    update: Update = Update()
    difficulty: Difficulty = Difficulty()


def read_parameters(path: Path | None) -> CurationParameters:
    """Return the defaults with the changes of a file: TOML, or the manifest of a release.

    Raises UsageError that names the wrong field.
    """
    if path is None:
        return CurationParameters()
    label = f"The file of parameters {path}"
    if path.suffix == ".json":
        values = user_json(path, label)
        values = values.get("parameters", values)
    else:
        values = user_toml(path, label)
    try:
        return CurationParameters.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field, message = first_problem(error)
        if first["type"] == "extra_forbidden":
            message = "there is no such parameter"
        raise UsageError(f"{path}: {field}: {message}.", _known_values(first["loc"])) from None


def _known_values(location: Sequence[int | str]) -> str:
    """Describe the known names or values where one was not recognised."""
    model_class: Any = CurationParameters
    for name in location[:-1]:
        field = model_class.model_fields.get(name)
        if field is None or not (isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)):
            break
        model_class = field.annotation
    subject = "Tables of parameters" if model_class is CurationParameters else "Parameters there"
    fields = f"{subject}: {', '.join(model_class.model_fields)}."
    unknown = location and location[-1] not in model_class.model_fields
    return did_you_mean(str(location[-1]), model_class.model_fields, otherwise=fields) if unknown else fields
