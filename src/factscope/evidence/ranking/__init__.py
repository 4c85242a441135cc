"""What orders passages besides the words of a query: nearness of meaning, both orders as one, and pieces of one length.

Imported when a collection is opened; what runs a model only when there is something to compute.
"""

from factscope.evidence.ranking.dense import Meaning, sentences_in
from factscope.evidence.ranking.document_chunks import Chunks, Pieces, by_bm25, cut_chunks
from factscope.evidence.ranking.fusion import Order, fuse, similarities
from factscope.evidence.ranking.model_config import Recipe, files_of, read_recipe
from factscope.evidence.ranking.sentence_encoder import Encoder, Encoders

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
