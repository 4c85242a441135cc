"""Scores shared by processes: read once, and never from half a line."""

from __future__ import annotations

from pathlib import Path

from factscope.judging.verifiers.builtin import MPNET, SMALL, CrossEncoder, EncoderTexts
from tests.lab.shared_scores import Scores, SharedScores, scores_in

PAIR = EncoderTexts("The bridge is open.", "It was closed.\nThen it was opened.")


class Network:
    """Records the pairs it is asked about."""

    def __init__(self) -> None:
        self.asked: list[EncoderTexts] = []

    def __call__(self, encoder: CrossEncoder, texts: EncoderTexts) -> Scores:
        self.asked.append(texts)
        return (0.1, -2 / 3, 1e-7)


def test_scores_are_shared_with_another_process_and_computed_once(tmp_path: Path) -> None:
    first, second = Network(), Network()
    here, there = (SharedScores(tmp_path / "scores", network) for network in (first, second))
    assert here(SMALL, PAIR) == here(SMALL, PAIR) == there(SMALL, PAIR) == (0.1, -2 / 3, 1e-7)
    assert (first.asked, second.asked) == ([PAIR], [])


def test_an_unfinished_line_is_skipped_with_whatever_was_appended_to_it(tmp_path: Path) -> None:
    file = tmp_path / "scores"
    file.write_text("0123456789abcdef0123456789abc")
    SharedScores(file, Network())(SMALL, PAIR)
    last = Network()
    later = SharedScores(file, last)
    later(SMALL, PAIR)
    later(SMALL, PAIR)
    assert last.asked == [PAIR]
    assert SharedScores(file, Network())(SMALL, PAIR) == (0.1, -2 / 3, 1e-7)


def test_scores_of_other_encoders_are_not_shared(tmp_path: Path) -> None:
    network = Network()
    shared = SharedScores(tmp_path / "scores", network)
    other = CrossEncoder(lambda: None, MPNET)
    assert shared(other, PAIR) == shared(other, PAIR)
    assert network.asked == [PAIR, PAIR]


def test_scores_of_another_network_are_not_used_and_are_deleted(tmp_path: Path) -> None:
    network, folder = tmp_path / "encoder.onnx", tmp_path / "scores"
    folder.mkdir()
    network.write_bytes(b"one")
    file = scores_in(folder, [network])
    file.touch()
    assert scores_in(folder, [network]) == file
    assert file.exists()
    network.write_bytes(b"two")
    assert scores_in(folder, [network]) != file
    assert not file.exists()
