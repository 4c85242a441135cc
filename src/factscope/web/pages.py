"""The page: prebuilt files, and one HTML entry for all of its addresses."""

from __future__ import annotations

import mimetypes
import re
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from factscope.web.problems import ProblemError

STATIC = Path(__file__).parent / "static"
router = APIRouter(include_in_schema=False)
_ENTRIES = ("/", "/about", "/docs", "/checks/{check_id}", "/compare/{first_id}/{second_id}", "/annotate/{queue_id}")
_YEAR = "public, max-age=31536000, immutable"
_CODINGS = (("br", ".br"), ("gzip", ".gz"))
"""Content codings that the build writes beside a file, the smallest first, with the ending of each."""
_UNBUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Factscope</title></head>
<body><h1>The page is not built</h1>
<p>This Factscope was started from its sources, and its page has not been built yet. Build it with
<code>make page</code> and load this address again.
The HTTP API works: see <a href="/openapi.json">/openapi.json</a>.</p></body></html>
"""


async def _entry(request: Request) -> Response:
    page = await _page(200)
    if check_id := request.path_params.get("check_id"):
        # The page asks for this as soon as its scripts run: the browser begins while it fetches them.
        page.headers["Link"] = f"</api/v1/checks/{quote(check_id, safe='')}>; rel=preload; as=fetch; crossorigin"
    return page


async def _page(status: int) -> Response:
    content = await run_in_threadpool(_read, STATIC / "index.html")
    if content is None:
        return HTMLResponse(_UNBUILT, status)
    return Response(content, status, {"Cache-Control": "no-cache"}, "text/html; charset=utf-8")


for _path in _ENTRIES:
    router.add_api_route(_path, _entry, methods=["GET", "HEAD"], name=f"page {_path}")


@router.api_route("/{path:path}", methods=["GET", "HEAD"])
async def static_file(path: str, request: Request) -> Response:
    """Return a file of the page, compressed if the client accepts that; never one outside its folder.

    A browser that opens an unknown address gets the page, which reports it. Raises ProblemError (404) for all others.
    """
    file = (STATIC / path).resolve() if "\x00" not in path else STATIC
    root = STATIC.resolve()
    inside = file.is_relative_to(root) and not any(segment.startswith(".") for segment in file.relative_to(root).parts)
    lasting = _YEAR if path.startswith("assets/") else "no-cache"  # names under assets/ change with their content
    headers = {"Cache-Control": lasting, "Vary": "Accept-Encoding"}
    accepted = _accepted(request.headers.get("accept-encoding", ""))
    for coding, ending in (*_CODINGS, ("", "")) if inside else ():
        if coding and coding not in accepted:
            continue
        content = await run_in_threadpool(_read, file.with_name(file.name + ending) if ending else file)
        if content is not None:
            media = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            return Response(
                content, headers=headers | ({"Content-Encoding": coding} if coding else {}), media_type=media
            )
    if not path.startswith("api/") and "text/html" in request.headers.get("accept", ""):
        return await _page(404)
    raise ProblemError(404, "There is nothing at this address.", "The page begins at /.")


def _accepted(header: str) -> set[str]:
    """Return the content codings of an Accept-Encoding header, without those that it refuses (`q=0`)."""
    codings = set()
    for item in header.casefold().split(","):
        coding, _, weight = item.partition(";")
        if not re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight):
            codings.add(coding.strip())
    return codings


def _read(file: Path) -> bytes | None:
    """Return a whole file, so that a page that is being rebuilt is sent either old or new; None if there is none."""
    try:
        return file.read_bytes()
    except (OSError, ValueError):  # not there, a folder, or a name that none can have
        return None
