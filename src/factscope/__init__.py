"""Factscope checks what a text claims against evidence, and measures how well models and checkers get facts right.

    import factscope as fs

    report = fs.check("The bridge opened in 1931.", evidence="docs/")
    print(report)
    report.score, report.coverage, report.problems

Names are imported when they are first used, so that `import factscope` costs next to nothing.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
