"""Addresses of web pages → what they hold: by one guarded, polite and bounded way."""

from factscope.evidence.fetch.fetched import Fetched, Limits
from factscope.evidence.fetch.fetcher import Fetcher

__all__ = ["Fetched", "Fetcher", "Limits"]
