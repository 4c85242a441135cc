"""Conversations → a versioned benchmark of prompts on which models make things up, and its update."""
