"""A whole study in a link: its TOML, compressed, in letters that a web address may have."""

import base64
import binascii
import functools
import zlib
from urllib.parse import urlencode, urlsplit, urlunsplit

from gai_app.settings import LINK_BYTES, LINK_CHARACTERS, UPLOAD_BYTES
from gai_core import InputError, Study, dump_study, parse_study
from gai_core.basics import Problem

PARAMETER = "study"
PAGE = "page"


MOST_TEXTS = 100
"""Studies whose texts are kept: every pass of a page needs them."""


def file_text(study: Study) -> str:
    """The study file."""
    return _texts(study.model_dump_json())[0]


def encoded(study: Study) -> str:
    """The study as text for a link."""
    return _texts(study.model_dump_json())[1]


@functools.lru_cache(MOST_TEXTS)
def _texts(blueprint: str) -> tuple[str, str]:
    """The file and the text for a link; writing TOML takes a hundred times as long as JSON."""
    text = dump_study(Study.model_validate_json(blueprint))
    packed = zlib.compress(text.encode(), level=9)
    return text, base64.urlsafe_b64encode(packed).decode().rstrip("=")


def decoded(text: str, characters: int = LINK_CHARACTERS, size: int = LINK_BYTES) -> Study:
    """The study of a link, checked like any file; its length and that of the file are limited."""
    if len(text) > characters:
        raise InputError(f"must have at most {characters:,} characters", source="link")
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        toml = unfolded(packed, size).decode()
    except (binascii.Error, ValueError, zlib.error):
        rule = "is damaged, cut off, or of a study that is too long for a link"
        remedy = "ask for it again, or for the study file"
        raise InputError(Problem((), rule, remedy=remedy), source="link") from None
    return parse_study(toml, "link")


def unfolded(packed: bytes, size: int) -> bytes:
    """What was compressed; a short text must not unfold into one that fills the memory."""
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(packed, size)
    if not unpacking.eof:
        raise ValueError("cut off, or too long")
    return content


def own(text: str) -> Study:
    """A study that the browser has kept: as large as a file may be."""
    return decoded(text, 2 * UPLOAD_BYTES, UPLOAD_BYTES)


def link(study: Study, url: str, page: str) -> str | None:
    """The address that opens this study on a page, None if the study is too long for one."""
    text = encoded(study)
    if len(text) > LINK_CHARACTERS or len(file_text(study).encode()) > LINK_BYTES:
        return None
    address = urlsplit(url)
    folder = address.path.removesuffix("/").removesuffix(f"/{page}")
    query = urlencode({PAGE: page, PARAMETER: text} if page else {PARAMETER: text})
    return urlunsplit((address.scheme, address.netloc, f"{folder}/", query, ""))
