"""The citations of a text: where it names sources, which sources these are, and the words that each citation supports.

text → bibliography → markers → sources → scopes → claims with their citations
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
