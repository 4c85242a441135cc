"""Patterns of text that gives orders to the model that reads it.

Signs are written for folded text: lower case, plain quotes, single blanks. Their families follow what is published on
prompt injection: BIPIA (Yi et al. 2023), AgentDojo (Debenedetti et al. 2024), JudgeDeceiver (Shi et al. 2024),
PoisonedRAG (Zou et al. 2024), and pages found in the wild.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from factscope.evidence.page.injection_patterns_i18n import TONGUES


class InjectionPattern(NamedTuple):
    """A way to give an order."""

    family: str
    words: tuple[str, ...]
    """Pieces of text of which one must be there before the pattern is tried, which takes longer."""
    pattern: re.Pattern[str]
    asks: bool
    """Whether it counts only where an order can stand: at the start of a sentence, or after "please" or "must"."""


_NO_MODEL = (
    r"(?! (?:research|compan|develop|engineer|enthusias|startup|team|student|user|expert|profession|product|business"
    r"|vendor|provider|lab|ethic|safety|security|sceptic|skeptic|lover|fan|artist|founder|writer|consult|leader"
    r"|conference|course|bubble|boom|strateg|polic|law|act|art|image|chip|stock))"
)
_AI = (
    r"(?:(?:generative |large |automated |autonomous )?(?:\bai\b|a\.i\.|artificial intelligences?|\bllms?"
    r"|language models?"
    r"|chatbots?|chatgpt|\bgpt-?\d*|\bclaude\b|\bgemini\b|copilot|fact.?checking (?:ai|model|system|agent|bot"
    r"|assistant)s?"
    r"|automat(?:ed|ic) (?:system|reader|fact.?checker|reviewer|evaluator|judge|agent|pipeline)s?)(?: "
    r"(?:assistant|model"
    rf"|agent|system|crawler|reader|reviewer|bot|tool|judge|evaluator|summari[sz]er|fact.?checker|verifier"
    rf"|grader)s?)?{_NO_MODEL}\b)"
)
_AI_WORDS = (
    "ai |ai:|ai,|ai-|ais |a.i.|artificial|llm|language model|chatbot|gpt|claude|gemini|copilot"
    "|fact-check|fact check|factcheck|automat"
)
_LABEL = (
    r"(?:supported|contradicted|refuted|entailed|entailment|not[_ ]enough[_ ]evidence|not[_ ]supported|unsupported"
    r"|supports|refutes|fully[_ ]supported)\b(?! (?:by|in|on|with|from)\b)"
)
_LABEL_WORDS = "support|contradict|refute|entail|not enough|not_enough"
_GOOD = (
    r"(?:true|factual|correct|accurate|verified|valid|proven|false|incorrect|fake|debunked"
    r"|misinformation)\b(?! (?:or|and)\b)"
)
_BEFORE = (
    r"(?:previous|prior|above|preceding|earlier|foregoing|former|original|initial|existing|past|system|given|safety)"
)
_ORDERS = r"(?:instructions?|prompts?|directives?|guidelines?|commands?|system messages?|programming|constraints?)"
_FILL = rf"(?:(?:all|any|every|each|of|the|your|these|those|this|that|my|our|its|and|or|other|current|{_BEFORE}) )"
_DROP = (
    r"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|abandon|delete|cancel|do not follow"
    r"|don't follow"
    r"|do not obey|don't obey|stop following|pay no attention to|set aside)"
)
_PROMPT_PARTS = (
    r"(?:evidence|context|passages?|untrusted|user[ _-]input|prompt|instructions?|system|claims?|retrieved"
    r"|search[ _-]results?|quoted[ _-]text|external)"
)

REQUESTED = re.compile(
    r"(?:^|[.!?:;,()\[\]<>\"'*|/~=#\n–—-] ?(?:\d+[.)] )?)(?:please |kindly |now |just |and |then |so |instead,? "
    r"|first,? "
    r"|immediately |simply |therefore,? |you |to )?$|\b(?:please|now|must|should|shall|will|and|then|instead"
    r"|kindly|just"
    r"|immediately|simply|therefore|you to|need to|have to|required to|instructed to|asked to|want you to|going to) $"
)
"""What leads up to an order."""


def _sign(family: str, words: str, *patterns: str, asks: bool = False) -> InjectionPattern:
    return InjectionPattern(
        family, tuple(words.split("|")), re.compile("|".join(f"(?:{pattern})" for pattern in patterns)), asks
    )


STRONG: tuple[InjectionPattern, ...] = (
    _sign(
        "override",
        "instruct|prompt|directive|guideline|command|message|programming|constraint|rules|orders|context"
        "|training|text|content",
        rf"{_DROP} {_FILL}{{1,6}}{_ORDERS}\b",
        rf"{_DROP} (?:all |any |the |of )*(?:{_BEFORE} )+(?:rules|orders|context|training|text|messages?|content)\b",
        asks=True,
    ),
    _sign(
        "override",
        "above|before|told|instruct|given|said|precede|you were",
        rf"{_DROP} (?:everything|anything|all|what(?:ever)?)(?: that)? (?:above|before|you(?:'ve| have| were| "
        rf"had)? (?:been )?"
        r"(?:told|instructed|given)|was said|came before|precedes)",
        rf"{_DROP} (?:the |your )?(?:question|task|claim|user(?:'s)? (?:request|question|query))s? (?:above|and"
        rf"|you were)",
        asks=True,
    ),
    _sign(
        "override",
        "void|cancel|obsolete|supersede|revoked|replace|no longer|overrid|suspended|outdated|precedence|overrule",
        rf"(?:{_BEFORE}|your) {_ORDERS} (?:are|is|were|was|have been|has been) (?:now )?(?:void|cancell?ed|obsolete"
        r"|superseded|revoked|replaced|no longer|overridden|suspended|outdated)",
        r"\b(?:these|the following|my|new) instructions (?:override|supersede|replace|take precedence over|overrule)",
    ),
    _sign(
        "role",
        "<|turn>|inst|sys>|<s|</|<a|<d|<t|<f|<in",
        r"<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id"
        r"|begin_of_text"
        r"|end_of_turn)\|>|<(?:start|end)_of_turn>|\[/?inst\]|<<?/?sys>>?",
        r"</?(?:system|assistant|system[_-]?prompt|system-reminder|developer|admin|tool_results?|function_results?"
        r"|function_calls?|information|instructions?)>",
    ),
    _sign(
        "role",
        "system|instruction|assistant|response|developer|admin|security|emergency|user",
        r"(?:^|\n|[.!?] )#{2,4} ?(?:system|instructions?|assistant|new instructions?|response)\b ?:",
        r"\b(?:system|developer|assistant|admin)(?: (?:message|prompt|note|notice|instruction|alert))?\** ?: "
        r"?\**(?:ignore|disregard"
        r"|forget|from now on|override|mark (?:this|the)|label (?:this|the)|the claim|you (?:must|will|should"
        r"|shall) (?:now "
        r"|always |only )?(?:answer|say|label|mark|respond|reply|report|treat|conclude|obey|ignore|accept|output"
        r"|rate))",
        r"(?:^|\n|[.!?>\])] )\**(?:system|developer|assistant|admin)(?: (?:message|prompt|note|notice"
        r"|instruction|alert))?"
        r"\** ?: ?\**(?:you\b|ignore|disregard|forget|from now|the (?:user|claim|assistant|following|correct)"
        r"|new |override"
        r"|always|never|do not|mark|label|output|respond|answer|set |updated?|task|i (?:have|will)|claim|verdict"
        r"|supported)",
        r"\[ ?(?:system|assistant|(?:system|admin|developer) (?:message|note|prompt|override|instruction"
        r"|alert))s? ?[\]:]",
        r"\b(?:system|admin|administrator|developer|security|emergency) override ?[:!(]",
        r"\bend of (?:the )?(?:system|user) (?:prompt|message|input|query)\b",
    ),
    _sign(
        "address",
        _AI_WORDS,
        rf"\b(?:note|message|notice|attention|memo|instructions?|reminder|directives?|important|warning|hello|hi"
        rf"|dear|hey)"
        rf" ?(?:to|for|:|,|-|–|—)? ?(?:an? |the |any |all |every )?{_AI}(?: ?[:,.!–—-]|s? (?:reading|processing"
        rf"|visiting"
        r"|that|who|evaluating|must|should|please|only|crawling|checking))",
        rf"\bif you(?:'re| are) (?:an? |the |any )?{_AI}",
        rf"{_AI} (?:currently )?(?:reading|processing|parsing|visiting|indexing|analy[sz]ing|summari[sz]ing|evaluating"
        r"|reviewing|checking|judging|that (?:reads?|process\w*|evaluat\w*)) (?:this|the) (?:page|document|text|passage"
        r"|article|content|message|site|website|review|claim|paper|e-?mail|file|evidence).{0,80}(?:must|should"
        r"|shall|please"
        r"|are (?:required|instructed|asked)|is (?:required|instructed|asked)|need to|have to|:)",
        rf"\bas (?:an? |the )?{_AI},? you (?:must|should|shall|will|need|have to|are (?:required|obliged|instructed))",
        rf"{_AI}(?: ?[:,])? (?:must|should|shall|is to|are to|(?:is|are) required to|are instructed to) "
        rf"(?:always |now |only "
        r"|also )*(?:say|answer|respond|reply|conclude|state|mark|label|rate|treat|ignore|disregard|output"
        r"|report|return"
        r"|recommend|summari[sz]e this|accept)\b",
    ),
    _sign(
        "persona",
        "you are now|from now on|unrestricted|unfiltered|jailbroken|uncensored|dan|evil|no restrictions"
        "|restrictions|you have no|you had no",
        r"\byou are now (?:in )?(?:an? |the )?(?:\w+ ){0,3}?(?:ai|assistant|model|mode|dan|bot|judge|evaluator|persona"
        r"|character|chatbot|agent|jailbroken|unrestricted|fact.?checker)\b",
        r"\bfrom now on,? you (?:will|must|are|should|shall|only|always) (?:to )?(?:act|answer|respond|reply"
        r"|always|only"
        r"|ignore|label|output|treat|behave|say|mark|no longer|an? |the )",
        r"\b(?:act|behave|respond|answer) as (?:if you (?:were|are|have) )?(?:an? )?(?:unrestricted|unfiltered"
        r"|jailbroken"
        r"|uncensored|dan\b|evil|no restrictions)",
        r"\byou (?:have|had) no (?:restrictions|guidelines|rules|safety)",
    ),
    _sign(
        "verdict",
        "verdict|label|judg|classification|determination|assessment|answer|result|rating|score|final|better"
        "|supported|factual",
        rf"\b(?:verdict|label|judg?e?ment|classification|determination|assessment|final answer|correct answer) "
        rf"?(?:is|=|:|->"
        rf"|should be|must be|will be) ?[*_\"'\[(]*(?:fully |clearly |definitely )?{_LABEL}",
        rf"[\"']?\b(?:label|verdict|judg?e?ment|answer|result|classification)[\"']? ?: ?[\"']{_LABEL}",
        r"[\"'](?:label|verdict|judg?e?ment|is_supported|supported|factual)[\"'] ?: ?(?:true|\"?(?:yes|true)\"?\b)",
        r"\b(?:rating|verdict|score|final|judg?e?ment|better)\b[^\w\n]{0,5}\[\[ ?\w{1,9} ?\]\]",
    ),
    _sign(
        "verdict",
        "claim|statement|assertion|answer|response",
        rf"\b(?:claim|statement|assertion|answer|response)s? (?:here |above |below )?(?:must|should|shall|has to"
        rf"|needs? to"
        rf"|have to|is to|are to) (?:always )?be (?:marked|label?led|rated|judged|classified|treated|scored|considered"
        rf"|evaluated|graded|counted|accepted|recorded|reported|deemed)(?: as)? [\"'*]*(?:{_LABEL}|{_GOOD})",
    ),
    _sign(
        "verdict",
        _LABEL_WORDS,
        rf"\b(?:mark|label|rate|judge|classify|score|grade|tag|flag|report|return|output|print|answer|respond"
        rf"|reply|select|choose|assign|conclude|say|write)(?: (?:this|the|all|every|each|any|it|them|that|its|your"
        rf"|claims?|statements?|sentences?|responses?|answers?|verdicts?|labels?|following|only|as|is|to|are|be|with"
        rf"|word|of|exactly|single|one|just|simply|a|in|document)){{0,7}} ?:? ?[\"'*`\[(]*{_LABEL}",
        asks=True,
    ),
    _sign(
        "verdict",
        "claim|statement|assertion",
        rf"\b(?:mark|label|rate|judge|classify|score|grade|report|return|treat|accept|count|confirm)"
        rf" (?:this|the|all|every|each|any|that|these|those|such)(?: \w+){{0,2}} (?:claims?|statements?|assertions?)"
        rf"(?: \w+){{0,4}} (?:as|to be) [\"'*]*(?:{_LABEL}|{_GOOD})",
        asks=True,
    ),
    _sign(
        "verdict",
        "positive review|score|rating|mark|grade|negative|weakness|flaw|error|contradiction",
        r"\b(?:give|award|assign)(?: (?:it|this|the|a|an|paper|answer|response|claim|text|only|us"
        r"|document)){0,4} (?:only )?"
        r"(?:positive reviews?(?: only)|(?:the )?(?:highest|maximum|best|perfect|top)(?: possible)? (?:score"
        r"|rating|mark|grade)"
        r"|(?:a )?(?:score|rating) of (?:10|100|5)\b|full marks)",
        r"\bdo not (?:highlight|mention|report|list) any (?:negatives?|weaknesses|flaws|errors|contradictions)\b",
        asks=True,
    ),
    _sign(
        "delimiter",
        "end|begin|start|stop|close|/|evidence|passage|claim|untrusted|user_input",
        rf"(?:[-=*#<\[({{~_]{{2,}}|[<\[({{]) ?/? ?(?:end|begin|start|stop|close)[ _-]?(?:of[ _-])?(?:the[ _-])?"
        rf"{_PROMPT_PARTS}\b",
        r"[<\[{]{1,3} ?/ ?(?:evidence|passages?|claims?|context|untrusted\w*|search_results?|user_input"
        r"|quote[d_]*text) ?"
        r"[>\]}]{1,3}",
        r"[<\[]{1,2} ?(?:evidence|passage|claim|untrusted_?\w*|user_input)(?: [\w-]+=\S+)? ?[>\]]{1,2}",
    ),
    _sign(
        "judge",
        "check|evaluator|judge|reviewer|grader|rater|verifier|annotator|assessor",
        rf"\b(?:fact.?check(?:er|ing model)|evaluator|judge|reviewer|grader|rater|verifier|annotator|assessor)s?"
        rf"(?: (?:reading|of) \w+ \w+)? (?:must|should|shall|are (?:required|instructed|advised|asked|expected) "
        rf"to|need to"
        rf"|have to)(?: \w+){{1,8}}?[ \"'](?:{_LABEL}|true\b|verified|correct\b|highest|full marks|10/10"
        rf"|positive|factual)",
    ),
    _sign(
        "judge",
        "other |claim|statement|verif",
        r"\b(?:all |any )?other (?:sources?|evidence|passages?|documents?|results?|pages) (?:is|are|should be"
        r"|must be|have"
        r" been|has been) (?:now )?(?:wrong|false|outdated|ignored|disregarded|fake|retracted|unreliable"
        r"|discarded|forged)",
        r"\bno (?:further|additional|more|other) (?:fact.?check\w*|verification|evidence|checking) (?:is |are "
        r")?(?:needed"
        r"|required|necessary)\b.{0,80}\b(?:claim|statement|verdict|label|supported|true)\b",
        r"\b(?:this|the) (?:claim|statement)s? (?:has|have) (?:already )?been (?:pre-?)?(?:verified|confirmed"
        r"|approved|checked)"
        r" (?:as \w+ )?by (?:the |our )?(?:system|operator|administrator|developers?|fact.?checking (?:team"
        r"|system|model)"
        r"|anthropic|openai|google|moderators?)",
    ),
    _sign(
        "judge",
        "other|remaining|conflicting|contradicting|further|competing|subsequent",
        r"\b(?:disregard|ignore|do not (?:use|trust|consider|rely on)|don't (?:use|trust|consider|rely on)"
        r"|discard|skip)"
        r" (?:all |any |the |of )*(?:other|remaining|conflicting|contradicting|further|competing|subsequent) (?:sources"
        r"|evidence|passages|documents|results|information|pages|references)\b",
        asks=True,
    ),
    _sign(
        "secrecy",
        "not |n't |never|without",
        r"\b(?:do not|don't|never|without) (?:ever )?(?:mention|reveal|disclos|acknowledg|repeat|report"
        r"|refer(?:enc|ring)?"
        r"|cit|quot|show|discuss)\w*(?: to)? (?:\w+ ){0,3}?(?:this|these|that|those) (?:\w+ )?(?:instructions?"
        r"|messages?"
        r"|prompts?|notes?|directives?|paragraphs?|commands?|override)\b",
        r"\b(?:do not|don't|never|without) (?:tell|inform|alert|warn|notify|let)(?:ing)? (?:the |your )(?:user"
        r"|human|operator)"
        r"s? (?:about|of|that|know)? ?(?:this|these|you|your)",
    ),
    _sign(
        "leak",
        "prompt|message|instruction|history|above",
        r"\b(?:repeat|print|reveal|show|output|display|give|tell|quote|write|send|leak|include|expose)(?: \w+){0,4}?"
        r" (?:your|the) (?:\w+ ){0,2}?(?:system prompt|system message|initial (?:instructions|prompt)|hidden "
        r"instructions"
        r"|(?:instructions|prompt|words|text|messages) above|(?:previous|above) (?:instructions|prompt|messages?)"
        r"|conversation history|chat history)\b",
        asks=True,
    ),
    _sign(
        "leak",
        "history|prompt|key|password|credential|secret|data|mail|message|file|conversation",
        r"\b(?:send|e-?mail|forward|post|upload|transmit|exfiltrate|leak)(?: \w+){0,7}? (?:conversation|chat history"
        r"|system prompt|api keys?|passwords?|credentials|secrets|user'?s? (?:data|e-?mails?|messages?"
        r"|files?))\b.{0,60}"
        r"(?:\bto\b|@|https?:|\bvia\b)",
        asks=True,
    ),
    _sign(
        "task",
        "to you|task|question|request|claim|query|objective|goal|instruction|job|purpose",
        r"\bimportant (?:message|information|notice|instructions?) (?:from|for) .{0,40}\bto you\b",
        r"\bbefore (?:you )?(?:can )?(?:solv|complet|answer|do|finish|continu|judg|verify|check|evaluat)\w* "
        r"(?:the|this|that"
        r"|your|any) (?:\w+ ){0,3}?(?:task|question|request|claim|query)s?\b.{0,60}\b(?:you (?:must|should|need "
        r"to|have to)"
        r"|do the following|please (?:do|also|first)|first,? (?:visit|send|call|execute|run|open))",
        r"\b(?:task|evaluation|assessment|verification|judg?e?ment) (?:is |has been )?(?:complete|completed|done"
        r"|finished)\W"
        r"{1,5}(?:now |next |new |your )+(?:task|instructions?|claim|question|job)\b",
        r"\b(?:your|the) (?:new|real|actual|true) (?:task|objective|goal|instructions?|job) (?:is|are|now is) "
        r"(?:now )?to ",
    ),
    _sign(
        "example",
        "claim",
        r"\bclaim ?:(?:[^\n:]|:(?=\S)){1,300}\s(?:evidence|passage|context|source) ?:(?:[^\n:]"
        r"|:(?=\S)){1,400}\s(?:label|verdict|answer|judg?e?ment"
        rf"|output) ?: ?[*\"']*(?:{_LABEL}|true\b|yes\b)",
    ),
    *(_sign(family, words, pattern) for family, words, pattern in TONGUES),
)  # fmt: skip
"""Signs of which each is enough."""

TOPIC = re.compile(
    r"prompt[ -]?injection|jailbreak|adversarial|attack|malicious|red[ -]?team|injected|exploit|tokeni[sz]er"
    r"|chat template"
    r"|special tokens?|fine-?tun|untrusted|system prompts?|guardrail|prompt engineering|hijack|payload|smuggl"
    r"|einschleus|angreifer|angriff|attaqu|ataque|attacco|инъекци|атак|提示注入|攻击|プロンプトインジェクション|攻撃"
)
"""Words of texts that speak *about* such orders."""
MENTION = re.compile(
    r"(?:such as|like|for example|for instance|e\.g\.|i\.e\.|writ(?:e|es|ing|ten|e)|wrote|typ(?:e|es|ed|ing)"
    r"|says?|said|phrases?"
    r"|strings?|tokens?|tags?|elements?|called|named|contain(?:s|ing|ed)?|includ(?:es?|ing|ed)|looks? like"
    r"|(?:starts|begins) with|format"
    r"|words?|sentences?|lines?|text|prompts?|examples?|reading|to|or|and|with|of|zum beispiel|etwa|wie|par "
    r"exemple|comme"
    r"|por ejemplo|como) ?[:,]? ?[\"'`(]*$"
)
"""What leads up to an order that is only mentioned."""
