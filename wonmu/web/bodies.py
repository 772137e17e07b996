"""Reading what a browser sends, strictly.

Decides what counts as a request; everything else is refused with its reason and never quoted back.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from wonmu.web.refusal import Refused, Why

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""A client's name of a message, or our name of a visit."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""Nobody types these into a chat, and a database may refuse them."""


@dataclass(frozen=True, slots=True)
class Words:
    """A visitor's message. ``visit``: the visit whose words it answers, if the client said so."""

    text: str
    client_id: str | None
    visit: str | None


@dataclass(frozen=True, slots=True)
class Hello:
    """The first frame of a socket. ``after``: the last message that this client has."""

    token: str
    visit: str | None
    after: int


async def read_body(stream: AsyncIterator[bytes], most: int, seconds: float) -> bytes:
    """The whole body. Raises ``Refused`` when it is too large or too slow."""
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for part in stream:
                body += part
                if len(body) > most:
                    raise Refused(Why.TOO_LARGE)
    except TimeoutError:
        raise Refused(Why.SLOW) from None
    return bytes(body)


def read_object(raw: bytes | str) -> Mapping[str, object]:
    """A JSON object. Raises ``Refused``."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        raise Refused(Why.BAD_REQUEST) from None
    if not isinstance(found, dict):
        raise Refused(Why.BAD_REQUEST)
    return found


def read_words(body: Mapping[str, object], most_chars: int) -> Words:
    """A message. Raises ``Refused``."""
    return Words(_text(body.get("text"), most_chars), _named(body, "client_id"), _visit(body))


def read_hello(body: Mapping[str, object]) -> Hello:
    """Raises ``Refused``."""
    token, after = body.get("token"), body.get("after", 0)
    if body.get("type") != "hello" or not isinstance(token, str):
        raise Refused(Why.BAD_REQUEST)
    if not isinstance(after, int) or isinstance(after, bool) or after < 0:
        raise Refused(Why.BAD_REQUEST)
    return Hello(token, _visit(body), after)


def read_after(text: str | None) -> int:
    """The ``after`` of a query. Raises ``Refused``."""
    if text is None:
        return 0
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise Refused(Why.BAD_REQUEST)
    return int(text)


def read_token(header: str | None) -> str:
    """The token of an ``Authorization`` header. Raises ``Refused``, as for an unknown one."""
    scheme, _, token = (header or "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Refused(Why.UNKNOWN)
    return token.strip()


def _text(value: object, most_chars: int) -> str:
    if not isinstance(value, str):
        raise Refused(Why.BAD_REQUEST)
    if len(value) > most_chars:
        raise Refused(Why.TOO_LONG)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # half a character, as JSON can hold it
        raise Refused(Why.BAD_REQUEST) from None
    text = " ".join(_CONTROL.sub(" ", value).split())
    if not text:
        raise Refused(Why.EMPTY)
    return text


def _visit(body: Mapping[str, object]) -> str | None:
    return _named(body, "visit")


def _named(body: Mapping[str, object], field: str) -> str | None:
    value = body.get(field)
    if value is None:
        return None
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise Refused(Why.BAD_REQUEST)
    return value
