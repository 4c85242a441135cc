"""Verifiers: judges that are not language models.

    protocol               the input and output of a verifier, and helpers for all of them
    builtin, published     the one that comes with Factscope, and small models of others that run on this machine
    rules                  what decides a claim without builtin's network, and when the network's word does not count
    notations              dates, numbers and measures of claim and passage, put into the same words
    wording                the words, names and numbers of the two, and how they are put beside each other
    verifier_judge         claims × passages → judgements; `pair_batches` of all claims, passages as `read_together`
    unsupported_words      the words of a claim that its passage does not support
    packing                the chunks of a long passage that a small model reads
    calibration            probabilities corrected by labelled pairs
    verifier_cascade       a language model for claims of which a verifier is unsure

They are fetched and found by name in `registry`, and measured in `benchmarks.meta_eval.verifier_board`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
