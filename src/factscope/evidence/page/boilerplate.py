"""Lines of a page that are about the page: who wrote it and when, what one can press, what else there is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from factscope.evidence.page.dates import has_clock, iso_date, without_dates
from factscope.evidence.page.html_blocks import Block

LONGEST_BYLINE = 160
"""Characters of a line about author and time."""
LONGEST_RIGHTS = 400
"""Characters of a line about the rights in a page."""
_NEAR = 3
_FEW = 4
_LABEL = re.compile(r"\W*[^\W\d][^\d:]{0,30}[:：]")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
ENDS = re.compile(
    r"""(?:references?|sources?|notes?|footnotes|citations|bibliography|works\ cited|further\ reading|see\ also
    |external\ links|related(?:\ (?:articles|posts|stories|topics|content|links|news))?|more\ (?:from|in|on|stories)\b.*
    |you\ (?:may|might)\ also\ (?:like|enjoy).*|recommended.*|read\ (?:more|next|also).*|most\ (?:read|popular).*
    |popular\ .*|latest(?:\ news)?|trending.*|comments?(?:\ \(?\d+\)?)?|\d+\ (?:comments?|responses?)|responses?\ .*
    |leave\ a\ (?:reply|comment)|share(?:\ this)?.*|tags?|categories|about\ (?:the\ author|us|me)|written\ by\ .*
    |(?:press|media)\ (?:contact|enquiries).*|contact|newsletter|follow\ us.*|also\ in\ .*|up\ next|similar\ .*
    |einzelnachweise|literatur|weblinks|quellen|siehe\ auch|anmerkungen|mehr\ zum\ thema|lesen\ sie\ auch.*|kommentare.*
    |das\ könnte\ sie\ auch\ interessieren.*|ähnliche\ .*|références|notes\ et\ références|voir\ aussi|liens\ externes
    |à\ lire\ aussi.*|sur\ le\ même\ (?:sujet|thème)|les\ plus\ lus|commentaires.*|referencias|véase\ también
    |enlaces\ externos|más\ noticias.*|te\ puede\ interesar.*|lo\ más\ leído|comentarios.*|note|voci\ correlate
    |collegamenti\ esterni|leggi\ anche.*|referências|ver\ também|ligações\ externas|leia\ (?:também|mais).*
    |przypisy|zobacz\ też|bibliografia|linki\ zewnętrzne|czytaj\ (?:także|też|więcej).*|komentarze.*
    |примечания|литература|ссылки|см\.\ также|читайте\ также.*|комментарии.*|популярное
    |脚注|参考文献|関連項目|外部リンク
    |関連記事|ランキング|参考资料|相关(?:阅读|新闻|文章).*|热点推荐
    |المراجع|انظر\ أيضا|اقرأ\ أيضا.*|الأكثر\ قراءة|यह\ भी\ पढ़ें.*)
    \s*[:：…]?""",
    re.IGNORECASE | re.VERBOSE,
)  # fmt: skip
"""Headings of sections that are none of the main text."""
_CHROME = re.compile(
    r"""(?:advertis(?:e)?ment|sponsored(?:\ content)?|ad|share(?:\ (?:this|on|via|article)\b.*)?|print
    |e-?mail(?:\ this)?
    |copy\ link|(?:sign|log)\ ?(?:in|up|out)|register|subscribe(?:\ now)?|follow(?:\ us)?|menu|search|close|skip\ to\ .*
    |read\ more|continue\ reading.*|load\ more.*|show\ more.*|see\ all.*|view\ all.*|more|back\ to\ top|top
    |next|previous
    |reply|report|like|edit|jump\ to\ .*|add\ to\ (?:basket|cart|wishlist)|buy\ now
    |\d+\s*(?:comments?|shares?|views?|likes?)
    |\d+\s*min(?:ute)?s?\s*read|anzeige|werbung|teilen|drucken|merken|mehr(?:\ lesen)?|publicité|partager|imprimer
    |lire\ la\ suite|publicidad|compartir.*|leer\ más|pubblicità|condividi|leggi\ tutto|publicidade|partilhar
    |compartilhar
    |reklama|udostępnij|реклама|поделиться.*|広告|シェア|ツイート|分享(?:到)?.*|返回.*|إعلان|مشاركة)\s*[:：»›>]*""",
    re.IGNORECASE | re.VERBOSE,
)  # fmt: skip
_RIGHTS = (
    "©", "(c) 19", "(c) 20", "copyright", "all rights reserved", "alle rechte vorbehalten", "tous droits réservés",
    "todos los derechos", "tutti i diritti", "todos os direitos", "wszelkie prawa", "все права", "版权所有", "無断転載",
    "सर्वाधिकार", "جميع الحقوق",
)  # fmt: skip
_BYLINE = re.compile(
    r"""^(?:by|from|words|text|story|photos?|posted|published|updated|first\ published|last\ (?:updated|modified|edited)
    |modified|created|asked|answered|submitted|von|stand|veröffentlicht|aktualisiert|geändert|par|publié|mis\ à\ jour
    |por|publicado|actualizado|di|pubblicato|aggiornato|door|gepubliceerd|autor|author|reporter|opublikowano
    |опубликовано|автор|來源|来源|作者|編集|كتبت?)\b[\s:：]""",
    re.IGNORECASE | re.VERBOSE,
)  # fmt: skip


class Known(NamedTuple):
    """What the metadata say, by which a headline and a line about the author are told."""

    title: str | None = None
    author: str | None = None
    publisher: str | None = None


def is_chrome(block: Block, known: Known) -> bool:
    """Whether a short block is about the page, not of it: who wrote it, when, whose it is, what one can press."""
    text = block.text
    if _CHROME.fullmatch(text) or (block.kind in {"div", "p"} and ENDS.fullmatch(text)):
        return True
    if len(text) <= LONGEST_RIGHTS and any(word in text.casefold() for word in _RIGHTS):
        return True
    return len(text) <= LONGEST_BYLINE and block.kind in {"div", "p"} and _is_byline(text, known)


def _is_byline(text: str, known: Known) -> bool:
    """Whether a line names the author, the time, or both, and says next to nothing besides.

    A day alone is not enough: "Died 4 June 1944" is a fact.
    """
    day, clock = iso_date(text) is not None, has_clock(text)
    rest = without_dates(text) if day or clock else text.casefold()
    named = False
    for name in filter(None, (known.author, known.publisher)):
        for part in name.casefold().split(", "):
            named = named or part in rest
            rest = rest.replace(part, " ")
    opens = _BYLINE.match(text) is not None
    left = [word for word in _WORD.findall(rest) if not word.isdigit()]
    if (day or clock) and (opens or named):
        return len(left) <= _FEW
    if named or (day and clock):
        return len(left) <= 2
    return (not left and (day or clock)) or (opens and len(left) <= _FEW + 2 and text.istitle())


def date_by_headline(blocks: Sequence[Block], main: Sequence[Block]) -> str | None:
    """The date in the line about author and time that follows the headline of an article."""
    start = next((number for number, block in enumerate(blocks) if main and block is main[0]), len(blocks))
    for block in blocks[start + 1 : start + 1 + _NEAR]:
        label = _LABEL.match(block.text)
        other = label is not None and not _BYLINE.match(block.text)
        if len(block.text) <= LONGEST_BYLINE and not other and _is_byline(block.text, Known()):
            return iso_date(block.text)
    return None
