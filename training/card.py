"""The model card of the built-in verifier, written with the figures that its training measured."""

# ruff: noqa: E501  (a page of Markdown)
from __future__ import annotations

from collections.abc import Mapping

from factscope.judging.verifiers.builtin.hybrid import LIKELY, PLAIN, SURE_PART, SURE_STATEMENT
from factscope.judging.verifiers.builtin.mixture import LARGE_SHARE, Mixture
from factscope.judging.verifiers.builtin.reading import OPEN
from factscope.judging.verifiers.builtin.replacements import SURE
from factscope.judging.verifiers.rules.accusations import (
    EVEN,
    RELATED,
    WEAK,
)
from factscope.judging.verifiers.rules.rules import CERTAIN
from factscope.judging.verifiers.rules.vetoes import ABSENT

_SMALL = (
    "`make verifier` trains and measures. `builtin-features`, the checkable features alone, has\na card of its own: "
    "`FEATURES_CARD.md`. The data: `DATA_CARD.md`.",
    "the *small* verifier",
    "the lowest ten of twelve layers of e5-small (29.8 million weights, MIT) trained\nfurther for three labels, 8-bit matrices "
    "with one scale a channel and 4-bit embeddings in an ONNX file of 25 MB",
)
_LARGE = (
    "`make verifier-large` trains and measures. The data are those of the small\nverifier: `DATA_CARD.md` of Factscope.",
    "the *large* verifier. It is asked about the passages that the small one leaves open",
    "all-mpnet-base-v2 (110 million weights, Apache-2.0) trained further for three\nlabels, matrices in 4-bit blocks of 32 "
    "in an ONNX file of 78 MB, and adapters of rank 32 beside those of all\nlayers in another of 12 MB. It saw some 33,000 "
    "pairs, then 224,000 with narrower adapters, in ten hours on two cores; the last stage, of 666,000,\ntook less than "
    "five minutes on a GPU",
)
_SKIPS = " Where\nthat sentence leaves the claim open with {open}, the chunks are not read."
_POOLED = " The probabilities are\nthe normalised geometric mean of those by this sum, with a weight of {share}, and by the small one's."
_OWN = " network's own"
_TEXT = """# Model card of the {which} built-in verifier

Written by `python -m training.finish`; {made}

**What it is** ({name}): {size}. Rules first, for plain cases: a claim that stands in a passage word for word, outside a
report, a denial or a condition, or whose every word stands in one clause of it with the same numbers, bounds and roles, is
supported, as is one whose number the row of a table gives; one that differs there in one number, date, name, opposite, negation,
share or role, or in a number of the row of a table that it is about, is contradicted (probability {certain}), as is one that the
passage calls false; one that the passage only reports somebody to insist on or boast of is open. Else a *cross-encoder* reads claim and passage together: {network}. Its log-odds on each chunk of about 110 words and
on the closest sentence alone go into one sum a label.{pooled} The probability of a contradiction is the mean of this one
and of that by boosted trees over the log-odds and the features (`training.contradictions`). It is believed in a contradiction only where the passage holds
{related:.0%} of the claim's words (weighted by rarity) and one of its names, and it is at least {contradiction};
in a support below {plain} only where the words missing around the closest sentence are at most {absent:.0%} of the claim, and each larger
number and year of it stands in the passage or is one step of arithmetic away, and no opposite is in the place of one of its words. A
claim that is left open is supported if the passage supports each of its clauses ({part}). A claim whose number or name the passage lacks is read
again with each that a sentence has in its place: if it is then supported with a probability of {sure}, the claim as it is is
contradicted, as it is if a simpler statement that it makes is contradicted with a confidence of {statement}. Its confidence in a contradiction is at most {cap} where the
sentence that it quotes is a heading, a title or a question.
A pronoun that the closest sentence begins with is read as the subject that the claim and the sentence before name.{skips} It abstains where no label is likely enough ({likely}).
No GPU, no language model, no network.

**What it is good for.** A first sieve without a key: short, plain claims against passages that say the thing, with the sentence
that it went by.

**What it is not.** A judge. It has no knowledge of the world, does no arithmetic beyond one step that a
rule takes, and is weak where a claim needs two
sentences, on roles (who did what to whom), quantifiers, conditions and off-topic passages that share words with the claim. It
reads English and abstains from text in another language. **Do not act on its verdict without reading the quote.**

**How good.** On the behaviour suite (`factscope verifiers behaviour`), written for this project and never trained on: see
`docs/verifier-figures.md`, by kind. On held-out rows of the sets it was trained on but SNLI, VitaminC and
MED, whose test parts it was trained on, and on held-out families (templates that no
training row was made of), with each label as probable as the{own} sums say, rules left out:

| source | pairs | three labels right | supported called contradicted |
|---|--:|--:|--:|
{rows}

These are kinder than other text will be; differences under .05 in a row of few pairs are noise. One seed.

**Confidence** is the probability of the label by the sums. It overstates on text unlike the training sets: read it as low, middle
or high, or calibrate it on labels of your own (`factscope calibrate`).

**The sums.** {sums}
"""


def card_text(mixture: Mixture, *, is_large: bool = False) -> str:
    """Return the card in Markdown."""
    table: Mapping[str, Mapping[str, float]] = mixture.figures["held_out"]
    rows = "\n".join(
        f"| {source} | {row['rows']:,} | {row['accuracy']:.3f} | {row['falsely_accused']:.3f} |"
        for source, row in table.items()
    )
    sums = " ".join(
        f"{label}: " + " ".join(f"{weight:+.2f} {name}" for name, weight in weights.items()) + "."
        for label, weights in (
            ("Supported", mixture.supported),
            ("contradicted", mixture.contradicted),
            ("not enough", mixture.not_enough),
        )
    )
    made, size, network = _LARGE if is_large else _SMALL
    return _TEXT.format(
        which="large" if is_large else "small",
        made=made,
        size=size,
        network=network,
        name=mixture.name,
        cap=WEAK,
        certain=CERTAIN,
        related=RELATED,
        absent=ABSENT,
        plain=PLAIN,
        part=SURE_PART,
        likely=LIKELY,
        sure=SURE,
        pooled=_POOLED.format(share=LARGE_SHARE) if is_large else "",
        own=_OWN if is_large else "",
        skips="" if is_large else _SKIPS.format(open=OPEN),
        contradiction=EVEN,
        statement=SURE_STATEMENT,
        rows=rows,
        sums=sums,
    )
