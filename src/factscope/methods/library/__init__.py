"""The methods that come with Factscope, each a value in a file of its own."""
