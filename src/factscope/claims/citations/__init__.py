"""The citations of a text: where it names sources, which sources these are, and the words that each citation supports.

text → bibliography → markers → sources → scopes → claims with their citations
"""

from factscope.claims.citations.block_quotes import QuotedBlock, block_quotes
from factscope.claims.citations.cited_claims import cited_by, unmarked
from factscope.claims.citations.quoted_words import quoted_words
from factscope.claims.citations.read_citations import Cited, Listed, read_citations
from factscope.claims.citations.reference import Reference, identity, read_entry

__all__ = [
    "Cited",
    "Listed",
    "QuotedBlock",
    "Reference",
    "block_quotes",
    "cited_by",
    "identity",
    "quoted_words",
    "read_citations",
    "read_entry",
    "unmarked",
]
