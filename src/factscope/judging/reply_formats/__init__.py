"""The forms of a judge's reply that come with Factscope: one file each, which registers itself."""
