"""The words, names and numbers of a claim and a passage, and how they are put beside each other.

    text → items (`analysis`, `text_items`) → clauses, rows → the two texts aligned (`alignment`, `clauses`, `features`)

The rules, the notations and the network's weighted sum all rest on it.
"""
