"""The four papers' tables, recomputed from recorded material: published, recomputed, the difference, and why."""
