"""Training of `builtin-features`: the checkable features alone, with small boosted trees over them."""
