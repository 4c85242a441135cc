"""Segments → claims: by rules (`cut`), or by a model (`extract`), then rewritten to be self-contained."""
