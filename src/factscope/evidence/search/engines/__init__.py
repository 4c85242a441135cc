"""The search engines that come with Factscope: one file each, which registers itself."""
