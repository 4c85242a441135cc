"""Fetched pages → the text that a person would read there: HTML, PDF and plain text, in a limited child.

Nothing is imported here: a child that reads one kind of page needs none of the others.
"""
