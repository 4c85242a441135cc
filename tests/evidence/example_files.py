"""Files made on the spot: PDFs and decompression bombs."""

import zlib
from collections.abc import Callable

from factscope.evidence import BadPart, Collection, TextRow
from factscope.methods import Passages

Read = Callable[..., list[TextRow | BadPart]]


def make_pdf(
    content: bytes, filters: bytes = b"/FlateDecode", title: bytes = b"", resources: bytes = b"", form: bytes = b""
) -> bytes:
    """Return a PDF of one page with the compressed content stream `content`; `form` is the object 7."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> %s >> >>" % resources,
        b"<< /Length %d /Filter %s >>\nstream\n" % (len(content), filters) + content + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Title (%s) >>" % title,
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Length %d >>\nstream\n" % len(form)
        + form
        + b"\nendstream",
    ]
    out = b"%PDF-1.4\n"
    starts = []
    for number, body in enumerate(objects, 1):
        starts.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    return (
        out
        + b"xref\n0 8\n0000000000 65535 f \n"
        + table
        + b"trailer << /Size 8 /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF" % len(out)
    )


def text_pdf(text: str, title: str = "") -> bytes:
    """Return a PDF that shows `text`."""
    return make_pdf(zlib.compress(f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode()), title=title.encode())


def zeros(megabytes: int) -> bytes:
    """Assemble a flate stream of this many megabytes of zeros without compressing them all: RFC 1950, section 2.2."""
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    end = zlib.compressobj(wbits=-15).flush()
    checksum = (megabytes * 1_000_000 % 65_521) << 16 | 1
    return b"\x78\xda" + packed * megabytes + end + checksum.to_bytes(4, "big")


FACTS = {
    "bridge.txt": "The Marlow bridge opened in 1931. It has four arches.",
    "hall.md": "# Town hall\n\nThe town hall of Marlow was finished in 1908.",
    "mayor.html": "<html><body><p>The mayor of Marlow is elected every five years.</p></body></html>",
}


def urls(collection: Collection, query: str) -> list[str | None]:
    return [found.document.url for found in collection.search(query, Passages(top_k=10))]


def messages(collection: Collection) -> str:
    return "\n".join(map(str, collection.problems))
