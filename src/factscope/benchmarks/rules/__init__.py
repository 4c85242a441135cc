"""Rules that replace models, and the labelled sets that measure their accuracy."""
