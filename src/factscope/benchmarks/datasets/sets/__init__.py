"""The labelled data sets that come with Factscope: their forms, and where each is. Each file registers its own."""
