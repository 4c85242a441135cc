"""Requests composed by a data set: restored character by character, or refused."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from factscope.core.records import Document, Response
from factscope.judging import frame_of, read_answer, whole_request
from tests.lab.many_cases import try_all


def restored(frame: str, prompt: str, context: str) -> str:
    documents = (Document(id="d1", text=context, sha256="0"),) if context else ()
    return whole_request(Response(text="", prompt=prompt or None, system=frame, context=documents))


TEXTS = st.text("a {}\x00") | st.sampled_from(["{{prompt}}", "{{context}}", "{{alone}}", "\x00", "a\x00b"])


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_a_null_character_anywhere_loses_no_part_of_the_request(a: str, prompt: str, b: str, context: str) -> None:
    for request in (a + prompt + b + context, context + a + prompt + b, a + b):
        frame = frame_of(request, prompt, context)
        if frame is not None:
            assert restored(frame, prompt, context) == request


def test_a_null_character_in_the_document_or_the_question_does_not_justify_a_refusal() -> None:
    for request, prompt, context in (("Why? a\x00b", "Why?", "a\x00b"), ("W\x00? It is.", "W\x00?", "It is.")):
        frame = frame_of(request, prompt, context)
        assert frame == "{{prompt}} {{context}}"
        assert restored(frame, prompt, context) == request
    assert frame_of("Be\x00 brief. Why?", "Why?", "") is None
    assert frame_of("Be\x00 brief.", "Why?", "It is.") is None


@try_all(
    ("system", "documents", "prompt", "whole"),
    [
        (None, (), None, ""),
        (None, (), "Why?", "Why?"),
        ("Be brief.", (), "Why?", "Be brief.\n\nWhy?"),
        (None, ("One.", "Two."), "Why?", "One.\n\nTwo.\n\nWhy?"),
        ("{{prompt}}\n---\n{{context}}", ("One.", "Two."), "Why?", "Why?\n---\nOne.\n\nTwo."),
        # A frame is filled unchanged, even where it omits something.
        ("Only {{prompt}}", ("One.",), "Why?", "Only Why?"),
        ("Nothing but this.{{alone}}", ("One.",), "Why?", "Nothing but this."),
        # Placeholders within documents and requests are plain text.
        ("{{context}} {{prompt}}", ("See {{prompt}}.",), "{{context}}?", "See {{prompt}}. {{context}}?"),
        ("{{other}}", (), "Why?", "{{other}}\n\nWhy?"),
    ],
)
def test_the_parts_of_a_request_are_joined_in_its_original_form_or_in_order(
    system: str | None, documents: tuple[str, ...], prompt: str | None, whole: str
) -> None:
    context = tuple(Document(id=f"d{number}", text=text, sha256=str(number)) for number, text in enumerate(documents))
    assert whole_request(Response(text="A.", prompt=prompt, system=system, context=context)) == whole


@try_all(
    ("text", "answer"),
    [
        (" It is.\n", "It is."),
        ("<think>Perhaps.</think>\n\nIt is.", "It is."),
        ("  <think>It may </think> be.</think>It is.", "It is."),
        ("<think>Perhaps.</think>", ""),
        ("", ""),
        # Thoughts count only at the beginning of a reply.
        ("The tag </think> ends thoughts.", "The tag </think> ends thoughts."),
        ("<think>It never ends", "<think>It never ends"),
    ],
)
def test_thoughts_before_an_answer_are_not_part_of_it(text: str, answer: str) -> None:
    assert read_answer(text) == answer
    assert read_answer(answer) == answer
