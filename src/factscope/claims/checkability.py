"""Detection of sentences without checkable content: questions, opinions, advice, greetings, remarks.

The rules err on the side of checking: a statement that is wrongly left out is lost, one wrongly checked merely stays
undecided. So they look at how a sentence begins, where a title in quotation marks or capitals fits none of them, at
short praise as a whole, and never at words further on, which may be somebody else's. Advice that also states something
("Visit the tower, which was built in 1712") is checked. The word lists are English; in other languages only the form
of a question counts.
"""

from __future__ import annotations

import re

from factscope.claims.imperatives import is_advice
from factscope.core.labels import ClaimKind
from factscope.core.patterns import joined, pattern

Reason = tuple[ClaimKind, str]
"""Kind of unit that a sentence is, and the reason why it is not checked."""

QUESTION: Reason = ("question", "a question")
META: Reason = ("meta", "a remark about the answer")
OPINION_REASON: Reason = ("claim", "an opinion")
ADVICE: Reason = ("instruction", "a request or advice")
GREETING: Reason = ("other", "a greeting or thanks")

LONGEST = 400
"""Characters. A longer sentence is checked unless it is a question; it also bounds what the patterns cost."""

# A question in quotation marks makes one only of a sentence that is nothing else: 'He asked "Why?"' states something.
_QUESTION = re.compile(r"[?？؟՞;][!?)\]*_\s]*$|^[(\[*_\s]*['\"“‘«„].*[?？؟՞;]['\"”’“»)\]*_\s]*$", re.DOTALL)
_CLOSING = " '\"”’“»)]*_!?"
_GREEK = re.compile(r"[\u0370-\u03ff]")

# An adverb or a joining word may come first: "Personally, I think", "However, I cannot".
_LEAD = (
    r"(?:(?:[A-Za-z]+ly|(?i:however|but|and|so|still|also|well|yes|no|sure|overall|to be honest|for me|unfortunately))"
    r"\b,?\s+){0,2}"
)
_MY = r"(?:my|our) (?:(?:humble|honest|personal|own) )?"
_OPINION_PATTERN = re.compile(
    _LEAD
    + r"(?:I (?:[a-z]+ly |would |['’]d |must |also |do |can only )?(?:think|believe|feel|guess|hope|prefer|recommend"
    r"|suggest|love|like|wish|find|doubt|suppose|imagine|reckon|enjoyed|admit|(?:am|was) (?:\w+ )?(?:impressed"
    r"|delighted|fond|convinced|charmed|disappointed|a fan|glad|happy|sad))\b"
    # "We feel the pull of the Moon" speaks of everybody.
    r"|I['’]d (?:[a-z]+ly )?(?:say|recommend|suggest|love|like|prefer|argue)\b"
    r"|We (?:[a-z]+ly |would |also |do )?(?:think|believe|hope|prefer|recommend|suggest|wish)\b"
    rf"|[Ii]n {_MY}(?:opinion|view|eyes|experience|book)\b(?! of\b)|(?:[Ii]f you ask|[Tt]o) me,"
    rf"|[Tt]o {_MY}(?:mind|taste|eye|ear)\b|[Ff]or {_MY}(?:taste|part)\b|[Ff]rom {_MY}point of view\b"
    r"|[Aa]s (?:I see it|far as I['’ a]+m concerned)\b|Personally,? (?:I|we|my|speaking)\b"
    rf"|My (?:\w+ )?(?:favou?rites?|advice|tips?|recommendations?|guess|impression|view|opinion|feeling|hope)\b"
    r"|(?:It|That|This|Which)(?: \w+)? (?:strikes|struck|seems?|seemed|sounds?|sounded|feels?|felt|looks?|looked"
    r"|surprises|surprised|impresses|impressed|delights|delighted|bothers|annoys|puzzles)(?: \w+)? (?:to )?me\b)"
)
_TEXT_PARTS = (
    r"(?:guide|article|text|page|summary|answer|post|essay|section|list|overview|table|leaflet|introduction|chapter"
    r"|newsletter|blog|tips|facts|information|details|steps|answers|examples?|draft|points|breakdown)"
)
_META = re.compile(
    _LEAD
    + joined(rf"""
    (?:[Aa]s an? (?:(?:large |AI )*language model|AI(?: model| assistant| system)?)(?: [a-z]+ by \w+)?,? (?:I|I['’]m
    |my)\b|I['’]m (?:(?:very |so )?(?:sorry|unable)|(?:happy|glad) to help|just an?)\b|I (?:can['’]?t|cannot|could not
    |couldn['’]t|am (?:(?:very |so )?(?:sorry|unable)|(?:happy|glad) to help))\b|(?:I )?[Hh]ope (?:this|that) helps\b
    |(?:If you\b[^\"“”.;]*, )?(?:[Pp]lease )?(?:[Ll]et me know if\b|[Ff]eel free to (?:ask|reach)\b)|(?:This
    |The following) (?:short |brief |little )?{_TEXT_PARTS} (?:also |briefly |only )?(?:describes?|explains?|covers?
    |lists?|gives|shows?|tells|answers|summari[sz]es|contains|offers|outlines|introduces|presents|provides|looks
    |takes you|aims|is (?:about|meant|intended|for)|will|should help)\b|In (?:this|the following) {_TEXT_PARTS},? (?:I
    |we|you|I['’]ll|we['’]ll|you['’]ll)\b|(?:Below|Above|Here),? (?:you|we|I)\b|(?:Below|Above|Here)(?:['’]s| is
    | are) (?:an? |the |some |my |our |your )?(?:\w+ ){{0,3}}{_TEXT_PARTS}\b|Here(?:['’]s| is) (?:what|everything
    |all) you\b)
    """)
)
_GREETING = pattern(r"""
    (?:Many thanks\b|(?:Thanks|Thank you)\b(?! to| [A-Z]))
    |(?!.*\b(?:is|are|was|were)\b)(?:(?:Hello|Hi|Hey|Greetings|Good (?:morning|afternoon|evening|day|luck)|Goodbye|Bye
    |Cheers|Congratulations|(?:Kind|Best|Warm) (?:regards|wishes)|Yours (?:sincerely|faithfully|truly)|See you
    |Happy \w+(?:ing|s)|(?:Have|Enjoy) (?:an?|your|the) \w+)\b[^.;:?]{0,40}|Dear [^.;:]{1,60},
    |Welcome(?: back)?(?: to [^,.;:\d]{1,60})?)[!,.]?\s*$
    """)

# Praise and blame that no source decides, where they are all that is said: "It was a lovely evening."
_PRAISE = joined(r"""
    (?:beautiful|lovely|wonderful|amazing|stunning|breathtaking|delightful|charming|delicious|superb|magnificent
    |marvell?ous|fantastic|gorgeous|splendid|enchanting|magical|awesome|unforgettable|brilliant|fabulous|terrific|ugly
    |awful|horrible|dreadful|boring|dull|(?:delight|joy|pleasure|treat|gem|must)(?= |[.!]|$)|worth (?:a|the|every
    |your) (?:visit|trip|effort|wait|detour|climb|journey|walk|look|money|while|penny)|not to be missed|hard to beat
    |second to none)
    """)
_PRAISED = pattern(rf"""
    (?:It|This|That|They|He|She|(?:The|This|That|These|Those|Its|Their|A (?:visit|trip|walk
    |tour)) [a-z' ’-]{{2,40}}?) (?:is|are|was
    |were) (?:\w+ly |so |very |well |just |also |quite |such |an? |one of the |real |true |
    great ){{0,3}}{_PRAISE}(?:,? (?:and|but) (?:\w+ly |very )?{_PRAISE})?(?: (?:little|old|small))?(?: (?:place|sight
    |view|town|city|village|story|life|gesture|day|evening|night|weekend|trip|visit|walk|meal|book|film|show|concert
    |building|beach|garden|experience|spot|one|thing)s?)?[.!]?
    """)
_EXCLAMATION = re.compile(r"(?:What an?\b|How [a-z]+\b)[^.?]*!")
_RECOMMENDED = pattern(r"""
    (?:Anyone|Anybody|Everyone|Everybody|Whoever|Those|People|Visitors|If you) (?:who |that )?(?:really )?(?:loves?
    |likes?|enjoys?|cares? (?:about|for)|(?:is|are) (?:fond of|interested in|keen on)|appreciates?)\b.*?\b(?:ought to
    |should|must|will (?:love|like|enjoy|want|adore)|(?:can|should|must)(?:not|n['’]t) miss)\b
    |(?:Anyone|Anybody|Everyone|Whoever|Those|People|Visitors|If you) (?:who |that )?wants? to\b.*?\bshould\b
    |You (?:\w+ly |just |simply )?(?:should|must|have to|ought to|will want to|won['’]t want to|don['’]t want to
    |(?:should|must)(?:n['’]t| not))(?: \w+ly| not| never)? (?:visit|try|taste|miss|check out|explore|experience
    |consider|see (?:the|it|this|that|them))\b
    |You(?:['’]ll| will) (?:not |surely |certainly |never )?(?:love|enjoy|adore|regret|forget)\b
    |There(?:['’]s| is) no better (?:place|way|time)\b|(?:It|That|This) made me\b
    |(?:It['’]s|It is) (?:(?:really|well|definitely|certainly|also) )?(?:worth (?!\d|[£$€])[a-z]+ing|a good idea to
    |best to|wise to)|(?:Why not|How about)\b
    """)


def unstated(text: str) -> Reason | None:
    """Return the reason for which a sentence is not checked; None when it states something."""
    if _QUESTION.search(text) and (text.rstrip(_CLOSING)[-1:] != ";" or _GREEK.search(text)):
        return QUESTION
    if len(text) > LONGEST:
        return None
    if _META.match(text):
        return META
    if _GREETING.match(text):
        return GREETING
    if _OPINION_PATTERN.match(text) or _PRAISED.fullmatch(text) or _EXCLAMATION.fullmatch(text):
        return OPINION_REASON
    return ADVICE if _RECOMMENDED.match(text) or is_advice(text) else None
