"""Stored runs and result files → tables with intervals and ranks → a static site that opens from a file system."""
