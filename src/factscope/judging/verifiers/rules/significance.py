"""Results that a claim calls significant and a passage does not: "The difference was not significant".

The network finds "significant" beside the claim's other words, and takes the claim for supported.
"""

from __future__ import annotations

import re

from factscope.judging.verifiers.wording.sentence_pair import SentencePair

_SIGNIFICANT = re.compile(r"\bsignifican(?:t|tly|ce)\b", re.IGNORECASE)
_NOT_SIGNIFICANT = re.compile(
    r"(?:\b(?:not|no|non|without|fail\w* to|short of|never|neither|nor|cannot|lack\w*)|n['’]t)\W+"
    r"(?:\w+\W+){0,5}?significan\w+|\binsignifican\w+",
    re.IGNORECASE,
)


def lacks_significance(pair: SentencePair) -> bool:
    """Tell whether a claim calls significant what the closest sentence only calls not significant."""
    if not _SIGNIFICANT.search(pair.text) or _NOT_SIGNIFICANT.search(pair.text):
        return False
    rest, denials = _NOT_SIGNIFICANT.subn("", pair.nearest_text)
    return denials > 0 and not _SIGNIFICANT.search(rest)
