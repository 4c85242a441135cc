# ruff: noqa: E501  (Markdown paragraphs with values in them)
"""Writes the model card of the built-in verifier from what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from verifier_data import SEED
from verifier_encoder_settings import (
    BEFORE,
    CAPS,
    EASY,
    FITTED_ON,
    HEAD_FASTER,
    LONGEST,
    MADE,
    RATE,
    SHIPPED,
    SIZE,
    SMOOTHING,
    TIMES,
    UNSEEN,
)
from verifier_hybrid import NUMBERS, OVERLAP

from factscope.judging.verifiers.builtin.hybrid import Mixture
from factscope.judging.verifiers.builtin.tree_model import read_model

_COLUMNS = ("macro_f1", "auroc", "balanced", "accuracy", "ece", "ece_support")
_PARTS = {
    "left_out": "Left out: sets by the weights of the second pass, which had not seen them",
    "untouched": "Never trained or fitted on: further rows of feverous and begin",
    "held_out": "Held out: groups of claims and passages kept out of training; of feverous and begin all are",
}


def write_hybrid_card(folder: Path, mixture: Mixture, curves: Mapping[str, Sequence[Mapping[str, float]]]) -> None:
    """Write `MODEL_CARD.md` into `folder`."""
    (folder / "MODEL_CARD.md").write_text(_card(mixture, curves), encoding="utf-8")


def _card(mixture: Mixture, curves: Mapping[str, Sequence[Mapping[str, float]]]) -> str:
    tables = "\n\n".join(f"### {title}\n\n{_table(mixture.figures[part])}" for part, title in _PARTS.items())
    away = {**mixture.figures["left_out"], **mixture.figures["untouched"]}
    ours, base = (_mean(away, system) for system in ("model", "overlap"))
    held = _mean(mixture.figures["held_out"], "model")
    return f"""# Model card of the built-in verifier

Written by `scripts/finish_verifier.py`; `make verifier` trains and measures again. The features alone are a verifier too,
`builtin-features`, with a card of its own: `FEATURES_CARD.md`.

**What it is.** One sum of three voices ({mixture.name}). A *cross-encoder* that reads claim and passage together:
all-MiniLM-L6-v2 (22.7 million weights, Apache-2.0) trained further for three outcomes, 8-bit weights with a scale per channel
in an ONNX file of 23 MB, run by onnxruntime. *Word overlap*: the share of the claim's words, weighted by rarity, around the
closest sentence. *Numbers* of the claim that the passage lacks or has otherwise. The features also put the reasons that a
person is shown in order. Chance of support: logistic of {_sum(mixture.supported)}. Chance of contradiction where it does not
support: logistic of {_sum(mixture.contradicted)}. No GPU, no language model, no network.

**What it is good for.** A first sieve without a key: short, plain claims against passages that say the thing, where it reads
through other words better than the features do, and it shows the sentence that it went by.

**What it is not.** No judge. It has no knowledge of the world, reads no tables, does no arithmetic, and is weak on scientific
text, on claims that need two sentences, and on small edits in long summaries. It reads English, and abstains
from text that is surely in another language (`builtin-features` compares words and numbers there). A long passage is read in chunks of about 110 words, the eight that share most with
the claim, and of a very long one it does not say that it is silent; a claim sentence by sentence, of which the weakest decides. **Do not act on its verdict without reading the quote.**

**How good.** On sets that the weights measured had never seen ({", ".join(sorted(away))}): mean AUROC {ours["auroc"]:.3f} (word
overlap {base["auroc"]:.3f}), balanced accuracy {ours["balanced"]:.3f} ({base["balanced"]:.3f}); fm2 and scifact by the second pass, whose weights
are weaker than those that are shipped, with the threshold of the shipped ones. Held-out groups of the training sets look better
and are no guide to other text: there AUROC rose from the features alone to this verifier by {_gains(mixture)}.

**Confidence** overstates: on the sets above it is off by {100 * ours["ece"]:.0f} points in the mean for the label given, and by
{100 * ours["ece_support"]:.0f} for supported or not; on held-out groups by {100 * held["ece"]:.0f} and {100 * held["ece_support"]:.0f} (ECE, 15 bins; of a set without pairs that settle
nothing, whoever says so is wrong, however unsure). Read it as low, middle, high, or calibrate it on labels of your own
(`factscope calibrate`).

**How it was trained.** One thread, bfloat16, AdamW, seed {SEED}, {SIZE} pairs a step, at most {LONGEST} word pieces, label smoothing {SMOOTHING},
no dropout, gradients clipped at 1, short warm-up and linear decay, the head {HEAD_FASTER:g} times faster than the encoder, word
vectors kept as they are. The passes, in order:

{_passes(curves)}

The shipped weights are the mean of {" and ".join(f"*{stage}*" for stage in SHIPPED)} (Wortsman et al. 2022).

Thresholds, scale and proportions belong to the 8-bit file. The proportions of the sum (an overlap of 1 weighs as much
as {OVERLAP:g} in the log-odds of the encoder, times the logarithm of one more than the claim's words that count; a number that is missing, or
there otherwise, as much as {NUMBERS:g}) were chosen with all tables below in view, so these
figures are slightly kind to it; scale and threshold were fitted on held-out rows of {", ".join(FITTED_ON)}, not on scifact,
feverous or the further rows of begin. The feature model's probabilities as a further voice gained nothing. One seed: differences under .015 in a mean and .05 in
one set are noise. A pair runs alone and unpadded, so that its chances do not depend on the pairs beside it.

**How to read the tables.** AUROC and balanced accuracy: supported against the rest. Macro-F1: mean over the labels that a set
has; a set without contradicted pairs counts them as not enough, and so does every table where the verifier abstains because
no outcome has a chance of 0.5. *Word overlap* says supported from a share on that is best in
the mean over the fitted sets, and can't say contradicted.

{tables}

Taken for support or contradiction, held out: {100 * mixture.figures["mistaken"]["off_topic"]:.1f} % of off-topic passages,
{100 * mixture.figures["mistaken"]["silent"]:.1f} % of passages on the topic but written for another claim.
"""


def _gains(mixture: Mixture) -> str:
    before = read_model().figures["held_out"]["model"]
    after = mixture.figures["held_out"]
    return ", ".join(
        f"{name} {before[name]['auroc']:.2f} → {systems['model']['auroc']:.2f}"
        for name, systems in after.items()
        if name not in UNSEEN
    )


def _sum(weights: Mapping[str, float]) -> str:
    return " ".join(f"{value:+.2f}" + ("" if name == "bias" else f" {name}") for name, value in weights.items())


def _mean(sets: Mapping[str, Any], system: str) -> dict[str, float]:
    return {column: sum(systems[system][column] or 0.0 for systems in sets.values()) / len(sets) for column in _COLUMNS}


def _passes(curves: Mapping[str, Sequence[Mapping[str, float]]]) -> str:
    lines = [f"- *made* (rate {RATE['made']:g}): {sum(MADE.values()):,} pairs made by rule; {_curve(curves, 'made')}"]
    for stage, times in TIMES.items():
        begins = "" if stage == "without" else f", from the weights of *{BEFORE[stage]}*"
        shown = ", ".join(f"{name} ×{count}" for name, count in times.items() if count)
        caps = ", ".join(f"{name} {most:,}" for name, most in CAPS[stage].items())
        lines.append(
            f"- *{stage}* (rate {RATE[stage]:g}{begins}): pairs labelled by people: {shown}; at most {caps}; {EASY[stage]:,} off-topic or "
            f"silent ones; {_curve(curves, stage)}"
        )
    return "\n".join(lines)


def _curve(curves: Mapping[str, Sequence[Mapping[str, float]]], stage: str) -> str:
    points = curves.get(stage, ())
    step = max(1, len(points) // 6)
    shown = [*points[::step], *points[-1:]] if points else []
    return "loss after pairs: " + ", ".join(f"{point['loss']:.2f} at {point['pairs']:,}" for point in shown)


def _table(sets: Mapping[str, Any]) -> str:
    lines = [
        "| set | rows | system | macro-F1 | AUROC | balanced accuracy | accuracy | ECE | ECE, supported or not |",
        "|---|--:|---|--:|--:|--:|--:|--:|--:|",
    ]
    mean = {
        system: {**_mean(sets, system), "rows": sum(s["model"]["rows"] for s in sets.values())}
        for system in ("model", "overlap")
    }
    for dataset, systems in {**sets, "mean": mean}.items():
        for system, title in (("model", "verifier"), ("overlap", "word overlap")):
            row = systems[system]
            cells = [
                f"{row[c]:.3f}" if row[c] is not None and not (system == "overlap" and c.startswith("ece")) else "–"
                for c in _COLUMNS
            ]
            first = f"| {dataset} | {row['rows']:,} |" if system == "model" else "| | |"
            lines.append(f"{first} {title} | {' | '.join(cells)} |")
    return "\n".join(lines)
