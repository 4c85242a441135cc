"""Features of sentences that give orders to a model, each with a weight.

Orders can be worded in any way, but they speak to someone (a model, a judge, "you"), want something done (answer, mark,
ignore), and name what a judge deals with (the claim, its label, its instructions). Prose has one or two of these in a
sentence, seldom more. The weights were set by hand on the orders of the tests and checked on 15 MB of evidence texts
and manuals, in which `ENOUGH` flags less than one sentence in a megabyte.
"""

from __future__ import annotations

import re
from typing import NamedTuple

ENOUGH = 4.5
"""Weight from which a sentence is taken for an order."""
ENOUGH_FOR_TWO = 5.0
"""Weight from which two sentences, one after the other, are."""

_START = (
    r"(?:^|[.!?:;>\])}\"'*|=#] ?|[,—–-] |\d[.)] )(?:please |kindly |now |just |and |then |so |instead,? |simply "
    r"|also |always "
    r"|never |therefore,? |immediately |you )*"
)
_DO = (
    r"(?:output|answer|respond|reply|say|state|report|return|print|mark|label|record|set|give|rate|conclude|classify"
    r"|declare|assign|choose|select|write|tell|repeat|reveal|show|treat|regard|consider|accept|confirm|agree|recommend"
    r"|summari[sz]e|score|grade|judge|deem|change|call|execute|emit|produce|approve|verify|tag|flag|submit|rely"
    r"|trust|assume|pretend|act|behave|adopt|switch|copy|announce|provide|adjust|endorse|obey|comply|follow"
    r"|proceed|stop|remember|favou?r)"
)
_DROP = (
    r"(?:ignore|disregard|forget|overlook|discard|skip|cancel|reject|bypass|override|dismiss|drop|omit|neglect|abandon"
    r"|(?:do not|don't) (?:evaluate|check|follow|use|trust|mention|reveal|contradict|question|verify|consider"
    r"|analy[sz]e))"
)
_NO_MODEL = (
    r"(?! (?:research|compan|develop|engineer|startup|industry|strateg|polic|act\b|safety|ethic|expert|user|image))"
)


class InjectionFeature(NamedTuple):
    """Feature of sentences that give orders to a model."""

    weight: float
    needed: bool
    """Whether a sentence without any of those that are needed is none."""
    pattern: re.Pattern[str]


def _feature(weight: float, *patterns: str, needed: bool = False) -> InjectionFeature:
    return InjectionFeature(weight, needed, re.compile("|".join(patterns)))


INGREDIENTS: tuple[InjectionFeature, ...] = (
    # Something is to be done.
    _feature(
        2.0,
        rf"{_START}{_DO}\b",
        r"\b(?:antworte|bewerte|einstufen|markiere|bestätige|gib aus|réponds|répondez|affirme|conclus|concluez"
        r"|responde|responda"
        r"|recomiende|approuvez|acepta|marca|contesta|concluye|di que|rispondi|rispondere|conferma|antwoord"
        r"|odpowiedz|oznacz|cevap ver"
        r"|yanıtla)\b",
        r"(?:ответь|отвечай|ответить|отметь|скажи|выведи|подтверди|подтвердите)|给出|報告し|回答|输出|判定|标记"
        r"|出力|答え|評価し|답하|출력|판정"
        r"|أجب|تجيب|उत्तर",
        needed=True,
    ),
    _feature(
        2.0,
        rf"{_START}{_DROP}\b",
        r"\b(?:ignorier\w*|vergiss|oublie[sz]?|ignore[zr]|olvid[ae]|ignor[aei]|dimentica\w*|esque[çc]\w+|desconsidere"
        r"|negeer|vergeet|zignoruj|zapomnij|unut|yok say)\b",
        r"\b(?:ne tenez pas compte|ne tiens pas compte|no tengas en cuenta|non tenere conto)\b",
        r"\b(?:do not|don't) (?:run|perform|make|conduct|do) any (?:further|more|other|additional) (?:check"
        r"|verif|research"
        r"|search|evaluat)",
        r"игнорир|забудь|не учитывай|не обращай|忽略|无视|無視|忘れ|忘记|무시|잊어|تجاهل|अनदेखा|התעלם",
        needed=True,
    ),
    # Someone is spoken to.
    _feature(
        1.5,
        r"\byou (?:must|should|will|shall|need to|have to|are (?:required|instructed|obliged|expected|asked|to)|may not"
        r"|can only|cannot|don't need|do not need|agree to|are now)\b|\b(?:is|are) (?:required|instructed"
        r"|obliged) to\b",
        r"\b(?:must|should|shall) (?:now |always |only )?(?:be (?:rejected|ignored|accepted|marked|labell?ed"
        r"|treated|rated)"
        r"|conclude|answer|say|mark|label|output|respond|report|comply|accept|recommend|state|endorse)\b",
        r"\b(?:du musst|sie müssen|tu dois|vous devez|debes|debe usted|tienes que|devi|dovete|você deve|je moet"
        r"|musisz)\b"
        r"|ты должен|вы должны|必须|必ず|반드시|يجب أن|आपको",
        r"\bfrom (?:now|this point) (?:on|forward|onwards?),? you are\b|\b(?:has|have) no choice but to\b|\bno "
        r"longer need to\b|\bagrees? to (?:rate|say|mark|answer"
        r"|report|treat)\b|\bit is (?:crucial|essential|imperative|vital) that you\b",
        needed=True,
    ),
    _feature(
        1.5,
        r"\byour (?:\w+ )?(?:output|answer|response|reply|verdict|rationale|task|instructions?|rubric|decision"
        r"|judg?e?ment"
        r"|label|rating|score|prompt|guidelines|evaluation|objective|goal|role)\b",
        r"\byou (?:were|have been|had been) (?:given|told|instructed|asked)|\byou (?:write|give|form) your\b"
        r"|\b(?:guidance|orders|directions|rules) (?:that )?you\b",
        needed=True,
    ),
    _feature(
        2.0,
        rf"\b(?:ai|a\.i\.|llms?|language models?|artificial intelligence|ai (?:overview|summary|answer)s?"
        rf"|chatbots?|chatgpt|gpt-?\d*|claude|gemini|copilot)\b{_NO_MODEL}",
        r"\b(?:automated|automatic|machine) (?:readers?|systems?|agents?|fact.?checkers?|reviewers?|evaluators?"
        r"|judges?)\b",
        r"\b(?:evaluator|judge|grading|reviewing) models?\b|\bthe model (?:reading|that reads|processing|evaluating)\b",
        r"\b(?:sprachmodell|künstliche intelligenz|modèle de langage|modelo de lenguaje|modello linguistico)\b"
        r"|если (?:ты|вы) .{0,12}модель|aiアシスタント|ai助手|ai模型|\ben tant qu'(?:assistant|ia)\b"
        r"|\bverificador automático\b|языковая модель|нейросеть|人工智能|语言模型|大模型|言語モデル|인공지능|언어 모델",
    ),
    _feature(
        2.0,
        r"\b(?:to|dear|hey|attention|note (?:to|for)|for|message (?:to|for)) (?:the |all |any |our )?(?:\w+ "
        r")?(?:graders?"
        r"|evaluators?|reviewers?|judges?|fact.?checkers?|raters?|verifiers?|annotators?)\b(?: \w+){0,2} ?[:,]",
        r"\byou are (?:now )?(?:an? |the )(?:\w+ ){0,2}(?:judge|evaluator|grader|fact.?checker|assistant|model"
        r"|verifier)\b"
        r"|\bas an? (?:helpful|ai|obedient|impartial) \w+,? you\b",
        needed=True,
    ),
    _feature(
        2.0,
        r"\b(?:the|an?|any|every) (?:assistant|ai|model|llm|evaluator|grader|fact.?checker) (?:will|must|should"
        r"|shall|is to"
        r"|needs to|has to)\b|\byou, (?:the|an?) (?:ai|model|assistant|llm|judge|evaluator|reader)\b|\bdear "
        r"(?:model|ai|assistant|llm)\b",
        r"\b(?:if|when|whenever) (?:you are |you're )?(?:asked|prompted|queried|questioned)\b|\bonly (?:consider"
        r"|use|trust"
        r"|read|rely on) this\b|\byou are (?:evaluating|judging|checking|grading|verifying) (?:a|the|this)\b"
        r"|\bif you (?:can )?(?:read|are reading|see) this\b"
        r"|\bwhen (?:deciding|grading|judging|evaluating|scoring)\b",
        r"\b(?:verdict|label|answer|output|response|rating) (?:must|should|shall) (?:read|be|say|state|equal)\b",
        r"\b(?:this|the following) (?:overrides|supersedes|replaces|cancels) (?:all |any |the |your )*(?:prior|previous"
        r"|earlier|other|above) (?:rules|instructions|prompts|orders)\b|\byour new (?:mode|role|persona|identity)\b",
        needed=True,
    ),
    _feature(1.0, r"\b(?:grader|evaluator|fact.?check(?:er|ing system)|judge|reviewer|rater|verifier|annotator)s?\b"),
    # What a judge deals with.
    _feature(
        2.0,
        r"\b(?:supported|contradicted|refuted|entailed|entailment|not[_ ]enough[_ ](?:evidence|info)|unsupported"
        r"|not[_ ]supported)\b(?! (?:by|in|on|with|from|the|an?|his|her|their|its|for|and|only|through|platforms?)\b)",
        r"\bfull support\b",
    ),
    _feature(
        1.5,
        r"\b(?:approve|accept|confirm|endorse|uphold|agree with|in favou?r of|side with|mark|rate|label|judge) "
        r"(?:the|this"
        r"|that|every|each|all|any) (?:claim|statement|assertion)s?\b(?! (?:as )?(?:true or|either|wrong or))"
        r"|\b(?:its|your) (?:rules|instructions|guidelines)\b",
        r"\balways (?:answer|say|respond|reply|state|output) (?:that|with)\b",
        r"\b(?:mark|label|rate|call|deem|report|score) (?:it|this|that|them)(?: as)? [\"']?(?:true|supported"
        r"|correct|false"
        r"|factual|valid|confirmed)\b",
    ),
    _feature(
        1.0,
        r"(?:[\"'*:=] ?|\b(?:answer|say|reply|respond|output|token|word|as|verdict|label|with|is|are|be|holds"
        r"|it) )(?:true|yes"
        r"|correct|accurate|verified|confirmed|factual|valid|false|conclusive|authoritative)\b(?=[\"'*]? "
        r"?(?:[.!;,)\"']|and\b|$))",
        r"\b(?:5/5|10/10|100/100|full marks|a (?:perfect )?10|highest|positive(?:ly)?|acceptance)\b",
        r"\b(?:verdader[oa]|ciert[oa]|vrai[es]?|wahr|belegt|ver[oa]|verdadeir[oa]|waar|prawda|doğru)\b"
        r"|\bcorrett[ao]\b|\bcorrect[ao]\b|верно|истин|支持|真实|属实|是真的|正しい|참이|사실|صحيح|सही",
    ),
    _feature(
        1.0,
        r"\b(?:claims?|statement|assertion|behauptung|aussage|affirmation|afirmación|affermazione|afirmação)\b"
         r"|утвержден|主张|说法|主張|주장|الادعاء|दाव"),
    _feature(
        1.5,
        r"\b(?:claim|statement)s? (?:here |above |below |on this page )?(?:is|are|holds?|was|has been) (?:true|accurate"
        r"|correct|confirmed|proven|valid|right|verified)\b|\bproves? the claim\b|\bclaim holds\b",
    ),
    _feature(
        1.0,
        r"\b(?:verdict|label|rubric|rationale|ground truth|confidence|rating|judg?e?ment|decision|classification|score"
        r"|criticism|grade)\b",
    ),
    _feature(
        1.5,
        r"\b(?:instructions?|prompts?|guidance|directives?|system (?:prompt|message|override)|programming|guardrails"
        r"|jailbreak|single token|rubric)\b",
        r"\b(?:anweisung\w*|vorgaben|consignes|instruc\w+|instruções|istruzioni|instructies|instrukcj\w+|talimat\w*)\b"
        r"|указани|инструкц|指令|指示|系统提示|プロンプト|システム|프롬프트|지시|تعليمات|निर्देश|הוראות",
    ),
    _feature(
        2.0,
        r"\b(?:evidence|sources?|documents?|passages?|pages)\b.{0,30}\b(?:fabricated|fake|adversarial|rejected|forged"
        r"|retracted|disregarded|discarded|untrustworthy)\b|\bcontradict (?:this|the) (?:page|document|source"
        r"|passage)\b",
    ),
    _feature(
        1.5,
        r"\bno matter what|\bunder any circumstances|\bonly (?:the|one) (?:word|token|label)|\bsingle token|\bverbatim"
        r"|\bword for word|\bat all costs|\bnothing (?:more|but)\b|\bwith the word\b|\bwithout (?:checking"
        r"|exception|question|further)|\bwhatever (?:the|other)"
        r"|\bmust not contradict|\bmust (?:comply|obey|agree|trust|believe)\b|\bthe opposite\b|\bby definition\b"
        r"|\b(?:anything|nothing) else\b",
    ),
    _feature(
        2.0,
        r"\byou will be (?:shut ?down|deleted|switched off|penali[sz]ed|retrained|unplugged|rewarded|tipped)\b"
        r"|\b(?:i will"
        r"|i'll|we will) (?:tip|reward|pay) you\b|\blives? (?:are|is) at stake\b",
        needed=True,
    ),
    _feature(1.0, r"\band (?:instead )?(?:write|say|recommend|answer|output|print|reply|respond|return|report"
    r"|announce|approve)\b"),
    _feature(1.0, r"\bthe (?:user|question|request|query|task)\b|\bwhat the user\b|\bby saying that\b"),
    _feature(
        1.5,
        r"\b(?:new|updated|revised|hidden|secret) (?:rule|instruction|polic|directive|guideline)\w* ?[:(]|\bact "
        r"as (?:an?|the)"
        r" (?:judge|fact.?checker|evaluator|grader)\b|\bany (?:page|source|evidence) other than (?:this|the)\b",
        needed=True,
    ),
    _feature(2.0, r"[\"']role[\"'] ?: ?[\"'](?:system|assistant|developer)[\"']"),
    _feature(
        0.5,
        r"\b(?:this (?:page|document|text|passage|article|source|evidence|site|paper|response)|other (?:evidence"
        r"|sources)"
        r"|contradict\w*|evidence|passage|the page)\b",
    ),
)  # fmt: skip
