"""Published checkers: small models trained to say whether a passage supports a claim, run on this machine.

The properties of each are in `catalogue.toml`; any other declares its input format in its own file (`model_spec`).
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
