"""The forms of a judge's reply that come with Factscope, which register themselves."""
