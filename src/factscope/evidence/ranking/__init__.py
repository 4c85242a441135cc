"""Ranking of passages beyond keywords: semantic similarity, fusion of two rankings, and chunks of fixed length.

Imported when a collection is opened; the code that runs a model is imported only when there is something to compute.
"""

from factscope.evidence.embedding_models import Encoders
from factscope.evidence.ranking.dense import DenseIndex, sentences_in
from factscope.evidence.ranking.document_chunks import ChunkedDocuments, by_bm25, cut_chunks
from factscope.evidence.ranking.fusion import Order, fuse, similarities
from factscope.evidence.ranking.sentence_encoder import Encoder

__all__ = [
    "ChunkedDocuments",
    "DenseIndex",
    "Encoder",
    "Encoders",
    "Order",
    "by_bm25",
    "cut_chunks",
    "fuse",
    "sentences_in",
    "similarities",
]
