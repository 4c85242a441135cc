"""Segments → claims: by rules (`cut`), or by a model (`extract`), with claims then made to stand alone (`prepare`)."""
