"""The whole request that a response answers, as its writer got it, and as a judge gets it that answers it too.

A data set may compose it in its own way, such as `full_prompt` of FACTS Grounding. Then `Response.system` holds that
text with `{{prompt}}` and `{{context}}` in place of the request and the documents, so that nothing is stored twice;
`{{alone}}` ends a text that contains neither unchanged.
"""

from __future__ import annotations

import re

from factscope.core.records import Response
from factscope.llm.call import Call, Message
from factscope.llm.models_by_role import Models

_VARIABLE = re.compile(r"\{\{(prompt|context|alone)\}\}")
_PLACE = "\x00"
"""Placeholder for the request while other placeholders are searched for."""
ANSWER_TOKENS = 4096
"""Most tokens of an answer to a whole request."""


def whole_request(response: Response) -> str:
    """Join system instruction, documents and request into one text, filled in one pass.

    Placeholders inside a document are not filled.
    """
    fields = {
        "prompt": response.prompt or "",
        "context": "\n\n".join(document.text or "" for document in response.context),
        "alone": "",
    }
    frame = response.system or ""
    if not _VARIABLE.search(frame):
        frame = "\n\n".join(filter(None, (frame, "{{context}}" if fields["context"] else "", "{{prompt}}")))
    return _VARIABLE.sub(lambda match: fields[match[1]], frame)


def frame_of(full_request: str, prompt: str, context: str) -> str | None:
    """Return `full_request` as a template from which `whole_request` restores it exactly.

    None when `full_request` contains placeholders of its own, or a null character, outside its request and its
    document.
    """
    at = full_request.find(context) if context else -1
    before, after = (full_request[:at], full_request[at + len(context) :]) if at >= 0 else (full_request, "")
    has_prompt = bool(prompt) and (prompt in before or prompt in after)
    if prompt and prompt in before:
        before = before.replace(prompt, _PLACE, 1)
    elif prompt and prompt in after:
        after = after.replace(prompt, _PLACE, 1)
    if _VARIABLE.search(before) or _VARIABLE.search(after) or (before + after).count(_PLACE) != has_prompt:
        return None
    before, after = (piece.replace(_PLACE, "{{prompt}}") for piece in (before, after))
    frame = f"{before}{{{{context}}}}{after}" if at >= 0 else before
    return frame if _VARIABLE.search(frame) else f"{frame}{{{{alone}}}}"


def answer_call(models: Models, role: str, request: str) -> Call:
    """Return the call with which a model answers a whole request: the same for judged models and for judges.

    Raises UsageError when the role has no model.
    """
    return models.call(role, (Message("user", request),), temperature=0.0, max_tokens=ANSWER_TOKENS)


def read_answer(text: str) -> str:
    """Return the answer without thoughts and white space around it; it may be empty."""
    head, end, remainder = text.strip().rpartition("</think>")
    return (remainder if end and head.startswith("<think>") else text).strip()
