"""What orders passages besides the words of a query: nearness of meaning, both orders as one, and pieces of one length.

Imported when a collection is opened; what runs a model only when there is something to compute.
"""

from .chunks import Chunks, Pieces, by_bm25, cut_chunks
from .encoder import Encoder, Encoders
from .meaning import Meaning, sentences_in
from .orders import Order, fuse, similarities
from .recipe import Recipe, files_of, read_recipe

__all__ = [
    "Chunks",
    "Encoder",
    "Encoders",
    "Meaning",
    "Order",
    "Pieces",
    "Recipe",
    "by_bm25",
    "cut_chunks",
    "files_of",
    "fuse",
    "read_recipe",
    "sentences_in",
    "similarities",
]
