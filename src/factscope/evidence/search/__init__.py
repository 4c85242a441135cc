"""Web search behind one small protocol: engines, their failures, the cache, and the filter for pages."""
