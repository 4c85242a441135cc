"""Rules that stand in for models, and the labelled sets by which their accuracy is measured."""
