"""Cited sources → their texts: from local files first, then from recorded fetches, then from the web."""

from factscope.evidence.citations.at_hand import AtHand, HeldText, open_at_hand
from factscope.evidence.citations.library import Library, Resolved
from factscope.evidence.citations.recorded_fetches import Recorded, write_recording

__all__ = ["AtHand", "HeldText", "Library", "Recorded", "Resolved", "open_at_hand", "write_recording"]
