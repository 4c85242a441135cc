"""Fetched pages → the text that a person would read there: HTML, PDF and plain text, in a limited child."""

from factscope.evidence.page.door import PageReader
from factscope.evidence.page.instructions import Instruction, instruction_spans
from factscope.evidence.page.kinds import Kind
from factscope.evidence.page.page import Page, read_page

__all__ = ["Instruction", "Kind", "Page", "PageReader", "instruction_spans", "read_page"]
