"""Which pages may use the chat.

Decides by the ``Origin`` that a browser sends: none (no browser), the page of the chat's own host,
or one that was named. A browser refuses other pages the answer, but not the request; so requests
that change something are refused here too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from wonmu.errors import InputError


@dataclass(frozen=True, slots=True)
class Origins:
    """The origins that were named."""

    named: frozenset[str] = frozenset()

    @classmethod
    def of(cls, named: Iterable[str]) -> Origins:
        """As typed; raises ``InputError``."""
        return cls(frozenset(_origin(name) for name in named))

    def allow(self, origin: str | None, host: str | None) -> bool:
        """``host``: what the request says it was sent to."""
        if origin is None or origin in self.named:
            return True
        return host is not None and origin.partition("://")[2] == host


def _origin(name: str) -> str:
    trimmed = name.strip().rstrip("/").lower()
    try:
        parts = urlsplit(trimmed)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not whole or trimmed != f"{parts.scheme}://{parts.netloc}" or "@" in parts.netloc:
        raise InputError(
            f"--origin {name}: is no origin of pages; write for example https://www.hospital.example"
        )
    return trimmed
