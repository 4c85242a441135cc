"""The cross-encoders: a pretrained encoder with a head for three labels. Needs torch and transformers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

from .labelled import LABELS, Pair

MAX_TOKENS = 256
"""Tokens of a pair in training, as when the network is used."""


class CrossEncoder(nn.Module):  # type: ignore[misc,unused-ignore]  # torch is there for training only
    """Logits of `LABELS` from the first state, both sides' means, their difference and product."""

    def __init__(self, base: Path, dropout: float = 0.0, layers: int | None = None) -> None:
        super().__init__()
        from transformers import AutoModel

        self.encoder = AutoModel.from_pretrained(
            base,
            add_pooling_layer=False,
            attn_implementation="eager",
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
        )
        if layers:
            if layers > len(self.encoder.encoder.layer):
                raise ValueError(f"{base} has only {len(self.encoder.encoder.layer)} layers.")
            self.encoder.encoder.layer = self.encoder.encoder.layer[:layers]
        self.has_sides = getattr(self.encoder.config, "type_vocab_size", 0) > 1
        width = self.encoder.config.hidden_size
        self.head = nn.Linear(5 * width, len(LABELS))
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        """Return logits, pairs × 3, from tokens, mask and sides (0 claim, 1 passage), each pairs × tokens."""
        sides = {"token_type_ids": types} if self.has_sides else {}
        states = self.encoder(input_ids=ids, attention_mask=mask, **sides).last_hidden_state
        passage = (mask * types).unsqueeze(-1).to(states.dtype)
        claim = (mask * (1 - types)).unsqueeze(-1).to(states.dtype)
        u = (states * claim).sum(1) / claim.sum(1)
        v = (states * passage).sum(1) / passage.sum(1)
        logits: torch.Tensor = self.head(torch.cat((states[:, 0], u, v, (u - v).abs(), u * v), dim=1))
        return logits


class Tokens:
    """The tokenizer of a base model, and batches of pairs: start, claim, end, passage, end."""

    def __init__(self, base: Path) -> None:
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.is_bert = self.tokenizer.token_to_id("[CLS]") is not None
        start, end, pad = ("[CLS]", "[SEP]", "[PAD]") if self.is_bert else ("<s>", "</s>", "<pad>")
        self.start, self.end, self.pad = (self._number(mark) for mark in (start, end, pad))

    def _number(self, mark: str) -> int:
        number = self.tokenizer.token_to_id(mark)
        if number is None:
            raise ValueError(f"The tokenizer has no token {mark}.")
        return int(number)

    def encode(self, pairs: Sequence[Pair]) -> list[tuple[list[int], list[int]]]:
        """Return the tokens of both sides of each pair."""
        texts = list({text for pair in pairs for text in (pair.claim, pair.passage)})
        encoded = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        ids = {text: encoding.ids for text, encoding in zip(texts, encoded, strict=True)}
        sides = []
        for pair in pairs:
            first = [self.start, *ids[pair.claim][: MAX_TOKENS // 2], self.end]
            sides.append((first, [*ids[pair.passage][: MAX_TOKENS - len(first) - 1], self.end]))
        return sides

    def collate(self, rows: Sequence[tuple[list[int], list[int]]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return tokens, mask and sides of a batch, each pairs × tokens."""
        # Few widths: the kernels for each shape are kept, and with every width of its own they fill the memory.
        width = -(-max(len(claim) + len(passage) for claim, passage in rows) // 16) * 16
        places = torch.arange(width)
        is_token = places < torch.tensor([len(claim) + len(passage) for claim, passage in rows]).unsqueeze(1)
        of_passage = places >= torch.tensor([len(claim) for claim, _ in rows]).unsqueeze(1)
        ids = torch.full((len(rows), width), self.pad, dtype=torch.long)
        ids[is_token] = torch.tensor([token for claim, passage in rows for token in (*claim, *passage)])
        return ids, is_token.long(), (is_token & of_passage).long()


def mean_weights(checkpoints: Sequence[Path]) -> dict[str, torch.Tensor]:
    """Return the mean of the weights of several runs (a model soup, Wortsman et al. 2022, section 2)."""
    states = [torch.load(path, map_location="cpu")["model"] for path in checkpoints]
    return {name: sum(state[name] for state in states) / len(states) for name in states[0]}
