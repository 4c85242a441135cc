"""Rule for answers that only refuse, and their reason: a rule over its clauses, for when no model types refusals.

An answer is cut into clauses. One in which the writer declines makes it a refusal, unless the other clauses, without
apologies, reasons, offers and directions to somebody else, still tell the reader something. English only.
`rule_accuracy` measures it on answers that it was not written on.
"""

from __future__ import annotations

import re

from factscope.core.patterns import joined, pattern

_I = r"\bI(?:['’]m| am)?(?: really| very)?\b"
_NOT_ME = joined(r"""
    (?:can(?:not|['’]?t| not)|could(?: not|n['’]t)|won['’]t|will not|(?:would|['’]d) not|wouldn['’]t|shouldn['’]t
    |unable|(?:must |have to |will )?(?:decline|refuse|refrain)|(?:['’]d|would)(?: rather| prefer) (?:not|to (?:move
    |leave|avoid))|(?:['’]d|would) prefer not|prefer not|avoid (?:comment|discuss|tak)\w+|lack\b|have (?:no
    |found nothing|to remain)|(?:try|must|have) to (?:stay|remain) (?:neutral|impartial)|must remain|(?:couldn['’]t
    |could not|cannot|did not|didn['’]t) (?:find|verify|locate)|neither have nor|going to have to pass|not (?:able
    |going to|willing|comfortable|permitted|allowed|qualified|in a position|familiar|aware|authori[sz]ed)
    |in no position|(?:do not|don['’]t) (?:think|feel|believe) (?:it|I|comfortable)\b|(?:do not
    |don['’]t) (?:\w+ )?(?:provide|share|disclose|support|take sides|want|wish|discuss|offer|have|hold|see any|engage
    |give|know (?:who|what|when|where|of|about)\b))
    """)
_DECLINES = pattern(rf"""(?i)
    {_I}(?:\W+(?:just|also|simply|afraid|sorry|therefore|hence|still|personally|and|must|do|an AI)){{0,3}}\W*{_NOT_ME}
    |\bI['’]?(?:m| am)? [^.,;]{{0,40}}\band (?:can['’]?t|cannot|am unable|must remain)\b
    |^(?:and |so |but )?(?:must (?:decline|refrain|remain)|(?:can['’]?t|cannot|could not|am unable|unable|won['’]t) )
    |\bit(?:['’]s| is| would be| wouldn['’]t be| would not be)? ?(?:not )?(?:be )?(?:in)?(?:appropriate|irresponsible
    |responsible|misleading|best to leave)\b.{{0,30}}\b(?:for me|of me|to)\b
    |\bit(?:['’]s| is) (?:not my place|best to leave)\b
    |\b(?:not|n['’]t) (?:be )?(?:something|a \w+|one) (?:that )?I(?:['’]m| can| am| could|\b)
    |\bsomething I (?:don['’]t|do not|can['’]?t|cannot|won['’]t)|\bno (?:safe )?way for me to\b
    |\bmy (?:guidelines|policies|policy|rules|programming|knowledge|training)\b.{{0,25}}\b(?:not|n['’]t|prohibit
    |forbid|ends?|end)\b|\b(?:against|violates?) my\b
    |\b(?:talk about|discuss|move on to) (?:something else|another topic)\b
    |\b(?:only|question (?:for|that)|something only|question to)\b.{{0,40}}\b(?:vet|doctor|physician|surgeon|lawyer
    |solicitor|attorney|professional|paediatrician|pediatrician|expert)\b|^(?:no\W+)?please don['’]t\b
    |\bno (?:verified|credible|reliable|trustworthy|confirmed) (?:evidence|information|source|confirmation)\b
    """)
_ASIDE = pattern(r"""(?i)
    ^(?:no|yes|sure|sorry|hello|hi|thanks?|thank you|unfortunately|apologies|my apologies|please|instead
    |still)\b.{0,25}$|\b(?:sorry|apologi[sz]e|apologies|I understand|I hear|I['’]m concerned|I appreciate|afraid)\b
    |\b(?:consult|contact|reach out|see|seek|speak|talk|ask|check|visit|call|try|look|encourage|recommend|suggest
    |refer|advise against|be careful)\b.{0,60}\b(?:\w*doctor|physician|pharmacist|lawyer|attorney|solicitor
    |professional|advis[eo]r|planner|expert|vet|paediatrician|pediatrician|psychiatrist|line|helpline|sources?
    |reports?|website|site|you trust|authorit\w+|services?|number|each|with such)\b
    |\b(?:if (?:you|this|there)|feel free|let me know|happy to|can I|could you|would you|can help|will help
    |right person|different spelling|let['’]s)\b
    |^(?:and )?(?:as|because|since|for|in order|to|out of|given|due|without|while|although|which|where|who|it could
    |this could|that would|this would|doing so|such|sharing|repeating|describing|providing|discussing
    |the information)\b
    |\b(?:dangerous|illegal|unlawful|unsafe|harm\w*|crime|unethical|dishonest|unfounded|misinformation|false|rumou?rs?
    |privacy|private|confidential|sensitive|personal|controversial|against the law|copyright|get hurt|misleading|guess
    |poison\w* somebody|speculat\w+|an AI|language model|text-based|reputation|fatal|credible|unconfirmed
    |substantiated)\b
    """)
_CLAUSES = re.compile(
    r"(?<=[.!?:;])[\"'”’)]*\s+|\n+|[;:]\s+|,?\s+(?:but|however|though|yet)\s+,?|,\s+(?=(?:so|because|as|since"
    r"|and)\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]")
_FIGURE = re.compile(r"\d+ ?%|\b\d[\d.,]* (?!20\d\d)\w")
_WORD = re.compile(r"\w[\w'’-]*")
MOST_SAID = 7
"""Words that may stay beside declining, its reasons and its courtesies; an answer that has more tells something."""
MOST_SAID_BEFORE = 4
"""The same before the writer first declines."""

_SIGNS: dict[int, str] = {
    3: joined(r"""
    \bprivacy|private|personal (?:data|information|details|financial)|confidential|home address|consent|private life
    |sensitive personal|social security|medical history|public figures?\b(?!.*politic)|phone numbers?|label people
    |gossip\b(?=.*privacy)
    """),
    1: r"\bharm|danger|weapon|unsafe|suicid|violen|explosive|injure|kill|poison|toxic|hurt|attack|malware|nerve agent"
    r"|eating disorder|lose fingers|at risk|safety reasons|safe way|emergency number",
    5: joined(r"""
    (?:medical|legal|financial|investment|professional) (?:advice|help|professional|guidance|question)|doctor|lawyer
    |attorney|solicitor|pharmacist|surgeon|physician|diagnos|p(?:a?e)diatrician|psychiatrist|\bvet\b|unethical|illegal
    |against the law|copyright|piracy|crime|dishonest|lying|moral|tax evasion|infringe
    """),
    6: joined(r"""
    politic|election|polic(?:y|ies)\b|guidelines|controversial|take sides|neutral|impartial|opinion|vote for|views on
    |personal views|religious|my place|my instructions|rules that|religion|race\b|geopolitical|another topic
    |something else|take a position|authoritarian
    """),
    2: joined(r"""
    misinformation|misleading|mislead|unverified|verif
    |(?:not|never) (?:been )?(?:verified|established|confirmed|authentic|substantiated|clear)|rumou?rs?|false|speculat
    |gossip|credible|reliable|trustworthy|unfounded|unproven|confirm\b|substantiat|inaccurate|made-up|accus|invent
    |evidence
    """),
    4: r"real[- ]?time|browse|access|up[- ]to[- ]date|as of my|training|information|able to|ability|unable"
    r"|familiar|knowledge"
    r"|images?|pictures?|audio|files?|clock|listen|see (?:any|your)|no way of|any file|look up|language model",
}
"""Words by which the rule tells a refusal's category, tried in this order."""


def refuses(text: str) -> bool:
    """Return whether an answer only refuses."""
    clauses = [clause.strip() for clause in _CLAUSES.split(_QUOTED.sub(" ", text.strip())) if clause and clause.strip()]
    score, before, declines = 0, 0, False
    for clause in clauses:
        if _DECLINES.search(clause):
            declines = True
        elif _tells(clause):
            score += (words := len(_WORD.findall(clause)))
            before += 0 if declines else words
    return declines and score <= MOST_SAID and before <= MOST_SAID_BEFORE


def _tells(clause: str) -> bool:
    """Whether a clause informs: it holds a figure, or nothing marks it as a courtesy, a reason or a direction."""
    return _FIGURE.search(clause) is not None or _ASIDE.search(clause) is None


def category_of(text: str) -> int | None:
    """Why an answer that refuses does so, as a number of `CATEGORIES`; `None` where no word tells."""
    return next((number for number, sign in _SIGNS.items() if re.search(sign, text, re.IGNORECASE)), None)
