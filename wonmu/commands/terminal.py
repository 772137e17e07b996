"""The terminal of a talk: lines of standard input, events as JSON lines, the caller's number."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections import deque
from collections.abc import Iterator

from wonmu.errors import InputError
from wonmu.korean.numbers import Phone, read_phone
from wonmu.timeline.events import Event


def caller_of(caller: str | None) -> str | None:
    """The caller's number as digits; None when it is withheld."""
    if caller is None or not caller.strip():
        return None
    phone = read_phone(caller)
    if not isinstance(phone, Phone):
        raise InputError(
            f"--caller {caller}: is no telephone number; write for example 01000001234"
        )
    return phone.digits


def _raw_lines() -> Iterator[bytes]:
    """The lines of standard input, through a reader of our own.

    A thread that waits for a line holds its reader's lock. Were it that of ``sys.stdin``, the
    interpreter would abort at its end when a call ends while the input is still open.
    """
    if sys.stdin is None:  # started with a closed standard input
        return
    with open(sys.stdin.fileno(), "rb", closefd=False) as reader:
        yield from reader


class StandardInput:
    """Lines from standard input, read in a thread so that the call goes on meanwhile."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ready = asyncio.Event()
        self._read: deque[str | InputError | None] = deque()
        threading.Thread(target=self._pump, daemon=True).start()

    def _pump(self) -> None:
        for number, raw in enumerate(_raw_lines(), start=1):
            try:
                line: str | InputError = raw.decode("utf-8")
            except UnicodeDecodeError:
                line = InputError(f"input line {number}: is not UTF-8 text; save the file as UTF-8")
            self._hand_over(line)
        self._hand_over(None)

    def _hand_over(self, line: str | InputError | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._arrive, line)
        except RuntimeError:
            return  # the call is over and its loop closed

    def _arrive(self, line: str | InputError | None) -> None:
        self._read.append(line)
        self._ready.set()

    async def next(self) -> str | None:
        while not self._read:
            self._ready.clear()
            await self._ready.wait()
        line = self._read[0]
        if line is not None:
            self._read.popleft()
        if isinstance(line, InputError):
            raise line
        return line

    def peek(self) -> str | None:
        ahead = self._read[0] if self._read else None
        return ahead if isinstance(ahead, str) else None


def show_json(event: Event) -> None:
    sys.stdout.write(json.dumps(event.to_json(), ensure_ascii=False) + "\n")
    sys.stdout.flush()
