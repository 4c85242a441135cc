"""Problems of a text's citations, one line each, with line and column."""
