"""Fetched pages → the text that a person would read there: HTML, PDF and plain text, in a limited child."""

from factscope.evidence.page.injection import Instruction, instruction_spans
from factscope.evidence.page.page import ReadPage, read_page
from factscope.evidence.page.page_type import Kind
from factscope.evidence.page.reader import PageReader, open_reader

__all__ = ["Instruction", "Kind", "PageReader", "ReadPage", "instruction_spans", "open_reader", "read_page"]
