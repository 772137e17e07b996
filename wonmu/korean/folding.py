"""How Korean words are compared: folded, so that spelling habits do not matter."""

from __future__ import annotations

import re
import unicodedata

_NOT_WORD = re.compile(r"[^0-9a-z가-힣ㄱ-ㅎㅏ-ㅣ]+")
_SENTENCE_END = re.compile(r"[.!?。…\n]+")


def fold(text: str) -> str:
    """Composed (NFC), lower case, without spaces and punctuation."""
    return _NOT_WORD.sub("", unicodedata.normalize("NFC", text).lower())


def folded_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, each folded; empty ones left out."""
    # A decimal point or a clock written with dots is not the end of a sentence.
    joined = re.sub(r"(?<=\d)\.(?=\d)", " ", text)
    return tuple(s for part in _SENTENCE_END.split(joined) if (s := fold(part)))
