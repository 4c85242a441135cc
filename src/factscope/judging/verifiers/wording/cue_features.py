"""Features of single words that change a sentence's meaning: negations, opposites, quantifiers, hedges."""

from __future__ import annotations

from factscope.judging.verifiers.wording.alignment import AlignedClaim, opposed
from factscope.judging.verifiers.wording.lexicon import JOINING
from factscope.judging.verifiers.wording.text_items import AnalysedSentence

_NEAR = 5
"""Tokens from a word that it may modify, itself among them."""


def negation(aligned: AlignedClaim) -> dict[str, float]:
    """Compare negations: the claim's, and the sentence's with a shared item in the next four tokens of their clause."""
    sentence, best, alignment = aligned.sentence, aligned.best, aligned.alignment
    shared = {item.at for _, item in alignment.matched}
    claim_denials = _denials(sentence)
    close = [at for at in _denials(best) if shared.intersection(_scope(best, at))]
    differs = len(claim_denials) % 2 != len(close) % 2
    if differs and not any("until" in sentence.lower[at:] for at in claim_denials):  # "did not open until 1886"
        is_ours = len(claim_denials) > len(close)
        text = "does not deny it, as the claim does" if is_ours else "denies something that the claim does not"
        aligned.note("negation", text)
    elif claim_denials and close:
        aligned.note("negation", "denies it too", agrees=True)
    return {
        "negation_claim": float(min(len(claim_denials), 2)),
        "negation_evidence": float(min(len(close), 2)),
        "negation_differs": float(differs),
    }


def _denials(sentence: AnalysedSentence) -> list[int]:
    """Return the positions of negations, but not of those that set a bound: "never colder than 20 degrees"."""
    return [at for at in sentence.cues.negations if "than" not in sentence.lower[at + 1 : at + 4]]


def _scope(sentence: AnalysedSentence, at: int) -> range:
    """Return the tokens that a negation or hedge likely applies to: itself and the next four, up to a conjunction."""
    end = min(at + _NEAR, len(sentence.lower))
    return range(at, next((stop for stop in range(at + 1, end) if sentence.lower[stop] in JOINING), end))


def opposites(aligned: AlignedClaim) -> dict[str, float]:
    """Find words of opposite meaning: in the same slot of both sentences, or anywhere in them."""
    sentence, best, alignment = aligned.sentence, aligned.best, aligned.alignment
    in_slot = 0.0
    for slot in alignment.slots:
        for left in slot.claim:
            for right in slot.evidence:
                if opposed(left.key, right.key):
                    in_slot = max(in_slot, 1.0 + slot.anchored)
    own_words, words = set(sentence.words), set(best.words)
    clashes = [
        (at, n)
        for at, left in enumerate(sentence.words)
        if left not in words
        for n, right in enumerate(best.words)
        if right not in own_words and opposed(left, right)
    ]
    if clashes:
        _note_opposites(aligned, *clashes[0])
    return {"opposite_slot": in_slot, "opposite_any": float(min(len(clashes), 2))}


def _note_opposites(aligned: AlignedClaim, at: int, n: int) -> None:
    """Note two words of opposite meaning, unless they are names, such as days of the week, that a note already has."""
    ours, theirs = (
        next((text.text[item.start : item.end] for item in sentence.of_kind("name") if item.at == token), None)
        or sentence.lower[token]
        for text, sentence, token in ((aligned.claim, aligned.sentence, at), (aligned.passage, aligned.best, n))
    )
    named = f"names {theirs}, not {ours}"
    if not any(note.text == named for note in aligned.notes):
        aligned.note("opposites", f"says “{theirs}” where the claim says “{ours}”")


def degree(aligned: AlignedClaim) -> dict[str, float]:
    """Count quantifiers, superlatives, hedges and questions that only one side has."""
    sentence, best, alignment = aligned.sentence, aligned.best, aligned.alignment
    strong = [at for at in sentence.cues.strong if sentence.words[at] not in best.words]
    superlative = [at for at in sentence.cues.superlatives if sentence.words[at] not in best.words]
    less = [
        (sentence.lower[ours], best.lower[theirs])
        for item, other in alignment.matched
        for ours in strong
        for theirs in best.cues.weak
        if best.lower[theirs] != "about"  # of something: no share
        if 0 < item.at - ours < _NEAR and 0 < other.at - theirs < _NEAR
    ]
    if less:
        ours_said, theirs_said = less[0]
        text = f"says “{theirs_said}” where the claim says “{ours_said}”"
        aligned.note("degree", text)
    # "Could" may be an ability, and "may" a permission, of something else than what the claim says.
    shared = {other.at for _, other in alignment.matched}
    hedges = [at for at in best.cues.hedges if shared.intersection(_scope(best, at))]
    if hedges and not sentence.cues.hedges:
        aligned.note("hedges", f"only says “{best.lower[hedges[0]]}”")
    if best.question:
        aligned.note("hedges", "only asks")
    return {
        "strong_missing": float(bool(strong)),
        "strong_weak": float(bool(strong) and bool(best.cues.weak)),
        "weak_strong": float(bool(sentence.cues.weak) and bool(best.cues.strong)),
        "superlative_missing": float(bool(superlative)),
        "superlative_new": float(bool(best.cues.superlatives) and not sentence.cues.superlatives),
        "hedge_new": float(bool(best.cues.hedges) and not sentence.cues.hedges),
        "hedge_missing": float(bool(sentence.cues.hedges) and not best.cues.hedges),
        "question": float(best.question),
    }
