"""Claims → passages: local collections, passages around the best sentence, ranking."""
