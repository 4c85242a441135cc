"""The measures that come with Factscope: one file each, which registers itself."""
