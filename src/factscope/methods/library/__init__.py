"""The methods that come with Factscope: a TOML file each, like those that users write, or a function for families."""
