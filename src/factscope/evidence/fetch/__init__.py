"""Addresses of web pages → their content, through a single fetcher with safety checks, politeness and limits."""

from factscope.evidence.fetch.fetched import FetchedPage, FetchError, FetchLimits
from factscope.evidence.fetch.fetcher import Fetcher

__all__ = ["FetchError", "FetchLimits", "FetchedPage", "Fetcher"]
