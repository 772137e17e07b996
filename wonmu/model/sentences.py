"""Cut a stream of text into sentences as it arrives. Pure.

A sentence ends at . ? ! … or a line break. A dot between digits or after a Latin letter is not an
end ("16.30", "Dr. Kim"). Text without any end is cut at a comma or space once it is too long, so
that a voice can start. Nothing is dropped but white space and bits without a letter or digit.
"""

from __future__ import annotations

import re

_END = re.compile(
    r"(?:(?<![A-Za-z0-9])\.|[?!…。？！])[.?!…。？！]*[\"'”’)\]]*|(?<=[A-Za-z0-9])\.(?=\s)|\n"
)
_SIGN = re.compile(r"[.?!…。？！\n]")
_LATIN_DOT = re.compile(r"[A-Za-z]\.$")
_WORDS = re.compile(r"\w")
_HELD_OPENINGS = ("{", "[", "`", "<")


class SentenceCutter:
    """Give it text, take whole sentences."""

    def __init__(self, longest: int) -> None:
        self._longest = max(longest, 1)
        self._rest = ""

    def feed(self, text: str) -> list[str]:
        """The sentences that ``text`` completed."""
        # Most deltas end nothing; a dot ends a sentence only with the white space after it.
        unended = _SIGN.search(self._rest[-1:] + text) is None
        self._rest += text
        if unended and len(self._rest) <= self._longest:
            return []
        done: list[str] = []
        while not self._held():
            cut = self._cut()
            if cut is None:
                break
            done.append(self._rest[:cut])
            self._rest = self._rest[cut:]
        return _clean(done)

    def flush(self) -> list[str]:
        """What is left, as the last sentence."""
        rest, self._rest = self._rest, ""
        return _clean([rest])

    def _held(self) -> bool:
        """Speech never opens with a brace or fence; such text is kept whole for the judge."""
        return self._rest.lstrip().startswith(_HELD_OPENINGS)

    def _cut(self) -> int | None:
        for match in _END.finditer(self._rest):
            if match.end() > self._longest:
                break
            if not _LATIN_DOT.search(self._rest[: match.end()].rstrip()):
                return match.end()
        if len(self._rest) <= self._longest:
            return None
        head = self._rest[: self._longest]
        at = max(head.rfind(", "), head.rfind(" "))
        return at + 1 if at > 0 else self._longest


def _clean(parts: list[str]) -> list[str]:
    return [part.strip() for part in parts if _WORDS.search(part)]
