"""Factscope for other code: the Python interface, and one file for each tool that works with Factscope.

`python/` has the calls that `import factscope` offers. Beside it stands one small file for each tool, built on one of
these calls: an answer with its contexts becomes a report, and the report becomes that tool's kind of result. Each file
imports its tool; only the command line and the tools themselves import these files. Three rules hold in all of them
(`assessment`):

1. An answer without anything to check it against is *not assessed*: it gets no number.
2. A check in which something failed is an error in that tool's runner, not a low score.
3. A library that is missing is named with the line that installs it.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
