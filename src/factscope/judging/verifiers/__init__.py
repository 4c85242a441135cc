"""Verifiers: judges that are not language model.

    protocol               what a verifier is asked and says, and what all of them share
    builtin, published     the one that comes with Factscope, and small models of others that run on this machine
    verifier_judge         claims × passages → judgements; `batching` asks for all claims in flight together
    span_attribution       the words of a claim that its passage does not support
    packing                the chunks of a long passage that a small model reads
    calibration            chances made true by labelled pairs
    verifier_cascade       a language model for what a verifier is unsure of

They are fetched and found by name in `registry`, and measured in `benchmarks.meta_eval.verifier_board`.
"""
