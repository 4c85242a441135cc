"""The ground floor: records, labels, errors, and the small helpers that every room uses."""
