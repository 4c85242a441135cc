"""The formats of reports that come with Factscope: one file each, which registers itself."""
