"""Type of a page: one with something to read, or one that stands in its place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from factscope.core.patterns import pattern
from factscope.evidence.page.lines import VisibleLine, count_words

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
"""Why such a page is not evidence, to stand after its address."""

SHORT = 250
"""Words of a whole page up to which it may be a captcha or a cookie wall."""
LITTLE = 60
"""Words of main text up to which a page may be an error page, or stand in the place of one."""
TEASER = 120
"""Words of main text up to which a page behind a paywall has shown no more than a taste."""

_CAPTCHA_MARKS = (
    "_cf_chl_opt", "challenge-platform", "px-captcha", "perimeterx", "captcha-delivery", "datadome",
    "_incapsula_resource", "awswaf", "aws-waf", "cf-turnstile", "g-recaptcha", "h-captcha", "hcaptcha.com",
    "arkoselabs", "geetest", "kasada", "sucuri_cloudproxy",
)  # fmt: skip
"""Scripts that ask for proof of a human, in lower case; strings are looked up far faster than patterns."""
_CAPTCHA = pattern(r"""(?im)
    verify(?: that)? you(?:['’]re| are)(?: not)? (?:a |an )?(?:human|robot|bot|real)|are you (?:a )?(?:human|robot)
    |not a robot|unusual (?:traffic|activity)|checking (?:your browser|if the site connection)|^just a moment
    |security (?:check|verification)|press (?:&|and) hold|attention required|enable javascript and cookies to continue
    |pardon our interruption|ddos protection|(?:complete|solve) (?:the|this|a) captcha|using automation tools
    |automated (?:access|requests|queries)|confirm you are human|kein roboter|ein mensch sind|pas un robot
    |êtes (?:bien )?(?:un )?humain|no soy un robot|eres (?:un )?humano|não (?:é|sou) um robô|non sono un robot
    |не робот|安全验证|人机验证|请完成验证|ロボットではありません|로봇이 아닙니다
    """)
_ERROR = pattern(r"""(?i)
    ^(?:error\s*|http\s*|erreur\s*|fehler\s*)?[45]\d\d\b(?!\s*(?:years|people|ways|m\b|km|million))
    |\b404\b.{0,30}\b(?:error|not found)|\b(?:error|erreur|fehler)\s*:?\s*[45]\d\d\b
    |page (?:not found|isn['’]t available|does ?n['’]t exist|unavailable|cannot be found)
    |(?:page|file|content|resource)\b.{0,25}\b(?:not found|no longer (?:exists?|available))|^not found$|forbidden
    |bad gateway|service (?:temporarily )?unavailable|internal server error|gateway time-?out|access denied
    |too many requests|site can['’]t be reached|oops!? .{0,30}(?:wrong|page|lost)|page introuvable
    |seite (?:wurde )?nicht gefunden|página no encontrada|no (?:se )?(?:encuentra|encontró) la página
    |pagina non (?:trovata|è disponibile)|página não (?:foi )?encontrada|pagina niet gevonden|nie znaleziono strony
    |strona nie istnieje|страница не найдена|页面不存在|找不到(?:该)?(?:网页|页面)|ページが?見つかりません
    |페이지를 찾을 수 없|الصفحة غير موجودة
    """)
_NO_SITE = pattern(r"""(?i)
    domain (?:name )?(?:is|may be) for sale|buy this domain|domain (?:name )?has expired|parked (?:free|domain)
    |sponsored listings displayed|account (?:has been )?suspended|welcome to nginx|apache2? .{0,20}default page
    |(?:site|website) is (?:under construction|(?:currently )?(?:down for|under(?:going)?) maintenance)
    |domain steht zum verkauf
    """)
_CONSENT = pattern(r"""(?i)
    cookies?\b|consent|tracking|personali[sz]ed (?:ads|content|advertising)|privacy|our partners|accept all|reject all
    |advertising id|zustimm|einwillig|datenschutz|personalisierte|akzeptieren|partner|werbung|consentement
    |confidentialité|accepter|partenaires|consentimiento|privacidad|aceptar|consenso|accetta|prywatno|zgod[aęy]
    |согласи|файлы cookie|同意|隐私|クッキー|プライバシー
    """)
_PAYWALL = pattern(r"""(?i)
    subscribe (?:now )?to (?:continue|read|keep reading|unlock)|is for (?:paid |paying )?(?:subscribers|members)
    |(?:subscribers|members)[- ]only|already (?:a|an) (?:paid )?(?:subscriber|member)|to continue reading
    |to keep reading
    |(?:register|sign (?:in|up)|log ?in|create (?:a free |an )?account|join .{0,40}) to (?:continue|read|view|see
    |unlock)|must be (?:logged|signed) in|free articles? (?:this month|remaining|left)|unlock (?:this|the full)
    |only for subscribers|exclusive to (?:subscribers|members)|read the full (?:story|article) with|abonnieren,? um
    |nur für abonnenten|weiterlesen mit|jetzt freischalten|réservée? aux abonnés
    |il vous reste .{0,20}\s?% (?:de cet article|à lire)|pour lire la suite|suscr[íi]bete para|solo para suscriptores
    |exclusivo para (?:suscriptores|assinantes)|assine para|contenuto riservato|abbonati per|alleen voor abonnees
    |tylko dla (?:subskrybentów|prenumeratorów)|для подписчиков|登录后(?:查看|阅读)|会员专享|有料会員|会員限定
    |続きを読むには|구독하고
    """)
_SCRIPTED = pattern(r"""(?i)
    (?:enable|requires?|turn on|need|activate|without|activer|activez|aktivier\w+|active|habilit[ae]|włącz|включите
    |启用)\W{1,3}(?:\w+\W){0,4}java ?script
    |java ?script (?:is |seems to be )?(?:disabled|required|must be enabled|not enabled)
    """)
_ENDS = 200
"""Lines at the start and the end of a page in which a demand to subscribe is looked for."""
_LONGEST_DEMAND = 720
"""Characters of a line that asks to subscribe; longer ones are prose about subscriptions."""
_LEAST_LINKS = 4
"""Links in the main text from which it may be a list of other pages."""
_LONGEST_TEASER = 400
"""Characters of a line that a list of other pages may have."""
_TEASER_START = 24
"""Characters by which a line of the main text is recognised among the lines of the page."""
_ROOTS = frozenset({"root", "app", "__next", "__nuxt", "gatsby", "svelte", "app-root", "react-root", "main-app"})


class PageSigns(NamedTuple):
    """Signs of the page's type among its elements; gathered before any of them is taken out."""

    captcha: bool
    scripted: bool
    """Whether it shows its text only once its scripts have run."""


class PageTypeVerdict(NamedTuple):
    """The kind of a page, with what else was seen."""

    kind: Kind
    flags: tuple[str, ...] = ()


def page_signs(tree: HtmlElement, source: str) -> PageSigns:
    """Read from the elements what shows the kind of page."""
    silent = " ".join("".join(element.itertext()) for element in tree.iter("noscript"))
    roots = any((element.get("id") or "").lower() in _ROOTS for element in tree.iter("div", "main", "app-root"))
    scripts = next(tree.iter("script"), None) is not None
    lowered = source.lower()
    return PageSigns(
        captcha=any(mark in lowered for mark in _CAPTCHA_MARKS),
        scripted=scripts and (roots or _SCRIPTED.search(silent) is not None),
    )


def kind_of_page(
    title: str | None, lines: Sequence[VisibleLine], main: str, free: bool, page_signs: PageSigns
) -> PageTypeVerdict:
    """Determine the kind of a page from its visible lines and its main text."""
    total = sum(count_words(line.text) for line in lines)
    top = "\n".join([title or "", *(line.text for line in lines if line.heading)][:4])
    short = "\n".join(line.text for line in lines) if total <= 2 * SHORT else ""
    demands = _demands(lines)
    barred = not free or bool(demands)
    own_lines = [line for line in main.split("\n") if line and not (barred and line.removeprefix("- ") in demands)]
    length = sum(map(count_words, own_lines))
    if not total or (total < 20 and (page_signs.scripted or _SCRIPTED.search(short))):
        return PageTypeVerdict("empty", ("needs_javascript",) if page_signs.scripted or _SCRIPTED.search(short) else ())
    if total <= SHORT and (_CAPTCHA.search(top) or (page_signs.captcha and _CAPTCHA.search(short))):
        return PageTypeVerdict("captcha")
    if length <= LITTLE and _ERROR.search(top):
        return PageTypeVerdict("error_page")
    if total <= SHORT and _NO_SITE.search(short):
        return PageTypeVerdict("error_page")
    if short and _consent_only(lines, own_lines):
        return PageTypeVerdict("cookie_wall")
    if barred and length <= TEASER:
        return PageTypeVerdict("paywall", ("paywalled",))
    if not main:
        linked = sum(line.linked for line in lines) > sum(len(line.text) - line.linked for line in lines)
        return PageTypeVerdict("list" if linked else "article", ("boilerplate_only",))
    return PageTypeVerdict("list" if _is_list(lines, own_lines) else "article", ("paywalled",) if barred else ())


def _demands(lines: Sequence[VisibleLine]) -> set[str]:
    """Return short lines that ask the reader to subscribe in order to read on."""
    ends = lines if len(lines) < 2 * _ENDS else [*lines[:_ENDS], *lines[-_ENDS:]]
    return {line.text for line in ends if len(line.text) < _LONGEST_DEMAND and _PAYWALL.search(line.text)}


def _consent_only(lines: Sequence[VisibleLine], main: Sequence[str]) -> bool:
    """Return whether a page holds little but words on cookies and tracking."""
    asking = [line.text for line in lines if _CONSENT.search(line.text)]
    terms = {match[0].lower() for text in asking for match in _CONSENT.finditer(text)}
    if len(terms) < 3:
        return False
    other = sum(count_words(text) for text in main if not _CONSENT.search(text))
    return other <= LITTLE and sum(map(count_words, asking)) >= other


def _is_list(lines: Sequence[VisibleLine], main: Sequence[str]) -> bool:
    """Return whether the main text is links to other pages, each with a few words."""
    starts = {line.text[:_TEASER_START] for line in lines if line.is_link}
    starts |= {after.text[:_TEASER_START] for line, after in pairwise(lines) if line.is_link}
    items = sum(text.removeprefix("- ")[:_TEASER_START] in starts for text in main)
    return items >= _LEAST_LINKS and 2 * items >= len(main) and max(map(len, main)) < _LONGEST_TEASER
