"""The verifiers that come with Factscope, which register themselves."""
