"""Settings of evidence: its source, its search, and its passages."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from factscope.methods.base import Ask, MethodPart, Role


class Passages(MethodPart):
    """How passages are selected from documents (Facts&Evidence, section 3.3)."""

    ranker: Literal["bm25", "dense", "hybrid"] = "bm25"
    """Ranking by the words shared with the query (`bm25`), by similarity of meaning (`dense`), or by both, fused by
    reciprocal rank (`hybrid`)."""
    model: str | None = Field(default=None, min_length=1)
    """Embedding model for `dense` and `hybrid`: a sentence-embedding model in ONNX format, by its folder or its name on
    a model hub."""
    query_prefix: str | None = None
    """Prefix that the model needs before a query.

    Default: the prefix in the model's own files, or none."""
    passage_prefix: str | None = None
    """Prefix that it needs before a passage."""
    top_k: int = Field(default=5, ge=1, le=100)
    """Passages per query."""
    window: int = Field(default=1, ge=0, le=50)
    """Sentences of context kept on each side of the best sentence."""
    chunk_tokens: int = Field(default=0, ge=0, le=2_000)
    """Words per passage, for documents cut into passages of equal length (FELM: 512); `window` is then ignored. With 0,
    passages are sentences with their `window`."""
    per_document: int = Field(default=2, ge=1, le=100)
    """Most passages from one document."""
    in_context: bool = False
    """For a judge that reads one passage at a time: a passage does not cross a heading or leave its table row, a very
    short document is one passage, and the judge also sees the title and headings above it, or the column names of a
    row."""

    @model_validator(mode="after")
    def _possible(self) -> Passages:
        if self.ranker != "bm25" and self.model is None:
            raise ValueError(f"ranker {self.ranker!r} needs a model, such as sentence-transformers/all-MiniLM-L6-v2")
        if self.in_context and self.chunk_tokens:
            raise ValueError("in_context is for sentences in their window: leave chunk_tokens at 0")
        return self


class Queries(Ask):
    """Search queries for a claim, written by a model in one or several rounds."""

    role: Role = "query"
    form: Literal["fenced", "json"]
    """Format of the reply: one query in a code block (VERIFY, SAFE), or JSON with a decision for each claim."""
    rounds: int = Field(default=5, ge=1, le=20)
    """Most rounds, including the first with the claim itself."""
    claims_per_call: int = Field(default=1, ge=1, le=50)
    """Claims that one call writes queries for; more than one needs the form `json`."""
    queries_per_round: int = Field(default=1, ge=1, le=10)
    """Most queries for a claim in one round."""
    begin_with: Literal["query", "claim"] = "query"
    """Search text of the first round: a query that the model writes, or the claim itself, which needs no call."""
    stop: Literal["never", "enough", "settled"] = "never"  # a reply in a code block has no room for a decision
    """`never`: all rounds are run (VERIFY's published code, whose stop word its prompt never mentions); `enough`:
    rounds end when the model states that the evidence suffices or that more searching is useless, with a reason;
    `settled`: each round is judged, and queries are written only for claims that are still open (with several judges
    this works like `enough`)."""
    say_empty: bool = False
    """Whether the judge is shown a sentence that says so when a round has no results, as in VERIFY's published code.
    That sentence looks like evidence."""

    @model_validator(mode="after")
    def _possible(self) -> Queries:
        if (self.form == "json") != (self.stop != "never"):
            raise ValueError("a stop other than 'never' and the form 'json' go together: only there a reply can say so")
        if self.claims_per_call > 1 and self.form != "json":
            raise ValueError("claims_per_call above 1 needs the form 'json'")
        return self


class Evidence(MethodPart):
    """Source of evidence, and the amount that a judge sees."""

    source: str = Field(default="given", min_length=1)
    """Source of the documents: `local` ones, the `web`, or `given` (whichever of the two is configured, or both).
    `context`: no search; the documents that came with the request are shown to the judge in full. `references`: the
    best passage of each. `links`: only their addresses. `none`: no evidence. `cited`: the sources that the text itself
    cites, claim by claim."""
    repair: bool = False
    """For `cited`: whether other sources are searched when the cited ones do not support a claim."""
    results: int = Field(default=3, ge=1, le=50)
    """Web results that are used for one query."""
    read: Literal["pages", "snippets"] = "pages"
    """Evidence from a web result: the page itself, or the snippet that the search engine shows."""
    passages: Passages = Passages()
    """How passages are cut and ranked."""
    per: Literal["claim", "response"] = "claim"
    """Whether to search for each claim, or once for the request and the response, with the results shared by all
    claims."""
    about_request: bool = False
    """Whether the request is part of each claim's search text, as FActScore does with its topic."""
    queries: Queries | None = None
    """Model that writes the queries; without it the text of each claim is searched for, once."""
    most: int = Field(default=10, ge=1, le=1000)
    """Most passages for one claim, over all rounds."""
