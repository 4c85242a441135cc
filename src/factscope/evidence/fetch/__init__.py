"""Addresses of web pages → their content: by one guarded, polite and bounded way."""

from factscope.evidence.fetch.fetched import FetchedPage, FetchError, FetchLimits
from factscope.evidence.fetch.fetcher import Fetcher

__all__ = ["FetchError", "FetchLimits", "FetchedPage", "Fetcher"]
