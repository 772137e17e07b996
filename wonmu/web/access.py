"""One entry a request: what was asked of which hospital, and how it went.

It must never hold a token, a text, a path as it was typed, or an address in clear: who asked is a
name that is the same within one run of the server.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Access:
    """``op``: a name from a closed list. ``seconds``: until the answer, or of the whole socket."""

    at: datetime
    who: str
    hospital: str
    op: str
    status: int
    seconds: float


AccessSink = Callable[[Access], None]


def jsonl_sink(path: Path) -> AccessSink:
    """Appends one JSON object a line."""

    def write(access: Access) -> None:
        entry = {**asdict(access), "at": access.at.isoformat(timespec="milliseconds")}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    return write
