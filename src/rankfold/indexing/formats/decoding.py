"""From bytes to text, the same way on every machine: the locale is never asked.

In order: the mark at the beginning, the encoding that the file declares, UTF-8, and windows-1252, which
reads anything.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final

from rankfold.indexing.field_values import clean_text
from rankfold.indexing.source_document import Doubt

# UTF-32 first: its little-endian mark begins with the one of UTF-16.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Browsers read these names as the larger encoding, and pages rely on it:
# https://encoding.spec.whatwg.org/#names-and-labels
_READ_AS: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}
# Python knows codecs that are no encodings of text, such as `unicode_escape` and `idna`; a page may not
# choose those.
_ENCODING_OF_TEXT: Final = re.compile(
    r"ascii|utf-8|cp(125\d|866|932|949)|iso8859-\d+|koi8-[ru]|mac-roman|gb2312|gbk|gb18030|big5(hkscs)?|euc_(jp|kr)"
    r"|shift_jis|iso2022_jp"
)

_SAMPLE_BYTES: Final = 65_536
_ORDINARY_BYTES: Final = bytes({9, 10, 11, 12, 13, 27, *range(32, 127), *range(128, 256)})
_NUL_RUN: Final = re.compile(rb"\0+")
# Of random bytes a tenth are control characters; text that is not even UTF-8 has next to none.
_MOST_CONTROLS_IN_UTF8: Final = 0.30
_MOST_CONTROLS_ELSEWHERE: Final = 0.05

# Shorter ones are more likely written about than embedded.
_EMBEDDED_DATA: Final = re.compile(
    r"data:(?:[\w.+-]+/[\w.+-]+)?(?:;[\w.+=-]+)*;base64,[A-Za-z0-9+/=_%-]{64,}", re.ASCII | re.IGNORECASE
)


@dataclass(frozen=True)
class DecodedText:
    """A file's text, with LF line ends and without U+0000, and how sure its encoding is."""

    text: str | None
    """Nothing where the file is no text."""
    doubts: tuple[Doubt, ...] = ()
    """What its reader should know."""


def decode(data: bytes, *, declared: str | None = None) -> DecodedText:
    """The text of a file.

    Args:
        data: all its bytes.
        declared: name of the encoding that the file itself claims, if any. A name that is unknown, or that
            the bytes contradict, is passed over.

    Returns:
        The text as `clean_text` leaves it, and a doubt where it was not plainly decoded. Never raises.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding)
    if declared is not None and (known := _text_encoding(declared)) is not None:
        try:
            return _unless_binary(data, data.decode(known), _MOST_CONTROLS_IN_UTF8)
        except UnicodeError:
            pass
    try:
        return _unless_binary(data, data.decode("utf-8"), _MOST_CONTROLS_IN_UTF8)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    text = data.decode("utf-8", "replace")
    replaced = text.count("\ufffd")
    if len(text) - len(text.encode("ascii", "ignore")) - replaced > replaced:
        # Most of what is not ASCII is sound UTF-8, and windows-1252 would spoil it all for a few bytes.
        doubt = Doubt(f"not all of it is UTF-8, characters replaced: {replaced}", line)
    else:
        text = data.decode("cp1252", "replace")
        doubt = Doubt("not UTF-8, read as windows-1252", line)
    return _unless_binary(data, text, _MOST_CONTROLS_ELSEWHERE, doubt)


def without_embedded_data(text: str) -> str:
    """The text with pictures and the like that were written into it as base64 cut down to an ellipsis."""
    return _EMBEDDED_DATA.sub("…", text) if ";base64," in text else text


def _marked(data: bytes, encoding: str) -> DecodedText:
    try:
        return DecodedText(clean_text(data.decode(encoding)))
    except UnicodeDecodeError:
        text = clean_text(data.decode(encoding, "replace"))
        return DecodedText(text, (Doubt(f"marked as {encoding.upper()}, but not all of it is, replaced"),))


def _text_encoding(name: str) -> str | None:
    try:
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return _READ_AS.get(known, known) if _ENCODING_OF_TEXT.fullmatch(known) else None


def _unless_binary(data: bytes, text: str, most_controls: float, *doubts: Doubt) -> DecodedText:
    # A run of zero bytes counts once: programs that crash or pad leave such runs in files that are text
    # otherwise.
    sample = _NUL_RUN.sub(b"\0", data[:_SAMPLE_BYTES])
    controls = len(sample.translate(None, delete=_ORDINARY_BYTES))
    if controls > most_controls * len(sample):
        return DecodedText(None, (Doubt("looks binary, not indexed"),))
    return DecodedText(clean_text(text), doubts)
