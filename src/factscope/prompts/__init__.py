"""What models are asked: one file per step of a method, `<method>/<step>.md`, and the filling of its places."""

from factscope.prompts.prompt import NOTICE, Filled, Prompt, load, shipped

__all__ = ["NOTICE", "Filled", "Prompt", "load", "shipped"]
