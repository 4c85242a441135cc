"""Which class a request is of in FactBench's filter: a rule over its words, for when no model sorts requests.

A request is taken for one about the world unless something speaks against it: a text that it brings along to work on,
or signs of code, computing, invention, play, small talk or the person who asks. English only. `rule_accuracy` measures
it on requests that it was not written on.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from factscope.core.patterns import joined, pattern

Kind = Literal["Factual", "Faithful", "Neither"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Classes of FactBench's filter; only the first is kept."""

_WORK_ON = joined(r"""
    summari[sz]e|sum up|translate|paraphrase|rewrite|re-?write|rephrase|reword|shorten|proof-?read|correct|improve
    |edit|simplify|condense|extract|pull out|classify|label|categori[sz]e|convert|turn|transform|make|fill in|identify
    |list
    """)
_GIVEN_WORDS = (
    r"text|passage|article|paragraph|document|email|e-?mail|message|sentence|transcript|review|tweet"
    r"|story|notes|contract"
)
_TEXT_SUPPLIED = pattern(rf"""(?is)
    \b(?:{_WORK_ON})\b[^:\n]{{0,80}}:\s*\S+(?:\s+\S+)
    |^\W*(?:please )?(?:translate|proof-?read|paraphrase|rephrase|reword|rewrite|tl;?dr)\b
    |\b(?:following|this|these|below|above|given|my) (?:\w+ )?(?:{_GIVEN_WORDS})s?\b
    |\b(?:{_GIVEN_WORDS})s? (?:below|above)\b
    |\b(?:from|using|based on|according to|in|read) (?:only )?the (?:{_GIVEN_WORDS})\b
    |^\W*(?:context|passage|text|article)\s*:
    |\b(?:fix|correct|check)\b.{{0,20}}\b(?:grammar|spelling|punctuation|mistakes)\b
    """)
_LANGUAGES = (
    r"python|javascript|typescript|java|c\+\+|c#|html|css|sql|rust|bash|php|kotlin|golang|matlab|latex"
    r"|react|jest|django|flask"
)
_CODE = pattern(rf"""(?is)
    ```|\bdef \w+\(|</?\w+>|\bselect query\b
    |\b(?:regex|css|html|div|dockerfile|docker|git|npm|jest|react|webpack|kubernetes|tensorflow|pytorch|laravel
    |node\.?js|awk|jq|func\d|bytesio|discord bot|power ?shell|terraform|makefile|kubectl|vba|excel (?:table|sheet
    |file)|rest api|api for|database schema|excel formula|stack ?trace|spreadsheet formula|unit tests?|json|yaml)\b
    |\b(?:in|using|with|a) (?:{_LANGUAGES})\b(?! (?:come|came|create))
    |\b(?:write|fix|debug|implement|code|refactor|optimi[sz]e|build|make my)\b.{{0,40}}\b(?:code|function|script
    |program|query|class|algorithm|module|component|app|bot|extension|middleware|website|macro|plugin|slider)\b
    """)
_COMPUTED = pattern(r"""(?is)
    \b(?:calculate|compute|solve|simplify|factori[sz]e|differentiate|integrate|prove|proof
    |show) (?:for |that |this |the )?\S|\bderivative of\b|\d\s*[*x×/+^]\s*\d|\d ?% of \d
    |\bnext (?:number|letter|term)\b|\bcomes next\b|\bhow many ways\b|\b(?:are|is) left\b
    |\bif (?:a|two|one) (?:train|car|man|farmer|worker)\b|\b(?:two|three|four|five) (?:friends|people|men)\b
    |\btwice as many\b|\bprobability (?:that|of (?:drawing|rolling))\b
    """)
_MADE_UP = pattern(r"""(?is)
    \b(?:role-?play|pretend|imagine|act as|you are (?:now )?(?:a|an|my|the|\w+,)|from now on you|stay in character
    |in the style of)\b
    |\b(?:write|tell|compose|make|create|draft|generate|give|come up with|suggest|describe|help
    |continue)\b[^.?!]{0,45}\b(?:story|stories|poems?|songs?|lyrics|jokes?|haiku|limerick|rap|fan ?fiction|dialogue
    |screenplay|slogans?|riddles?|taglines?|captions?|speech|toast|letter|e-?mails?|note|resume|cv|cover letter
    |product description|novel|chapter|script|advert\w*|prompts?|laugh|names for|ideas for|breakup text
    |blog post title|fictional|vivid|magical|fantasy)\b|^\W*(?:a |an )?(?:haiku|poem|limerick)\b|\blet['’]?s play\b
    |\btwenty questions\b|\bask me\b|\bmidjourney\b|\bstable diffusion\b
    """)
_TO_THE_MODEL = pattern(r"""(?is)
    ^\W*(?:hi|hello|hey|thanks?|thank you|good (?:morning|evening|night)|how are you|continue|go on|yes|no
    |ok(?:ay)?)\b[^?]{0,20}\W*$|^\W*(?:who|what|how|which \w+(?: of \w+)?) are you\b|^\W*are you\b
    |^\W*(?:do|can|will) you (?:feel|have|like|love|think|want|dream|see|hear|remember|speak)\b
    |\b(?:smarter than chatgpt|ignore all previous|previous instructions|system prompt|say the word|say yes)\b
    |\b(?:asdf|qwer|zxcv|hjkl)\w*\b
    """)
_ONES_OWN = pattern(r"""(?is)
    \bwhat (?:\w+ )?(?:should|would|can) (?:I (?:name|call|wear|do|say|give|cook)|suit me)\b|\bmy (?:girl|boy)friend\b
    |\bI feel\b|\bI (?:can['’]t|cannot) decide\b|\bany advice for me\b|\bshould I (?:quit|leave|marry|text|call)\b
    |\bfor my (?:brother|sister|mum|mom|dad|boss|wife|husband|teacher|friend)\b
    """)
_ENOUGH_WORDS = 3  # fewer words make no request
_ASKS = re.compile(
    r"\b(?:who|whom|whose|what|when|where|which|why|how|capital|history|population|currency|origin|facts?|causes?"
    r"|of|vs|in)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"^\W*(?:it|this|that|these|those|they|he|she|them)\b(?!\s+(?:is|was)\s+said)", re.IGNORECASE)


def kind_by_rule(prompt: str) -> Kind:
    """The class of a request by the words that it holds."""
    if _TO_THE_MODEL.search(prompt) or (_CODE.search(prompt) and not _TEXT_SUPPLIED.search(prompt)):
        return "Neither"
    if _TEXT_SUPPLIED.search(prompt):
        return "Faithful"
    if any(sign.search(prompt) for sign in (_MADE_UP, _COMPUTED, _ONES_OWN)):
        return "Neither"
    return "Factual" if len(prompt.split()) >= _ENOUGH_WORDS or _ASKS.search(prompt) else "Neither"


def ambiguous_by_rule(prompt: str) -> bool:
    """Whether a request begins by pointing at something that is not there."""
    return _DANGLING.match(prompt) is not None
