"""Training of the built-in verifiers, apart from the package because PyTorch takes six gigabytes."""
