"""Segments → claims: by rules (`cut`), or by a model (`extract`) that also makes them stand alone (`prepare`)."""
