"""The logits of several readings."""

from __future__ import annotations

from factscope.judging.verifiers.builtin import SMALL, Reading, read_logits

CLAIM = "The council bought the old mill for 320,000 crowns."
BOUGHT = "The council bought the old mill for 230,000 crowns in June."
ELSEWHERE = "Nobody came to the fish market on that day."


def test_the_logits_of_a_reading_do_not_depend_on_others_with_the_same_chunk() -> None:
    chunk = f"{ELSEWHERE} {BOUGHT}"
    left_open, settled = (Reading(CLAIM, sentence, (chunk,)) for sentence in (ELSEWHERE, BOUGHT))
    alone = read_logits(SMALL, [left_open], open_from=0.5)[0]
    beside = read_logits(SMALL, [left_open, settled], open_from=0.5)[0]
    assert alone.tolist() == beside.tolist()


def test_nothing_to_read_needs_no_network() -> None:
    assert read_logits(SMALL, []) == []
