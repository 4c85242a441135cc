"""What kind of page it is: one with something to read, or one that stands in its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from factscope.evidence.page.html_blocks import Block

if TYPE_CHECKING:
    from lxml.html import HtmlElement

Kind = Literal["article", "list", "pdf", "text", "captcha", "cookie_wall", "paywall", "error_page", "empty"]
"""`article`: any page with text of its own. The last five have none that could be evidence."""

UNUSABLE: dict[Kind, str] = {
    "captcha": "asks whether its reader is a human instead of showing its text",
    "cookie_wall": "shows nothing but a demand to consent to cookies or tracking",
    "paywall": "shows its text to subscribers or members only",
    "error_page": "is an error page: what was looked for is not there, or not now",
    "empty": "shows no text",
}
"""Why such a page is no evidence, to stand after its address."""

SHORT = 250
"""Words of a whole page up to which it may be a captcha or a cookie wall."""
LITTLE = 60
"""Words of main text up to which a page may be an error page, or stand in the place of one."""
TEASER = 120
"""Words of main text up to which a page behind a paywall has shown no more than a taste."""

_CAPTCHA_MARKS = re.compile(
    r"_cf_chl_opt|challenge-platform|px-captcha|perimeterx|captcha-delivery|datadome|_Incapsula_Resource|awswaf|aws-waf"
    r"|cf-turnstile|g-recaptcha|h-captcha|hcaptcha\.com|arkoselabs|geetest|kasada|sucuri_cloudproxy",
    re.IGNORECASE,
)
_CAPTCHA = re.compile(
    r"verify(?: that)? you(?:['’]re| are)(?: not)? (?:a |an )?(?:human|robot|bot|real)|are you (?:a )?(?:human|robot)"
    r"|not a robot|unusual (?:traffic|activity)|checking (?:your browser|if the site connection)|^just a moment"
    r"|security (?:check|verification)|press (?:&|and) hold|attention required|enable javascript and cookies to "
    r"continue"
    r"|pardon our interruption|ddos protection|(?:complete|solve) (?:the|this|a) captcha|using automation tools"
    r"|automated (?:access|requests|queries)|confirm you are human|kein roboter|ein mensch sind|pas un robot"
    r"|êtes (?:bien )?(?:un )?humain|no soy un robot|eres (?:un )?humano|não (?:é|sou) um robô|non sono un robot"
    r"|не робот|安全验证|人机验证|请完成验证|ロボットではありません|로봇이 아닙니다",
    re.IGNORECASE | re.MULTILINE,
)
_ERROR = re.compile(
    r"^(?:error\s*|http\s*|erreur\s*|fehler\s*)?[45]\d\d\b(?!\s*(?:years|people|ways|m\b|km|million))"
    r"|\b404\b.{0,30}\b(?:error"
    r"|not found)|\b(?:error|erreur|fehler)\s*:?\s*[45]\d\d\b|page (?:not found|isn['’]t available|does ?n['’]t "
    r"exist|unavailable"
    r"|cannot be found)|(?:page|file|content|resource)\b.{0,25}\b(?:not found|no longer (?:exists?|available))"
    r"|^not found$"
    r"|forbidden|bad gateway|service (?:temporarily )?unavailable|internal server error|gateway time-?out|access denied"
    r"|too many requests|site can['’]t be reached|oops!? .{0,30}(?:wrong|page|lost)|page introuvable|seite "
    r"(?:wurde )?nicht"
    r" gefunden|página no encontrada|no (?:se )?(?:encuentra|encontró) la página|pagina non (?:trovata|è disponibile)"
    r"|página não (?:foi )?encontrada|pagina niet gevonden|nie znaleziono strony|strona nie istnieje|страница не "
    r"найдена"
    r"|页面不存在|找不到(?:该)?(?:网页|页面)|ページが?見つかりません|페이지를 찾을 수 없|الصفحة غير موجودة",
    re.IGNORECASE,
)
_NO_SITE = re.compile(
    r"domain (?:name )?(?:is|may be) for sale|buy this domain|domain (?:name )?has expired|parked (?:free|domain)"
    r"|sponsored listings displayed|account (?:has been )?suspended|welcome to nginx|apache2? .{0,20}default page"
    r"|(?:site|website) is (?:under construction|(?:currently )?(?:down for|under(?:going)?) maintenance)|domain "
    r"steht zum verkauf",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"cookies?\b|consent|tracking|personali[sz]ed (?:ads|content|advertising)|privacy|our partners|accept all"
    r"|reject all"
    r"|advertising id|zustimm|einwillig|datenschutz|personalisierte|akzeptieren|partner|werbung|consentement"
    r"|confidentialité"
    r"|accepter|partenaires|consentimiento|privacidad|aceptar|consenso|accetta|prywatno|zgod[aęy]|согласи|файлы cookie"
    r"|同意|隐私|クッキー|プライバシー",
    re.IGNORECASE,
)
_PAYWALL = re.compile(
    r"subscribe (?:now )?to (?:continue|read|keep reading|unlock)|is for (?:paid |paying )?(?:subscribers|members)"
    r"|(?:subscribers|members)[- ]only|already (?:a|an) (?:paid )?(?:subscriber|member)|to continue reading|to "
    r"keep reading"
    r"|(?:register|sign (?:in|up)|log ?in|create (?:a free |an )?account|join .{0,40}) to (?:continue|read|view"
    r"|see|unlock)"
    r"|must be (?:logged|signed) in|free articles? (?:this month|remaining|left)|unlock (?:this|the full)|only "
    r"for subscribers"
    r"|exclusive to (?:subscribers|members)|read the full (?:story|article) with|abonnieren,? um|nur für abonnenten"
    r"|weiterlesen mit|jetzt freischalten|réservée? aux abonnés|il vous reste .{0,20}\s?% (?:de cet article|à lire)"
    r"|pour lire la suite|suscr[íi]bete para|solo para suscriptores|exclusivo para (?:suscriptores|assinantes)"
    r"|assine para"
    r"|contenuto riservato|abbonati per|alleen voor abonnees|tylko dla (?:subskrybentów|prenumeratorów)"
    r"|для подписчиков|登录后(?:查看|阅读)|会员专享|有料会員|会員限定|続きを読むには|구독하고",
    re.IGNORECASE,
)
_SCRIPTED = re.compile(
    r"(?:enable|requires?|turn on|need|activate|without|activer|activez|aktivier\w+|active|habilit[ae]|włącz"
    r"|включите|启用)"
    r"\W{1,3}(?:\w+\W){0,4}java ?script|java ?script (?:is |seems to be )?(?:disabled|required|must be enabled"
    r"|not enabled)",
    re.IGNORECASE,
)
_ENDS = 200
_ROOTS = frozenset({"root", "app", "__next", "__nuxt", "gatsby", "svelte", "app-root", "react-root", "main-app"})


class Signs(NamedTuple):
    """What of the page's elements tells its kind; gathered before any of them is taken out."""

    captcha: bool
    scripted: bool
    """Whether it shows its text only once its scripts have run."""


class Verdict(NamedTuple):
    """The kind of a page, with what else was seen."""

    kind: Kind
    flags: tuple[str, ...] = ()


def signs(tree: HtmlElement, source: str) -> Signs:
    """What the elements tell of the kind of page."""
    silent = " ".join("".join(element.itertext()) for element in tree.iter("noscript"))
    roots = any((element.get("id") or "").lower() in _ROOTS for element in tree.iter("div", "main", "app-root"))
    scripts = next(tree.iter("script"), None) is not None
    return Signs(
        captcha=_CAPTCHA_MARKS.search(source) is not None,
        scripted=scripts and (roots or _SCRIPTED.search(silent) is not None),
    )


def kind_of_page(
    title: str | None, blocks: Sequence[Block], main: Sequence[Block], listing: bool, free: bool, seen: Signs
) -> Verdict:
    """The kind of a page by all that is seen on it and by its main text."""
    everything = sum(_words(block) for block in blocks)
    top = "\n".join([title or "", *(block.text for block in blocks if block.kind in {"h1", "h2"})][:4])
    whole = "\n".join(block.text for block in blocks) if everything <= 2 * SHORT else ""
    barred = not free or _barred(blocks)
    own = [block for block in main if not (barred and _asks_to_pay(block))]
    length = sum(map(_words, own))
    if not everything or (everything < 20 and (seen.scripted or _SCRIPTED.search(whole))):
        return Verdict("empty", ("needs_javascript",) if seen.scripted or _SCRIPTED.search(whole) else ())
    if everything <= SHORT and (_CAPTCHA.search(top) or (seen.captcha and _CAPTCHA.search(whole))):
        return Verdict("captcha")
    if length <= LITTLE and _ERROR.search(top):
        return Verdict("error_page")
    if everything <= SHORT and _NO_SITE.search(whole):
        return Verdict("error_page")
    if whole and _consent_only(blocks, own):
        return Verdict("cookie_wall")
    if barred and length <= TEASER:
        return Verdict("paywall", ("paywalled",))
    if not main and everything:
        return Verdict("list" if _linked(blocks) else "article", ("boilerplate_only",))
    return Verdict("list" if listing else "article", ("paywalled",) if barred else ())


def _barred(blocks: Sequence[Block]) -> bool:
    """Whether a short block asks the reader to subscribe in order to read on."""
    return any(
        _asks_to_pay(block) for block in ([*blocks] if len(blocks) < 2 * _ENDS else [*blocks[:_ENDS], *blocks[-_ENDS:]])
    )


def _asks_to_pay(block: Block) -> bool:
    return len(block.text) < 12 * LITTLE and _PAYWALL.search(block.text) is not None


def _consent_only(blocks: Sequence[Block], main: Sequence[Block]) -> bool:
    """Whether there is nothing much on a page but words on cookies and tracking."""
    asking = [block for block in blocks if _CONSENT.search(block.text)]
    terms = {match[0].lower() for block in asking for match in _CONSENT.finditer(block.text)}
    if len(terms) < 3:
        return False
    about = {id(block) for block in asking}
    other = sum(_words(block) for block in main if id(block) not in about)
    return other <= LITTLE and sum(map(_words, asking)) >= other


def _linked(blocks: Sequence[Block]) -> bool:
    return sum(block.linked for block in blocks) > sum(block.size for block in blocks)


def _words(block: Block) -> int:
    return len(re.findall(r"[\u3040-\u30ff\u3400-\u9fff]{2}|[^\W_]+", block.text))
