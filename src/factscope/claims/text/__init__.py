"""Text → segments with exact offsets; a claim → the span that it came from; words → terms."""
