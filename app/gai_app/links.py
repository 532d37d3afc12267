"""A whole study in a link: its TOML, compressed, in letters that a web address may have."""

import base64
import binascii
import zlib
from urllib.parse import urlencode, urlsplit, urlunsplit

from gai_app.settings import LINK_CHARACTERS, UPLOAD_BYTES
from gai_core import InputError, Study, dump_study, parse_study

PARAMETER = "study"
PAGE = "page"


def encoded(study: Study) -> str:
    """The study as text for a link."""
    packed = zlib.compress(dump_study(study).encode(), level=9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def decoded(text: str) -> Study:
    """The study of a link, checked like any file."""
    if len(text) > LINK_CHARACTERS:
        raise InputError(f"link: must have at most {LINK_CHARACTERS:,} characters")
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        # A short link must not unfold into a text that fills the memory.
        content = unpacking.decompress(packed, UPLOAD_BYTES)
        complete = unpacking.eof
        toml = content.decode()
    except (binascii.Error, ValueError, zlib.error):
        complete, toml = False, ""
    if not complete:
        raise InputError("link: is damaged or cut off; ask for it again, or for the study file")
    return parse_study(toml, "link")


def link(study: Study, url: str, page: str) -> str | None:
    """The address that opens this study on a page, None if the study is too long for one."""
    text = encoded(study)
    if len(text) > LINK_CHARACTERS:
        return None
    address = urlsplit(url)
    folder = address.path.removesuffix("/").removesuffix(f"/{page}")
    query = urlencode({PAGE: page, PARAMETER: text} if page else {PARAMETER: text})
    return urlunsplit((address.scheme, address.netloc, f"{folder}/", query, ""))
