"""Pairs of a claim and a stretch of a document that checks of whole texts read, labelled by the keys of the texts.

A check reads mostly stretches that are about something else, or nearly about the claim, which pairs written for
training never are. A pilot of twelve minutes with 6,500 pairs, most of them from 57 texts, taught the small network to
tell contradictions from other stretches of true sentences, in 48 texts by other writers, with an area under the ROC
curve of .953 for .897, and from stretches that support such sentences with .831 for .797.

    python -m training.check_pairs build/check_pairs.jsonl
    python -m training.train --base build/train/e5-small --layers 10 --texts build/check_pairs.jsonl

Each line is a pair, whether its label is known, and how often a stage is to see it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import factscope
from factscope.core.records import Report
from factscope.judging.verifiers.builtin.cross_encoder import EncoderTexts
from factscope.judging.verifiers.builtin.load_builtin import load_small
from factscope.judging.verifiers.builtin.reading import share_of, to_read
from factscope.judging.verifiers.builtin.tree_model import read_model
from factscope.judging.verifiers.wording.claim_sentences import read_sentences, text_of
from factscope.judging.verifiers.wording.clauses import with_subject
from factscope.judging.verifiers.wording.features import compare, read
from factscope.judging.verifiers.wording.text_items import AnalysedText

from .labelled import LABELS, Label, Pair

TO_TRAIN_ON = ("texts", "later_texts/texts", "fresh_texts/texts", "varied_texts/texts", "wide_texts/texts")
"""Folders of texts for a network to be trained on. Then nothing else is to be fitted on them: its log-odds there are
better than elsewhere. `held_texts` and `tree_texts` are for that, and `last_texts` for measuring."""
EASY = 0.05
"""Probability of a wrong label, by the small network that ships, below which a stretch teaches little."""
EASY_SHARE = 0.25
"""Share of the easy stretches beside true sentences that are used."""
REPEATS = {"supported": 3, "contradicted": 5, "not_enough": 3}
DOUBTFUL = 0.3
"""Probability of a contradiction below which one of several claims of a false sentence is thought to be true."""
_SAME = 60
"""Characters of a quote by which a passage with it is known: a longer one may be cut."""


class Stretch(NamedTuple):
    """A claim beside a text that the encoder reads, of a sentence with a label."""

    pair: Pair
    decides: bool
    """Whether it has the quote that settles the sentence."""
    is_alone: bool
    """Whether the sentence makes no other claim."""


class ReadClaim(NamedTuple):
    """A claim of a text, with the passages that a check of it reads and what the key says of its sentence."""

    text: str
    label: Label
    quote: str
    passages: tuple[str, ...]
    is_alone: bool

    def is_decided_by(self, text: str) -> bool:
        """Tell whether a text has the quote that settles the sentence."""
        return bool(self.quote) and self.quote[:_SAME] in plain(text)


def read_claims(folder: Path) -> Iterator[ReadClaim]:
    """Yield each claim of a text with a key. Raises OSError, ValueError."""
    key = [json.loads(line) for line in (folder / "key.jsonl").read_text(encoding="utf-8").splitlines()]
    text = (folder / "text.md").read_text(encoding="utf-8")
    report = factscope.check(text, evidence=str(folder / "docs"), verifier="builtin-features").record
    return (claim for row in key if row["label"] in LABELS for claim in _of_sentence(report, row))


def _of_sentence(report: Report, row: dict[str, str]) -> Iterable[ReadClaim]:
    passages = {passage.id: passage.reading or passage.text for passage in report.passages}
    sentence, quote = plain(row["sentence"]), plain(row["quote"] or "")
    segments = {segment.id for segment in report.segments if plain(segment.text)[:50] in sentence}
    claims = [claim for claim in report.claims if claim.segment_id in segments and not claim.skipped]
    label: Label = row["label"]  # type: ignore[assignment]
    for claim in claims:
        read = {number for each in report.judgements if each.unit_id == claim.id for number in each.passage_ids}
        texts = tuple(passages[number] for number in sorted(read))
        yield ReadClaim(claim.standalone, label, quote, texts, len(claims) == 1)


def plain(text: str) -> str:
    """Return the words of a text in lower case."""
    return re.sub(r"\W+", " ", text).lower().strip()


def stretches(folder: Path) -> Iterator[Stretch]:
    """Yield what the encoder reads in a check of a text, each once for a claim."""
    weights = read_model().weights
    for claim in read_claims(folder):
        sentence, *others = read_sentences(claim.text, weights)
        if others:
            continue
        for text in dict.fromkeys(text for passage in claim.passages for text in _texts(sentence, passage)):
            pair = Pair(f"text:{folder.name}", text_of(sentence), text, claim.label)
            yield Stretch(pair, claim.is_decided_by(text), claim.is_alone)


def _texts(sentence: AnalysedText, passage_text: str) -> list[str]:
    """Return what the encoder reads of a passage: its chunks, and the closest sentence."""
    weights = read_model().weights
    passage = read(passage_text, weights)
    comparison = compare(sentence, passage)
    if comparison.sentence is None:
        return []
    chunks = [chunk.of(passage) for chunk in to_read(sentence, passage, comparison)]
    return [*chunks, with_subject(sentence, passage, comparison.sentence, weights)]


def write_pairs(folders: Sequence[Path], path: Path, chance: random.Random) -> None:
    """Write the pairs of texts with keys. Raises OSError, ValueError."""
    encoder = load_small().encoder
    with path.open("w", encoding="utf-8") as file:
        for text in (text for folder in folders for text in sorted(folder.iterdir())):
            found = list(stretches(text))
            logits = encoder.logits([EncoderTexts(each.pair.claim, each.pair.passage) for each in found])
            for each, row in zip(found, logits, strict=True):
                times = repeats(each, [share_of(row, label) for label in range(len(LABELS))], chance)
                if times:
                    is_known = each.pair.label != "supported" or (each.decides and each.is_alone)
                    file.write(json.dumps([*each.pair[:4], is_known, times]) + "\n")
            print(text.name, len(found), flush=True)


def read_check_pairs(path: Path) -> list[tuple[Pair, bool]]:
    """Return the pairs of a file, as often as a stage is to see them, and whether their label is known.

    Where it isn't, the stretch is one that doesn't contradict a true sentence: it may support it or leave it open.
    Raises OSError, ValueError.
    """
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(Pair(*pair), is_known) for *pair, is_known, times in rows for _ in range(times)]


def repeats(stretch: Stretch, now: Sequence[float], chance: random.Random) -> int:
    """Return how often a stage sees a stretch, to which the network that ships gives the probabilities `now`."""
    label = stretch.pair.label
    if label == "contradicted" and not (stretch.decides and (stretch.is_alone or now[1] >= DOUBTFUL)):
        return 0  # it may contradict the sentence, too, or be about its true part
    if label == "not_enough" and max(now[:2]) < EASY:
        return 1
    if label == "supported" and not stretch.decides and now[1] <= EASY:
        return int(chance.random() < EASY_SHARE)
    return REPEATS[label]


def main() -> None:
    """Read the texts as a check would, and write the pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="file to write")
    parser.add_argument("--texts", type=Path, nargs="+", default=[Path(__file__).parent / name for name in TO_TRAIN_ON])
    parser.add_argument("--seed", type=int, default=7101)
    options = parser.parse_args()
    write_pairs(options.texts, options.file, random.Random(options.seed))


if __name__ == "__main__":
    main()
