"""FACTS Grounding (Jacovi et al. 2025): models answer from a document, judges label the answers."""
