"""The methods that come with Factscope: a TOML file each, as users write their own, or a function where they vary."""
