"""LangChain without telemetry, whatever the environment says.

LangSmith would send every message, a caller's words among them, to a server as soon as an
environment variable asks for it. Everything of ours that runs a LangChain agent does so inside
``untraced()``; it must never depend on how a machine is set up.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_OLD_TRACING = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")
"""Variables of the first tracer. LangChain refuses to run when one is set and tracing is off."""


@contextmanager
def untraced() -> Iterator[None]:
    """While inside, and in tasks begun inside, nothing is traced.

    The variables of the first tracer are taken out of this process's environment for good.
    """
    from langsmith import tracing_context

    for name in _OLD_TRACING:
        os.environ.pop(name, None)
    with tracing_context(enabled=False):
        yield
