"""The training loop: one pass over pairs with AdamW, resumable from a checkpoint."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import distributed, nn

from .labelled import LABELS, Label, Pair
from .network import CrossEncoder, Tokens

BATCH = int(os.environ.get("TRAIN_BATCH", "48"))
WARM_UP = 0.06
"""Share of the steps in which the learning rate rises."""
SMOOTHING = 0.05
HEAD_FACTOR = 5.0
"""Factor by which a new head learns faster than the encoder."""
CHECKPOINT_SECONDS = 600.0
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BFLOAT16 = os.environ.get("TRAIN_BFLOAT16", "1") == "1"
"""Whether to multiply matrices in 16 bits. Measure it first: on one CPU with AVX-512 that took 1.7 times as long."""
_RANK, _PROCESSES = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
"""Which process this is of how many that share the batches, as torchrun says it; one thread each is fastest."""


def batches(rows: Sequence[tuple[list[int], list[int]]], seed: int) -> list[list[int]]:
    """Return batches of row numbers in random order, each with rows of similar length."""
    chance = random.Random(seed)
    order = chance.sample(range(len(rows)), len(rows))
    result = []
    for start in range(0, len(order), BATCH * 40):
        block = sorted(order[start : start + BATCH * 40], key=lambda row: len(rows[row][0]) + len(rows[row][1]))
        cut = [block[at : at + BATCH] for at in range(0, len(block), BATCH)]
        chance.shuffle(cut)
        result += cut
    return result


def fit(
    model: CrossEncoder,
    tokens: Tokens,
    pairs: Sequence[Pair],
    *,
    rate: float,
    seed: int,
    checkpoint: Path,
    aims: Sequence[Sequence[float] | None] | None = None,
    frozen_layers: int = 0,
    head_factor: float = HEAD_FACTOR,
    minutes: float | None = None,
    on_checkpoint: Callable[[], None] | None = None,
) -> None:
    """Train for one pass, or for `minutes` if these are over before; the rate falls to zero at either end.

    `aims` are the probabilities to learn, those of each pair's label by default. None means that the label is any but
    contradicted: the network's own probabilities, without that of a contradiction. Resumes from `checkpoint` if it
    exists.
    """
    torch.manual_seed(seed + 1000 * _RANK)
    model.to(DEVICE)
    if _PROCESSES > 1:
        distributed.init_process_group("gloo")
    for parameter in model.encoder.embeddings.parameters():
        parameter.requires_grad = False
    for layer in model.encoder.encoder.layer[:frozen_layers]:
        for parameter in layer.parameters():
            parameter.requires_grad = False
    own = [parameter for parameter in model.encoder.parameters() if parameter.requires_grad]
    groups = [{"params": own, "lr": rate}, {"params": model.head.parameters(), "lr": rate * head_factor}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
    rates = [group["lr"] for group in optimizer.param_groups]
    rows = tokens.encode(pairs)
    steps = batches(rows, seed)
    first, curve = 0, []
    spent = 0.0
    if checkpoint.is_file():
        state = torch.load(checkpoint, map_location=DEVICE)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first, curve, spent = state["step"], state["curve"], state["seconds"]
        print(f"going on at step {first} of {len(steps)}", flush=True)
    aims = aims or [smoothed(pair.label) for pair in pairs]
    begin = saved = time.monotonic()
    seen, total = 0, torch.zeros((), device=DEVICE)
    model.train()
    for number in range(first, len(steps)):
        step = steps[number][_RANK::_PROCESSES]
        seconds = spent + time.monotonic() - begin
        done = _of_first(max(number / len(steps), seconds / (60 * minutes) if minutes else 0.0))
        if done >= 1:
            break
        share = min(1.0, (done + 1 / len(steps)) / WARM_UP) * (1 - done)
        for group, most in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = most * share
        with torch.autocast(DEVICE, torch.bfloat16, enabled=BFLOAT16):
            logits = model(*map(_moved, tokens.collate([rows[row] for row in step])))
        loss = nn.functional.cross_entropy(logits.float(), _targets(logits.float(), [aims[row] for row in step]))
        loss.backward()
        _average_gradients([*own, *model.head.parameters()])
        nn.utils.clip_grad_norm_([*own, *model.head.parameters()], 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seen, total = seen + len(step), total + loss.detach()
        if number % 50 == 49:
            mean = float(total) / 50
            curve.append({"step": number + 1, "loss": round(mean, 4)})
            speed = seen / (time.monotonic() - begin)
            print(f"{number + 1}/{len(steps)} loss {mean:.3f} {speed:.1f} pairs/s", flush=True)
            total.zero_()
        if _RANK == 0 and time.monotonic() - saved > CHECKPOINT_SECONDS:
            _save(checkpoint, model, optimizer, number + 1, curve, seconds)
            saved = time.monotonic()
            if on_checkpoint:
                on_checkpoint()
                model.train()
    if _RANK > 0:
        return
    _save(checkpoint, model, optimizer, len(steps), curve, 0.0)
    checkpoint.with_suffix(".json").write_text(json.dumps(curve), encoding="utf-8")


def smoothed(label: Label) -> list[float]:
    """Return the probabilities of `LABELS` to learn for a label (label smoothing: Szegedy et al. 2016, section 7)."""
    rest = SMOOTHING / len(LABELS)
    return [1 - SMOOTHING + rest if each == label else rest for each in LABELS]


def _targets(logits: torch.Tensor, aims: Sequence[Sequence[float] | None]) -> torch.Tensor:
    """Return the probabilities to learn, pairs × 3."""
    own = logits.detach().softmax(1)
    own[:, LABELS.index("contradicted")] = 0
    own /= own.sum(1, keepdim=True)
    known = [(number, aim) for number, aim in enumerate(aims) if aim is not None]
    if known:
        own[[number for number, _ in known]] = _moved(torch.tensor([aim for _, aim in known]))
    return own


def _moved(values: torch.Tensor) -> torch.Tensor:
    """Return a tensor on `DEVICE`, without waiting for what that has still to compute."""
    return values.to(DEVICE, non_blocking=True)


def _average_gradients(parameters: Sequence[torch.Tensor]) -> None:
    if _PROCESSES > 1:
        gradients = [parameter.grad for parameter in parameters]
        flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
        distributed.all_reduce(flat)
        parts = flat.div_(_PROCESSES).split([gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))


def _of_first(value: float) -> float:
    """Return the first process's value in all processes."""
    shared = torch.tensor([value], dtype=torch.float64)
    if _PROCESSES > 1:
        distributed.broadcast(shared, 0)
    return float(shared)


def _save(
    path: Path, model: CrossEncoder, optimizer: Any, step: int, curve: list[dict[str, float]], seconds: float
) -> None:
    """Write the checkpoint to a temporary file and move it into place, so that a kill keeps the previous one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".new")
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save({**state, "step": step, "curve": curve, "seconds": seconds}, beside)
    beside.replace(path)


def probabilities(model: CrossEncoder, tokens: Tokens, pairs: Sequence[Pair]) -> list[list[float]]:
    """Return the probabilities of `LABELS` for each pair, in order."""
    model.eval()
    rows = tokens.encode(pairs)
    order = sorted(range(len(rows)), key=lambda row: len(rows[row][0]) + len(rows[row][1]))
    result: list[list[float]] = [[] for _ in rows]
    device = model.head.weight.device
    with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=BFLOAT16):
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            batch = (part.to(device) for part in tokens.collate([rows[row] for row in chosen]))
            found = model(*batch).float().softmax(1).tolist()
            for row, values in zip(chosen, found, strict=True):
                result[row] = values
    return result
