"""Small PDF and DOCX files for the tests, made by hand so that each holds exactly what its test is about."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from indexing.loading.load import iterate_source, load_source
from indexing.loading.loaded import LoadedDocument, LoadFailure
from indexing.loading.settings import LoadingSettings

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_FONTS = b"<< /F1 3 0 R /F2 4 0 R >>"


def load_one(folder: Path, name: str, data: bytes | str) -> LoadedDocument:
    """Return the one document of a file with the given content."""
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    (document,) = load_source(path, LoadingSettings())
    return document


def refusal(folder: Path, name: str, data: bytes | str, settings: LoadingSettings | None = None) -> str:
    """Return the sentence with which a file of the given content is refused."""
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    (failure,) = iterate_source(path, settings or LoadingSettings())
    assert isinstance(failure, LoadFailure)
    assert failure.uri == str(path)
    return failure.error


def pdf_text(x: float, y: float, text: str, *, size: float = 12, bold: bool = False, before: str = "") -> str:
    """Return the operators that show ``text`` with its baseline at (x, y); ``before`` are operators set ahead of it."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT {before} /{'F2' if bold else 'F1'} {size} Tf {x} {y} Td ({escaped}) Tj ET\n"


def pdf_lines(lines: Sequence[str], *, x: float = 72, top: float = 720, leading: float = 14, size: float = 12) -> str:
    """Return the operators that show ``lines`` below one another."""
    return "".join(pdf_text(x, top - number * leading, line, size=size) for number, line in enumerate(lines))


def make_pdf(pages: Sequence[str], *, title: str = "") -> bytes:
    """Return a PDF of A4-like pages (612 by 792 points) with the given content streams."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ]
    for number, content in enumerate(pages):
        stream = content.encode("cp1252")
        page = f"/Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {6 + 2 * number} 0 R"
        objects.append(f"<< {page} /Resources << /Font ".encode() + _FONTS + b" >> >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n".encode() + stream + b"\nendstream")
    objects.append(f"<< /Title ({title}) >>".encode())
    return _pdf_file(objects)


def _pdf_file(objects: Sequence[bytes]) -> bytes:
    body = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    size = len(objects) + 1
    head = f"xref\n0 {size}\n0000000000 65535 f \n".encode()
    trailer = f"trailer << /Size {size} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    return body + head + table + trailer.encode()


def paragraph(text: str, *, style: str = "", run: str = "") -> str:
    """Return a paragraph of a DOCX body; ``run`` are properties of its one run."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{properties}<w:r><w:rPr>{run}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def make_docx(
    body: str,
    *,
    core_title: str = "",
    more: dict[str, bytes] | None = None,
    prolog: str = "",
    styles: str | None = "",
) -> bytes:
    """Return a DOCX file with the given body, core title, further parts and styles ("": two headings; None: none)."""
    parts = {
        "[Content_Types].xml": _CONTENT_TYPES,
        "_rels/.rels": _RELATIONS,
        "word/document.xml": f'<?xml version="1.0"?>{prolog}<w:document {W}><w:body>{body}</w:body></w:document>',
        "docProps/core.xml": f"<c:p {_CORE}><dc:title>{core_title}</dc:title></c:p>",
    }
    if styles is not None:
        parts["word/styles.xml"] = styles or _STYLES
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(name, text)
        for name, data in (more or {}).items():
            file.writestr(name, data)
    return packed.getvalue()


_CORE = 'xmlns:c="urn:core" xmlns:dc="http://purl.org/dc/elements/1.1/"'
_CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
_STYLES = (
    f'<w:styles {W}><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style></w:styles>'
)
