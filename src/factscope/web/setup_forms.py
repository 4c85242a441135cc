"""Forms of the server's setup: the available options, and whether it works."""

from __future__ import annotations

from typing import Any, Literal, Self

from factscope.core import Category
from factscope.web.forms import CheckParameters, Form, Ranker


class Availability(Form):
    """Whether something can be chosen on this server."""

    available: bool
    why_not: str | None = None
    """Reason why it is unavailable, and how to change that."""

    @classmethod
    def unless(cls, reason: str | None, **values: Any) -> Self:
        """Return the form of something that can be chosen unless there is a reason why not."""
        return cls(available=reason is None, why_not=reason, **values)


class MethodChoice(Availability):
    """A method that can be chosen."""

    name: str
    title: str
    """One line for a person."""
    about: str
    """The paper that the method is from, if any."""
    needs_model: bool
    needs_search: bool
    """Whether it needs more than documents."""


class Engine(Availability):
    """A search engine that can be chosen."""

    name: str
    title: str


class RankerChoice(Availability):
    """A way of ordering passages."""

    name: Ranker


class BudgetChoice(Availability):
    """Whether a check can have its own limit on money."""


class BundledSample(Form):
    """A bundled example with a recorded result."""

    id: str
    title: str
    about: str
    """Its subject, in a sentence."""
    kind: Literal["text", "document", "question"]
    """Its tab on the page."""


class Limits(Form):
    """Limits of one check."""

    characters: int
    """Of the text."""
    documents: int
    """Number of documents."""
    document_bytes: int
    """Of one document."""
    documents_bytes: int
    """Of all documents."""


class Setup(Form):
    """Options of this server."""

    version: str
    """Version of Factscope."""
    methods: tuple[MethodChoice, ...]
    model: str | None
    """The model of a check that names none; none when no model is configured."""
    models: tuple[str, ...]
    """All models that are configured."""
    engines: tuple[Engine, ...]
    rankers: tuple[RankerChoice, ...]
    categories: tuple[Category, ...]
    budget: BudgetChoice
    own_evidence: bool
    """Whether the server has documents of its own, which are searched for a check without documents and without web
    search."""
    samples: tuple[BundledSample, ...]
    limits: Limits
    defaults: CheckParameters
    """Default parameters."""
    token_required: bool
    """Whether this server is open to other machines."""


class Health(Form):
    """Whether the server works."""

    status: Literal["ok"] = "ok"
    version: str
