"""Where the stores of a test lie; the fixture ``store_at`` is in conftest.py."""

from __future__ import annotations

from collections.abc import Callable

StoreAt = Callable[[str], str]
"""``store_at("desk")``: the path or URL of a store of this test; the same name, the same store."""
