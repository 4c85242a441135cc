"""Summary of a text's citations: pure functions of its records."""
