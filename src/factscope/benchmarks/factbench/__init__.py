"""FactBench (Bayat et al. 2024): models answer prompts in tiers, and the claims in their answers are checked."""
