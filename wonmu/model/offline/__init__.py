"""The built-in model: rules that read Korean, behind the shapes of a language model.

It is openly *not* a language model. It answers from word tables and from the messages and tools
it is sent, holds no state of a call, and is there for demos, tests, load, and as the last model
asked when the real one is down.
"""

from __future__ import annotations

from wonmu.model.offline.brain import BuiltinRung, complete

__all__ = ["BuiltinRung", "complete"]
