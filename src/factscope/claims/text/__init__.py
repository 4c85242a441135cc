"""Text → segments with exact offsets; a claim → the span it came from; words → terms."""
