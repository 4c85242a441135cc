"""Families of models: a judge may favour texts by a model of its own family."""

from __future__ import annotations

import re

_FAMILIES: dict[str, str] = {
    "gpt": "GPT", "chatgpt": "GPT", "o1": "GPT", "o3": "GPT", "o4": "GPT", "davinci": "GPT",
    "claude": "Claude",
    "gemini": "Gemini", "gemma": "Gemini", "palm": "Gemini", "bard": "Gemini",
    "llama": "Llama", "vicuna": "Llama", "alpaca": "Llama",
    "mistral": "Mistral", "mixtral": "Mistral", "ministral": "Mistral", "magistral": "Mistral", "codestral": "Mistral",
    "qwen": "Qwen", "qwq": "Qwen",
    "deepseek": "DeepSeek",
    "phi": "Phi", "grok": "Grok", "command": "Command", "glm": "GLM", "kimi": "Kimi", "nova": "Nova", "olmo": "OLMo",
    "granite": "Granite", "nemotron": "Nemotron", "falcon": "Falcon", "yi": "Yi", "minimax": "MiniMax",
}  # fmt: skip
"""Family by the first word of a model's name. A distilled model belongs to the family that its name mentions first."""


def family(model: str) -> str | None:
    """Return the family of a model by its name, with or without a provider; None when the name doesn't tell."""
    name = model.casefold().rpartition(" as ")[0] or model.casefold()
    for word in re.findall(r"[a-z]+\d?", name.rpartition("/")[2]):
        for beginning in (word, word.rstrip("0123456789")):
            if beginning in _FAMILIES:
                return _FAMILIES[beginning]
    return None


def same_family(first: str, other: str) -> bool:
    """Return whether two models are known to be of one family."""
    return family(first) is not None and family(first) == family(other)


def related(first: str, other: str) -> bool:
    """Return whether two models are the same, or known to be of one family."""
    return first == other or same_family(first, other)
