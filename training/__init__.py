"""Training of the built-in verifiers, separate from the package because PyTorch takes six gigabytes."""
