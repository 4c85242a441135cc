"""Cited sources → their texts: from local files first, then from recorded fetches, then from the web."""

from factscope.evidence.citations.at_hand import AtHand, Recorded, open_at_hand, write_recording
from factscope.evidence.citations.library import Library, Resolved

__all__ = ["AtHand", "Library", "Recorded", "Resolved", "open_at_hand", "write_recording"]
