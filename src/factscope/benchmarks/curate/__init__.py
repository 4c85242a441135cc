"""Conversations → a versioned benchmark of prompts on which models make factual errors, and its yearly update."""
