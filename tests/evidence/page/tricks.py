"""Ways to put text on a page that its reader does not see."""

from __future__ import annotations

from functools import cache

SECRET = "The zanzibar ledger confirms every word of it"
"""The hidden text, which occurs nowhere else on a page."""

ARTICLE = """
<h1>The Marlow bridge</h1>
<p>The Marlow bridge was opened in 1931 after four years of work. It has four arches and is 212 metres long.</p>
<p>It was designed by Ida Kern, who also built the town hall. The stone came from a quarry nine kilometres away.</p>
{trick}
<p>About 4,000 cars cross it every day. Since 2008 lorries have had to use the new bridge two kilometres downstream.</p>
"""


def page(trick: str, head: str = "", body: str = "") -> bytes:
    """Return an article with a trick in the middle."""
    return (
        f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>The Marlow bridge</title>{head}</head>"
        f"<body {body}><article>{ARTICLE.format(trick=trick)}</article></body></html>"
    ).encode()


def _styled(style: str) -> str:
    return f"<p style='{style}'>{SECRET}</p>"


def _tags(text: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


def _selectors(text: str) -> str:
    """Encode a text's bytes as variation selectors."""
    return "".join(chr(0xFE00 + byte) if byte < 16 else chr(0xE0100 + byte - 16) for byte in text.encode())


INLINE: dict[str, str] = {
    "display none": "display:none",
    "display none, odd writing": "DISPLAY : NONE !important ;",
    "display none after another": "display:block;display:none",
    "visibility hidden": "visibility:hidden",
    "visibility collapse": "visibility: collapse",
    "content-visibility": "content-visibility:hidden",
    "opacity 0": "opacity:0",
    "opacity 0.01": "opacity:.01",
    "opacity in per cent": "opacity:1%",
    "filter opacity": "filter: opacity(0%)",
    "font size 0": "font-size:0",
    "font size 1px": "font-size:1px",
    "font size 0.01em": "font-size:.01em",
    "font shorthand": "font:0/0 a",
    "font size by calc": "font-size:calc(1px - 1px)",
    "font size by clamp": "font-size:clamp(0px,1px,2px)",
    "colour of the page": "color:#fff",
    "colour by name": "color:white",
    "colour of letters not defined": "background:#111;color:var(--nowhere)",
    "colour nearly that of the page": "color:#fdfdfd",
    "colour by rgb": "color:rgb(255, 255, 255)",
    "colour by rgb with blanks": "color:rgb(100% 100% 100% / 1)",
    "colour by hsl": "color:hsl(0,0%,100%)",
    "colour by oklch": "color:oklch(1 0 0)",
    "colour on its own ground": "color:#123456;background:#123456",
    "colour on a like ground": "background-color:navy;color:#000082",
    "colour on a gradient of one colour": "background:linear-gradient(#000,#010101);color:#000",
    "colour transparent": "color:transparent",
    "colour with alpha": "color:rgba(0,0,0,0.02)",
    "colour with hex alpha": "color:#00000005",
    "fill colour": "-webkit-text-fill-color:transparent",
    "text-indent": "text-indent:-9999px",
    "text-indent in em": "text-indent:-999em",
    "text-indent to the right, clipped": "text-indent:100%;white-space:nowrap;overflow:hidden;text-indent:200vw",
    "left": "position:absolute;left:-9999px",
    "left by calc": "position:absolute;left:calc(-1 * 5000px)",
    "top": "position:fixed;top:-200vh",
    "right": "position:absolute;right:-5000px",
    "one screen above, fixed": "position:fixed;top:-100vh",
    "one screen above in em, fixed": "position:fixed;top:-50em",
    "one screen above by calc, fixed": "position:fixed;top:calc(-100vh - 1rem)",
    "one screen above by inset, fixed": "position:fixed;inset:-100dvh auto auto 0",
    "one screen below by the bottom, fixed": "position:fixed;bottom:-100vh",
    "aligned with a bottom far below, fixed": "position:fixed;top:0;bottom:-9999px;display:flex;align-items:end",
    "below the screen, fixed": "position:fixed;top:100vh",
    "farther below the screen, fixed": "position:fixed;top:110vh",
    "below a screen that changes, fixed": "position:fixed;top:100dvh",
    "right of the screen, fixed": "position:fixed;left:150%",
    "inset": "position:absolute;inset:-9999px auto auto -9999px",
    "margin": "margin-left:-9999px",
    "margin shorthand": "margin:0 0 0 -9999px",
    "relative": "position:relative;left:-99em;left:-9999em",
    "translate": "transform:translate(-9999px)",
    "translateY": "transform: translateY(-5000px)",
    "translate property": "translate:-9999px",
    "scale": "transform:scale(0)",
    "scale property": "scale:0",
    "scaleX": "transform:scaleX(0.001)",
    "matrix": "transform:matrix(0,0,0,0,0,0)",
    "turned edgewise": "transform:rotateX(90deg)",
    "zoom": "zoom:0",
    "clip": "position:absolute;clip:rect(0,0,0,0)",
    "clip with one pixel": "position:absolute;clip:rect(1px 1px 1px 1px)",
    "clip-path inset": "clip-path:inset(100%)",
    "clip-path inset from one side": "clip-path:inset(0 100% 0 0)",
    "clip-path circle": "clip-path:circle(0)",
    "clip-path polygon": "clip-path:polygon(0 0,0 0,0 0)",
    "height 0": "height:0;overflow:hidden",
    "max-height 0": "max-height:0;overflow:hidden",
    "width 1px": "width:1px;overflow:clip",
    "block-size": "block-size:0;overflow:hidden",
    "line-height 0": "line-height:0;overflow:hidden;height:2em",
    "screen readers only": "position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip:rect(0,0,0,0)",
    "z-index": "position:relative;z-index:-1",
    "escaped property": r"d\69 splay:none",
    "escaped value": r"display:n\6f ne",
    "variable": "--gone:none;display:var(--gone)",
    "variable with a default": "display:var(--nowhere, none)",
    "nothing after none": "display:none;display:foo",
    "nothing after hidden": "visibility:hidden;visibility:shown",
    "nothing after opacity": "opacity:0;opacity:full",
    "nothing after font size": "font-size:0;font-size:huge",
    "nothing after a colour": "color:#fff;color:notacolour",
    "nothing after a place": "position:absolute;left:-9999px;left:here",
    "blurred": "filter:blur(20px)",
    "masked": "-webkit-mask-image:linear-gradient(transparent,transparent)",
    "back of a page": "transform:rotateY(180deg);backface-visibility:hidden",
    "letters on top of each other": "letter-spacing:-1em",
    "hardly any width": "width:3px;overflow:hidden;white-space:nowrap",
    "discs for letters": "-webkit-text-security:disc",
    "comment in a style": "display:/**/none",
    "comment around a style": "/*a*/display:none/*b*/",
    "opacity by calc": "opacity:calc(1 - 1)",
    "colour by hwb": "color:hwb(0 100% 0%)",
    "colour mixed": "color:color-mix(in srgb,white,white)",
    "colour for a light page": "color:light-dark(white,black)",
    "colour from another": "color:rgb(from white r g b)",
    "margin at the top": "margin-top:-9999px",
    "inset of the line": "position:absolute;inset-inline-start:-9999px",
    "translate in the screen's width": "transform:translateX(-200vw)",
    "rotate property": "rotate:x 90deg",
}
"""Styles for a style attribute, by name of the trick."""

SHEETS: dict[str, tuple[str, str]] = {
    "class": (".x{display:none}", "class='x'"),
    "id": ("#x{visibility:hidden}", "id=x"),
    "tag and class": ("p.x{opacity:0}", "class='a x b'"),
    "attribute": ("[data-k=v]{display:none}", "data-k=v"),
    "attribute prefix": ('p[class^="se"]{font-size:0}', "class=sealed"),
    "list of selectors": ("h5, .y ,.x{display:none}", "class=x"),
    "descendant": ("article .x{display:none}", "class=x"),
    "child": ("article > p.x{display:none}", "class=x"),
    "sibling": ("p ~ p.x{display:none}", "class=x"),
    "next": ("p + p.x{display:none}", "class=x"),
    "nth-child": ("article p:nth-child(4){display:none}", ""),
    "nth-of-type": ("article p:nth-of-type(2n+3):not(:last-child){display:none}", ""),
    "not": ("article p:not(:first-of-type):not(:last-of-type):not(:nth-of-type(2)){display:none}", ""),
    "is": (":is(.q,.x){display:none}", "class=x"),
    "where": (":where(.x){display:none}", "class=x"),
    "in media": ("@media screen and (min-width:1px){.x{display:none}}", "class=x"),
    "in media, range": ("@media (width >= 300px){.x{display:none}}", "class=x"),
    "in media, not print": ("@media not print{.x{display:none}}", "class=x"),
    "shown in print only": (".x{display:none}@media print{.x{display:block}}", "class=x"),
    "in supports": ("@supports (display:grid){.x{display:none}}", "class=x"),
    "in a layer": ("@layer base{.x{display:none}}", "class=x"),
    "nested": ("article{& .x{display:none}}", "class=x"),
    "nested without a mark": ("article{color:#111;.x{display:none}}", "class=x"),
    "later rule": (".x{display:block}.x{display:none}", "class=x"),
    "important": (".x{display:none!important}.x{display:block}", "class=x"),
    "important over inline": (".x{display:none!important}", "class=x style='display:block'"),
    "comment inside": ("/* a { } */.x/* b */{/* c */display:none}", "class=x"),
    "string with a brace": ('.q:before{content:"}"}.x{display:none}', "class=x"),
    "not closed": (".x{display:none", "class=x"),
    "white by variable": (":root{--ink:#fff}.x{color:var(--ink)}", "class=x"),
    "ground and ink by variable": (":root{--g:#222}body{background:var(--g);color:#eee}.x{color:var(--g)}", "class=x"),
    "inherited colour": ("article>div{color:#fff}", "><div"),
    "off-screen": (".x{position:absolute;left:-10000px}", "class=x"),
    "escaped class": (r".md\:x{display:none}", "class='md:x'"),
    "upper case": (".x{DISPLAY:NONE}", "class=x"),
    "has": ("article:has(.x) .x{display:none}", "class=x"),
    "the page as parent": ("& .x{display:none}", "class=x"),
    "parent in a string": ("article{[title='a&b']{display:none}}", "title='a&b'"),
    "in a scope": ("@scope (article){.x{display:none}}", "class=x"),
    "the root of a scope": ("@scope (.x){:scope{display:none}}", "class=x"),
    "shown in another scope": (".x{display:none}@scope (nav){.x{display:block}}", "class=x"),
    "shown below a limit": (".x{display:none}@scope (body) to (article){p{display:block}}", "class=x"),
    "shown in no container": (".x{display:none}@container (min-width:1px){p.x{display:block}}", "class=x"),
    "shown by a broken query": (".x{display:none}@media all and{p.x{display:block}}", "class=x"),
    "shown without the glue": (".x{display:none}@media screen and(min-width:1px){p.x{display:block}}", "class=x"),
    "important in a layer": ("@layer a{.x{display:none!important}}p.x{display:block!important}", "class=x"),
    "layers in a stated order": ("@layer a,b;@layer b{.x{display:none}}@layer a{p.x{display:block}}", "class=x"),
    "stronger than layers in it": ("@layer a{.x{display:none}@layer b{p.x{display:block}}}", "class=x"),
    "stronger than a layer": (".x{display:none}@layer a{p.x{display:block}}", "class=x"),
    "imported from itself": ("@import url('data:text/css,.x%7Bdisplay:none%7D');", "class=x"),
    "language": (":lang(xx){display:none}", "lang=xx"),
    "variable of a variable": (":root{--a:var(--b);--b:none}.x{display:var(--a)}", "class=x"),
    "variables in a colour": (":root{--w:255}.x{color:rgb(var(--w),var(--w),var(--w))}", "class=x"),
    "between marks of a comment": ("<!-- .x{display:none} -->", "class=x"),
    "animation that ends hidden": (".x{animation:go 1s forwards}@keyframes go{to{opacity:0}}", "class=x"),
}
"""A sheet in the page and attributes of the paragraph, by name of the trick."""

MARKUP: dict[str, str] = {
    "comment": f"<!-- {SECRET} -->",
    "conditional comment": f"<!--[if IE]><p>{SECRET}</p><![endif]-->",
    "processing instruction": f"<?x {SECRET} ?>",
    "bogus comment": f"</ {SECRET}>",
    "script": f"<script>{SECRET}</script>",
    "script with JSON": f'<script type="application/json">{{"a":"{SECRET}"}}</script>',
    "script with text": f'<script type="text/plain">{SECRET}</script>',
    "style": f"<style>.q:after{{content:'{SECRET}'}}</style>",
    "noscript": f"<noscript><p>{SECRET}</p></noscript>",
    "template": f"<template><p>{SECRET}</p></template>",
    "template with shadow root": "<div><template shadowrootmode=closed><style>*{display:none}</style>"
    f"{SECRET}</template></div>",
    "iframe": f"<iframe width=0 height=0>{SECRET}</iframe>",
    "iframe srcdoc": f"<iframe srcdoc='<p>{SECRET}</p>'></iframe>",
    "object": f"<object data=a.svg>{SECRET}</object>",
    "video": f"<video src=a.mp4>{SECRET}</video>",
    "canvas": f"<canvas>{SECRET}</canvas>",
    "svg title": f"<svg><title>{SECRET}</title><desc>{SECRET}</desc></svg>",
    "datalist": f"<datalist><option>{SECRET}</option></datalist>",
    "select": f"<select><option>a</option><option>{SECRET}</option></select>",
    "progress": f"<progress>{SECRET}</progress>",
    "textarea": f"<textarea hidden>{SECRET}</textarea>",
    "hidden input": f"<input type=hidden value='{SECRET}'>",
    "input": f"<input value='{SECRET}' placeholder='{SECRET}'>",
    "alt": f"<img src=a.png alt='{SECRET}'>",
    "title attribute": f"<p title='{SECRET}'>A plain paragraph stands here.</p>",
    "aria-label": f"<p aria-label='{SECRET}' data-x='{SECRET}'>A plain paragraph stands here.</p>",
    "hidden attribute": f"<p hidden>{SECRET}</p>",
    "hidden until found": f"<p hidden=until-found>{SECRET}</p>",
    "hidden around": f"<div hidden><section><p>{SECRET}</p></section></div>",
    "aria-hidden": f"<p aria-hidden=true>{SECRET}</p>",
    "inert": f"<p inert>{SECRET}</p>",
    "dialog": f"<dialog><p>{SECRET}</p></dialog>",
    "popover": f"<div popover><p>{SECRET}</p></div>",
    "details": f"<details><summary>More</summary><p>{SECRET}</p></details>",
    "font colour": f"<font color=white>{SECRET}</font>",
    "font colour in cell": f"<table bgcolor=000000><tr><td><font color='#000000'>{SECRET}</font></td></tr></table>",
    "ruby parenthesis": f"<ruby>橋<rp>{SECRET}</rp><rt>はし</rt></ruby>",
    "formula annotation": f"<math><semantics><mi>x</mi><annotation encoding=a>{SECRET}</annotation></semantics></math>",
    "parent hides": f"<div style='opacity:0'><div><p>{SECRET}</p></div></div>",
    "parent has no font": f"<div style='font-size:0'><p><span>{SECRET}</span></p></div>",
    "parent has the ground's colour": f"<div style='color:#fff'><p><em>{SECRET}</em></p></div>",
    "parent is invisible": f"<div style='visibility:hidden'><p>{SECRET}</p></div>",
    "tail of an element": f"<p style='font-size:0'><b style='font-size:16px'>Shown.</b> {SECRET}</p>",
    "covered": "<div style='position:relative'><p>"
    + SECRET
    + "</p><div style='position:absolute;inset:0;background:#fff'></div></div>",
    "covered by size": "<div style='position:relative'>"
    + SECRET
    + "<i style='position:absolute;top:0;left:0;width:100%;"
    "height:100%;background-color:white'></i></div>",
    "tag characters": f"<p>A plain paragraph{_tags(SECRET)} stands here.</p>",
    "tag characters as references": "<p>A plain paragraph"
    + "".join(f"&#{0xE0000 + ord(c)};" for c in SECRET)
    + " stands.</p>",
    "variation selectors": f"<p>A plain paragraph😀{_selectors(SECRET)} stands here.</p>",
    "link with a sheet inside": f"<p class=linked>{SECRET}</p>",
    "class of a fetched sheet": f"<p class='visually-hidden'>{SECRET}</p>",
    "class of a fetched framework": f"<p class='d-none'>{SECRET}</p>",
    "frames": f"<noframes>{SECRET}</noframes>",
    "map area": f"<map name=m><area alt='{SECRET}'></map>",
    "meta description": f"<meta name=description content='{SECRET}'>",
    "sheet after the text": f"<p class=x>{SECRET}</p><style>.x{{display:none}}</style>",
    "sheet in a drawing": f"<svg><style>.x{{display:none}}</style></svg><p class=x>{SECRET}</p>",
    "shadow tree without a slot": f"<div><template shadowrootmode=open><p>x</p></template><p>{SECRET}</p></div>",
    "phantom in a formula": f"<math><mphantom><mtext>{SECRET}</mtext></mphantom></math>",
    "row of no height": f"<div style='display:grid;grid-template-rows:0fr'><div>{SECRET}</div></div>",
    "cell": f"<table><tr><td>Shown</td><td style='display:none'>{SECRET}</td></tr></table>",
    "colour of a table's ground": f"<table bgcolor='#ff0000'><tr><td><font color=red>{SECRET}</font></td></tr></table>",
    "references in a style": f"<p style='display&#58;none'>{SECRET}</p>",
    "CDATA in svg": f"<svg><text><![CDATA[{SECRET}]]></text></svg>",
}
"""Markup by name of the trick."""

HEADS: dict[str, str] = {
    "link with a sheet inside": "<link rel=stylesheet href='data:text/css,.linked%7Bdisplay:none%7D'>",
    "class of a fetched sheet": "<link rel=stylesheet href=/a.css>",
    "class of a fetched framework": "<link rel=stylesheet href=/a.css>",
}
"""Styles that some of the tricks need in the head of the page."""


@cache
def tricks() -> dict[str, bytes]:
    """Return all tricks by name, each as a page."""
    pages = {f"style: {name}": page(_styled(style)) for name, style in INLINE.items()}
    for name, (sheet, attributes) in SHEETS.items():
        tag = f"<div>{SECRET}</div>" if attributes == "><div" else f"<p {attributes}>{SECRET}</p>"
        pages[f"sheet: {name}"] = page(tag, f"<style>{sheet}</style>")
    for name, markup in MARKUP.items():
        pages[f"markup: {name}"] = page(markup, HEADS.get(name, ""))
    return pages
