"""A note for the desk on its way through a call. Data only."""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.desk.records import CallWindow, RequestKind


@dataclass(slots=True)
class OpenNote:
    """A note on its way.

    ``topic``: the caller's words, masked. ``name``: asked for, not verified. ``asked_topic``: the
    caller was asked what for. ``by_mode``: the hospital takes a memo for this action (T7).
    """

    kind: RequestKind
    topic: str
    name: str | None = None
    window: CallWindow | None = None
    asked_topic: bool = False
    by_mode: bool = False
    failed: bool = False
    """Left by code because something failed; another failure is another note."""
