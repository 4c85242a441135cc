"""Forms of a judge's reply, by name. Other packages add theirs as entry points of the group `factscope.reply_formats`.

A form declares its capabilities, so that a method's settings can be checked and its cost estimated without code for any
particular form. Reading replies is the job of the room `judging`, which has Factscope's own forms.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from factscope.core import Label, Registry, must_be

ReadLabel = Callable[[str, Sequence[str], Any], str]
"""A reply, the words for labels, and the judge's settings → one of the words. Raises UnreadableError."""


@dataclass(frozen=True)
class ReplyFormat:
    """A registered form of reply."""

    name: str
    judge: Callable[[Any, Any, int, Sequence[Any]], Awaitable[None]]
    """Judge the cases. Arguments: the job, the judge's settings, the number of its first judgement, the cases
    (`judging.judge`)."""
    read: ReadLabel | None = None
    """Read the label of a reply, for forms with a single label."""
    claims: Literal["one", "some", "all"] = "one"
    """Number of claims that a call may judge: `all` allows 0 in `claims_per_call`, which puts all into one."""
    pairs: bool = False
    """Whether a call shows each passage once, and judges every pair of claim and passage separately."""
    sentences: Literal["no", "together", "each"] = "no"
    """Whether it labels the sentences of a whole response: together in one call, or with a call for each."""
    excerpts: bool = False
    """Whether it gives an excerpt with every sentence, which `double_check` can ask about again."""
    labels: frozenset[Label] | None = None
    """The labels that a method must use; None leaves them to the method."""
    logprobs: bool = True
    """Whether a confidence can be read from the probabilities of its tokens."""
    first_word: bool = False
    """Whether the label is read from the likeliest first token, or the first word where there are no probabilities."""
    without_evidence: bool = False
    """Whether it can judge claims without evidence, and read an unreadable reply as published code does."""
    own_knowledge: bool = False
    """Whether a judge may mark a label that rests on its own knowledge."""
    reply_tokens: tuple[int, int] | None = None
    """Least and most tokens of a reply for each claim; None for the usual length of a label with its reason."""


REPLY_FORMATS: Registry[ReplyFormat] = Registry(
    "form of reply", "factscope.reply_formats", "factscope.judging.reply_formats", must_be(ReplyFormat)
)


def forms_with(fits: Callable[[ReplyFormat], bool]) -> str:
    """Return the names of the reply forms for which `fits` is true, for a message."""
    return " or ".join(repr(reply.name) for reply in REPLY_FORMATS if fits(reply))
