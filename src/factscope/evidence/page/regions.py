"""Parts of a page that are not its main text, by the tags, roles and names that people give to them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_TAGS = {
    "nav": "menu", "menu": "menu", "footer": "foot", "aside": "side", "form": "form", "dialog": "form",
    "button": "form",
    "search": "form", "legend": "form", "amp-sidebar": "menu", "amp-ad": "ad",
}  # fmt: skip
_ROLES = {
    "navigation": "menu", "menu": "menu", "menubar": "menu", "banner": "menu", "contentinfo": "foot", "search": "form",
    "complementary": "side", "dialog": "form", "alertdialog": "form", "toolbar": "tool", "tablist": "menu",
}  # fmt: skip
# Words in `class` and `id`, in the languages in which pages are most often made.
_NAMES = {
    "menu": """
        nav navbar navi navigation hauptnavigation menu menus megamenu submenu mainmenu breadcrumb breadcrumbs crumb
        crumbs pager pagination paging pages skip skiplink topbar topnav linklist jumpbox prevnext toc masthead cabecera
        sitemap tablist menubar subnav sidenav letternav
    """,
    "foot": "footer foot bottom colophon copyright legal imprint pie rodape fuss fusszeile pagefooter stopka "
    "sitefooter",
    "side": "side sidebar sidebars rail aside widget widgets sidecol sidecolumn seitenleiste marginalia",
    "share": "share sharing sharedaddy sharebar social socials sns addthis shariff redes partager",
    "related": """
        related relatedposts recommend recommended recommendation recommendations recirc popular trending mostread
        mostpopular teaserliste upsell crosssell also alsobought prevposts siblings readmore morelikethis morestories
        hot hotlist similar semelhantes previews masnoticias weiterlesen suggested suggestions seealso onward
    """,
    "comments": "comment comments commentlist commentarea comentarios kommentare komentarze commentaires disqus "
    "respond",
    "ad": """
        ad ads adv advert advertisement advertising advertorial adbox adslot adsense sponsor sponsored promo promos
        promotion dfp gpt outbrain taboola betting affiliate publi publicidad publicite anzeige anzeigen werbung reklama
    """,
    "consent": "cookie cookies consent consentement gdpr rodo cmp cmpbox onetrust ccpa didomi cookiebanner",
    "sign": """
        newsletter newsletters subscribe subscription signup signin login paywall meter metered donate donation cta abo
        mailinglist mailchimp membership registerwall regwall abonnes encart
    """,
    "tool": """
        byline bylines author authors dateline posted timestamp taglist tags tagcloud keywords catlinks category
        categories hatnote editsection headerlink permalink rating ratings rate votecell vote votes print player poll
        feedback signature postprofile userinfo usercard avatar postmeta entrymeta actionbar toolbar signatur autor
        metrics authorship views viewcount filters filter quickview usps usp tagline pinbox azioni valutazione vcard
        printfriendly buybox
        flatlist
    """,
    "notes": "reflist references refs navbox citations footnotes bibliography printfooter sistersitebox ambox",
}  # fmt: skip
_KIND = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_PAIRS = {
    ("site", "header"): "menu", ("page", "footer"): "foot", ("site", "footer"): "foot", ("most", "read"): "related",
    ("user", "info"): "tool", ("post", "meta"): "tool", ("entry", "meta"): "tool", ("article", "meta"): "tool",
    ("who", "online"): "foot", ("stat", "block"): "foot", ("read", "more"): "related", ("see", "also"): "related",
    ("also", "bought"): "related", ("cat", "links"): "tool", ("mw", "navigation"): "menu", ("tab", "nav"): "menu",
}  # fmt: skip
# Names that say how the page is laid out around such a part, not what an element is.
_LAYOUT = frozenset({"has", "with", "no", "without", "not", "is", "js", "wp", "site", "page", "layout", "template"})
_CONTENT = frozenset({"main", "article", "body", "html", "h1", "tr", "td", "th", "tbody", "table", "pre", "code"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def region_of(element: HtmlElement) -> str | None:
    """The kind of part that an element is, if it is none of the main text's."""
    tag = element.tag
    if tag in _CONTENT or not isinstance(tag, str):
        return None
    if tag in _TAGS:
        return _TAGS[tag]
    role = element.get("role")
    if role in _ROLES:
        return _ROLES[role]
    if tag == "header":
        return None if any(other.tag in {"article", "main"} for other in element.iterancestors()) else "head"
    names = (element.get("class") or "")[:500].split()[:20]
    own = element.get("id")
    if own:
        names.append(own[:100])
    for name in names:
        if (kind := _named(name)) is not None:
            return kind
    prop = element.get("itemprop")
    return "tool" if prop in {"author", "datePublished", "dateModified", "keywords"} else None


def _named(name: str) -> str | None:
    words = [word.lower() for word in _WORD.findall(name)]
    if not words or words[0] in _LAYOUT - {"site", "page"}:
        return None
    for pair in pairwise(words):
        if pair in _PAIRS:
            return _PAIRS[pair]
    for number, word in enumerate(words):
        if word in _KIND and not (number and words[number - 1] in _LAYOUT):
            return _KIND[word]
    return _KIND.get("".join(words))
