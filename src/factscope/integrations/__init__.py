"""Factscope where people already work: test runners, notebooks, assistants, harnesses, traces and pull requests.

One small file for each neighbour, on one call of the Python interface: an answer with its contexts becomes a report,
and the report what the neighbour calls a result. Each imports its neighbour, and nothing else imports these files but
the command line and the neighbours themselves. Three rules hold in all of them (`assessment`):

1. An answer without anything to check it against is *not assessed*: it gets no number.
2. A check in which something failed is an error of the neighbour's runner, not a low score.
3. A library that is missing is named with the line that installs it.
"""
