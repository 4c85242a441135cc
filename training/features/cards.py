# ruff: noqa: E501  (Markdown paragraphs with values in them)
"""Writes the card of the features alone and the data card of the built-in verifier, and lays out their figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .data import CAPS, SETS, Row
from .fit import SETTINGS
from .made import DRAWN, EDITED, EDITED_MOST, OFF_TOPIC

SOURCES = {
    "fever_symmetric": "FEVER Symmetric (Schuster et al. 2019)",
    "fm2": "FoolMeTwice (Eisenschlos et al. 2021)",
    "scifact": "SciFact (Wadden et al. 2020), as copied in COVID-Fact (Saakyan et al. 2021)",
    "factcheck_stance": "Factcheck-Bench (Wang et al. 2024), stance of web snippets",
    "cad_nli": "Counterfactually augmented NLI (Kaushik et al. 2020)",
    "conjnli": "ConjNLI (Saha et al. 2020)",
    "feverous": "FEVEROUS (Aly et al. 2021), as copied in ProgramFC (Pan et al. 2023)",
    "begin": "BEGIN (Dziri et al. 2022)",
}
_COLUMNS = ("macro_f1", "auroc", "balanced", "accuracy", "ece")
_SYSTEMS = {"model": "model", "overlap": "word overlap", "majority": "most common label"}


def figures_text(figures: dict[str, Any]) -> str:
    """Return both measurements as Markdown tables."""
    return (
        "### Left out: each set by a model trained without it\n\n"
        f"{_table(figures['left_out'])}\n\n"
        "### Held out: 15 % of the groups of each set\n\n"
        f"{_table(figures['held_out'])}\n\n"
        "Taken for support or contradiction, held out: "
        f"{100 * figures['held_out']['mistaken']['off_topic']:.1f} % of off-topic passages, "
        f"{100 * figures['held_out']['mistaken']['silent']:.1f} % of passages on the topic but written for another claim."
    )


def _table(figures: dict[str, Any]) -> str:
    lines = [
        "| set | rows | system | macro-F1 | AUROC | balanced accuracy | accuracy | ECE |",
        "|---|--:|---|--:|--:|--:|--:|--:|",
    ]
    for dataset in figures["model"]:
        for system, title in _SYSTEMS.items():
            row = figures[system][dataset]
            cells = ["–" if row[column] is None else f"{row[column]:.3f}" for column in _COLUMNS]
            first = f"| {dataset} | {row['rows']:,} |" if system == "model" else "| | |"
            lines.append(f"{first} {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def write_cards(folder: Path, data: Path, rows: Sequence[Row], figures: dict[str, Any]) -> None:
    """Write `DATA_CARD.md` and `FEATURES_CARD.md` into `folder`."""
    manifest = json.loads((data / "manifest.json").read_text(encoding="utf-8"))
    (folder / "DATA_CARD.md").write_text(_data_card(manifest, rows, figures), encoding="utf-8")
    (folder / "FEATURES_CARD.md").write_text(_model_card(figures), encoding="utf-8")


def _data_card(manifest: dict[str, Any], rows: Sequence[Row], figures: dict[str, Any]) -> str:
    lines = []
    for dataset in SETS:
        mine = [row for row in rows if row.dataset == dataset]
        labels = Counter(row.label for row in mine)
        counts = ", ".join(f"{count:,} {label}" for label, count in sorted(labels.items()))
        training = sum(not row.held_out for row in mine)
        cells = [dataset, SOURCES[dataset], manifest[f"claim_{dataset}"]["licence"], f"{training:,}"]
        lines.append(f"| {' | '.join([*cells, f'{len(mine) - training:,}', counts])} |")
    table = "\n".join(lines)
    caps = ", ".join(f"{dataset} at {most:,}" for dataset, most in CAPS.items())
    made = figures["made"]
    return f"""# Data card of the built-in verifier

Written by `python -m training.features.train`. Only what was learned from these sets is in the package (weights of the encoder, word
frequencies, tree thresholds); no text of theirs is, except single word stems.

| set | source | licence | training rows | held-out rows | labels |
|---|---|---|--:|--:|---|
{table}

- **Capped**, because word overlap nearly solves them: {caps}.
- **Two classes only**: `begin` writes everything that is not fully attributable as not_enough_evidence, contradictions too.
- **Made by rule**: part of `conjnli` (entity, number and quantifier swaps, labelled contradicted).
- **Cleaned**: link markup, page titles before tabs, treebank brackets and spaces before punctuation are undone.
- **Split**: rows that share a claim or a passage, within a set or across sets, are one group; a group is wholly in training
  or wholly held out, by a hash of its text.
- **Added by us** ({made["off_topic"]:,}, {made["silent"]:,} and {made["edited"]:,} pairs, both sides of the split):
  *off-topic* pairs, one for every {1 / OFF_TOPIC:g} rows, a claim with a passage drawn at random: these are what `irrelevant`
  means, which no set labels. *Silent* pairs, as many but none of captions, a claim with the one of {DRAWN} passages written for
  other claims that shares most words (not_enough_evidence). *Edited* pairs, one for every {1 / EDITED:g} rows, at most
  {EDITED_MOST} of a set: a passage with one of its own sentences, as it stands (supported), with a number, an opposite or the polarity
  turned in the claim or in the passage (contradicted), the same turn in both (supported), or the sentence taken out of the
  passage (not_enough_evidence). They are never measured on in the tables of the model card.
- **The cross-encoder** of `builtin` starts from e5-small (MIT; Wang et al. 2022), which its makers trained on 270
  million pairs of texts, then on MS MARCO, Natural Questions, SNLI and MultiNLI. It is trained on these sets but feverous and begin, on `claim_vitaminc`
  (VitaminC's two test parts, CC BY-SA 3.0), `claim_snli` (SNLI's development and test parts, CC BY-SA 4.0) and `claim_med` (MED,
  CC BY-SA 4.0): no figure on VitaminC, SNLI or MED may be quoted for it. 5 % of the rows, by the first words of the
  passage, are held out. Beside them it is trained on *families* (`training/data`, Apache-2.0, written for this project by
  language models and checked by rule): some 6,370 passages, most with slots, and six to ten contrastive claims each, in 28
  kinds (1,500 in `earlier`, and 4,870 in `later`, which share with the behaviour suite no six words in a row but stock
  phrases); on `training/written` (Apache-2.0), pairs in 40 kinds that language models wrote without having seen that
  suite, less those that share six words in a row with it or with the cases of the tests; on sentences of training passages, as they stand, edited or taken out; and on
  off-topic pairs. More than half of what they learned last is from `training/twins` (Apache-2.0), 107,404 pairs written likewise,
  76,752 of them before the large one was trained: passages in twos that differ in their facts, with the same claims (a
  second reader gave 235 of 240 pairs of the first third the same label, 237 of 240 of the second, and 295 of 300 of the
  last).
- **The weighted sums** of both verifiers are fitted on `training/pairs` (Apache-2.0): 777 pairs in 27 kinds, written for this
  project by language models that had not seen the behaviour suite, and read again as a second annotator would. No
  network is trained on them.
- **Distractors**: three in ten training passages get another passage of their set before or after.
- Word weights (inverse document frequency) come from training passages of all sets, at most 3,000 of each. When a set is
  left out, its passages (not its labels) are still in these weights.
"""


def _model_card(figures: dict[str, Any]) -> str:
    mean, base = (figures["left_out"][system]["mean"] for system in ("model", "overlap"))
    hard, hard_base = (figures["left_out"][s]["mean without feverous, begin"] for s in ("model", "overlap"))
    settings = ", ".join(f"{key} {value}" for key, value in SETTINGS.items() if key != "early_stopping")
    return f"""# Model card of the features alone: `builtin-features`

The built-in verifier takes overlap, numbers and reasons from these features and has a cross-encoder beside them; its card is
`MODEL_CARD.md`. Written by `python -m training.features.train`; `make verifier` trains and measures again, `make verifier-report` measures
the shipped file beside others.

**What it is.** Gradient-boosted trees ({settings}) on {_features()} features that a person can check by hand: shared words
weighted by rarity, numbers with their units and neighbours, dates, names, negation, opposite words, and what stands in the
place of what once the claim is laid on the closest sentence. Four labels: supported, contradicted, not_enough_evidence,
irrelevant. No network, no GPU, no language model.

**What it is good for.** A first look without a key: short, plain claims against passages that say the thing in similar
words. It sees changed numbers, years, names and negations best, and it shows the sentence and the reason.

**What it is not.** It has no knowledge of the world and does not understand a paraphrase in other words, arithmetic, tables,
implied facts, irony, or a claim that needs two documents. Most of its features need English; in other languages it compares
words and numbers only. Contradictions without a surface sign are missed, and a different detail in a related sentence may
be taken for one. A claim of more than 120 words is judged part by part and supported only when one passage supports every
part, which is rare: check long text sentence by sentence. **Do not act on its verdict without reading the quote.**

**How good.** Modest on text of another kind. Mean over eight sets, each by a model trained without it: AUROC
{mean["auroc"]:.3f} (word overlap {base["auroc"]:.3f}), balanced accuracy {mean["balanced"]:.3f} ({base["balanced"]:.3f}), macro-F1
{mean["macro_f1"]:.3f} ({base["macro_f1"]:.3f}). Without feverous and begin, which word overlap nearly solves: AUROC {hard["auroc"]:.3f}
({hard_base["auroc"]:.3f}), balanced accuracy {hard["balanced"]:.3f} ({hard_base["balanced"]:.3f}), macro-F1 {hard["macro_f1"]:.3f}
({hard_base["macro_f1"]:.3f}). The held-out part of the training sets looks better and is no guide to other text.

**Confidence** is the probability of the label after one temperature, fitted on left-out sets; for not_enough_evidence and
irrelevant, the chance that the passage settles nothing. On a set that neither the
trees nor the temperature saw, it is off by {100 * mean["ece"]:.0f} points in the mean (ECE). Read it as low, middle, high.

**How to read the tables.** AUROC and balanced accuracy: supported against the rest. Macro-F1: mean over the labels that a
set has; `irrelevant` counts as not_enough_evidence. ECE: 15 bins. *Word overlap*: supported when the weighted share of the
claim's words found around the closest sentence reaches a threshold fitted on training rows by the mean over sets, else
not_enough_evidence; it can't say contradicted, which costs it macro-F1 and accuracy by construction.
The settings were chosen by the left-out means, and the rule that a contradiction needs a sign that can be named by the
held-out part, so both are slightly kind to it; no interval is given, and differences under .02 in a mean are noise. The
features were written with a few dozen short pairs of our own in view (`tests/judging/verifiers/builtin/pairs.py`), which measure
nothing.

{figures_text(figures)}
"""


def _features() -> int:
    from factscope.judging.verifiers.wording.features import NAMES

    return len(NAMES)
