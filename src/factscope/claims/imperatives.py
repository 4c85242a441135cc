"""Sentences that tell the reader what to do: they begin with a verb in its bare form, and state nothing beside.

English has no mark for it, so a verb counts only before a word that follows a verb and no noun ("Visit the …", not
"Visit numbers …"), and only when its clause has no other verb ("Call for papers was …").
"""

from __future__ import annotations

import re

from factscope.core.patterns import joined, pattern

_ONLY_VERBS = """
accept add adjust admire allow apply ask attach attend avoid bake become begin believe borrow bring browse buy
calculate carry choose collect come compare confirm connect consider consult contribute create decide delete
discover discuss divide eat enable enjoy ensure enter examine expect explore fetch fill find follow forget gather
get give go grab identify ignore imagine include inform insert install invite join keep learn leave listen maintain
make meet mention miss negotiate notice observe obtain organise peel perform pour prepare proceed protect provide
put recall recharge recommend recycle reduce refrain refrigerate relax remain remember remind remove replace reserve
resist rinse see seek select sell send serve simmer sit speak specify spend stay stir submit subscribe swallow take
teach tell thank think treat trust try unplug upload verify wander wear weigh wipe write
"""
_ALSO_NOUNS = """
answer approach bathe be bear book build call catch change charge chat check clean clear click climb close combine
contact cook copy count cover cross cut cycle dance design dive download draw dress drink drive drop email estimate
exchange exercise experience face feel finish fix focus form greet grow guess hand hang have head heat help hide
hike hire hold hop improve inspect invest jump knock know label let lie limit linger lock look lower manage mark
measure mind mix monitor mount move name note offer open order pack paddle paint park pass pause pay phone pick
place plan plant play plug point practise present press print pull purchase push raise reach read record refer
reflect register rent repair repeat reply report request respect rest restart return review ride roll rotate row rub
run sail sample save say scan schedule scroll seal search set settle shake share shop show shower shut sign sip skip
sleep slice slow smell soak sow spread sprinkle squeeze stand start step stick stop store stretch stroll study
support surf swim switch talk taste test tie tour trace track trade travel trim turn type update upgrade use view
visit wait walk wash watch water wish wonder work wrap
"""
_TRANSITIVE_VERBS = (
    "(?:ask|attend|avoid|call|consider|consult|contact|discover|enjoy|explore|follow|join|meet|see|skip|tell|thank|try"
    "|visit|watch)"
)
"""Verbs that may be followed by a name at once: "Visit Oxford in May"."""

_AFTER_VERB = joined(r"""
    (?:the|an?|your|our|my|his|her|their|its|this|that|these|those|some|any|one|two|three|four|five|six|several|plenty
    |more|less|all|both|each|every|enough|no|it|them|us|him|me|you|yourself|yourselves|early|late|ahead|again|now
    |today|well|here|there|home|away|back|up|out|off|down|along|around|inside|outside|twice|once|slowly|gently
    |carefully|quickly|regularly|directly|straight|instead|only|if|when|whether|what|how|where|why|who|before|after
    |until|as|careful|sure|aware|prepared|patient|assured)
    """)
_PREPOSITION = (
    r"(?:at|in|on|to|for|with|by|from|into|through|across|over|under|near|past|towards?|about|against|without|between)"
)
_NAME = r"(?: [A-Z][\w'’-]*)"
_CONDITION = (
    r"(?:(?i:if|when|whenever|whatever|once|before|after|while|unless|for|to|in|on|at|during|as soon as|in case)\b"
    r"[^,;:.]{2,90}, )?"
)
_JOINED = r"(?:(?i:please|kindly|just|simply|also|then|first|next|finally|now|and|or|but|so|instead|otherwise),? )*"
_ONLY, _ALSO = (f"(?i:{'|'.join(words.split())})" for words in (_ONLY_VERBS, _ALSO_NOUNS))
_IMPERATIVE = pattern(rf"""(?s)
    {_CONDITION}{_JOINED}(?:(?i:always|never) )?(?:(?P<sure>(?:{_ONLY}|{_ALSO})(?= {_AFTER_VERB}\b|[.!]+\Z|,? (?:and
    |or|then) [a-z]))|(?P<named>(?i:{_TRANSITIVE_VERBS})(?={_NAME}+(?: (?:{_PREPOSITION}|before|after|if|and) |[.,!]
    |$)))|(?P<verb>{_ONLY}(?= [a-z\d]))|(?P<noun>{_ALSO}(?= {_PREPOSITION} ))) ?(?P<rest>.*)
    """)
_DO = re.compile(
    rf"{_CONDITION}{_JOINED}(?:[Dd]o not|[Dd]on['’]t|[Dd]o|[Nn]ever)"
    rf" (?:{'|'.join(f'{_ONLY_VERBS} {_ALSO_NOUNS}'.split())})\b"
)
_REQUEST = re.compile(
    r"(?i:please|let['’]s|let us|feel free to|make sure|be sure to|don['’]t forget|remember to|take care|beware) [a-z]"
)
# Where another clause begins: a reason or a condition, which belongs to the advice.
_CLAUSE = re.compile(
    r"\b(?:if|when|whenever|before|after|until|unless|while|because|since|so|as|where|what|how|why|whether|that|who|whom"
    r"|which|whose|you|we|they|it|there)\b|[,;:–—(]"
)
_BE = re.compile(r"\b(?:is|are|was|were|has|had|does|did|will|would)\b|[A-Z][\w'’-]* [a-z]{2,}ed\b")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|had|does|did|will|would|can|could|may|might|shall|must|should|[a-z]{2,}ed|spent|said|won"
    r"|lost|made|took|gave|sold|bought|built|led|grew|rose|fell|went|came|became|began|got|paid|sent|stood|told|thought"
    r"|brought|broke|chose|drew|drove|ate|felt|found|knew|lay|saw|spoke|threw|wore|wrote)\b"
)
_THIRD_PERSON = re.compile(r"\b[a-z]+[^s\W]s\b")
# Clauses beside advice that state something: "…, which was built in 1712", "…; it closes at noon".
_VERB_FORM = r"(?:is|are|was|were|has|have|had|does|do|can|will|[a-z]+[^s\W]s|[a-z]{2,}ed)"
_RELATIVE_CLAUSE = pattern(rf"""(?i)
    [,(–—] ?(?:which|who|whose|where)\b.*\b{_VERB_FORM}\b
    |[,;:–—] ?(?:and |but )?(?:it|they|he|she|the|this|there|its|their)\b[^,]*\b{_VERB_FORM}\b|\bbecause\b
    |[,(–—][^,]*\b[a-z]{{2,}}ed\b[^,]*\d|\b(?:mind|remember|note|aware|forget|know),? that\b
    |(?<!sure )\bthat\b[^,;:]*\b(?:is|are|was|were|has|had)\b
    """)


def is_advice(text: str) -> bool:
    """Whether a sentence tells the reader to do something, and states nothing beside it."""
    if _RELATIVE_CLAUSE.search(text):
        return False
    if _REQUEST.match(text) or _DO.match(text):
        return True
    match = _IMPERATIVE.fullmatch(text)
    if match is None:
        return False
    clause = _CLAUSE.split(match["rest"], maxsplit=1)[0]
    if match["sure"]:
        return _BE.search(clause) is None
    if match["noun"] and _THIRD_PERSON.search(clause):
        return False
    return _FINITE.search(clause) is None
