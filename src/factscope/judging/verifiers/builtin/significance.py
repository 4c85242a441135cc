"""Results that a claim calls significant and a passage does not: "The difference was not significant".

The network finds "significant" beside the claim's other words, and takes the claim for supported.
"""

from __future__ import annotations

import re

_SIGNIFICANT = re.compile(r"\bsignifican(?:t|tly|ce)\b", re.IGNORECASE)
_NOT_SIGNIFICANT = re.compile(
    r"(?:\b(?:not|no|non|without|fail\w* to|short of|never|neither|nor|cannot|lack\w*)|n['’]t)\W+"
    r"(?:\w+\W+){0,5}?significan\w+|\binsignifican\w+",
    re.IGNORECASE,
)


def lacks_significance(claim: str, sentence: str) -> bool:
    """Tell whether a claim calls significant what a sentence only calls not significant."""
    if not _SIGNIFICANT.search(claim) or _NOT_SIGNIFICANT.search(claim):
        return False
    rest, denials = _NOT_SIGNIFICANT.subn("", sentence)
    return denials > 0 and not _SIGNIFICANT.search(rest)
