"""Settings of evidence: its source, its search, and its passages."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from factscope.methods.base import Ask, MethodPart


class Passages(MethodPart):
    """Passages from documents for a judge (Facts&Evidence, section 3.3)."""

    ranker: Literal["bm25", "dense", "hybrid"] = "bm25"
    """Ranking: the words that they share with the query, nearness of meaning (`dense`), or both, fused by
    reciprocal rank (`hybrid`)."""
    model: str | None = Field(default=None, min_length=1)
    """Embedding model: a sentence-embedding model in ONNX form, by its folder or its name on a model hub."""
    query_prefix: str | None = None
    """Prefix that the model needs ahead of a query.

    Default: that of its own files, or none. Default: what its own files say, or nothing.
    """
    passage_prefix: str | None = None
    """Prefix that it needs ahead of a passage."""
    top_k: int = Field(default=5, ge=1, le=100)
    """Passages per query."""
    window: int = Field(default=1, ge=0, le=50)
    """Sentences of context kept on each side of the best sentence."""
    chunk_tokens: int = Field(default=0, ge=0, le=2_000)
    """With a number, documents are cut into passages of that many words (FELM: 512), and `window` says
    nothing; with 0 they are sentences in their window."""
    per_document: int = Field(default=2, ge=1, le=100)
    """Most passages from one document."""
    in_context: bool = False
    """For a judge that reads each passage by itself: a passage does not cross a heading or leave its table row, a very
    short document is one, and it is read with the title and headings that it stands under, a row with the names of its
    columns."""

    @model_validator(mode="after")
    def _possible(self) -> Passages:
        if self.ranker != "bm25" and self.model is None:
            raise ValueError(f"ranker {self.ranker!r} needs a model, such as sentence-transformers/all-MiniLM-L6-v2")
        if self.in_context and self.chunk_tokens:
            raise ValueError("in_context is for sentences in their window: leave chunk_tokens at 0")
        return self


class Queries(Ask):
    """Search queries for a claim, written by a model round by round."""

    role: str = "query"
    form: Literal["fenced", "json"]
    """The reply: one query in a code block (VERIFY, SAFE), or JSON with a decision for each claim."""
    rounds: int = Field(default=5, ge=1, le=20)
    """Most rounds, the first with the claim itself included."""
    claims_per_call: int = Field(default=1, ge=1, le=50)
    """Claims that one call plans for; more than one needs the form `json`."""
    queries_per_round: int = Field(default=1, ge=1, le=10)
    """Most queries for a claim in one round."""
    begin_with: Literal["query", "claim"] = "query"
    """Search text of the first round: a query that the model writes, or the claim itself, which costs no call."""
    stop: Literal["never", "enough", "settled"] = "never"  # a reply in a code block has no place for a decision
    """`never`: all rounds are made (VERIFY's published code, whose stop word its prompt never mentions); `enough`: they
    end when the model says that the evidence suffices or that more searching is useless, and why; `settled`: each round
    is judged, and a model plans only for claims that are still open (with several judges this works like `enough`)."""
    say_empty: bool = False
    """Whether a round without results is shown to the judge as a sentence that says so, as in VERIFY's published code.
    It looks like evidence."""

    @model_validator(mode="after")
    def _possible(self) -> Queries:
        if (self.form == "json") != (self.stop != "never"):
            raise ValueError("a stop other than 'never' and the form 'json' go together: only there a reply can say so")
        if self.claims_per_call > 1 and self.form != "json":
            raise ValueError("claims_per_call above 1 needs the form 'json'")
        return self


class Evidence(MethodPart):
    """Source of evidence, and how much of it a judge sees."""

    source: str = Field(default="given", min_length=1)
    """Source among the tools: `local` documents, the `web`, or whatever is `given`, both if both are. With
    `context` nothing is: the documents that came with the request are shown to the judge, each whole; with `references`
    the best piece of each, with `links` their addresses, with `none` nothing. With `cited` it is what the text itself
    cites, claim by claim."""
    repair: bool = False
    """For `cited`: whether another source is looked for where the cited ones do not support a claim."""
    results: int = Field(default=3, ge=1, le=50)
    """Web results that are looked at for one query."""
    read: Literal["pages", "snippets"] = "pages"
    """Evidence from a web result: the page itself, or the words that the search engine shows of it."""
    passages: Passages = Passages()
    """How passages are cut and ranked."""
    per: Literal["claim", "response"] = "claim"
    """Whether each claim is searched for, or the request and the response once, and all claims share what is found."""
    about_request: bool = False
    """Whether a claim is searched for together with the request, as FActScore does with its topic."""
    queries: Queries | None = None
    """Writer of the queries; without it each claim is searched for as it stands, once."""
    most: int = Field(default=10, ge=1, le=1000)
    """Most passages for one claim, over all rounds."""
