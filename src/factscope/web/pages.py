"""The page: files that were built beforehand, and one entry for all of its addresses."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from factscope.web.problems import ProblemError

STATIC = Path(__file__).parent / "static"
router = APIRouter(include_in_schema=False)
_ENTRIES = ("/", "/about", "/checks/{check_id}", "/compare/{first_id}/{second_id}", "/annotate/{queue_id}")
_YEAR = "public, max-age=31536000, immutable"
_UNBUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Factscope</title></head>
<body><h1>The page is not built</h1>
<p>This Factscope was started from its sources, and its page has not been built yet. Build it with
<code>make page</code> and load this address again.
The HTTP API works: see <a href="/openapi.json">/openapi.json</a>.</p></body></html>
"""


async def _entry() -> Response:
    content = await run_in_threadpool(_read, STATIC / "index.html")
    if content is None:
        return HTMLResponse(_UNBUILT, 200)
    return Response(content, headers={"Cache-Control": "no-cache"}, media_type="text/html; charset=utf-8")


for _path in _ENTRIES:
    router.add_api_route(_path, _entry, methods=["GET", "HEAD"], name=f"page {_path}")


@router.api_route("/{path:path}", methods=["GET", "HEAD"])
async def static_file(path: str) -> Response:
    """A file of the page; nothing outside of its folder."""
    file = (STATIC / path).resolve() if "\x00" not in path else STATIC
    root = STATIC.resolve()
    inside = file.is_relative_to(root) and not any(segment.startswith(".") for segment in file.relative_to(root).parts)
    content = await run_in_threadpool(_read, file) if inside else None
    if content is None:
        raise ProblemError(404, "There is nothing at this address.", "The page begins at /.")
    lasting = _YEAR if path.startswith("assets/") else "no-cache"  # names under assets/ change with their content
    media = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return Response(content, headers={"Cache-Control": lasting}, media_type=media)


def _read(file: Path) -> bytes | None:
    """A whole file, so that a page that is being built again is sent as it was or as it is; None without one."""
    try:
        return file.read_bytes()
    except (OSError, ValueError):  # not there, a folder, or a name that none can have
        return None
