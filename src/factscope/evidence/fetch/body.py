"""Body of an HTTP response → bytes of a page: limited in size, decompressed, and of a readable type."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator

from factscope.evidence.fetch.fetched import NotFetchedError

CODINGS = "gzip, deflate"
"""Content encodings that are asked for. Every server knows one of them or sends pages uncompressed; Brotli and
Zstandard would each need another package until Python's library has them."""

_TYPES = {"text/html", "application/xhtml+xml", "application/pdf", "text/plain", "text/markdown"}
_OTHER_NAMES = {"application/x-pdf": "application/pdf", "text/x-markdown": "text/markdown"}
_UNSTATED = {
    "", "application/octet-stream", "binary/octet-stream", "application/download", "application/force-download",
    "application/x-download",
}  # fmt: skip
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([A-Za-z0-9][A-Za-z0-9._:+-]{0,39})[\"']?\s*(?:;|$)", re.IGNORECASE)
_MARKUP = re.compile(rb"<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
_HEAD = 1_024  # bytes in which the type of a page is looked for
_STEP = 1 << 20  # bytes unpacked at once, so that a decompression bomb is noticed early


async def read_body(pieces: AsyncIterator[bytes], length: str, most: int, *, cut: bool) -> bytes:
    """Read and join the pieces of a body. With `cut`, bytes beyond `most` are dropped; otherwise they raise an error.

    `length` is the length that the server states. Raises NotFetchedError.
    """
    if not cut and length.isascii() and length.isdecimal() and int(length[:20]) > most:
        raise NotFetchedError(f"it is larger than {most:,} bytes")
    chunks, size = [], 0
    async for piece in pieces:
        chunks.append(piece)
        size += len(piece)
        if size > most:
            if not cut:
                raise NotFetchedError(f"it is larger than {most:,} bytes")
            break
    return b"".join(chunks)[:most]


async def unpack(data: bytes, coding: str, most: int, *, cut: bool) -> bytes:
    """Return the decompressed body; yields to other tasks meanwhile. Raises NotFetchedError."""
    coding = coding.strip().lower().removeprefix("x-")
    if coding in {"", "identity"} or not data:
        return data
    if coding not in CODINGS.split(", "):
        raise NotFetchedError(f"it is encoded in a way that was not asked for ({coding[:40]})")
    # The standard wraps "deflate" in zlib, common practice does not (RFC 9110, section 8.4.1.2).
    framed = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS if coding == "gzip" else zlib.MAX_WBITS if framed else -15)
    chunks, size, remainder = [], 0, data
    while not unpacker.eof and size <= most:
        try:
            chunk = unpacker.decompress(remainder, min(_STEP, most + 1 - size))
        except zlib.error:
            raise NotFetchedError("its content encoding is broken") from None
        remainder = unpacker.unconsumed_tail
        if not chunk and not remainder:
            break
        chunks.append(chunk)
        size += len(chunk)
        await asyncio.sleep(0)
    if not cut and size > most:
        raise NotFetchedError(f"it is larger than {most:,} bytes when unpacked")
    if not cut and not unpacker.eof:
        raise NotFetchedError("it was cut short on the way")
    if unpacker.unused_data.startswith(b"\x1f\x8b"):
        raise NotFetchedError("it is compressed in several parts whose ends are not known")
    return b"".join(chunks)[:most]


def media_type(header: str) -> str:
    """Return the media type that a Content-Type header states; empty when it states none of use.

    Raises NotFetchedError for a type without readable text.
    """
    declared = header.partition(";")[0].strip().lower()
    if declared in _UNSTATED:
        return ""
    usual_name = _OTHER_NAMES.get(declared, declared)
    if usual_name not in _TYPES:
        raise NotFetchedError(f"it is not an HTML, PDF or plain text, but {declared[:80]}")
    return usual_name


def guessed_type(content: bytes) -> str:
    """Guess the media type from the first bytes. Raises NotFetchedError for content without readable text."""
    head = content[:_HEAD]
    if b"%PDF-" in head:
        return "application/pdf"
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and _MARKUP.search(head):
        return "text/html"
    if b"\0" in head:
        raise NotFetchedError("it is not an HTML, PDF or plain text, and its type is not stated")
    return "text/plain"


def charset(header: str) -> str | None:
    """Return the encoding that a Content-Type header states."""
    match = _CHARSET.search(header)
    return match[1].lower() if match else None
