"""The citations of a text: where it names sources, which sources these are, and the words that each citation supports.

text → bibliography → markers → sources → scopes → claims with their citations
"""
