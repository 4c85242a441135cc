"""The verifiers that come with Factscope: one file each, which registers itself."""
