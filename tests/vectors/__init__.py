"""Report states and the results of scoring them, to which both Python and the page are held."""
