"""The measures that come with Factscope, which register themselves."""
