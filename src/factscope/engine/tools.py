"""The tools that a method needs, and errors for missing ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from factscope.core import Event, UsageError, did_you_mean
from factscope.core.records import Report, Response, SampleHints, Searched
from factscope.engine.fold import Provenance
from factscope.evidence.gather import EvidenceSource
from factscope.evidence.multi_source import MultiSource
from factscope.evidence.per_response import AT_HAND
from factscope.judging.verifiers.protocol import Verifier
from factscope.llm.models_by_role import Models
from factscope.llm.session import read_prompt, steps, validate_prompts
from factscope.methods import ROLES, Method, judges_of
from factscope.methods import VerifierJudge as VerifierPart
from factscope.methods.method_file import variants

if TYPE_CHECKING:
    from factscope.engine.ray.worker_pool import Pool

_SHOWN_PROBLEMS = 100  # problems kept in a report


class WorkerLostError(Exception):
    """The process that checked a response has died; the records that it had sent are kept."""


class NumberedEvents(NamedTuple):
    """Records of one of several responses."""

    number: int
    events: tuple[Event, ...] | None
    """None when the response has ended."""


Watch = Callable[[Response, Method], AbstractContextManager[Callable[[Report], object]]]
"""Entered for each check of a response; the entered value is called with the report at the end."""


@dataclass(frozen=True)
class Tools:
    """The tools of a method, connected once (see `open_tools.open_tools`).

    Close them, or use them as a context manager.
    """

    sources: Mapping[str, EvidenceSource] = field(default_factory=dict)
    """Sources of evidence: `local` documents, the `web`, and others by name."""
    verifiers: Mapping[str, Callable[[], Verifier]] = field(default_factory=dict)
    """Functions that load the verifiers, by name."""
    models: Models | None = None
    """Language models by role."""
    workers: int = 4
    """Claims worked on at once by a method without a language model."""
    contexts: EvidenceSource | None = None
    """Searches the documents that come with a response; `None` where methods that search must not use these as
    evidence."""
    hints: Mapping[str, SampleHints] = field(default_factory=dict)
    """Details of responses from their data set, by their ids."""
    groups: int = 64
    """Groups of claims worked on at once by a method with one; the calls in flight have limits of their own."""
    elsewhere: Pool | None = None
    """Other processes that check the responses of a run of many; None is this process."""
    share_calls: bool = False
    """Whether short responses of a run of many share calls, see `engine.run`."""
    watch: Watch = lambda response, method: nullcontext(lambda report: None)
    """Observer of each check in this process, such as one that traces it."""

    async def __aenter__(self) -> Tools:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self, patience: float = 0.0) -> None:
        """Close connections after giving calls in flight some seconds to end; batch files are written now."""
        if self.models:
            await self.models.close(patience)
        for source in self.sources.values():
            await source.close()
        if self.elsewhere:
            await self.elsewhere.close(patience)


def provenance(method: Method, tools: Tools) -> Provenance:
    """Return the origin of reports with this method and these tools.

    Raises UsageError when the tools lack something that the method names. Nothing is called, but errors in a prompt, a
    model's name, its key or its address are raised here.
    """
    prompts = validate_prompts(method)
    models = {step.role: _model(method, tools, step.role) for _, step in steps(method)}
    in_domains = {step.role for variant in variants(method) for _, step in steps(variant)} - models.keys()
    if tools.models:  # whether a role of a single domain is needed depends on the data
        models |= {role: _model(method, tools, role) for role in sorted(in_domains) if tools.models.has(role)}
    if tools.models:
        _know(tools.models.roles, {*ROLES, *models})
        for ask in source(method, tools).asks:
            if tools.models.has(ask.role):
                models[ask.role] = _model(method, tools, ask.role)
                prompts[ask.prompt] = read_prompt(ask.prompt).hash
    return Provenance(method, searched(method, tools), models, prompts)


def restrict_models(method: Method, tools: Tools) -> Tools:
    """Return the tools without the models of roles that this method does not have, which may be for other methods."""
    if tools.models is None:
        return tools
    return replace(tools, models=tools.models.only({*ROLES, *(step.role for _, step in steps(method))}))


def _know(roles: Iterable[str], known_roles: Collection[str]) -> None:
    """Raise UsageError for a model that was given to a role which no method has, such as a typo."""
    for role in roles:
        if role not in known_roles:
            hint = did_you_mean(role, sorted(known_roles))
            raise UsageError(f"A model is named for the role {role!r}, which does not exist.", hint)


def _model(method: Method, tools: Tools, role: str) -> str:
    if tools.models is None:
        raise UsageError(
            f"Method {method.name} asks a language model, and none is configured.",
            "Name one, such as --model openai/gpt-4.1-mini or --model ollama/qwen3 (in Python model=…), or take the"
            " method builtin.",
        )
    model = tools.models.of(role)
    tools.models.examine(model)
    return tools.models.described(role)


def searched(method: Method, tools: Tools) -> Searched:
    """Describe the source that the method searches. Raises UsageError when the tools lack it."""
    description = source(method, tools).searched
    problems, more = description.problems[:_SHOWN_PROBLEMS], len(description.problems) - _SHOWN_PROBLEMS
    if more <= 0:
        return description
    return description.model_copy(update={"problems": (*problems, f"and {more:,} more")})


def source(method: Method, tools: Tools) -> EvidenceSource:
    """Return the source of the method's evidence. Raises UsageError when the tools lack it."""
    source_name = method.evidence.source
    if source_name in AT_HAND:
        return AT_HAND[source_name]
    if source_name in tools.sources:
        return tools.sources[source_name]
    every = (*tools.sources.values(), *([tools.contexts] if tools.contexts else []))
    if source_name == "given" and every:
        return MultiSource(every) if len(every) > 1 else every[0]
    if tools.sources:
        available = ", ".join(sorted(tools.sources))
        raise UsageError(
            f"Method {method.name} searches {source_name!r}, which was not given.", f"There is: {available}."
        )
    raise no_evidence(method)


def lacks_evidence(response: Response, method: Method, tools: Tools) -> bool:
    """Return whether there is nothing to check this response against: no source, and no text in its own documents."""
    if method.evidence.source != "given" or tools.sources:
        return False
    return not any(document.text and document.text.strip() for document in response.context)


def no_evidence(method: Method) -> UsageError:
    """Make the error for a method that searches, when there is nothing to search."""
    return UsageError(
        f"Method {method.name} needs evidence, and there is none.",
        "Name files or folders (--evidence PATH; in Python evidence=…), give the texts themselves (--context FILE;"
        " contexts=[…]), or name a search engine (--search wikipedia; search=…).",
    )


def no_evidence_in_rows(method: Method) -> UsageError:
    """Make the error for a method that searches, when no row brings texts, and there is nothing to search."""
    return UsageError(
        f"Nothing here has a text to check it against, and method {method.name} needs evidence.",
        "Give each row its texts, in a column contexts or one that you name (--column contexts=NAME; in Python"
        ' contexts="NAME"); name files or folders (--evidence PATH; evidence=…), or a search engine (--search'
        " wikipedia; search=…).",
    )


def find_verifiers(method: Method, tools: Tools) -> dict[str, Verifier]:
    """Return the verifiers that the method names. Raises UsageError when the tools lack one."""
    verifiers = {}
    for judge in judges_of(method.judge):
        if isinstance(judge, VerifierPart):
            if judge.name not in tools.verifiers:
                available = ", ".join(sorted(tools.verifiers)) or "none"
                raise UsageError(
                    f"Method {method.name} names the verifier {judge.name!r}.", f"Choose from: {available}."
                )
            verifiers[judge.name] = tools.verifiers[judge.name]()
    return verifiers


def judges(method: Method, tools: Tools) -> str:
    """Return the names of the judges, for a run's id, and hashes of models' addresses other than their provider's own.

    Two servers may offer different models under one name; releases store this text, and an address may be private.
    Raises the errors of `provenance`.
    """
    names = ",".join(sorted(verifier.name for verifier in find_verifiers(method, tools).values()))
    if tools.models is None:
        return names
    asked = {tools.models.of(role) for role in provenance(method, tools).models}
    elsewhere = [
        f"{model} at {sha256(address.encode()).hexdigest()[:12]}"
        for model in sorted(asked)
        if (address := tools.models.other_address(model))
    ]
    return "\n".join([names, *elsewhere])
