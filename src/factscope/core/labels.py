"""The fixed values that records use. Each list is written once; prompts, schemas, parsers and pages import it."""

from __future__ import annotations

from typing import Literal, get_args

Label = Literal["supported", "contradicted", "not_enough_evidence", "not_supported", "irrelevant"]
"""Label of one judge for one unit and the passages it read. `not_supported`: a binary judge that can't tell the two
middle ones apart. `irrelevant`: the passages are not about the claim."""

Outcome = Literal["supported", "contradicted", "undecided", "no_evidence", "not_checkable", "excluded", "failed"]
"""Result of a unit; each unit has exactly one. `undecided`: evidence was read but does not settle it; `no_evidence`:
none was found; `excluded`: a person ruled out all of its evidence."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

Category = Literal["news", "blog", "wiki", "social_media", "scientific_medical", "government", "other"]
"""Source categories of Facts&Evidence, section 3."""

CATEGORIES: tuple[Category, ...] = get_args(Category)

Gap = Literal["insufficient", "partial", "outdated", "subjective", "conflicting"]
"""Why evidence does not settle a claim (FactBench's reasons of undecidable units, and two that its reviews add).
`insufficient`: the evidence is silent or vague; `partial`: it supports parts only, such as a plausible combination of
facts that no source states; `outdated`: it speaks of another time; `subjective`: a matter of taste or a judgement of
value; `conflicting`: sources or judges disagree."""

ErrorType = Literal["entity", "relation", "contradictory", "invented"]
"""Errors of a contradicted claim, in the types of FAVA (Mishra et al. 2024)."""

SegmentKind = Literal["sentence", "list_item", "heading", "code", "table_row", "paragraph", "whole", "given"]
ClaimKind = Literal["fact", "claim", "instruction", "data_format", "meta", "question", "other"]
"""Unit types of VERIFY (FactBench); only `fact` and `claim` are checkable."""

KIND_WORDS: dict[ClaimKind, str] = {
    "fact": "Fact",
    "claim": "Claim",
    "instruction": "Instruction",
    "data_format": "Data Format",
    "meta": "Meta Statement",
    "question": "Question",
    "other": "Other",
}
"""The unit types as prompts and replies name them."""

NOT_READ = "not judged (language)"
"""How the reason begins why a claim is set aside that no judge of the method can read. It is not checkable by that
method, but was there to be judged: it lowers the coverage."""

Stage = Literal["segment", "claims", "evidence", "judging", "words", "correction", "verdicts", "scores"]
AFTER_JUDGING: frozenset[Stage] = frozenset({"words", "correction"})
"""Stages of a claim that is judged already: the search for its unsupported words, and its correction. If one fails, the
claim keeps its verdict."""
