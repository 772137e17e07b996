"""How a wait is handed in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

Pause = Callable[[float], Awaitable[None]]
"""Waits that many seconds; ``asyncio.sleep`` outside tests."""
