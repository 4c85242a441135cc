"""Claims × passages → judgements."""
