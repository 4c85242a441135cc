"""Prompts: one file per step of a method, `<method>/<step>.md`, and the code that fills their variables."""

from factscope.llm.prompts.prompt import LINE_MARK, NOTICE, FilledPrompt, Prompt, lines_by_id, load, shipped

__all__ = ["LINE_MARK", "NOTICE", "FilledPrompt", "Prompt", "lines_by_id", "load", "shipped"]
